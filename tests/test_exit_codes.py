"""The exit codes of the README, each by running the command as a scheduler would."""

from __future__ import annotations

import fcntl
import os
import re
import signal
import subprocess
import sys
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from loading.records import lines, packed, request

from analyzer import updating, watch
from analyzer.watch.raising import Raising, raised

MONDAY = date(2026, 11, 9)
AT = datetime(2026, 11, 18, 2, tzinfo=UTC)
COMMAND = [sys.executable, "-c", "from analyzer.cli.main import main; main()"]
SILENCE = Raising(measure="silence", sentence="support has no requests", command="citelog x")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a good log, one that is spoilt, and a store on which an alarm stands."""
    folder = tmp_path_factory.mktemp("site")
    days = [MONDAY + timedelta(days=n) for n in range(7)]
    records = [
        request(f"r{day}", *packed(1, 2), route="support", requested_at=f"{day}T12:00:00Z")
        for day in days
    ]
    (folder / "good.jsonl").write_text(lines(records))
    (folder / "spoilt.jsonl").write_text(lines(records[:1]) + "no record\n")
    updating.ingest([folder / "good.jsonl"], folder / "s.duckdb", now=AT)
    alarm = raised(AT, "2026-11-18-support-silent", "support", MONDAY, SILENCE)
    watch.append(folder / "s.duckdb", alarm)
    return folder


def run(site: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    root = Path(__file__).parent.parent
    clean = {name: value for name, value in os.environ.items() if "CITELOG" not in name}
    return subprocess.run(
        [*COMMAND, *arguments],
        cwd=site,
        env=clean | {"PYTHONPATH": str(root), "CITELOG_STORE": "s.duckdb"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("code", "arguments", "said"),
    [
        (0, ["ingest", "good.jsonl"], ""),
        (1, ["batches", "--store", "gone.duckdb"], "there is no store; citelog ingest makes one"),
        (1, ["ingest", "gone.jsonl"], "gone.jsonl: there is no such file"),
        (2, ["query", "fummel"], "there is no query 'fummel'; the nearest is funnel"),
        (2, ["report", "--week", "2026-11-03"], "a week is named by its Monday"),
        (3, ["alerts", "--fail-on", "alarm"], ""),
        (4, ["ingest", "spoilt.jsonl", "--store", "other.duckdb"], "citelog rejected --batch"),
        (5, ["query", "funnel", "-p", "week=2026-W30"], "has no requests in 2026-W30"),
        (5, ["report", "--week", "2026-W30"], "has no requests in 2026-W30"),
        (5, ["nightly", "--input", "good.jsonl", "--fail-on", "empty"], ""),
    ],
)
def test_it_leaves_with(site: Path, code: int, arguments: list[str], said: str) -> None:
    done = run(site, *arguments)
    assert (done.returncode, done.stderr.count("\n")) == (code, 1 if said else 0), done.stderr
    assert said in done.stderr
    assert "nvalid" not in done.stderr


def test_it_leaves_with_6_while_another_writer_holds_the_store(site: Path) -> None:
    with (site / ".s.duckdb.lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        done = run(site, "forget", "abc")
    assert done.returncode == 6
    assert "another writer holds the store; wait until it is done" in done.stderr


def test_it_leaves_with_130_when_somebody_stops_it(site: Path) -> None:
    process = subprocess.Popen(
        [*COMMAND, "ingest", "-", "--store", "stopped.duckdb"],
        cwd=site,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parent.parent)},
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    process.stdin.write("{" * 2_000_000)  # more than a pipe holds: it is reading now
    process.stdin.flush()
    process.send_signal(signal.SIGINT)
    assert process.communicate()[1] == (
        "stopped by Ctrl-C; the store holds what was last published\n"
    )
    assert process.returncode == 130
    assert not (site / "stopped.duckdb").exists()


def test_the_readme_tells_every_code(repo_root: Path) -> None:
    readme = (repo_root / "README.md").read_text(encoding="utf-8")
    table = readme[readme.index("## Exit codes") :]
    told = {int(code) for code in re.findall(r"^\| (\d+) \|", table, re.MULTILINE)}
    assert told >= {0, 1, 2, 3, 4, 5, 6, 130}
