"""Position-swap evaluations of the report: profiles, gaps with their gate, and what has none.

A gap is a difference of two rates of right answers, in points; it stands on no axis with the
relative effect that traffic shows.
"""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from analyzer import numbers, swap
from analyzer.report.tables.columns import column
from analyzer.swap.outcomes import PLACES, UNKNOWN

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection

_WHO = (
    column("evaluation", pa.string(), "model, prompt version and route in one name"),
    column("run", pa.string(), "the run, as citelog swap runs names it"),
    column("model", pa.string(), "the model that was asked"),
    column("prompt_version", pa.string(), "of the prompt it was asked with"),
    column("route", pa.string(), "whose questions were asked; NULL: of no route"),
    column("asked_on", pa.date32(), "day on which it was asked"),
    column("judge", pa.string(), "how answers were judged; given: the judgements came with them"),
)
_GATE = (
    column("against", pa.string(), "model and prompt version that the gate compares with"),
    column("deeper", pa.float64(), "by how much the gap is larger than theirs, a difference"),
    column("deeper_low", pa.float64(), "its one-sided 95% bound below"),
    column("deeper_high", pa.float64(), "its one-sided 95% bound above"),
    column("gate", pa.string(), "pass, fail or inconclusive; NULL: nothing to compare with"),
)
PLACED = pa.schema(
    [
        *_WHO,
        column("place", pa.string(), "of the expected chunk: start, middle or end"),
        column("answered", pa.int64(), "questions asked and judged with it there"),
        column("correct", pa.int64(), "of those, answered right"),
        column("accuracy", pa.float64(), "correct / answered, 0 to 1"),
        column("low", pa.float64(), "of its 95% interval"),
        column("high", pa.float64(), "of its 95% interval"),
        column("told", pa.string(), "the gap and the gate in words"),
    ]
)
GAPS = pa.schema(
    [
        *_WHO,
        column("prompt_bucket", pa.int64(), "prompts from so many tokens on; NULL: of any length"),
        column("prompts", pa.string(), "the same in words"),
        column("median_tokens", pa.int64(), "median context tokens of its prompts"),
        column("questions", pa.int64(), "answered at the start, in the middle and at the end"),
        column("incomplete", pa.int64(), "questions that were not"),
        *(column(place, pa.float64(), f"share of right answers, {place}") for place in PLACES),
        column("gap", pa.float64(), "(start + end) / 2 - middle, a difference of rates"),
        column("low", pa.float64(), "of its 95% interval"),
        column("high", pa.float64(), "of its 95% interval"),
        column("needed", pa.int64(), "questions that show a gap of 0.05 in 8 of 10 cases"),
        *_GATE,
    ]
)
COVERED = pa.schema(
    [
        column("route", pa.string(), "the route"),
        column("model", pa.string(), "the model that answered"),
        column("prompt_version", pa.string(), "the prompt version it answered with"),
        column("requests", pa.int64(), "requests of the week"),
        column("since", pa.date32(), "first day on which the route had both"),
        column("median_tokens", pa.int64(), "median context tokens of route and model this week"),
        column("covered", pa.bool_(), "whether an evaluation asked such prompts"),
        column("run", pa.string(), "the evaluation that did, else the one that comes nearest"),
        column("told", pa.string(), "covered, or what is missing"),
        column("advice", pa.string(), "what to do; NULL: nothing"),
    ]
)
Row = dict[str, Any]

_ADVICE = (
    "To evaluate what is not: citelog swap plan makes a set of questions, citelog swap run asks "
    "the model, and citelog swap score --keep keeps what came of it."
)


def gap_rows(evaluated: pa.Table) -> pa.Table:
    """One row an evaluation and, where it asked several, one each prompt length."""
    rows = [
        {**row, "evaluation": _name(row), "prompts": _length(row["prompt_bucket"])}
        for row in evaluated.to_pylist()
    ]
    return pa.Table.from_pylist(rows, GAPS)


def placed_rows(evaluated: pa.Table) -> pa.Table:
    """Three rows an evaluation: the expected chunk at the start, in the middle, at the end."""
    whole = (row for row in evaluated.to_pylist() if row["prompt_bucket"] is None)
    rows = [_at(row, place) for row in whole for place in PLACES]
    return pa.Table.from_pylist(rows, PLACED)


def covered_rows(con: Connection, week: date) -> pa.Table:
    """What answered in the week, and whether an evaluation asked by its end covers it."""
    rows = swap.coverage(con, week, before=week + timedelta(days=7)).to_pylist()
    told = [
        {**row, "told": row["why"] or "covered", "advice": None if row["covered"] else _ADVICE}
        for row in rows
    ]
    return pa.Table.from_pylist(told, COVERED)


def _at(row: Row, place: str) -> Row:
    numbers_there = {
        "answered": row[f"{place}_answered"],
        "correct": row[f"{place}_correct"],
        "accuracy": row[place],
        "low": row[f"{place}_low"],
        "high": row[f"{place}_high"],
    }
    who = {field.name: row.get(field.name) for field in _WHO}
    return {**who, **numbers_there, "evaluation": _name(row), "place": place, "told": _told(row)}


def _name(row: Row) -> str:
    version = "" if row["prompt_version"] == UNKNOWN else f", prompt {row['prompt_version']}"
    return f"{row['model']}{version}" + (f", {row['route']}" if row["route"] else "")


def _length(bucket: int | None) -> str:
    return "of every length" if bucket is None else f"from {bucket:,} tokens"


def _told(row: Row) -> str:
    """The gap with its interval, and what the gate says."""
    if row["gap"] is None:
        return "no gap: it needs answers at the start, in the middle and at the end"
    ends = numbers.bounds(row["low"], row["high"], numbers.points)
    questions = numbers.counted(row["questions"], "question")
    gate = f"; gate: {row['gate']}, against {row['against']}" if row["gate"] else ""
    return f"gap {numbers.points(row['gap'])} (95% interval {ends}), of {questions}{gate}"
