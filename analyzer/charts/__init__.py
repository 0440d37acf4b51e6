"""A result table in, a drawing and the sentence that stands for it out; nothing else.

Each module is one kind of chart with two functions: `chart(table, **options)` gives the Altair
chart, `describe(table, **options)` what a reader who cannot see it should hear. A chart reads
only columns of its table and shares one scale over all its rows, so that a report may draw the
rows of each route apart and still compare them.
"""

from __future__ import annotations

import re
from types import ModuleType
from typing import Any, Final

import altair as alt
import pyarrow as pa
from altair.utils.schemapi import debug_mode

from analyzer.charts import bars, days, effect, funnel, heat, lines, profile, shares, small, strips

KINDS: Final[dict[str, ModuleType]] = {
    "bars": bars,
    "days": days,
    "effect": effect,
    "funnel": funnel,
    "heat": heat,
    "lines": lines,
    "profile": profile,
    "shares": shares,
    "small": small,
    "strips": strips,
}

_DATUM = re.compile(r"\bdatum\.(\w+)")
_NOT_ROWS = ("labelExpr", "data", "config")  # where `datum` is no row, or no row is read


def specification(kind: str, table: pa.Table, **options: Any) -> dict[str, Any]:
    """The Vega-Lite specification of a chart; `data.values` holds the columns that it reads,
    and the route, so that each route's rows can be drawn apart.

    Altair's checks of every part cost more than the rest of a report; tests make them. Nor does it
    get to copy the rows, value by value.
    """
    with debug_mode(False):
        made = KINDS[kind].chart(table, **options)
        values, made["data"] = made["data"]["values"], alt.Undefined
        drawing: dict[str, Any] = made.to_dict(validate=False)
    read = columns_read(drawing) | {"route"}
    kept = [{name: row[name] for name in row if name in read} for row in values]
    return {**drawing, "data": {"values": kept}}


def sentence(kind: str, table: pa.Table, **options: Any) -> str:
    """What the chart of these rows shows, for those who do not see it."""
    said: str = KINDS[kind].describe(table, **options)
    return said


def columns_read(specification: Any) -> set[str]:
    """The names of all columns that a specification reads, in fields and in expressions."""
    if isinstance(specification, list):
        return set().union(*map(columns_read, specification))
    if isinstance(specification, str):
        return set(_DATUM.findall(specification))
    if not isinstance(specification, dict):
        return set()
    parts = (columns_read(part) for key, part in specification.items() if key not in _NOT_ROWS)
    named = specification.get("field")
    return set().union({named} if isinstance(named, str) else set(), *parts)
