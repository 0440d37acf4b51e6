"""What the figures of growth rest on: files of whole lines, and slopes that are known."""

from __future__ import annotations

from pathlib import Path

import pytest

from . import scale
from .running import Run
from .scale import Size


def of(millions: float, seconds: float, cores: float) -> Size:
    return Size(int(millions * 1e6), 185 * millions, {"ingest": Run(seconds, cores, 300)})


def test_a_log_is_cut_between_lines_and_nothing_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "log.jsonl"
    log.write_bytes(b"".join(b"%0*d\n" % (length, length) for length in range(1, 60)))
    monkeypatch.setattr(scale, "PART", 100)
    (tmp_path / "parts").mkdir()
    scale._cut(log, tmp_path / "parts")
    parts = [file.read_bytes() for file in sorted((tmp_path / "parts").iterdir())]
    assert len(parts) > 10
    assert all(part.endswith(b"\n") for part in parts)
    assert b"".join(parts) == log.read_bytes()


def test_a_start_of_five_seconds_bends_the_power_and_not_the_line() -> None:
    """Seconds are 5 + 10 a million; from 1 to 2 million chunks they grow from 15 to 25."""
    said = scale._slope([of(1, 15, 12), of(2, 25, 20)], "ingest")
    assert said == (
        "- ingest: s grow as chunks^0.74, by 10.0 with each million; "
        "core s grow as chunks^0.74, by 8.00 with each million"
    )


def test_a_size_that_could_not_be_run_is_left_out() -> None:
    sizes = [of(1, 15, 12), Size(2_000_000, 370)]
    assert scale._slope(sizes, "ingest").endswith("fewer than two sizes were measured")
    assert len(scale._times(sizes, ["ingest"]).splitlines()) == 3


def test_the_share_is_that_of_rollups_in_facts() -> None:
    size = of(1, 15, 12)
    size.facts, size.rollups = 40.0, 0.5
    assert scale._sizes([size]).endswith("| 1,000,000 | 185 | 0.00 | 40.0 | 0.50 | 1.25% |")
