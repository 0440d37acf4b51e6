"""A measure over the weeks as one small line, to be set beside others on the same scale.

A scale of its own would make noise look like change, so the scale is cut from all rows of the
table, and its two ends are the only labels.
"""

from __future__ import annotations

import altair as alt
import pyarrow as pa

from analyzer import numbers
from analyzer.charts import look
from analyzer.charts.rows import chart_rows, largest, smallest

HEIGHT = 64


def chart(table: pa.Table, unit: look.Unit = "rate", floor: bool = False) -> alt.LayerChart:
    """`table`: week, value, low, high, n of one measure; `floor`: the scale starts at 0."""
    at = look.span(0 if floor else _low(table), largest(table, "value", "high"))
    weeks = sorted(set(table["week"].to_pylist()))
    base = alt.Chart().encode(x=look.over_weeks("week", weeks, 2))
    accent = look.colour("accent")
    tips = [
        look.week_tip("week"),
        look.tip("value", "value", unit),
        look.tip("low", "95% from", unit),
        look.tip("high", "to", unit),
        look.tip("n", "n", "count"),
    ]
    layers = [
        base.mark_rule(color=look.colour("fill"), strokeWidth=3).encode(
            y=look.up("low", at, unit), y2="high"
        ),
        base.mark_line(color=accent, strokeWidth=1.5).encode(y=look.up("value", at, unit)),
        base.mark_point(color=accent, filled=True, size=12, opacity=1).encode(
            y=look.up("value", at, unit), tooltip=tips
        ),
    ]
    return look.finish(layers, chart_rows(table), HEIGHT)


def describe(table: pa.Table, unit: look.Unit = "rate", floor: bool = False) -> str:
    """First and last value, with their weeks and the last one's interval."""
    rows = [row for row in table.to_pylist() if row["value"] is not None]
    if not rows:
        return "no value"
    write = {"rate": numbers.rate, "count": numbers.count, "plain": numbers.fine}[unit]
    first, last = rows[0], rows[-1]
    ends = numbers.bounds(last["low"], last["high"], write)
    interval = "" if ends == numbers.UNKNOWN else f" (95% interval {ends})"
    return (
        f"{write(first['value'])} in {numbers.week(first['week'])}, "
        f"{write(last['value'])}{interval} in {numbers.week(last['week'])}"
    )


def _low(table: pa.Table) -> float:
    return smallest(table, "value", "low")
