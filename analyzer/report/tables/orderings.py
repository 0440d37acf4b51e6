"""Which orderings each route used, day by day, when that changed, and what it declares."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, timedelta
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from analyzer import numbers
from analyzer.measures.declared import contradictions, spoken
from analyzer.measures.ordering_days import ordering_days
from analyzer.measures.rows import Scope
from analyzer.report.tables.columns import column

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection

DAYS = 28

SCHEMA = pa.schema(
    [
        column("day", pa.date32(), "the day"),
        column("route", pa.string(), "the route"),
        column("ordering", pa.string(), "as recognised from packed rank and position"),
        column("requests", pa.int64(), "requests of three packed chunks or more, ordered so"),
        column("share", pa.float64(), "of such requests of the day"),
        column("changed", pa.bool_(), "the share moved by a quarter or more since the day before"),
        column("told", pa.string(), "of the route: shares in the week"),
        column("remarks", pa.string(), "of the route: days of change, declarations that differ"),
    ]
)  # fmt: skip

Row = dict[str, Any]


def ordering_rows(con: Connection, week: date) -> pa.Table:
    """The four weeks that end with this one, one row a day, route and ordering."""
    scope = Scope(week + timedelta(days=7 - DAYS), week + timedelta(days=7))
    rows = ordering_days(con, scope).to_pylist()
    declared = contradictions(con, scope)
    by_route: dict[str, list[Row]] = {}
    for row in rows:
        by_route.setdefault(row["route"], []).append(row)
    told = [
        {**row, "told": _shares(mine, week), "remarks": _remarks(mine, declared.get(route, []))}
        for route, mine in by_route.items()
        for row in mine
    ]
    return pa.Table.from_pylist(told, SCHEMA)


def _shares(rows: Iterable[Row], week: date) -> str:
    counts: dict[str, int] = {}
    for row in rows:
        if row["day"] >= week:
            counts[row["ordering"]] = counts.get(row["ordering"], 0) + row["requests"]
    total = sum(counts.values())
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{spoken(name)} {numbers.percent(n / total)}" for name, n in ranked if n)


def _remarks(rows: list[Row], declared: Iterable[str]) -> str | None:
    return "; ".join([*_turns(rows), *declared]) or None


def _turns(rows: list[Row]) -> list[str]:
    """Each day of change: the ordering that gained most, and what it had the day before."""
    days = sorted({row["day"] for row in rows})
    shares = {(row["day"], row["ordering"]): row["share"] for row in rows}
    told = []
    for before, day in pairwise(days):
        gained = {
            row["ordering"]: row["share"] - shares.get((before, row["ordering"]), 0.0)
            for row in rows
            if row["day"] == day and row["changed"]
        }
        if gained:
            name = max(gained, key=lambda each: gained[each])
            was = numbers.percent(max(shares[day, name] - gained[name], 0.0))
            now = numbers.percent(shares[day, name])
            told.append(f"changed on {numbers.day(day)}: {spoken(name)} from {was} to {now}")
    return told
