"""A relative change against each of a few others as points with intervals, on one axis around 0."""

from __future__ import annotations

import altair as alt
import pyarrow as pa

from analyzer import numbers
from analyzer.charts import look, ordered
from analyzer.charts.rows import chart_rows, largest, smallest

_CHANGE = "(abs(datum.{0}) < 0.005 ? '0' : replace(format(100 * datum.{0}, '+.0f'), '-', '−'))"
_ENDS = f"'% (' + {_CHANGE.format('low')} + ' to ' + {_CHANGE.format('high')} + '%)'"
_TOLD = f"datum.value == null ? 'cannot be told' : {_CHANGE.format('value')} + {_ENDS}"
_AGAINST = "datum.against"


def chart(table: pa.Table, value: str = "value") -> alt.TopLevelLayerSpec:
    """`table`: against, step (their order), value, low, high; relative, -0.2 is a fifth less."""
    ends = look.span(min(smallest(table, "low"), -0.05), max(largest(table, "high"), 0.05))
    at = look.between(*ends)
    base = ordered.steps("step")
    accent = look.colour("accent")
    zero = base.mark_tick(
        color=look.colour("ink3"), thickness=1.5, height=14, yOffset=ordered.BELOW
    )
    layers = [
        zero.encode(x=_nothing(ends)),
        base.mark_rule(color=accent, strokeWidth=1.5, yOffset=ordered.BELOW).encode(
            x=look.sideways("low", ends, at), x2=alt.X2(field="high")
        ),
        base.mark_point(
            color=accent, filled=True, size=44, opacity=1, yOffset=ordered.BELOW
        ).encode(x=look.sideways(value, ends, at), tooltip=_tips(value)),
        *ordered.words(_AGAINST, _TOLD, "step"),
    ]
    steps = len(set(table["step"].to_pylist()))
    return look.finish(layers, chart_rows(table), max(steps, 1) * ordered.STEP + 20)


def describe(table: pa.Table, value: str = "value") -> str:
    """The change against each, with its interval, or that it cannot be told."""
    return ", ".join(_said(row, value) for row in table.to_pylist())


def _said(row: dict[str, object], value: str) -> str:
    change, low, high = (row[name] for name in (value, "low", "high"))
    if not isinstance(change, float) or not isinstance(low, float) or not isinstance(high, float):
        return f"{row['against']}: cannot be told"
    ends = numbers.bounds(low, high, numbers.change)
    return f"{numbers.change(change)} {row['against']} (95% interval {ends})"


def _nothing(ends: list[float]) -> alt.XDatum:
    """The place of no effect."""
    return alt.XDatum(0, type="quantitative", scale=alt.Scale(domain=ends, nice=False))


def _tips(value: str) -> list[alt.Tooltip]:
    return [
        look.tip(value, "middle", "change"),
        look.tip("low", "95% from", "change"),
        look.tip("high", "to", "change"),
        look.tip("comparable", "comparable chunks", "count"),
    ]
