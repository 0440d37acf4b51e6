"""The cited rate of every packed rank at every position, as a map.

Five steps of one hue with fixed limits, so that a value can be read off the key and maps of two
weeks can be laid side by side. Cells with too few chunks are a dot, and places where no chunk
ever stood are empty: neither is a rate of 0.
"""

from __future__ import annotations

import altair as alt
import pyarrow as pa

from analyzer import numbers
from analyzer.charts import look
from analyzer.charts.rows import chart_rows, largest

LIMITS = [0.1, 0.2, 0.3, 0.5]
SHADES = [f"var(--heat{step})" for step in range(1, len(LIMITS) + 2)]
WRITTEN_UP_TO = 12  # positions; beyond, a cell is too narrow for its number


def chart(table: pa.Table, least: int = 50, height: int = 264) -> alt.TopLevelLayerSpec:
    """`table`: packed_rank, position, packed, cited, cited_rate, low, high.

    A cell is drawn from `least` packed chunks on.
    """
    last = max(int(largest(table, "packed_rank", "position")), 1)
    base = alt.Chart().encode(
        x=alt.X(field="position", type="ordinal", scale=_scale(last), axis=_axis(last)),
        y=alt.Y(field="packed_rank", type="ordinal", scale=_scale(last), axis=_axis(last)),
    )
    few = base.transform_filter(f"datum.packed < {least}")
    many = base.transform_filter(f"datum.packed >= {least}")
    dot = few.mark_point(color=look.colour("base"), filled=True, size=8, opacity=1)
    cell = many.mark_rect(stroke=look.colour("surface"), strokeWidth=1)
    layers = [dot.encode(tooltip=_tips()), cell.encode(color=_shade(), tooltip=_tips())]
    if last <= WRITTEN_UP_TO:
        layers.append(_written(many))
    return look.finish(layers, chart_rows(table), height)


def describe(table: pa.Table, least: int = 50, height: int = 264) -> str:
    """The highest and the lowest cell that can be drawn."""
    rows = [row for row in table.to_pylist() if row["packed"] >= least]
    if not rows:
        return f"no cell has {least} chunks"
    ranked = sorted(rows, key=lambda row: float(row["cited_rate"]))
    return f"highest {_cell(ranked[-1])}, lowest {_cell(ranked[0])}"


def _cell(row: dict[str, float]) -> str:
    place = f"packed rank {row['packed_rank']}, position {row['position']}"
    return f"{numbers.rate(row['cited_rate'])} at {place} (n {numbers.count(row['packed'])})"


def _scale(last: int) -> alt.Scale:
    return alt.Scale(domain=list(range(1, last + 1)), paddingInner=0, paddingOuter=0)


def _axis(last: int) -> alt.Axis:
    ticks = look.counted_ticks(last)
    return alt.Axis(values=ticks, labelAngle=0, grid=False, ticks=False, title=None)


def _shade() -> alt.Color:
    scale = alt.Scale(type="threshold", domain=LIMITS, range=SHADES)
    return alt.Color(field="cited_rate", type="quantitative", scale=scale, legend=None)


def _written(many: alt.Chart) -> alt.Chart:
    on_dark = alt.condition(
        f"datum.cited_rate >= {LIMITS[-2]}",
        alt.value(look.colour("surface")),
        alt.value(look.colour("ink")),
    )
    percent = "format(100 * datum.cited_rate, '.0f')"
    drawn: alt.Chart = many.mark_text(text=alt.expr(percent)).encode(color=on_dark)
    return drawn


def _tips() -> list[alt.Tooltip]:
    return [
        look.tip("packed_rank", "packed rank", "count"),
        look.tip("position", "position", "count"),
        look.tip("cited_rate", "cited", "rate"),
        look.tip("low", "95% from", "rate"),
        look.tip("high", "to", "rate"),
        look.tip("packed", "n, packed", "count"),
    ]
