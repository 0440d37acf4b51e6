"""Tokens of the week by route, the money they cost, and what near-copies take of both.

Counts are scaled by sample weight, so that a sampled log tells what was really sent; money is known
where every model of the route has a price.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from analyzer.report.prices import MILLION, Prices, price_of, told
from analyzer.report.tables.columns import column
from analyzer.store import statement

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection

WEEKS = 13  # of the baseline
LEAST = 6  # of them with requests

SCHEMA = pa.schema(
    [
        column("route", pa.string(), "the route"),
        column("requests", pa.int64(), "requests of the week, as logged"),
        column("known", pa.int64(), "of those, with known context tokens"),
        column("tokens", pa.int64(), "tokens of all their packed chunks, scaled by sample weight"),
        column("tokens_before", pa.int64(), "mean a week of the baseline; NULL: under 6 of 13"),
        column("redundant", pa.int64(), "of the tokens, those of redundant chunks; NULL: unknown"),
        column("redundant_share", pa.float64(), "redundant / tokens, 0 to 1"),
        column("redundant_before", pa.int64(), "redundant tokens, mean a week of the baseline"),
        column("share_before", pa.float64(), "redundant_before / tokens_before, 0 to 1"),
        column("cost", pa.float64(), "of the tokens, in the currency of the prices; NULL: unknown"),
        column("cost_before", pa.float64(), "mean a week of the baseline, at the same prices"),
        column("redundant_cost", pa.float64(), "of the redundant tokens"),
        column("redundant_cost_before", pa.float64(), "mean a week of the baseline"),
        column("prices", pa.string(), "the prices in words, or how to give them"),
    ]
)

Row = dict[str, Any]


def spending_rows(con: Connection, week: date, prices: Prices) -> pa.Table:
    """One row a route of the week; none where no route has known tokens."""
    first = week - timedelta(weeks=WEEKS)
    span = {"first_day": first, "next_day": week + timedelta(days=7)}
    asked = con.sql(statement("report/tokens"), params=span).to_arrow_table().to_pylist()
    now = [row for row in asked if row["week"] == week]
    if not any(row["known"] for row in now):
        return SCHEMA.empty_table()
    said = told(prices, {row["model"] for row in now})
    rows = [
        {**_of_route([row for row in asked if row["route"] == route], week, prices), "prices": said}
        for route in dict.fromkeys(row["route"] for row in now)
    ]
    return pa.Table.from_pylist(rows, SCHEMA)


def _of_route(rows: Sequence[Row], week: date, prices: Prices) -> Row:
    now = _sums([row for row in rows if row["week"] == week], prices, 1)
    before = [row for row in rows if row["week"] < week]
    weeks = len({row["week"] for row in before})
    usual = _sums(before, prices, weeks) if weeks >= LEAST else {}
    return {
        "route": rows[0]["route"],
        **now,
        "redundant_share": _share(now["redundant"], now["tokens"]),
        "tokens_before": usual.get("tokens"),
        "redundant_before": usual.get("redundant"),
        "share_before": _share(usual.get("redundant"), usual.get("tokens")),
        "cost_before": usual.get("cost"),
        "redundant_cost_before": usual.get("redundant_cost"),
    }


def _sums(rows: Sequence[Row], prices: Prices, weeks: int) -> Row:
    """Mean a week; nothing known is no tokens at all, never 0."""
    known = sum(row["known"] for row in rows)
    compared = known and any(row["compared"] for row in rows)
    cost = _cost(rows, "context_tokens", prices, weeks) if known else None
    wasted = _cost(rows, "redundant_tokens", prices, weeks) if cost and compared else None
    return {
        "requests": sum(row["requests"] for row in rows),
        "known": known,
        "tokens": round(_thousands(rows, "context_tokens") / weeks) if known else None,
        "redundant": round(_thousands(rows, "redundant_tokens") / weeks) if compared else None,
        "cost": cost,
        "redundant_cost": wasted,
    }


def _thousands(rows: Iterable[Row], name: str) -> float:
    return float(sum(row[name] for row in rows)) / 1000


def _cost(rows: Sequence[Row], name: str, prices: Prices, weeks: int) -> float | None:
    """None where a model without a price has a part in it."""
    priced = [(row[name], price_of(prices, row["model"])) for row in rows if row[name]]
    if any(price is None for _, price in priced):
        return None
    cost = sum(tokens / 1000 * (price or 0.0) for tokens, price in priced)
    return float(cost) / MILLION / weeks


def _share(part: int | None, whole: int | None) -> float | None:
    return part / whole if part is not None and whole else None
