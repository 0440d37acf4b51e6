"""How much of what answers need is in the prompt, over what the prompt costs.

A line for each kind: cited chunks in this week's colour, expected ones in grey and dashed. A larger
point is where the line of cited chunks turns flat.
"""

from __future__ import annotations

import altair as alt
import pyarrow as pa

from analyzer.charts import look
from analyzer.charts.rows import chart_rows, largest

HEIGHT = 220
_DASH = [4, 3]
_TICKS_ACROSS = 4


def chart(table: pa.Table, x: str) -> alt.TopLevelLayerSpec:
    """`table`: a row a step: its name `at`, `x`, `cited_recall`, `expected_recall`, `flat`."""
    at, across = look.ticks(1.0), look.ticks(largest(table, x), _TICKS_ACROSS)
    place = alt.X(
        field=x,
        type="quantitative",
        scale=alt.Scale(domain=[0, across[-1]], nice=False),
        axis=alt.Axis(values=across, format=",~r", title=None),
    )
    accent, grey = look.colour("accent"), look.colour("ink3")
    base = alt.Chart()
    layers = [
        base.mark_line(color=grey, strokeWidth=1.5, strokeDash=_DASH).encode(
            y=look.up("expected_recall", at, "rate")
        ),
        base.mark_line(color=accent, strokeWidth=1.5).encode(y=look.up("cited_recall", at, "rate")),
        base.mark_point(color=accent, filled=True, size=24, opacity=1).encode(
            y=look.up("cited_recall", at, "rate")
        ),
        base.transform_filter("datum.flat")
        .mark_point(color=accent, filled=True, size=90, opacity=1)
        .encode(y=look.up("cited_recall", at, "rate")),
        base.transform_filter("datum.flat")
        .mark_text(color=look.colour("ink2"), dy=16)
        .encode(y=look.up("cited_recall", at, "rate"), text="at:N"),
    ]
    return look.finish(layers, chart_rows(table), HEIGHT, place)


def describe(table: pa.Table, x: str, of: str) -> str:
    """The ends of the line of cited chunks, and where it turns flat; `of`: what `at` names."""
    rows = [row for row in table.to_pylist() if row["cited_recall"] is not None]
    if not rows:
        return "no cited chunk"
    ends = [f"{row['cited_recall']:.0%} at {of} {row['at']}" for row in (rows[0], rows[-1])]
    flat = [f"flat from {of} {row['at']} on" for row in rows if row["flat"]]
    return f"cited chunks in the prompt over {look.spoken(x)}: {', '.join([*ends, *flat])}"
