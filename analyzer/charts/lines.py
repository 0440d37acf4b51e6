"""Lines over the weeks: one with intervals in this week's colour, others in grey beside it.

A limit that the lines are held against, where there is one, is a dark step below them all.
"""

from __future__ import annotations

from typing import Any, Literal

import altair as alt
import pyarrow as pa

from analyzer import numbers
from analyzer.charts import look
from analyzer.charts.rows import chart_rows, largest

HEIGHT = 168
_CROWDED = 26  # weeks; beyond, intervals step back so that the line can be followed
_DASHES = ([1, 0], [4, 3])  # first and second line beside the main one
_FAR = 2.0  # times the largest value; a limit beyond would flatten the lines, and is not drawn


def chart(
    table: pa.Table,
    main: str,
    low: str,
    high: str,
    beside: list[str],
    n: str,
    unit: Literal["rate", "count"] = "rate",
    limit: str = "",
) -> alt.TopLevelLayerSpec:
    """`table`: one row per `week`; `main` with its interval, `beside` at most two columns.

    `limit` is a column, too; of it is drawn what is not far above the lines of all routes.
    """
    top = largest(table, main, high, *beside)
    reach = largest(_near(table, limit, _FAR * top), limit) if limit else 0.0
    at = look.ticks(max(top, reach))
    weeks = sorted(set(table["week"].to_pylist()))
    base = alt.Chart().encode(x=look.over_weeks("week", weeks, 3))
    tips = _tips(main, low, high, [*beside, limit] if limit else beside, n, unit)
    accent = look.colour("accent")
    crowded = len(weeks) > _CROWDED
    interval = look.colour("fill") if crowded else accent
    layers = [
        *_limit(base, limit, at, unit),
        *_beside(base, beside, at, unit),
        base.mark_rule(color=interval, strokeWidth=1.5).encode(
            y=look.up(low, at, unit), y2=alt.Y2(field=high)
        ),
        base.mark_line(color=accent, strokeWidth=1.5).encode(y=look.up(main, at, unit)),
        base.mark_point(color=accent, filled=True, size=8 if crowded else 24, opacity=1).encode(
            y=look.up(main, at, unit), tooltip=tips
        ),
    ]
    return look.finish(layers, chart_rows(table), HEIGHT)


def describe(
    table: pa.Table,
    main: str,
    low: str,
    high: str,
    beside: list[str],
    n: str,
    unit: Literal["rate", "count"] = "rate",
    limit: str = "",
) -> str:
    """First and last value of each line, with the weeks they belong to."""
    rows = table.to_pylist()
    write = numbers.rate if unit == "rate" else numbers.count
    limits = [limit] if limit and any(row[limit] is not None for row in rows) else []
    return "; ".join(_ends(rows, name, write) for name in [main, *beside, *limits])


def _ends(rows: list[dict[str, Any]], name: str, write: Any) -> str:
    known = [row for row in rows if row[name] is not None]
    if not known:
        return f"{look.spoken(name)}: no value"
    first, last = known[0], known[-1]
    return (
        f"{look.spoken(name)}: {write(first[name])} in {numbers.week(first['week'])}, "
        f"{write(last[name])} in {numbers.week(last['week'])}"
    )


def _near(table: pa.Table, column: str, reach: float) -> pa.Table:
    values = table[column].to_pylist()
    return table.filter(pa.array([value is not None and value <= reach for value in values]))


def _limit(base: alt.Chart, column: str, at: list[float], unit: look.Unit) -> list[alt.Chart]:
    """A step from week to week, so that a change of the limit is seen as one."""
    if not column:
        return []
    shown = base.transform_filter(f"datum.{column} <= {at[-1]}")
    line = shown.mark_line(color=look.colour("ink"), strokeWidth=1, interpolate="step")
    return [line.encode(y=look.up(column, at, unit))]


def _beside(base: alt.Chart, names: list[str], at: list[float], unit: look.Unit) -> list[alt.Chart]:
    grey = look.colour("ink3")
    return [
        base.mark_line(color=grey, strokeWidth=1.5, strokeDash=dash).encode(
            y=look.up(name, at, unit)
        )
        for name, dash in zip(names, _DASHES, strict=False)
    ]


def _tips(
    main: str, low: str, high: str, beside: list[str], n: str, unit: look.Unit
) -> list[alt.Tooltip]:
    return [
        look.week_tip("week"),
        look.tip(main, look.spoken(main), unit),
        look.tip(low, "95% from", unit),
        look.tip(high, "to", unit),
        *(look.tip(name, look.spoken(name), unit) for name in beside),
        look.tip(n, f"n, {look.spoken(n)}", "count"),
    ]
