"""Weeks drawn from a stock of requests, as rollup tables.

The tables stand before the store's own under their names, so that the weekly estimates are made by
the real SQL and the real measures.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from analyzer.facts.columns import UNIT_GROUPS, token_bins
from analyzer.simulate import Model, Route
from analyzer.simulate.arrays import Bools, Floats, Ints
from analyzer.simulate.cite import loss

from .pools import Pool
from .stores import empty

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection

ROLLUPS = ("cells", "cells_by_position", "ranks", "units", "days", "lengths")
_MOST_RELEVANT = 0.97
_UNITS_KEPT = 40


@dataclass(frozen=True)
class Drawn:
    """A week of one route: which requests of the stock, which of their chunks, which were cited."""

    pool: Pool
    request: Ints
    chunk: Ints
    owner: Ints  # of each chunk the index of its request in this week
    cited: Bools
    tokens: Ints


def draw(
    pool: Pool, count: int, now: Route, model: Model, longer: float, rng: np.random.Generator
) -> Drawn:
    """`count` requests of the route as it is; `longer` multiplies the lengths of its prompts."""
    request = rng.integers(0, pool.size, count)
    k = pool.k[request]
    owner = np.repeat(np.arange(count), k)
    chunk = np.arange(len(owner)) - np.repeat(np.cumsum(k) - k, k) + pool.start[request][owner]
    tokens = np.rint(pool.tokens[request] * longer).astype(np.int64)
    chance = _relevance(pool.relevance[chunk], now) * _theta(model, tokens, owner, pool.bump[chunk])
    return Drawn(pool, request, chunk, owner, rng.random(len(owner)) < chance, tokens)


def _relevance(best: Floats, now: Route) -> Floats:
    shape = now.relevance
    return np.minimum(_MOST_RELEVANT, best * np.exp(shape.shift) + shape.floor)


def _theta(model: Model, tokens: Ints, owner: Ints, bump: Floats) -> Floats:
    lost = model.dip * loss(tokens.astype(np.float64))
    return np.maximum(0.0, model.edge - lost[owner] * bump)


def tables(day: date, weeks: Mapping[str, list[Drawn]]) -> dict[str, pa.Table]:
    """The rollup tables of one day on which each route's whole week falls."""
    found: dict[str, list[pa.Table]] = {name: [] for name in ROLLUPS}
    for route, parts in weeks.items():
        for part in parts:
            for name, columns in _counted(part).items():
                found[name].append(_table(name, day, route, columns))
    return {name: pa.concat_tables(parts) for name, parts in found.items()}


@contextmanager
def in_place(con: Connection, rollups: Mapping[str, pa.Table]) -> Iterator[None]:
    """The store, with these rollups in place of its own."""
    for name, table in rollups.items():
        con.register(name, table)
    try:
        yield
    finally:
        for name in rollups:
            con.unregister(name)


def _counted(week: Drawn) -> dict[str, dict[str, object]]:
    """The columns of each rollup that are counted; the others are the same for all rows."""
    pool, group = week.pool, week.pool.group[week.request]
    cells = pool.cells
    key = pool.cell[week.chunk] * UNIT_GROUPS + group[week.owner]
    size = len(cells.k) * UNIT_GROUPS
    packed = np.bincount(key, minlength=size)
    cited = np.bincount(key[week.cited], minlength=size)
    there = np.flatnonzero(packed)
    cell, counts = there // UNIT_GROUPS, {"packed": packed[there], "cited": cited[there]}
    by = {
        "ordering_seen": cells.ordering.take(cell),
        "k": cells.k[cell],
        "packed_rank": cells.rank[cell],
        "unit_group": there % UNIT_GROUPS,
        **counts,
    }
    distinct = np.unique(pool.unit[week.request])[:_UNITS_KEPT]
    return {
        "cells": by | {"place": cells.place.take(cell)},
        "cells_by_position": by | {"position": cells.position[cell]},
        "ranks": _ranks(cells.rank[cell], there % UNIT_GROUPS, **counts),
        "units": {"unit_hash": distinct},
        "days": _requests(week, group),
        "lengths": _lengths(week.tokens, group),
    }


def _ranks(rank: Ints, group: Ints, packed: Ints, cited: Ints) -> dict[str, object]:
    key = rank * UNIT_GROUPS + group
    retrieved, used = (np.bincount(key, counts).astype(np.int64) for counts in (packed, cited))
    there = np.flatnonzero(retrieved)
    return {
        "rank": there // UNIT_GROUPS,
        "unit_group": there % UNIT_GROUPS,
        "retrieved": retrieved[there],
        "packed": retrieved[there],
        "cited": used[there],
    }


def _requests(week: Drawn, group: Ints) -> dict[str, object]:
    pool, request = week.pool, week.request
    cited = np.bincount(week.owner[week.cited], minlength=len(request))

    def total(values: Ints) -> Ints:
        return np.bincount(group, values, minlength=UNIT_GROUPS).astype(np.int64)

    ones, k = total(np.ones(len(request), np.int64)), total(pool.k[request])
    return {
        "unit_group": np.arange(UNIT_GROUPS),
        **dict.fromkeys(("requests", "answered", "citations_known"), ones),
        **dict.fromkeys(("packed", "compared", "documented"), k),
        "citation_free": total((cited == 0).astype(np.int64)),
        "citations": total(cited),
        "involved": total(pool.involved[request]),
        "largest_document": total(pool.largest[request]),
    }


def _lengths(tokens: Ints, group: Ints) -> dict[str, object]:
    key, requests = np.unique(token_bins(tokens) * UNIT_GROUPS + group, return_counts=True)
    return {
        "context_bin": key // UNIT_GROUPS,
        "unit_group": key % UNIT_GROUPS,
        "requests": requests,
    }


def _table(name: str, day: date, route: str, counted: Mapping[str, object]) -> pa.Table:
    """The columns of a rollup: those counted, the day and route, else nothing."""
    rows = max(len(column) for column in counted.values())  # type: ignore[arg-type]
    same = {"day": day, "route": route}
    return pa.table(
        {
            field.name: _column(counted[field.name], field.type)
            if field.name in counted
            else _constant(same.get(field.name), field.type, rows)
            for field in _schema(name)
        }
    )


@cache
def _schema(name: str) -> pa.Schema:
    con = empty()
    schema = con.table(name).limit(0).to_arrow_table().schema
    con.close()
    return schema


def _column(values: object, kind: pa.DataType) -> pa.Array:
    return values if isinstance(values, pa.DictionaryArray) else pa.array(values, kind)


def _constant(value: object, kind: pa.DataType, rows: int) -> pa.Array:
    if pa.types.is_string(kind):
        codes = pa.array(np.zeros(rows, np.int32))
        return pa.DictionaryArray.from_arrays(codes, pa.array([value or "-"], kind))
    return pa.repeat(pa.scalar(0 if value is None else value, kind), rows)
