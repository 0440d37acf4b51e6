"""Two distributions over one ordinal: where chunks were packed, and where the cited ones stood.

A histogram of cited positions alone misleads, since prompts have more starts than ends; the bars
of what was packed stand behind it.
"""

from __future__ import annotations

import altair as alt
import pyarrow as pa

from analyzer import numbers
from analyzer.charts import look
from analyzer.charts.rows import chart_rows, largest

HEIGHT = 140


def chart(
    table: pa.Table, x: str, packed: str = "packed_share", cited: str = "cited_share"
) -> alt.TopLevelLayerSpec:
    """`table`: one row per x; both shares 0 to 1, each adding up to 1 over x."""
    at = look.ticks(largest(table, packed, cited))
    last = int(largest(table, x))
    base = alt.Chart().encode(x=look.along(x, last))
    width = alt.expr(f"0.7 * width / {max(last, 1)}")
    tips = [
        look.tip(x, look.spoken(x), "count"),
        look.tip(cited, "of cited chunks", "rate"),
        look.tip(packed, "of packed chunks", "rate"),
    ]
    layers = [
        base.mark_bar(orient="vertical", color=look.colour("fill"), width=width).encode(
            y=look.up(packed, at, "rate"), tooltip=tips
        ),
        base.mark_line(color=look.colour("accent"), strokeWidth=1.5).encode(
            y=look.up(cited, at, "rate")
        ),
        base.mark_point(color=look.colour("accent"), filled=True, size=30, opacity=1).encode(
            y=look.up(cited, at, "rate"), tooltip=tips
        ),
    ]
    return look.finish(layers, chart_rows(table), HEIGHT)


def describe(
    table: pa.Table, x: str, packed: str = "packed_share", cited: str = "cited_share"
) -> str:
    """The largest of the cited shares, and what was packed there."""
    rows = [row for row in table.to_pylist() if row[cited] is not None]
    if not rows:
        return "nothing to draw"
    most = max(rows, key=lambda row: float(row[cited]))
    return (
        f"{numbers.rate(most[cited])} of the cited chunks stood at {look.spoken(x)} {most[x]}, "
        f"where {numbers.rate(most[packed])} of all packed chunks stood"
    )
