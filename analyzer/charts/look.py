"""The visual language of every chart: type, axes, marks and colours by role.

Colours are CSS variables, so that one drawing follows the reader's light or dark scheme and turns
light on paper; pictures without CSS put the values of `dashboards/tokens.toml` in their place.
Blue is this week, grey is before, orange an alarm. Nothing here says that something is good or bad.
"""

from __future__ import annotations

import math
from datetime import date, timedelta
from typing import Any, Literal

import altair as alt

from analyzer.charts.rows import epoch_ms

Role = Literal[
    "ink", "ink2", "ink3", "rule", "grid", "accent", "alarm", "fill", "base", "band", "surface"
]
Unit = Literal["rate", "change", "count", "plain"]

FONT = '-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif'
FONT_SIZE = 12

_NOTHING = 1e-9  # a scale below this is one of zeros
_PLACES = "datum.index == 0 ? 'start' : datum.index == 1 ? 'end' : 'middle'"

_PERCENT = "replace(format(100 * datum.value, ',~r'), '-', '−')"
_PLAIN = "replace(format(datum.value, ',~r'), '-', '−')"

CONFIG: dict[str, Any] = {
    "aria": False,  # each drawing is one image with one sentence; its marks are not read out
    "background": "transparent",
    "font": FONT,
    "padding": {"left": 0, "top": 6, "right": 6, "bottom": 0},
    "view": {"stroke": None},
    "axis": {
        "labelColor": "var(--ink3)",
        "labelFontSize": FONT_SIZE,
        "labelPadding": 6,
        "domainColor": "var(--rule)",
        "tickColor": "var(--rule)",
        "gridColor": "var(--grid)",
        "title": None,
    },
    "axisX": {"grid": False, "tickSize": 4, "labelFlush": False},
    "axisY": {"domain": False, "ticks": False, "grid": True},
    "text": {"fontSize": FONT_SIZE, "color": "var(--ink2)"},
}


def colour(role: Role) -> str:
    return f"var(--{role})"


def finish(
    layers: list[alt.Chart], values: list[dict[str, Any]], height: int, x: alt.X | None = None
) -> alt.TopLevelLayerSpec:
    """One drawing of `layers` over shared rows, as wide as the place it is put in.

    `x` is the place of every layer that has none of its own. A chart of Altair's own over layers
    would copy them all several times, and that would be most of a report's time.
    """
    return alt.TopLevelLayerSpec(
        layer=[_layer(each) for each in layers],
        encoding=alt.Undefined if x is None else {"x": x.to_dict()},
        width="container",
        height=height,
        autosize={"type": "fit-x", "contains": "padding"},
        config=CONFIG,
        data={"values": values},
    )


def _layer(chart: alt.Chart) -> dict[str, Any]:
    made: dict[str, Any] = chart.to_dict(validate=False, context={"top_level": False})
    made.pop("data", None)  # the shared rows
    return made


def ticks(top: float, at_most: int = 5) -> list[float]:
    """Round steps from 0 to the first one at or above `top`: 1, 2, 2.5 or 5 times a power of 10."""
    top = top if top > _NOTHING else 1.0
    power = 10.0 ** math.floor(math.log10(top))
    steps = [factor * power for factor in (0.1, 0.2, 0.25, 0.5, 1.0, 2.0, 2.5)]
    step = next(step for step in steps if top / step <= at_most)
    return [round(step * number, 12) for number in range(math.ceil(top / step - 1e-9) + 1)]


def up(field: str, at: list[float], unit: Unit) -> alt.Y:
    """The vertical place of a value: gridlines at `at`, the unit at the top one alone."""
    label = f"{_PERCENT} + (datum.index == 1 ? '%' : '')" if unit in ("rate", "change") else _PLAIN
    return alt.Y(
        field=field,
        type="quantitative",
        scale=alt.Scale(domain=[at[0], at[-1]], nice=False, zero=False),
        axis=alt.Axis(values=at, labelExpr=label, title=None),
    )


