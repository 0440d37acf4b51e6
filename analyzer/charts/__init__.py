"""A result table in, a drawing and the sentence that stands for it out; nothing else.

Each module is one kind of chart with two functions: `chart(table, **options)` gives the Altair
chart, `describe(table, **options)` what a reader who cannot see it should hear. A chart reads
only columns of its table and shares one scale over all its rows, so that a report may draw the
rows of each route apart and still compare them.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any, Final

import pyarrow as pa
from altair.utils.schemapi import debug_mode

from analyzer.charts import bars, days, funnel, heat, lines, profile, shares, small

KINDS: Final[dict[str, ModuleType]] = {
    "bars": bars,
    "days": days,
    "funnel": funnel,
    "heat": heat,
    "lines": lines,
    "profile": profile,
    "shares": shares,
    "small": small,
}


def specification(kind: str, table: pa.Table, **options: Any) -> dict[str, Any]:
    """The Vega-Lite specification of a chart, its rows under `data.values`.

    Altair's checks of every part cost more than the rest of a report; tests make them.
    """
    with debug_mode(False):
        drawing: dict[str, Any] = KINDS[kind].chart(table, **options).to_dict(validate=False)
    (values,) = drawing.pop("datasets").values()  # where Altair moves inline rows to
    return {**drawing, "data": {"values": values}}


def sentence(kind: str, table: pa.Table, **options: Any) -> str:
    """What the chart of these rows shows, for those who do not see it."""
    said: str = KINDS[kind].describe(table, **options)
    return said
