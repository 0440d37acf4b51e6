"""Why nothing is told of places: rank or position was assumed, or what was packed is not listed.

Assumptions are read from single requests: where a week's facts are gone, its refusals give the
general reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from analyzer.measures.rows import Scope, rows
from analyzer.numbers import counted
from analyzer.stats.verdicts import assumed

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection

    from analyzer.measures.effect import RouteEffect


def with_reasons(
    con: Connection, scope: Scope, found: Mapping[str, RouteEffect]
) -> dict[str, RouteEffect]:
    """The same effects; of those without a ranked middle, the assumption that took it."""
    lacking = {route for route, one in found.items() if one.effect.comparability.middle == 0}
    if not lacking:
        return dict(found)
    told = {row["route"]: row for row in rows(con, "assumed", scope).to_pylist()}
    return {
        route: _told(one, told[route]) if route in lacking & told.keys() else one
        for route, one in found.items()
    }


def unlisted(con: Connection, scope: Scope) -> str | None:
    """A sentence on answers that list only what was cited or used; None where all list more."""
    [row] = rows(con, "unlisted", scope).to_pylist()
    if not row["unlisted"]:
        return None
    return (
        f"{row['unlisted']:,} of {counted(row['answers'], 'answer')} list only what was cited, or "
        "a used part of what was packed, and no measure of position is made of that"
    )


def _told(one: RouteEffect, row: Mapping[str, Any]) -> RouteEffect:
    field = max(("position", "rank"), key=lambda name: int(row[name]))
    if 2 * row[field] < row["answers"]:
        return one
    said = assumed(field, row[field], row["answers"])
    return replace(one, effect=replace(one.effect, verdict=said))
