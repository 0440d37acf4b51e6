"""`citelog report`: which week it takes, from where, into which files, and what it says."""

from __future__ import annotations

import json
from datetime import date, timedelta
from pathlib import Path

import pytest

from analyzer.cli import main

Captured = pytest.CaptureFixture[str]
MONDAY = date(2026, 11, 16)


def logged(number: int, day: date) -> str:
    """A request of that day with one packed and cited chunk."""
    chunk = {"chunk_id": "a", "rank": 1, "position": 1, "tokens": 100, "cited": True}
    fields = {"request_id": f"{day}-{number}", "requested_at": f"{day}T09:00:00Z"}
    return json.dumps(fields | {"route": "support", "chunks": [chunk]})


def write_week(file: str, monday: date) -> None:
    days = [monday + timedelta(days=number % 7) for number in range(21)]
    Path(file).write_text("\n".join(logged(number, day) for number, day in enumerate(days)))


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> Path:
    """A store of two weeks, 2026-W46 and W47, made in the current folder from two log files."""
    monkeypatch.chdir(tmp_path)
    write_week("old.jsonl", MONDAY - timedelta(days=7))
    write_week("new.jsonl", MONDAY)
    assert main.run(["ingest", "old.jsonl", "new.jsonl", "--store", "s.duckdb"]) == 0
    capsys.readouterr()
    return Path("s.duckdb")


def test_the_ending_of_each_output_says_its_form(store: Path, capsys: Captured) -> None:
    outputs = ["-o", "r.html", "-o", "r.json", "-o", "r.md"]
    assert main.run(["report", "--week", "2026-W46", "--store", str(store), *outputs]) == 0
    assert {"r.html", "r.json", "r.md"} <= set(capsys.readouterr().out.splitlines())
    assert Path("r.html").read_text().lstrip().lower().startswith("<!doctype html>")
    assert json.loads(Path("r.json").read_text())["week"] == "2026-W46"
    assert Path("r.md").read_text().startswith("# ")


def test_logs_are_reported_on_without_leaving_a_store(store: Path, capsys: Captured) -> None:
    store.unlink()
    Path("spoilt.jsonl").write_text("no record\n")
    assert main.run(["report", "new.jsonl", "spoilt.jsonl", "-o", "r.json"]) == 4
    out, err = capsys.readouterr()
    assert out == "r.json\n"
    assert "new.jsonl: 21 lines = 21 loaded + 0 duplicate + 0 superseded + 0 rejected" in err
    assert json.loads(Path("r.json").read_text())["week"] == "2026-W47"
    assert list(Path().glob("**/*.duckdb")) == []


def test_a_week_without_requests_is_nothing_there(store: Path, capsys: Captured) -> None:
    assert main.run(["report", "--week", "2026-W50", "--store", str(store)]) == 5
    said = "s.duckdb has no requests in 2026-W50; its last week is 2026-W47\n"
    assert capsys.readouterr() == ("", said)
    assert not Path("report.html").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["-o", "report.doc"],
            "report.doc: its ending says no form; end it in .html, .md, .json, .pdf",
        ),
        (["--week", "2026-11-03"], "a week is named by its Monday, here 2026-11-02"),
    ],
)
def test_wrong_words_are_said_before_the_store_is_opened(
    arguments: list[str], said: str, capsys: Captured
) -> None:
    assert main.run(["report", "--store", "gone.duckdb", *arguments]) == 2
    assert said in capsys.readouterr().err


def test_a_folder_that_is_not_there_is_one_sentence(store: Path, capsys: Captured) -> None:
    assert main.run(["report", "--store", str(store), "-o", "gone/r.json"]) == 1
    assert capsys.readouterr().err == (
        "gone/r.json: the folder it is to lie in is not there; make it first\n"
    )
