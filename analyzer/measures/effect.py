"""The position effect of each route over a span of days: rollup cells in, verdicts out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from analyzer.measures.assumed import with_reasons
from analyzer.measures.orderings import resolved, shares
from analyzer.measures.rows import Scope, coded, of_route, rows, whole
from analyzer.stats.cells import PLACES, Cells, PositionCells
from analyzer.stats.exploration import error_of_one
from analyzer.stats.position_effect import PositionEffect, position_effect
from analyzer.stats.settings import EffectSettings

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection

    from analyzer.stats.arrays import Integers


@dataclass(frozen=True)
class RouteEffect:
    """The effect of one route, what ordered its prompts, and what shuffling would show."""

    effect: PositionEffect
    orderings: dict[str, float]  # share of requests of three or more chunks, largest first
    requests: int  # with known citations; judged ones where right answers are counted
    error_of_one: float | None  # standard error of log RR that one shuffled request would give


def effects(
    con: Connection,
    scope: Scope,
    settings: EffectSettings | None = None,
    *,
    by_prompt_tokens: bool = False,
) -> dict[str, RouteEffect]:
    """The effect, or its refusal, of every route with known citations, ranked or not.

    The strata are exact route, K and packed rank, and with `by_prompt_tokens` the bucket of prompt
    tokens too.
    """
    cells, positions = rows(con, "cells", scope), rows(con, "position_cells", scope)
    return _of_routes(con, scope, cells, positions, settings, by_prompt_tokens)


def effects_on_accuracy(
    con: Connection, scope: Scope, settings: EffectSettings | None = None
) -> dict[str, RouteEffect]:
    """The same for right answers in place of citations, by the place of the expected chunk.

    Of judged requests with exactly one expected chunk packed. There is no negative control: two
    orderings rarely share enough judged chunks at one position.
    """
    judged = rows(con, "judged_cells", scope)
    positions = rows(con, "position_cells", replace(scope, next_day=scope.first_day))  # none
    settings = replace(
        settings or EffectSettings(),
        says="an answer whose evidence stands there is right",
        few="were right",
    )
    found = _of_routes(con, scope, judged, positions, settings, by_prompt_tokens=False)
    return {
        route: replace(one, requests=_judged(of_route(judged, route)), error_of_one=None)
        for route, one in found.items()
        if len(of_route(judged, route))
    }


def _judged(cells: pa.Table) -> int:
    return int(whole(cells, "packed").sum())


def _of_routes(
    con: Connection,
    scope: Scope,
    cells: pa.Table,
    positions: pa.Table,
    settings: EffectSettings | None,
    by_prompt_tokens: bool,
) -> dict[str, RouteEffect]:
    seen = rows(con, "orderings", scope)
    units = dict(zip(*rows(con, "units", scope).to_pydict().values(), strict=True))
    routes = {name for table in (cells, seen) for name in pc.unique(table["route"]).to_pylist()}
    found = {
        route: _effect(
            of_route(cells, route),
            of_route(positions, route),
            of_route(seen, route),
            units.get(route, 0),
            settings,
            by_prompt_tokens,
        )
        for route in sorted(routes)
    }
    return with_reasons(con, scope, found)


def _effect(
    cells: pa.Table,
    positions: pa.Table,
    seen: pa.Table,
    units: int,
    settings: EffectSettings | None,
    by_prompt_tokens: bool,
) -> RouteEffect:
    agreements = list(
        zip(*(seen[name].to_pylist() for name in ("ordering_seen", "k", "requests")), strict=True)
    )
    names = resolved(agreements)
    counted = cells_of(cells, names, by_prompt_tokens=by_prompt_tokens)
    return RouteEffect(
        effect=position_effect(counted, _position_cells(positions, names), units, settings),
        orderings=shares(agreements, names),
        requests=sum(n for _, _, n in agreements),
        error_of_one=error_of_one(counted),
    )


def cells_of(cells: pa.Table, names: dict[str, str], *, by_prompt_tokens: bool = False) -> Cells:
    """The rows of `queries/measures/cells.sql` of one route; names: as `orderings.resolved` has it.

    With `by_prompt_tokens` only prompts of like length are held against each other.
    """
    ordering, orderings = _orderings(cells, names)
    bucket = whole(cells, "prompt_bucket")
    place = pc.index_in(cells["place"], pa.array(PLACES)).combine_chunks()
    return Cells(
        ordering=ordering,
        orderings=orderings,
        **_stratum(cells),
        place=np.asarray(place.to_numpy(zero_copy_only=False), np.int64),
        bucket=bucket if by_prompt_tokens else np.zeros_like(bucket),
    )


def _position_cells(positions: pa.Table, names: dict[str, str]) -> PositionCells:
    ordering, orderings = _orderings(positions, names)
    return PositionCells(
        ordering=ordering,
        orderings=orderings,
        **_stratum(positions),
        position=whole(positions, "position"),
    )


def _stratum(table: pa.Table) -> dict[str, Integers]:
    return {
        "route": np.zeros(table.num_rows, np.int64),
        "k": whole(table, "k"),
        "rank": whole(table, "packed_rank"),
        "group": whole(table, "unit_group"),
        "packed": whole(table, "packed"),
        "cited": whole(table, "cited"),
    }


def _orderings(table: pa.Table, names: dict[str, str]) -> tuple[Integers, tuple[str, ...]]:
    """Codes of the resolved orderings; what was not seen at position 1 is nobody's."""
    codes, agreed = coded(table, "ordering_seen")
    orderings = tuple(sorted({names.get(name, "other") for name in agreed}))
    index = np.array([orderings.index(names.get(name, "other")) for name in agreed], np.int64)
    return index[codes] if len(agreed) else codes, orderings
