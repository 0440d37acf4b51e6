"""Requests a day as bars, so that a silent day is a gap to see."""

from __future__ import annotations

import altair as alt
import pyarrow as pa

from analyzer import numbers
from analyzer.charts import look
from analyzer.charts.rows import chart_rows, epoch_ms, largest

HEIGHT = 88
_HALF_DAY = 43_200_000  # milliseconds
_LABELLED = 14  # every second Monday, where the first day is one; more would touch on a phone
_OUTCOMES = ["requests", "answered", "refused", "errors", "cached"]


def chart(table: pa.Table) -> alt.TopLevelLayerSpec:
    """`table`: day, requests, answered, refused, errors, cached; one row a day."""
    at = look.ticks(largest(table, "requests"), 2)
    days = sorted({epoch_ms(day) for day in table["day"].to_pylist()})
    tips = [look.day_tip("day"), *(look.tip(name, name, "count") for name in _OUTCOMES)]
    bar = alt.Chart().mark_bar(
        orient="vertical", color=look.colour("fill"), width=alt.expr(f"0.7 * width / {len(days)}")
    )
    drawn = bar.encode(x=_along(days), y=look.up("requests", at, "count"), tooltip=tips)
    return look.finish([drawn], chart_rows(table), HEIGHT)


def describe(table: pa.Table) -> str:
    """Total, busiest day, and how many days were silent."""
    rows = table.to_pylist()
    total = sum(row["requests"] for row in rows)
    most = max(rows, key=lambda row: int(row["requests"]))
    silent = sum(not row["requests"] for row in rows)
    return (
        f"{numbers.count(total)} requests in {len(rows)} days, at most "
        f"{numbers.count(most['requests'])} on {numbers.day(most['day'])}, none on {silent} days"
    )


def _along(days: list[int]) -> alt.X:
    scale = alt.Scale(domain=[days[0] - _HALF_DAY, days[-1] + _HALF_DAY], nice=False, zero=False)
    axis = alt.Axis(
        values=days[::_LABELLED],
        labelExpr="utcFormat(datum.value, '%-d %b')",
        labelAlign="left",
        title=None,
    )
    return alt.X(field="day", type="quantitative", scale=scale, axis=axis)
