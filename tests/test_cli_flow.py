"""The commands on a real store: what a person and a nightly job see from load to answer."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from analyzer.cli import main

Captured = pytest.CaptureFixture[str]
WEEK = "week=2026-W47"


def line(number: int, **fields: object) -> str:
    """A request with two packed chunks of which the first is cited."""
    record: dict[str, object] = {
        "request_id": f"r{number}",
        "requested_at": f"2026-11-{16 + number % 7}T09:00:00Z",
        "route": "support",
        "chunks": [
            {"chunk_id": "a", "rank": 1, "position": 1, "tokens": 100, "cited": True},
            {"chunk_id": "b", "rank": 2, "position": 2, "tokens": 200},
            {"chunk_id": "c", "rank": 3, "tokens": 300},
        ],
    }
    return json.dumps(record | fields)


@pytest.fixture
def logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two log files: a clean one, and one in which most lines are no records."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CITELOG_STORE", "store.duckdb")
    folder = tmp_path / "logs"
    folder.mkdir()
    good = [*map(line, range(30)), line(0), line(1, revision=1)]
    (folder / "good.jsonl").write_text("\n".join(good) + "\n")
    (folder / "spoilt.jsonl").write_text(f"{line(40)}\nno record\n")
    return folder


def test_ingest_says_counters_that_add_up_and_sets_a_faulty_file_aside(
    logs: Path, capsys: Captured
) -> None:
    assert main.run(["ingest", "logs"]) == 4
    out, err = capsys.readouterr()
    assert out.splitlines() == [
        "logs/good.jsonl: 32 lines = 30 loaded + 1 duplicate + 1 superseded + 0 rejected",
        "logs/spoilt.jsonl: 2 lines = 0 loaded + 0 duplicate + 0 superseded + 2 rejected; "
        "set aside, nothing of it is loaded",
        "2 files: 34 lines = 30 loaded + 1 duplicate + 1 superseded + 2 rejected",
    ]
    assert "citelog rejected --batch" in err


def test_a_file_that_was_loaded_before_changes_nothing_and_says_so(
    logs: Path, capsys: Captured
) -> None:
    assert main.run(["ingest", "logs/good.jsonl"]) == 0
    capsys.readouterr()
    assert main.run(["ingest", "logs/good.jsonl"]) == 0
    assert "this content was loaded before" in capsys.readouterr().out


def test_more_rejected_lines_are_allowed_when_asked(logs: Path, capsys: Captured) -> None:
    assert main.run(["ingest", "logs/spoilt.jsonl", "--max-rejected", "0.5"]) == 0
    assert "2 lines = 1 loaded + 0 duplicate + 0 superseded + 1 rejected" in capsys.readouterr().out
    assert main.run(["rejected", "--format", "json"]) == 0
    [rejected] = json.loads(capsys.readouterr().out)
    assert (rejected["file"], rejected["line"]) == ("logs/spoilt.jsonl", 2)


def test_a_missing_path_beside_good_files_stops_before_anything_is_loaded(
    logs: Path, capsys: Captured
) -> None:
    assert main.run(["ingest", "logs/good.jsonl", "gone"]) == 1
    assert capsys.readouterr().err.startswith("gone: there is no such file")
    assert not Path("store.duckdb").exists()


def test_a_query_answers_in_every_format(logs: Path, capsys: Captured) -> None:
    main.run(["ingest", "logs/good.jsonl"])
    capsys.readouterr()
    asked = ["query", "funnel", "--param", WEEK]
    assert main.run([*asked, "--format", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [(row["stage"], row["answers"], row["chunks"]) for row in rows] == [
        ("retrieved", 30, 90),
        ("packed", 30, 60),
        ("cited", 30, 30),
    ]
    assert main.run([*asked, "--format", "csv"]) == 0
    assert capsys.readouterr().out.startswith("route,step,stage,answers,chunks,")
    assert main.run([*asked, "-o", "funnel.parquet"]) == 0
    assert Path("funnel.parquet").read_bytes().startswith(b"PAR1")


def test_a_batch_is_forgotten_by_the_beginning_of_its_name(logs: Path, capsys: Captured) -> None:
    main.run(["ingest", "logs/good.jsonl"])
    capsys.readouterr()
    main.run(["batches", "--format", "json"])
    [batch] = json.loads(capsys.readouterr().out)
    assert main.run(["forget", batch["batch"][:8]]) == 0
    assert capsys.readouterr().out == f"forgot {batch['batch']} (logs/good.jsonl)\n"
    main.run(["batches", "--format", "csv"])
    assert len(capsys.readouterr().out.splitlines()) == 1


def test_sealed_days_keep_their_counts_and_their_batch(logs: Path, capsys: Captured) -> None:
    main.run(["ingest", "logs/good.jsonl"])
    assert main.run(["seal", "--before", "2026-W48"]) == 0
    capsys.readouterr()
    main.run(["query", "funnel", "--param", WEEK, "--format", "json"])
    assert json.loads(capsys.readouterr().out)[0]["chunks"] == 90
    main.run(["batches", "--format", "json"])
    [batch] = json.loads(capsys.readouterr().out)
    assert main.run(["forget", batch["batch"]]) == 1
    assert "holds days that are sealed" in capsys.readouterr().err


@pytest.mark.parametrize("command", [["batches"], ["forget", "abc"], ["query", "line_counts"]])
def test_without_a_store_nothing_is_answered_and_none_is_made(
    command: list[str], logs: Path, capsys: Captured
) -> None:
    assert main.run(command) == 1
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert not Path("store.duckdb").exists()


def test_simulated_logs_load_as_their_truth_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main.run(["simulate", "made", "--weeks", "1", "--requests", "60"]) == 0
    truth = json.loads(Path("made/truth.json").read_text())
    assert main.run(["ingest", "made", "--store", "made.duckdb"]) == 0
    total = capsys.readouterr().out.splitlines()[-1]
    read = sum(file["read"] for file in truth["files"].values())
    assert f"{read:,} lines = " in total


def test_simulate_writes_into_a_new_or_empty_folder_only(logs: Path, capsys: Captured) -> None:
    assert main.run(["simulate", "logs"]) == 2
    assert "logs holds something already" in capsys.readouterr().err
