"""Rates of a few named outcomes as bars from zero, each with its interval and its baseline."""

from __future__ import annotations

import altair as alt
import pyarrow as pa

from analyzer import numbers
from analyzer.charts import look, ordered
from analyzer.charts.rows import chart_rows, largest

_INTERVAL = (
    "datum.low == null ? '' :"
    " format(100 * datum.low, '.1f') + ' to ' + format(100 * datum.high, '.1f') + '%'"
)


def chart(
    table: pa.Table, name: str, rate: str, n: str, part: str, baseline: str = ""
) -> alt.TopLevelLayerSpec:
    """`table`: one row per `name` with `step` (their order), `rate` = `part` / `n`, low, high."""
    top = look.ticks(largest(table, rate, "high", baseline))[-1]
    ticked = baseline if baseline in table.column_names else None
    tips = [look.tip(rate, rate, "rate"), look.tip(part, part, "count"), look.tip(n, n, "count")]
    value = f"format(datum.{rate}, '.1%') + ' ' + datum.{name}"
    layers = [
        *ordered.bars(rate, ticked, top, "step", tips),
        ordered.whiskers("low", "high", top, "step"),
        *ordered.words(value, _INTERVAL, "step"),
    ]
    steps = len(set(table["step"].to_pylist()))
    return look.finish(layers, chart_rows(table), max(steps, 1) * ordered.STEP)


def describe(table: pa.Table, name: str, rate: str, n: str, part: str, baseline: str = "") -> str:
    """Every outcome with its rate and its counts."""
    return ", ".join(
        f"{row[name]} {numbers.rate(row[rate])} "
        f"({numbers.count(row[part])} of {numbers.count(row[n])})"
        for row in table.to_pylist()
    )
