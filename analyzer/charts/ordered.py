"""Bars from zero below each other, each with its words above it and its baseline as a tick.

The words stand above the bar, so that no value collides with a tick or leaves a narrow screen.
"""

from __future__ import annotations

import altair as alt

from analyzer.charts import look

STEP = 44
_BAR = 9  # pixels below the middle of its step
_WORDS = -9


def bars(
    field: str, baseline: str | None, top: float, order: str, tips: list[alt.Tooltip]
) -> list[alt.Chart]:
    """Bars of `field` from 0 to `top`, in the order of `order`, with ticks at `baseline`."""
    base = _steps(order)
    bar = base.mark_bar(height=14, yOffset=_BAR, color=look.colour("fill"))
    drawn = [bar.encode(x=_length(field, top), tooltip=tips)]
    if baseline is None:
        return drawn
    tick = base.mark_tick(color=look.colour("ink"), thickness=2, height=22, yOffset=_BAR)
    return [*drawn, tick.encode(x=_length(baseline, top))]


def whiskers(low: str, high: str, top: float, order: str) -> alt.Chart:
    """Intervals of 95 % over the bars."""
    rule = _steps(order).mark_rule(color=look.colour("accent"), strokeWidth=1.5, yOffset=_BAR)
    drawn: alt.Chart = rule.encode(x=_length(low, top), x2=high)
    return drawn


def words(value: str, note: str, order: str) -> list[alt.Chart]:
    """Two expressions over a row: its value in bold, and a note at the right edge."""
    base = _steps(order)
    bold = base.mark_text(
        align="left", yOffset=_WORDS, fontWeight=600, color=look.colour("ink"), text=alt.expr(value)
    )
    beside = base.mark_text(
        align="right", yOffset=_WORDS, color=look.colour("ink3"), text=alt.expr(note)
    )
    return [
        bold.encode(x=alt.value(0)),
        beside.encode(x=alt.value("width")),
    ]


def _steps(order: str) -> alt.Chart:
    scale = alt.Scale(paddingInner=0, paddingOuter=0)
    return alt.Chart().encode(y=alt.Y(field=order, type="ordinal", axis=None, scale=scale))


def _length(field: str, top: float) -> alt.X:
    scale = alt.Scale(domain=[0, top], nice=False)
    return alt.X(field=field, type="quantitative", axis=None, scale=scale)
