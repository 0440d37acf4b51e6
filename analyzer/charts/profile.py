"""A rate by an ordinal (depth, position, rank): this week's points with intervals over a baseline.

The baseline is a grey line with its own interval as a band; nothing is smoothed, nothing alarms.
"""

from __future__ import annotations

import altair as alt
import pyarrow as pa

from analyzer import numbers
from analyzer.charts import look
from analyzer.charts.rows import chart_rows, largest

HEIGHT = 168


def chart(
    table: pa.Table,
    x: str,
    rate: str = "cited_rate",
    n: str = "packed",
    baseline: str = "baseline_rate",
) -> alt.TopLevelLayerSpec:
    """`table`: one row per x, with the columns named, `low` and `high`; rates 0 to 1.

    `baseline_low` and `baseline_high` make the band where the table has them.
    """
    at = look.ticks(largest(table, rate, "high", baseline, "baseline_high"))
    base = alt.Chart().encode(x=look.along(x, int(largest(table, x))))
    layers = [
        *_band(table, base, at),
        base.mark_line(color=look.colour("base"), strokeWidth=1.5).encode(
            y=look.up(baseline, at, "rate")
        ),
        base.mark_rule(color=look.colour("accent"), strokeWidth=1.5).encode(
            y=look.up("low", at, "rate"), y2=alt.Y2(field="high")
        ),
        base.mark_point(color=look.colour("accent"), filled=True, size=30, opacity=1).encode(
            y=look.up(rate, at, "rate"), tooltip=_tips(x, rate, n, baseline)
        ),
    ]
    return look.finish(layers, chart_rows(table), HEIGHT)


def describe(
    table: pa.Table,
    x: str,
    rate: str = "cited_rate",
    n: str = "packed",
    baseline: str = "baseline_rate",
) -> str:
    """The drawing of one route in a sentence: its two ends, its lowest point, and their counts."""
    rows = [row for row in table.to_pylist() if row[rate] is not None]
    if not rows:
        return "nothing to draw"
    lowest = min(rows, key=lambda row: float(row[rate]))
    picked = [rows[0], lowest, rows[-1]]
    said = dict.fromkeys(
        f"{numbers.rate(row[rate])} at {look.spoken(x)} {row[x]} (n {numbers.count(row[n])})"
        for row in picked
    )
    return f"{', '.join(said)}; lowest at {look.spoken(x)} {lowest[x]}"


def _band(table: pa.Table, base: alt.Chart, at: list[float]) -> list[alt.Chart]:
    if "baseline_low" not in table.column_names:
        return []
    band = base.mark_area(color=look.colour("band"))
    return [band.encode(y=look.up("baseline_low", at, "rate"), y2=alt.Y2(field="baseline_high"))]


def _tips(x: str, rate: str, n: str, baseline: str) -> list[alt.Tooltip]:
    return [
        look.tip(x, look.spoken(x), "count"),
        look.tip(rate, "cited", "rate"),
        look.tip("low", "95% from", "rate"),
        look.tip("high", "to", "rate"),
        look.tip(baseline, "baseline", "rate"),
        look.tip(n, f"n, {n}", "count"),
    ]
