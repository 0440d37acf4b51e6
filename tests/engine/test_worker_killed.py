"""A worker of a real cluster is killed in mid-job: the job ends right or fails whole."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from analyzer.engine import published

PATIENCE = 120  # seconds until the job has begun
WEEKS = (44, 45, 46, 47)


@pytest.fixture
def workers() -> list[int]:
    """The process ids of the workers that `engine.cluster` started."""
    named = os.environ.get("CITELOG_SPARK_WORKERS")
    if not named:
        pytest.skip("needs a cluster of its own; make test-spark starts one")
    return [int(pid) for pid in named.split()]


def rollup(engine: str, output: Path, repo_root: Path) -> list[str]:
    logs = [str(repo_root / "sample_logs" / f"2026-W{week}.jsonl.zst") for week in WEEKS]
    inputs = [word for each in logs for word in ("--input", each)]
    command = [sys.executable, "-c", "from analyzer.cli.main import main; main()", "rollup"]
    return [*command, "--engine", engine, *inputs, "--output", str(output), "--unit-key", "00"]


def digests(output: Path) -> dict[str, str]:
    return {str(each.of): each.digest for each in published.manifests(output, "days")}


def test_the_days_are_right_or_not_there_and_right_after_a_rerun(
    workers: list[int], spark: str, tmp_path: Path, repo_root: Path
) -> None:
    subprocess.run(rollup("duckdb", tmp_path / "right", repo_root), check=True)
    right = digests(tmp_path / "right")
    job = subprocess.Popen(rollup(spark, tmp_path / "out", repo_root))
    wait_for(tmp_path / "out", job)
    for pid in [*children(workers[0]), workers[0]]:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    ended = job.wait()
    print("the job that lost a worker ended with", ended)
    found = digests(tmp_path / "out")
    assert found.items() <= right.items()
    assert ended or found == right
    subprocess.run(rollup(spark, tmp_path / "out", repo_root), check=True)
    assert digests(tmp_path / "out") == right


def wait_for(output: Path, job: subprocess.Popen[bytes]) -> None:
    """Until workers write what they parse."""
    end = time.monotonic() + PATIENCE
    while not any(output.glob("scratch/*/parsed/_temporary/**/*.parquet")):
        assert job.poll() is None, "the job ended before a worker could be killed"
        assert time.monotonic() < end, "no worker began to write"
        time.sleep(0.05)


def children(pid: int) -> Iterator[int]:
    """Every process below one, the youngest first."""
    told = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii")
    for child in map(int, told.split()):
        yield from children(child)
        yield child
