"""Bars from zero below each other, each with its words above it and its baseline as a tick.

The words stand above the bar, so that no value collides with a tick or leaves a narrow screen.
"""

from __future__ import annotations

import altair as alt

from analyzer.charts import look

STEP = 44
BELOW = 9  # pixels from the middle of a step to its bar
_WORDS = -9


def bars(
    field: str, baseline: str | None, top: float, order: str, tips: list[alt.Tooltip]
) -> list[alt.Chart]:
    """Bars of `field` from 0 to `top`, in the order of `order`, with ticks at `baseline`."""
    base = steps(order)
    bar = base.mark_bar(height=14, yOffset=BELOW, color=look.colour("fill"))
    drawn = [bar.encode(x=_length(field, top), tooltip=tips)]
    if baseline is None:
        return drawn
    tick = base.mark_tick(color=look.colour("ink"), thickness=2, height=22, yOffset=BELOW)
    return [*drawn, tick.encode(x=_length(baseline, top))]


def whiskers(low: str, high: str, top: float, order: str) -> alt.Chart:
    """Intervals of 95 % over the bars."""
    rule = steps(order).mark_rule(color=look.colour("accent"), strokeWidth=1.5, yOffset=BELOW)
    drawn: alt.Chart = rule.encode(x=_length(low, top), x2=alt.X2(field=high))
    return drawn


def words(value: str, note: str, order: str, at_least: int = 0) -> list[alt.Chart]:
    """Two expressions over a row: its value in bold, and a note at the right edge."""
    base = steps(order, at_least)
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


def steps(order: str, at_least: int = 0) -> alt.Chart:
    """A chart whose rows stand below each other in the order of a column.

    `at_least` so many have room, the first at the top, where not every drawing has all of them.
    """
    rows: list[int] | alt.UndefinedType = list(range(at_least)) or alt.Undefined
    scale = alt.Scale(paddingInner=0, paddingOuter=0, domain=rows)
    return alt.Chart().encode(y=alt.Y(field=order, type="ordinal", axis=None, scale=scale))


def _length(field: str, top: float) -> alt.X:
    scale = alt.Scale(domain=[0, top], nice=False)
    return alt.X(field=field, type="quantitative", axis=None, scale=scale)
