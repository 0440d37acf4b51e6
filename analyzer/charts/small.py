"""A measure over the weeks as one small line, to be set beside others on the same scale.

A scale of its own would make noise look like change, so the scale is cut from all rows of the
table, and its two ends are the only labels. Behind the line stands what was expected of each week
and the band that it was judged by; an alarm is a triangle, its colour and the word.
"""

from __future__ import annotations

from typing import Any, Literal

import altair as alt
import pyarrow as pa

from analyzer import numbers
from analyzer.charts import look
from analyzer.charts.rows import chart_rows, epoch_ms, largest, smallest

HEIGHT = 72
CROWDED = 26  # weeks; beyond, intervals are drawn thin
_OFF = {"up": -11, "down": 13}  # pixels from a triangle to its word
_SIDES: dict[Literal["left", "right"], str] = {"left": "<", "right": ">="}
_WRITE = {
    "rate": numbers.rate,
    "change": numbers.change,
    "count": numbers.count,
    "plain": numbers.fine,
}


def chart(table: pa.Table, unit: look.Unit = "rate", floor: bool = False) -> alt.TopLevelLayerSpec:
    """`table`: week, value, low, high, n of one measure, and where it was judged baseline,
    band_low, band_high, alarm (up, down, open), new_at; `floor`: the scale starts at 0.
    """
    low = 0 if floor else smallest(table, "value", "low", "band_low")
    at = look.span(low, largest(table, "value", "high", "band_high"))
    weeks = sorted(set(table["week"].to_pylist()))
    base = alt.Chart()
    layers = [
        *_expected(base, at, unit),
        *_new(weeks),
        *_line(base, at, unit, len(weeks) <= CROWDED),
        *_alarms(base, at, unit, weeks),
        _told(base, at, unit),
    ]
    return look.finish(layers, chart_rows(table), HEIGHT, look.over_weeks("week", weeks, 2))


def _expected(base: alt.Chart, at: list[float], unit: look.Unit) -> list[alt.Chart]:
    band = base.mark_area(color=look.colour("band"))
    mean = base.mark_line(color=look.colour("base"), strokeWidth=1)
    return [
        band.encode(y=look.up("band_low", at, unit), y2=alt.Y2(field="band_high")),
        mean.encode(y=look.up("baseline", at, unit)),
    ]


def _new(weeks: list[Any]) -> list[alt.Chart]:
    """Rules between the weeks where a new label came in."""
    some = alt.Chart().transform_filter("datum.new_at != null")
    rule = some.mark_rule(color=look.colour("ink2"), strokeDash=[3, 3], strokeWidth=1)
    return [rule.encode(x=look.over_weeks("new_at", weeks, 2))]


def _line(base: alt.Chart, at: list[float], unit: look.Unit, few: bool) -> list[alt.Chart]:
    accent = look.colour("accent")
    behind = base.mark_rule(color=look.colour("fill"), strokeWidth=3 if few else 1)
    point = base.mark_point(color=accent, filled=True, size=12, opacity=1)
    line = base.mark_line(color=accent, strokeWidth=1.5)
    return [
        behind.encode(y=look.up("low", at, unit), y2=alt.Y2(field="high")),
        line.encode(y=look.up("value", at, unit)),
        point.encode(y=look.up("value", at, unit)),
    ]


def _told(base: alt.Chart, at: list[float], unit: look.Unit) -> alt.Chart:
    """Above everything, seen by the mouse alone."""
    spot = base.mark_point(filled=True, size=80, opacity=0)
    drawn: alt.Chart = spot.encode(y=look.up("value", at, unit), tooltip=_tips(unit))
    return drawn


def _alarms(base: alt.Chart, at: list[float], unit: look.Unit, weeks: list[Any]) -> list[alt.Chart]:
    alarm, value = look.colour("alarm"), look.up("value", at, unit)
    still = base.transform_filter("datum.alarm == 'open'").mark_point(
        color=alarm, filled=True, size=20, opacity=1
    )
    layers = [still.encode(y=value)]
    middle = epoch_ms(weeks[len(weeks) // 2])
    for way in ("up", "down"):
        raised = base.transform_filter(f"datum.alarm == '{way}'")
        mark = raised.mark_point(
            color=alarm, filled=True, opacity=1, size=64, shape=f"triangle-{way}"
        )
        layers.append(mark.encode(y=value))
        for side, kept in _SIDES.items():
            near = raised.transform_filter(f"datum.week {kept} {middle}")
            word = near.mark_text(
                text="alarm", color=alarm, align=side, dy=_OFF[way], fontWeight=600
            )
            layers.append(word.encode(y=value))
    return layers


def describe(table: pa.Table, unit: look.Unit = "rate", floor: bool = False) -> str:
    """First and last value, the last one's interval and band, and the weeks of alarms."""
    rows = [row for row in table.to_pylist() if row["value"] is not None]
    if not rows:
        return "no value"
    write = _WRITE[unit]
    first, last = rows[0], rows[-1]
    ends = numbers.bounds(last["low"], last["high"], write)
    interval = "" if ends == numbers.UNKNOWN else f" (95% interval {ends})"
    said = (
        f"{write(first['value'])} in {numbers.week(first['week'])}, "
        f"{write(last['value'])}{interval} in {numbers.week(last['week'])}"
    )
    return f"{said}{_judged(rows, write)}"


def _judged(rows: list[dict[str, Any]], write: Any) -> str:
    band = numbers.bounds(rows[-1].get("band_low"), rows[-1].get("band_high"), write)
    raised = [row for row in rows if row.get("alarm") in ("up", "down")]
    told = "" if band == numbers.UNKNOWN else f"; expected {band}"
    weeks = ", ".join(f"{row['alarm']} in {numbers.week(row['week'])}" for row in raised)
    return f"{told}; alarm {weeks}" if raised else told


def _tips(unit: look.Unit) -> list[alt.Tooltip]:
    return [
        look.week_tip("week"),
        look.tip("value", "value", unit),
        look.tip("low", "95% from", unit),
        look.tip("high", "to", unit),
        look.tip("n", "n", "count"),
    ]
