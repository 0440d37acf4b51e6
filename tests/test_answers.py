"""Golden answers: small logs whose answers were worked out by hand.

Each case is a folder `tests/answers/<question>/<what it shows>/` with

- `log.jsonl` (and further `*.jsonl`), loaded in the order of their names as one call would,
- `asked.toml`: the arithmetic as comments, the parameters, and under `[load]` what differs from a
  plain load (`time_zone`, `max_rejected`),
- `expected.csv`: the rows in order, with as many of the question's columns as the case is about.
  NULL is written NULL; numbers may be fractions, as 2/3.
"""

from __future__ import annotations

import csv
import tomllib
from datetime import UTC, date, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from analyzer import store
from analyzer.ingest import ingest
from analyzer.query import ask, load_query, query_names

ANSWERS = Path(__file__).parent / "answers"
CASES = sorted(path.parent for path in ANSWERS.glob("*/*/asked.toml"))
NOW = datetime(2026, 12, 1, 2, tzinfo=UTC)
FLOAT_TOLERANCE = 1e-6  # relative: hand-worked values are written with seven digits


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parent.name}-{case.name}")
def test_answer_is_the_one_worked_out_by_hand(
    case: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = tomllib.loads((case / "asked.toml").read_text("utf-8"))
    load = {"max_rejected": 1.0, **asked.pop("load", {})}
    monkeypatch.chdir(case)
    logs = sorted(path.name for path in case.glob("*.jsonl"))
    file = tmp_path / "store.duckdb"
    ingest(logs, file, now=NOW, **load)
    with store.reader(file) as con:
        answer = ask(con, case.parent.name, **asked).to_pylist()
    columns, expected = expected_rows(case)
    assert [{name: row[name] for name in columns} for row in answer] == expected


@pytest.mark.parametrize("question", query_names())
def test_every_question_has_at_least_two_cases(question: str) -> None:
    assert len([case for case in CASES if case.parent.name == question]) >= 2


def test_every_folder_belongs_to_a_question_and_is_whole() -> None:
    assert {folder.name for folder in ANSWERS.iterdir()} <= set(query_names())
    for case in ANSWERS.glob("*/*"):
        assert (case / "log.jsonl").is_file()
        assert (case / "expected.csv").is_file()
        assert (case / "asked.toml").read_text("utf-8").startswith("# ")


def expected_rows(case: Path) -> tuple[list[str], list[dict[str, Any]]]:
    types = {column.name: column.type for column in load_query(case.parent.name).columns}
    with (case / "expected.csv").open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file)
        columns = list(rows.fieldnames or [])
        return columns, [{name: value(types[name], row[name]) for name in columns} for row in rows]


def value(sql_type: str, text: str) -> Any:
    if text == "NULL":
        return None
    if sql_type == "DOUBLE":
        return pytest.approx(float(Fraction(text)), rel=FLOAT_TOLERANCE)
    if sql_type in {"INTEGER", "BIGINT"}:
        return int(text)
    if sql_type == "DATE":
        return date.fromisoformat(text)
    return text
