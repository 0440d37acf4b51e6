"""What is measured with must itself be right: the logs, the scaling, the counting, the floor."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from analyzer.record import Request, parse

from . import contenders, generate, running
from .logs import HOLDS, Log
from .running import CouldNotRun, Run
from .table import markdown, number, parsed_size, spread, verdict
from .turns import Contender, Held, Load


def log(path: Path, size: int, holds: str = "hashes") -> Log:
    return Log(path, **generate.write(path, size, holds))


def records(made: Log) -> list[Request]:
    parsed = [parse(line) for line in made.path.read_bytes().splitlines()]
    return [record for record in parsed if isinstance(record, Request)]


@pytest.mark.parametrize("holds", HOLDS)
def test_logs_are_canonical_records_of_one_week(tmp_path: Path, holds: str) -> None:
    made = log(tmp_path / "log.jsonl", 60_000, holds)
    held = records(made)
    assert made.bytes == made.path.stat().st_size >= 60_000
    assert len(held) == made.requests
    assert {len(record.chunks) for record in held} == {12}
    weeks = {record.requested_at.isocalendar()[:2] for record in held if record.requested_at}
    assert weeks == {(2026, 47)}
    places = {tuple(sorted(chunk.position or 0 for chunk in record.chunks)) for record in held}
    assert places == {(0, 0, *range(1, 11))}


def test_a_chunk_without_text_takes_about_185_bytes(tmp_path: Path) -> None:
    made = log(tmp_path / "log.jsonl", 200_000)
    assert 180 < made.bytes / made.chunks < 190


def test_a_chunk_with_text_holds_220_words(tmp_path: Path) -> None:
    [first, *_] = records(log(tmp_path / "log.jsonl", 1, "text"))
    assert {len((chunk.text or "").split()) for chunk in first.chunks} == {220}


def test_the_same_log_is_made_again(tmp_path: Path) -> None:
    one, two = log(tmp_path / "one", 50_000), log(tmp_path / "two", 50_000)
    assert one.path.read_bytes() == two.path.read_bytes()


def test_the_floor_holds_every_request_and_chunk(tmp_path: Path) -> None:
    made = log(tmp_path / "log.jsonl", 60_000, "text")
    held = contenders.duckdb(made.path, tmp_path / "floor.duckdb")
    assert held == (made.requests, made.chunks)


def test_the_start_is_counted_once_when_a_short_log_is_scaled() -> None:
    contender = Contender("", _says([]), _log(), factor=10)
    contender.starts, contender.runs = [Run(1, 0, 0)], [Run(3, 0, 0)]
    assert contender.taken(lambda run: run.seconds) == [21]


def test_one_that_holds_too_little_drops_out(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(running, "WORK", tmp_path)
    contender = Contender("", _says([2, 23]), _log())
    contender.turn(_log())
    assert contender.fault == "holds [2, 23] requests and chunks of [2, 24]"
    assert contender.runs == []


def test_a_command_that_breaks_says_its_last_line() -> None:
    with pytest.raises(CouldNotRun, match="no such thing"):
        running.run(running.PYTHON, "-c", "raise SystemExit('no such thing')")


def test_a_process_is_charged_with_its_own_memory() -> None:
    large = running.run(running.PYTHON, "-c", "held = bytearray(100_000_000); print(len(held))")
    assert json.loads(large.said) == 100_000_000
    assert large.rss >= 100


def test_sizes_are_written_as_people_write_them() -> None:
    assert [parsed_size(text) for text in ("5GB", "1.5mb", "20kB", "7")] == [5e9, 1.5e6, 2e4, 7]


def test_figures_have_few_digits() -> None:
    assert [number(value) for value in (0.123, 12.34, 1234.5)] == ["0.12", "12.3", "1,234"]
    assert spread([3.0, 1.0, 2.0]) == "2.00 (1.00 to 3.00)"
    assert markdown(["", "s"], [["a", "1"]]) == "|  | s |\n| --- | ---: |\n| a | 1 |"
    assert [verdict(1.8, 1.8), verdict(1.81, 1.8)] == ["PASS", "over"]


def _log() -> Log:
    return Log(Path("log.jsonl"), requests=2, chunks=24, distinct=24, bytes=1)


def _says(held: Held) -> Load:
    return lambda log, output: (Run(1, 1, 1), held)
