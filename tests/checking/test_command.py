"""`citelog check` as a developer sees it: what it prints, and its exit codes."""

from __future__ import annotations

import gzip
import io
import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from analyzer.cli import main
from checking.clean import REQUESTS, Json, planted

Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def no_unit(number: int, record: Json) -> None:
    del record["unit_id"]


def no_answer(number: int, record: Json) -> None:
    del record["answer"]


def test_a_clean_log_is_one_line(here: Path, capsys: Captured) -> None:
    planted(here)
    assert main.run(["check", "log.jsonl", "--strict"]) == 0
    assert capsys.readouterr() == (
        "60 lines = 60 requests + 0 judgements + 0 rejected: 0 errors, 0 warnings, 0 notes\n",
        "",
    )


def test_a_finding_says_how_many_what_it_costs_what_to_do_and_where(
    here: Path, capsys: Captured
) -> None:
    planted(here, no_unit)
    assert main.run(["check", "log.jsonl"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "warning  no `unit_id`: 60 of 60 requests",
        "         costs: intervals assume the ordering is drawn per request, and may be too narrow",
        "         do: log the user, session or tenant that the ordering was chosen for",
        "         see: log.jsonl:1, log.jsonl:2, log.jsonl:3",
        "60 lines = 60 requests + 0 judgements + 0 rejected: 0 errors, 1 warning, 0 notes",
    ]


def test_strict_ends_with_1_where_a_finding_is_an_error(here: Path) -> None:
    planted(here, no_unit)
    assert main.run(["check", "log.jsonl", "--strict"]) == 0
    planted(here, no_answer)
    assert main.run(["check", "log.jsonl"]) == 0
    assert main.run(["check", "log.jsonl", "--strict"]) == 1


def test_json_has_every_number(here: Path, capsys: Captured) -> None:
    planted(here, no_answer)
    assert main.run(["check", "log.jsonl", "--format", "json"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert (made["requests"], made["rejected"]) == (REQUESTS, 0)
    assert made["findings"][0] == {
        "name": "cited",
        "level": "error",
        "count": 60,
        "of": 60,
        "base": "answers",
        "says": "nothing says what the answer cites",
        "costs": "it has no cited rate, and without one there is no effect of position",
        "do": "log `cited` flags, a list of `citations`, or the `answer` with its [n] markers",
        "at": ["log.jsonl:1", "log.jsonl:2", "log.jsonl:3"],
        "reasons": [],
        "cost": 95.0,
    }
    assert [one["name"] for one in made["unchecked"]] == ["markers"]


def test_a_pipe_is_read(here: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    piped = SimpleNamespace(buffer=io.BytesIO(planted(here, no_answer).read_bytes()))
    monkeypatch.setattr(sys, "stdin", piped)
    assert main.run(["check", "-"]) == 0
    assert "see: stdin:1, stdin:2, stdin:3" in capsys.readouterr().out


def test_settings_stand_for_options(here: Path, capsys: Captured) -> None:
    def local(number: int, record: Json) -> None:
        record["requested_at"] = record["requested_at"].removesuffix("+00:00")

    planted(here, local)
    main.run(["check", "log.jsonl"])
    assert "60 rejected" in capsys.readouterr().out
    main.run(["--set", "inputs.assume_timezone=+01:00", "check", "log.jsonl"])
    assert " 0 rejected" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["check"], 2, "Missing argument 'PATH...'"),
        (["check", "empty.jsonl"], 5, "empty.jsonl: no record is in it; citelog formats says"),
        (["check", "cut.jsonl.gz"], 5, "no record is in it; the compressed file ends early"),
        (["check", "gone.jsonl"], 1, "gone.jsonl: there is no such file"),
        (["check", "log.jsonl", "--assume-timezone", "Berlin"], 2, "offset 'Berlin' is not one"),
        (["check", "log.jsonl", "--format", "xml"], 2, "--format"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(
    arguments: list[str], code: int, said: str, here: Path, capsys: Captured
) -> None:
    planted(here)
    (here / "empty.jsonl").touch()
    (here / "cut.jsonl.gz").write_bytes(gzip.compress(b'{"request_id": "r1"}')[:10])
    assert main.run(arguments) == code
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert said in err


OWN = """
[request]
request_id = "qid"
[chunks]
from = "hits"
[chunk]
chunk_id = "key"
rank = "place"
position = "place"
"""


@pytest.mark.parametrize("by", ["option", "setting"])
def test_a_log_of_ones_own_by_its_mapping(by: str, here: Path, capsys: Captured) -> None:
    (here / "own.toml").write_text(OWN)
    hits = [{"key": "a", "place": 1}, {"key": "b", "place": 2}]
    (here / "own.jsonl").write_text(json.dumps({"qid": "q1", "hits": hits}) + "\n")
    if by == "option":
        assert main.run(["check", "own.jsonl", "--mapping", "own.toml"]) == 0
    else:
        (here / "citelog.toml").write_text('[inputs]\nmapping = "own.toml"\n')
        assert main.run(["check", "own.jsonl"]) == 0
    assert "1 line = 1 request + 0 judgements" in capsys.readouterr().out


def test_a_format_that_is_not_known(here: Path, capsys: Captured) -> None:
    planted(here)
    assert main.run(["check", "log.jsonl", "--input-format", "xyzzy"]) == 2
    assert "xyzzy" in capsys.readouterr().err


def test_parquet_with_a_column_twice_is_told(here: Path, capsys: Captured) -> None:
    ids = pa.array(["r1"])
    pq.write_table(pa.Table.from_arrays([ids, ids], ["request_id", "request_id"]), "x.parquet")
    assert main.run(["check", "x.parquet"]) == 1
    said = "x.parquet: has two columns named 'request_id'; give each a name of its own\n"
    assert capsys.readouterr().err == said


def test_a_file_that_a_load_would_set_aside_is_told(here: Path, capsys: Captured) -> None:
    planted(here)
    whole = (here / "log.jsonl").read_text()
    (here / "bad.jsonl").write_text(whole + 4 * "no record\n")  # 4 of 64 are 6.25 %
    (here / "fair.jsonl").write_text(whole + 3 * "no record\n")  # 3 of 63 are 4.8 %
    assert main.run(["check", "log.jsonl", "bad.jsonl", "fair.jsonl"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert "187 lines = 180 requests + 0 judgements + 7 rejected: 2 errors, " in said[-1]
    assert said[:5] == [
        "error    citelog ingest would set a file aside, as too many of its lines are rejected: "
        "1 of 3",
        "         files",
        "         costs: nothing of it is loaded",
        "         do: mend the rejected lines, or load the others with --max-rejected 0.07",
        "         see: bad.jsonl: 4 of its 64 lines are rejected, 5% allowed",
    ]
    assert main.run(["ingest", "bad.jsonl", "fair.jsonl"]) == 4
    assert "bad.jsonl: 4 of its 64 lines are faulty" in capsys.readouterr().err
    assert main.run(["--set", "inputs.max_rejected=0.1", "check", "bad.jsonl"]) == 0
    assert "would set a file aside" not in capsys.readouterr().out


def test_a_file_that_a_load_would_set_aside_is_an_error_however_few_lines_it_is(
    here: Path,
) -> None:
    with planted(here).open("a") as log:
        log.write("no record\n")  # 1 of 61 is 1.6 %
    assert main.run(["check", "log.jsonl", "--strict"]) == 0
    assert main.run(["--set", "inputs.max_rejected=0.01", "check", "log.jsonl", "--strict"]) == 1


FAULTY = (
    '{"request_id": "a"}',
    '{"request_id": "b", "chunks": 7}',
    '{"request_id": "c", "chunks": [], "route": 7}',
    '{"request_id": "d", "chunks": [], "route": 77}',
    "no record",
)


def test_rejected_lines_are_told_together_where_they_are_mended_in_one_way(
    here: Path, capsys: Captured
) -> None:
    planted(here)
    with (here / "log.jsonl").open("a") as log:
        log.writelines(f"{faulty}\n" for faulty in FAULTY)
    main.run(["check", "log.jsonl"])
    out = capsys.readouterr().out
    assert out.count("costs: such a line is not loaded") == 1
    assert (
        "error    rejected for 3 reasons: 4 of 65 lines\n"
        "         costs: such a line is not loaded, and a file with too many of them is set aside "
        "whole\n"
        "         do: log what the record asks for; citelog ingest would reject the same lines\n"
        "         see: log.jsonl:63, log.jsonl:64: route is 7, but it is a string\n"
        "         see: log.jsonl:62: chunks is 7, but chunks is a list of 0 to 1000 retrieved "
        "chunks\n"
        "         see: log.jsonl:61: chunks is missing, but every record has it\n"
    ) in out
    assert "rejected, as it is not JSON: " in out
    main.run(["check", "log.jsonl", "--format", "json"])
    findings = json.loads(capsys.readouterr().out)["findings"]
    assert [one["name"] for one in findings[:2]] == ["set_aside", "rejected"]
    assert findings[0]["reasons"][0]["at"] == ["log.jsonl"]
    assert findings[1]["reasons"][0] == {
        "says": "route is 7, but it is a string",
        "count": 2,
        "at": ["log.jsonl:63", "log.jsonl:64"],
    }


def test_of_many_reasons_it_is_said_how_many_are_left_out(here: Path, capsys: Captured) -> None:
    planted(here)
    fields = ("route", "model", "release", "prompt_version", "index_version", "ordering", "unit_id")
    fields += ("answer", "correct", "explored", "revision", "origins", "outcome", "exposure")
    with (here / "log.jsonl").open("a") as log:
        for name in fields:
            wrong = {"request_id": name, "chunks": [], name: [7]}
            log.writelines(json.dumps(wrong) + "\n" for _ in range(5))
    main.run(["check", "log.jsonl"])
    out = capsys.readouterr().out
    assert "rejected for 14 reasons: 70 of 130 lines" in out
    assert out.count(" and 2 more: ") == 12  # of five lines three are named
    assert "         and 2 more, all of which --format json has\n" in out
    main.run(["check", "log.jsonl", "--format", "json"])
    told = {one["name"]: one for one in json.loads(capsys.readouterr().out)["findings"]}
    assert len(told["rejected"]["reasons"]) == 14
