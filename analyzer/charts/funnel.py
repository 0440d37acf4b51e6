"""Chunks per answer at each step, from retrieved to cited, as bars from zero.

Not a tapered shape: lengths from a common zero are what eyes compare. The tick is the baseline,
and the share that went on from the step before is written above its bar.
"""

from __future__ import annotations

import altair as alt
import pyarrow as pa

from analyzer import numbers
from analyzer.charts import look, ordered
from analyzer.charts.rows import chart_rows, largest

_MEAN = "format(datum.per_answer, ',.1f') + ' ' + datum.stage"
_WENT_ON = (
    "datum.share == null ? '' : format(datum.share, '.1%') + ' of those'"
    " + (datum.low == null ? '' : ' (' + format(100 * datum.low, '.1f')"
    " + ' to ' + format(100 * datum.high, '.1f') + '%)')"
)


def chart(table: pa.Table) -> alt.TopLevelLayerSpec:
    """`table`: step, stage, chunks, per_answer, share, low, high, baseline_per_answer."""
    top = largest(table, "per_answer", "baseline_per_answer") or 1.0
    layers = [
        *ordered.bars("per_answer", "baseline_per_answer", top, "step", _tips()),
        *ordered.words(_MEAN, _WENT_ON, "step"),
    ]
    return look.finish(layers, chart_rows(table), 3 * ordered.STEP)


def describe(table: pa.Table) -> str:
    """Every step with its mean per answer, and the share that went on to it."""
    return "per answer: " + ", ".join(map(_step, table.to_pylist()))


def _step(row: dict[str, float | str | None]) -> str:
    mean, share = row["per_answer"], row["share"]
    said = f"{numbers.mean(float(mean or 0))} {row['stage']}"
    return said if share is None else f"{said} ({numbers.rate(float(share))} of those)"


def _tips() -> list[alt.Tooltip]:
    return [
        look.tip("per_answer", "per answer", "plain"),
        look.tip("baseline_per_answer", "baseline", "plain"),
        look.tip("chunks", "chunks", "count"),
    ]
