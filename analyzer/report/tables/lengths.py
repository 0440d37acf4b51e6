"""Context tokens over the weeks, each week with the budget that its requests were given."""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING

import pyarrow as pa

from analyzer.report.tables.columns import column
from analyzer.store import statement

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection

SCHEMA = pa.schema(
    [
        column("week", pa.date32(), "Monday that opens the week"),
        column("route", pa.string(), "the route"),
        column("requests", pa.int64(), "requests with something packed and known context tokens"),
        column("p50", pa.float64(), "median of their context tokens"),
        column("p95", pa.float64(), "95th percentile, tokens"),
        column("p95_low", pa.float64(), "lower end of its 95 % interval"),
        column("p95_high", pa.float64(), "upper end of its 95 % interval"),
        column("p99", pa.float64(), "99th percentile, tokens"),
        column("mean", pa.float64(), "mean of their context tokens"),
        column("budget", pa.float64(), "median budget, tokens; NULL: none logged, or sealed"),
        column("budgeted", pa.int64(), "requests with a budget and known context tokens"),
        column("at_budget", pa.int64(), "of those, with at least 95 % of the budget used"),
        column("at_budget_rate", pa.float64(), "at_budget / budgeted, 0 to 1"),
        column("prompt_compared", pa.int64(), "requests with prompt tokens and context tokens"),
        column("prompt_cut", pa.int64(), "of those, with fewer prompt than context tokens"),
    ]
)


def length_rows(con: Connection, week: date, weeks: int, asked: pa.Table) -> pa.Table:
    """`asked`, the answer of `context_tokens`, with budgets; its order is kept."""
    first = week - timedelta(weeks=weeks - 1)
    span = {"first_day": first, "next_day": week + timedelta(days=7)}
    found = con.execute(statement("report/budgets"), span).fetchall()
    budgets = {(monday, route): budget for monday, route, budget in found}
    rows = [
        {**row, "budget": budgets.get((row["week"], row["route"]))} for row in asked.to_pylist()
    ]
    return pa.Table.from_pylist(rows, SCHEMA)
