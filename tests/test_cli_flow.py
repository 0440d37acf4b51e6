"""The commands on a real store: what a person and a nightly job see from load to answer."""

from __future__ import annotations

import hashlib
import json
import re
import shlex
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
    assert err == (
        "logs/spoilt.jsonl: 1 of its 2 lines is faulty, more than --max-rejected 0.05 allows; "
        f"citelog rejected --batch {batch_of('logs/spoilt.jsonl')} --store store.duckdb says why, "
        "and citelog ingest logs/spoilt.jsonl --max-rejected 0.5 --store store.duckdb "
        "loads the others\n"
    )


def test_what_is_to_be_done_about_a_file_that_was_set_aside_helps(
    logs: Path, capsys: Captured
) -> None:
    main.run(["ingest", "logs"])
    said = capsys.readouterr().err
    why, again = re.findall(r"citelog (.*?) (?:says why|loads the others)", said)
    assert main.run(shlex.split(why)) == 0
    assert "is not JSON" in capsys.readouterr().out
    assert main.run(shlex.split(again)) == 0
    assert "2 lines = 1 loaded + 0 duplicate" in capsys.readouterr().out


def test_the_command_that_loads_the_others_has_the_options_of_the_first(
    logs: Path, capsys: Captured
) -> None:
    named = ["--assume-timezone", "+02:00", "--requested-at", "2026-11-16T09:00:00Z"]
    assert main.run(["ingest", "logs/spoilt.jsonl", *named, "--marker-base", "0"]) == 4
    assert capsys.readouterr().err.endswith(
        "--max-rejected 0.5 --store store.duckdb --assume-timezone +02:00 "
        "--requested-at 2026-11-16T09:00:00+00:00 --marker-base 0 loads the others\n"
    )


def test_a_report_straight_from_files_sends_nobody_to_a_store_that_is_gone(
    logs: Path, capsys: Captured
) -> None:
    assert main.run(["report", "logs", "--week", "2026-W47", "-o", "report.json"]) == 4
    said = capsys.readouterr().err
    assert "mend the file, or let the other lines in with --max-rejected 0.5" in said
    assert "citelog rejected" not in said


def test_requests_without_a_time_are_told_of(logs: Path, capsys: Captured) -> None:
    bare = [line(n, requested_at=None) for n in range(3)]
    Path("bare.jsonl").write_text("\n".join([*bare, line(3)]))
    assert main.run(["ingest", "bare.jsonl"]) == 0
    assert capsys.readouterr().err == (
        "bare.jsonl: 3 of its 4 requests (75%) carry no time, so they stand at the file's own; "
        "log requested_at, or name their time with --requested-at\n"
    )
    named = ["--requested-at", "2026-11-16T09:00:00Z", "--store", "named.duckdb"]
    assert main.run(["ingest", "bare.jsonl", *named]) == 0
    assert capsys.readouterr().err == ""


def test_a_corrected_log_without_a_new_revision_is_told_of(logs: Path, capsys: Captured) -> None:
    Path("first.jsonl").write_text("\n".join(line(n, release="r-1") for n in range(12)))
    Path("again.jsonl").write_text("\n".join(line(n, release="r-2") for n in range(12)))
    assert main.run(["ingest", "first.jsonl"]) == 0
    assert capsys.readouterr().err == ""
    assert main.run(["ingest", "again.jsonl"]) == 0
    out, err = capsys.readouterr()
    superseded = int(out.split(" superseded")[0].split()[-1])
    assert 0 < superseded < 12, "the draw of these lines went one way; take others"
    assert err == (
        "again.jsonl: 12 of its requests differ from another line of the same revision, "
        f"and for {superseded} of them the other line counts; raise `revision` in what is "
        "corrected, or take the older file back first with citelog forget\n"
    )
    Path("raised.jsonl").write_text("\n".join(line(n, revision=1) for n in range(12)))
    assert main.run(["ingest", "raised.jsonl"]) == 0
    assert capsys.readouterr().err == ""


