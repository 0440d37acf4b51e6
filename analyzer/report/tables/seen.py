"""What would have been seen: of each route and measure the smallest lasting change that alarms."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from analyzer import numbers
from analyzer.report.tables.columns import column
from analyzer.stats.panel import ALL_ROUTES
from analyzer.telling.seen import reach_rows

if TYPE_CHECKING:
    from analyzer.watch import Alarms

SCHEMA = pa.schema(
    [
        column("route", pa.string(), "the route"),
        column("measure", pa.string(), "what is watched"),
        column("requests", pa.int64(), "requests of the week that it rests on"),
        column("monitored", pa.bool_(), "whether it has volume and baseline enough to be tested"),
        column("change", pa.float64(), "relative change for three weeks that alarms 8 in 10 times"),
        column("from_none", pa.float64(), "where the baseline is 0: the share that alarms"),
        column("told", pa.string(), "the same in words"),
    ]
)  # fmt: skip


def reach_table(found: Alarms | None, week: date) -> pa.Table:
    """No rows where the week was not judged."""
    if found is None or found.week != week:
        return SCHEMA.empty_table()
    rows = [{**row, "told": _told(row)} for row in reach_rows(found)]
    return pa.Table.from_pylist([row for row in rows if row["route"] != ALL_ROUTES], SCHEMA)


def _told(row: dict[str, Any]) -> str:
    if not row["monitored"]:
        return "not monitored"
    if row["change"] is None:
        return f"0 to {numbers.rate(row['from_none'])}"
    return numbers.percent(row["change"])
