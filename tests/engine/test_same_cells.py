"""Every rollup, and every fact that it rests on, is the same cell by cell on every engine."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from loading.records import lines
from loading.sites import Site
from logs import logs
from test_real_nomiracl import converted

from engine import dirty
from engine.sides import asked, assert_equal

SAMPLES = ("2026-W46.jsonl.zst", "2026-W46-late-code-1104.jsonl.gz")


def test_synthetic_traffic(named: str, tmp_path: Path, repo_root: Path) -> None:
    files = [repo_root / "sample_logs" / name for name in SAMPLES]
    assert_equal(named, Site(tmp_path), files)


@pytest.mark.parametrize("max_rejected", [1.0, 0.3])
def test_dirty_logs(named: str, tmp_path: Path, max_rejected: float) -> None:
    files = dirty.write(tmp_path / "logs")
    site = Site(tmp_path, time_zone="America/Los_Angeles")
    assert_equal(named, site, files, asked("America/Los_Angeles", max_rejected))


def test_answers_of_real_models(named: str, tmp_path: Path, shared_data: Path) -> None:
    source = shared_data / "nomiracl" / "relevant.en.test.jsonl"
    if not source.exists():
        pytest.skip("nomiracl is not beside this checkout (../shared/data/nomiracl)")
    told = source.read_text(encoding="utf-8").splitlines()
    file = tmp_path / "nomiracl.jsonl"
    file.write_text(lines(each for line in told for each in converted(line)), encoding="utf-8")
    assert_equal(named, Site(tmp_path), [file])


@given(logs(largest=20), st.integers(1, 3), st.sampled_from(["UTC", "Asia/Kolkata"]))
@settings(max_examples=5)
def test_logs_of_any_kind(log: str, parts: int, time_zone: str) -> None:
    with TemporaryDirectory() as folder:
        site = Site(Path(folder), time_zone=time_zone)
        whole = log.splitlines(keepends=True)
        files = [site.folder / f"{part}.jsonl" for part in range(parts)]
        for part, file in enumerate(files):
            file.write_text("".join(whole[part::parts]), encoding="utf-8")
        assert_equal("duckdb", site, files, asked(time_zone))
