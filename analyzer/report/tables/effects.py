"""The position effect of every route: this week, the trailing weeks, and of right answers.

Three rows a route and span: the middle against the start, the end and both edges. A refusal has
its rows too, with the verdict's sentence and what would make the effect measurable.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from typing import TYPE_CHECKING

import pyarrow as pa

from analyzer import numbers
from analyzer.measures.effect import RouteEffect, effects, effects_on_accuracy
from analyzer.measures.effect_table import effect_table
from analyzer.measures.rows import Scope, week_of
from analyzer.report.tables.columns import column

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection

WEEKS = 13
SHARES = (0.02, 0.05)  # of the requests, to be shuffled
LONGEST_WAIT = 52  # weeks that are still worth naming

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
_ENDS = {
    "start": ("middle_against_start", "start_low", "start_high"),
    "end": ("middle_against_end", "end_low", "end_high"),
    "edge": ("middle_against_edge", "low", "high"),
}


def effect_rows(con: Connection, week: date) -> pa.Table:
    """The rows of the week, of the 13 weeks that end with it, and of right answers in those."""
    trailing = Scope(week - timedelta(weeks=WEEKS - 1), week + timedelta(days=7))
    spans = {
        "week": (effects(con, week_of(week)), 1),
        "weeks": (effects(con, trailing), WEEKS),
        "accuracy": (effects_on_accuracy(con, trailing), WEEKS),
    }
    rows = [row for span, (found, weeks) in spans.items() for row in _rows(span, found, weeks)]
    return pa.Table.from_pylist(rows, SCHEMA)


def _rows(span: str, found: Mapping[str, RouteEffect], weeks: int) -> Iterator[dict[str, object]]:
    for row in effect_table(found).to_pylist():
        told = {name: row[name] for name in SCHEMA.names if name in row}
        told |= {"span": span, "comparable": row["comparable_chunks"]}
        told["sentence"] = _sentence(row, weeks)
        for against, (value, low, high) in _ENDS.items():
            ends = {"value": row[value], "low": row[low], "high": row[high]}
            yield {**told, "against": against, **ends}


def _sentence(row: Mapping[str, object], weeks: int) -> str:
    """The verdict, and where there is no number the shuffling that would give one."""
    needed = (row["shuffled_for_10"], row["shuffled_for_5"])
    known = row["middle_against_edge"] is not None
    if known or row["verdict"] == "FEW_UNITS" or not all(needed):
        return str(row["sentence"])
    ten, five = (int(str(each)) for each in needed)
    a_week = int(str(row["answers"])) / weeks
    return (
        f"{row['sentence']} To see a dip of 10% shuffle {ten:,} requests ({_waits(ten, a_week)}); "
        f"of 5%, {five:,}."
    )


def _waits(requests: int, a_week: float) -> str:
    """How long that takes at the shares that cost little."""
    weeks = {share: math.ceil(requests / (a_week * share)) for share in SHARES if a_week}
    told = [
        f"{numbers.counted(n, 'week')} at {share:.0%}"
        for share, n in weeks.items()
        if n <= LONGEST_WAIT
    ]
    traffic = f"of {numbers.count(a_week)} a week"
    return f"{' or '.join(told)} {traffic}" if told else f"more than a year at 5% {traffic}"
