"""The position effect of every route: this week, the trailing weeks, and of right answers.

Three rows a route and span: the middle against the start, the end and both edges. A refusal has
its rows too, with the verdict's sentence and what would make the effect measurable.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from typing import TYPE_CHECKING

import pyarrow as pa

from analyzer import names, numbers
from analyzer.measures.effect import RouteEffect, effects, effects_on_accuracy
from analyzer.measures.effect_table import advice, effect_table
from analyzer.measures.rows import Scope, week_of, weeks_held
from analyzer.report.tables.columns import column
from analyzer.stats.settings import EffectSettings
from analyzer.store import statement

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection

WEEKS = 13

SCHEMA = pa.schema(
    [
        column("span", pa.string(), "week, weeks (13, the week the last), or accuracy (of 13)"),
        column("route", pa.string(), "the route"),
        column("against", pa.string(), "what the middle is held against: start, end, or edge"),
        column("value", pa.float64(), "relative change of the rate in the middle; NULL: refused"),
        column("low", pa.float64(), "lower end of its 95 % interval"),
        column("high", pa.float64(), "upper end of its 95 % interval"),
        column("verdict", pa.string(), "OK, WEAK, or why the effect is refused"),
        column("sentence", pa.string(), "the verdict in words, and what would make it measurable"),
        column("answers", pa.int64(), "answers with known citations; accuracy: judged ones"),
        column("comparable", pa.float64(), "comparable chunks (H)"),
        column("units", pa.int64(), "distinct units, counted up to 40"),
        column("lift", pa.float64(), "plain rates, middle against edge: mostly ordering"),
        column("histogram", pa.float64(), "plain counts, middle against edge: mostly ordering"),
        column("shuffled_for_5", pa.int64(), "requests to shuffle until a dip of 5 % shows"),
        column("shuffled_for_10", pa.int64(), "the same for a dip of 10 %"),
    ]
)
_REASONS = {
    "FEW_UNITS": (
        "Too few units chose the ordering, or one of 20 groups of them holds too much of the "
        "comparable chunks; an interval would be too narrow."
    ),
    "TOO_FEW": "Too few comparable chunks.",
    "DISCONNECTED": "No rank is found at both places for a given K.",
    "CONFOUNDED_POLICIES": "The orderings serve different traffic.",
}
_ENDS = {
    "start": ("middle_against_start", "start_low", "start_high"),
    "end": ("middle_against_end", "end_low", "end_high"),
    "edge": ("middle_against_edge", "low", "high"),
}


def effect_rows(con: Connection, week: date, settings: EffectSettings | None = None) -> pa.Table:
    """The rows of the week, of the 13 weeks that end with it, and of right answers in those."""
    trailing = Scope(week - timedelta(weeks=WEEKS - 1), week + timedelta(days=7))
    held = weeks_held(con, trailing)
    spans = {
        "week": (effects(con, week_of(week), settings), 1),
        "weeks": (effects(con, trailing, settings), held),
        "accuracy": (effects_on_accuracy(con, trailing, settings), held),
    }
    rows = [row for span, (found, weeks) in spans.items() for row in _rows(span, found, weeks)]
    pooled = _pooled(con, trailing)
    return pa.Table.from_pylist([_with_models(row, pooled, week) for row in rows], SCHEMA)


def _pooled(con: Connection, trailing: Scope) -> dict[str, tuple[str, date]]:
    """Of routes that changed their model within these days the newest one and its first day."""
    span = {"first_day": trailing.first_day, "next_day": trailing.next_day}
    found: dict[str, tuple[str, date]] = {}
    for route, kind, label, day in con.execute(statement("report/new_labels"), span).fetchall():
        if kind == "model" and day > found.get(route, ("", trailing.first_day))[1]:
            found[route] = label, day
    return found


def _with_models(
    row: dict[str, object], pooled: Mapping[str, tuple[str, date]], week: date
) -> dict[str, object]:
    """An estimate over a change of model says that it is one number for both."""
    model, first_day = pooled.get(str(row["route"]), ("", date.max))
    told = row["verdict"] in ("OK", "WEAK") and (row["span"] != "week" or first_day > week)
    if not model or not told:
        return row
    words = (
        f"Models before and since {numbers.day(first_day)}, when {names.shown(model, 40)} was "
        "first seen, are pooled in this."
    )
    return {**row, "sentence": f"{row['sentence']} {words}"}


def _rows(span: str, found: Mapping[str, RouteEffect], weeks: int) -> Iterator[dict[str, object]]:
    for row in effect_table(found).to_pylist():
        told = {name: row[name] for name in SCHEMA.names if name in row}
        told |= {"span": span, "comparable": row["comparable_chunks"]}
        told["sentence"] = " ".join([row["sentence"], *advice(row, weeks)])
        for against, (value, low, high) in _ENDS.items():
            ends = {"value": row[value], "low": row[low], "high": row[high]}
            yield {**told, **_own_verdict(row, against), "against": against, **ends}


def _own_verdict(row: Mapping[str, object], against: str) -> dict[str, object]:
    """Why a place is not told where the route as a whole is: it has a verdict of its own."""
    code = row.get(f"{against}_verdict")
    if row["verdict"] not in ("OK", "WEAK") or code in (None, "OK", "WEAK"):
        return {}
    return {"verdict": code, "sentence": _REASONS[str(code)]}