def sideways(field: str, ends: list[float], at: list[float]) -> alt.X:
    """The horizontal place of a relative change, labelled in per cent."""
    return alt.X(
        field=field,
        type="quantitative",
        scale=alt.Scale(domain=ends, nice=False, zero=False),
        axis=alt.Axis(values=at, labelExpr=f"{_PERCENT} + '%'", title=None, labelOverlap="parity"),
    )


def along(field: str, last: int) -> alt.X:
    """The horizontal place of something counted from 1: positions, ranks, tenths of the prompt."""
    by_name = alt.Axis(values=[1, (1 + last) / 2, last], labelExpr=_PLACES, title=None)
    by_number = alt.Axis(values=counted_ticks(last), format="d", title=None)
    return alt.X(
        field=field,
        type="quantitative",
        scale=alt.Scale(domain=[0.5, last + 0.5], nice=False, zero=False),
        axis=by_name if field == "depth" else by_number,
    )


def over_weeks(field: str, weeks: list[date], at_most: int) -> alt.X:
    """The horizontal place of a week: labelled as W47, the first and the last always."""
    air = timedelta(days=3)
    return alt.X(
        field=field,
        type="quantitative",
        scale=alt.Scale(
            domain=[epoch_ms(weeks[0] - air), epoch_ms(weeks[-1] + air)], nice=False, zero=False
        ),
        axis=alt.Axis(
            values=[epoch_ms(weeks[index]) for index in spread(len(weeks), at_most)],
            labelExpr="'W' + utcFormat(datum.value, '%V')",
            labelOverlap="parity",  # on a narrow screen every second one goes
            title=None,
        ),
    )


def tip(field: str, title: str, unit: Unit) -> alt.Tooltip:
    """One line of a tooltip, with a digit more than prose has."""
    form = {"rate": ".2%", "change": "+.1%", "count": ",.0f", "plain": ",.2f"}[unit]
    return alt.Tooltip(field=field, type="quantitative", title=title, format=form)


def day_tip(field: str) -> alt.Tooltip:
    return _calendar_tip(field, "%a %-d %b %Y")


def week_tip(field: str) -> alt.Tooltip:
    return _calendar_tip(field, "%G-W%V")


def _calendar_tip(field: str, form: str) -> alt.Tooltip:
    """A day as a reader in any time zone must see it; without the unit it would be local time."""
    return alt.Tooltip(
        field=field, type="temporal", timeUnit="utcyearmonthdate", title=field, format=form
    )


def spoken(column: str) -> str:
    """A column's name as words."""
    return "tenth" if column == "depth" else column.replace("_", " ")


def span(low: float, high: float) -> list[float]:
    """The round ends of a scale that holds both values."""
    steps = ticks(high - low if high - low > _NOTHING else abs(high))
    step = steps[1] - steps[0]
    first = math.floor(low / step + 1e-9) * step
    last = math.ceil(high / step - 1e-9) * step
    return [round(first, 12), round(last if last > first else first + step, 12)]


def between(low: float, high: float) -> list[float]:
    """Round ticks within two round ends, 0 among them where it lies between."""
    steps = ticks(high - low, 4)
    step = steps[1] - steps[0]
    first = math.ceil(low / step - 1e-9)
    return [round(step * at, 12) for at in range(first, math.floor(high / step + 1e-9) + 1)]


def counted_ticks(last: int) -> list[int]:
    """1 and at most five round numbers up to `last`."""
    step = next((step for step in (1, 2, 3, 4, 5, 10, 20, 50, 100) if last / step <= 5), 200)
    return sorted({1, *range(step, last + 1, step)})


def spread(length: int, at_most: int) -> list[int]:
    """At most so many indices of a sequence, its two ends among them."""
    if length <= at_most:
        return list(range(length))
    return sorted({round(step * (length - 1) / (at_most - 1)) for step in range(at_most)})
