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
    assert "187 lines = 180 requests + 0 judgements + 7 rejected: " in said[-2]
    aside = "citelog ingest would set bad.jsonl aside: 4 of its 64 lines are rejected, 5% allowed"
    assert said[-1] == aside
    assert main.run(["ingest", "bad.jsonl", "fair.jsonl"]) == 4
    assert "bad.jsonl: 4 of its 64 lines are faulty" in capsys.readouterr().err
    assert main.run(["--set", "inputs.max_rejected=0.1", "check", "bad.jsonl"]) == 0
    assert "aside:" not in capsys.readouterr().out