def test_of_one_line_that_lost_it_is_said_which_counts(logs: Path, capsys: Captured) -> None:
    """The draw is by the content of both lines, so one of the two orders is the one looked for."""
    said = []
    for order in ("12", "21"):
        for release in order:
            Path(f"{release}.jsonl").write_text(line(0, release=release))
            assert main.run(["ingest", f"{release}.jsonl", "--store", f"{order}.duckdb"]) == 0
        said.append(capsys.readouterr().err.partition(": ")[2])
    assert sorted(said) == [
        "",
        "1 of its requests differs from another line of the same revision, and the other line "
        "counts; raise `revision` in what is corrected, or take the older file back first with "
        "citelog forget\n",
    ]


def batch_of(file: str) -> str:
    """The beginning of the batch's name, by which the program calls it."""
    return hashlib.sha256(Path(file).read_bytes()).hexdigest()[:12]


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


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (["funnel", "-p", "week=2026-W40"], "no requests in 2026-W40; its last week is 2026-W47"),
        (["funnel", "-p", WEEK, "-p", "route=x"], "nothing in 2026-W47 that query funnel asks for"),
        (["rejected_lines", "-p", "batch=zz"], "has nothing that query rejected_lines asks for"),
    ],
)
def test_a_question_without_an_answer_ends_with_5_and_says_what_is_not_there(
    asked: list[str], said: str, logs: Path, capsys: Captured
) -> None:
    main.run(["ingest", "logs/good.jsonl"])
    capsys.readouterr()
    assert main.run(["query", *asked, "--format", "csv"]) == 5
    out, err = capsys.readouterr()
    assert out.count("\n") == 1  # its header: whoever reads a file of it finds the columns
    assert said in err


def test_rejected_lines_that_are_none_are_good_and_those_of_no_batch_are_not(
    logs: Path, capsys: Captured
) -> None:
    main.run(["ingest", "logs/good.jsonl"])
    capsys.readouterr()
    assert main.run(["rejected"]) == 0
    assert capsys.readouterr().err == "no line was rejected\n"
    assert main.run(["rejected", "--batch", "zz"]) == 5
    assert capsys.readouterr().err == (
        "store.duckdb: no batch is named zz; citelog batches lists them\n"
    )
    assert main.run(["rejected", "--batch", ""]) == 2


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
    capsys.readouterr()
    assert main.run(["seal", "--before", "2026-W48"]) == 0
    assert capsys.readouterr().out == (
        "store.duckdb: days before 2026-11-23 are sealed; the facts of 30 requests are gone for "
        "good, and the counts of these days and the estimates of their weeks stay\n"
    )
    assert main.run(["seal", "--before", "2026-W48"]) == 0
    assert "the facts of 0 requests are gone" in capsys.readouterr().out
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


def test_fields_that_no_record_has_are_told_a_line_a_file(logs: Path, capsys: Captured) -> None:
    records = [line(1, positon=1, b=3, c=4), line(2, a=4, positon=2)]
    (logs / "odd one.jsonl").write_text("\n".join(records) + "\n")
    assert main.run(["ingest", "logs/odd one.jsonl", "logs/good.jsonl"]) == 0
    told = capsys.readouterr().err.splitlines()
    assert told[0] == (
        "logs/odd one.jsonl: 4 fields that a record does not have (positon, a, b, ...); "
        "citelog check 'logs/odd one.jsonl' says more"
    )
    assert not any("that a record" in one for one in told[1:])


def test_names_of_fields_are_escaped(logs: Path, capsys: Captured) -> None:
    (logs / "odd.jsonl").write_text(line(1, **{"hue\x1b[1m": 2}) + "\n")
    assert main.run(["ingest", "logs/odd.jsonl"]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("logs/odd.jsonl: 1 line = 1 loaded")
    assert "1 field that a record does not have (hue\\u001b[1m); " in err


def test_a_week_that_is_needed_is_told_with_one_to_type(logs: Path, capsys: Captured) -> None:
    assert main.run(["ingest", "logs/good.jsonl"]) == 0
    capsys.readouterr()
    assert main.run(["query", "funnel"]) == 2
    assert capsys.readouterr().err == (
        "query funnel needs week (Monday that opens the week); "
        "the store's last week is --param week=2026-W47\n"
    )
