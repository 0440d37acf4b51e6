"""Cells made by hand, and cells of simulated traffic whose truth is known."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from analyzer.stats.arrays import Integers
from analyzer.stats.cells import Cells, PositionCells

ORDERINGS = ("best_first", "edges_first", "best_last", "explored", "other", "short")
Row = tuple[str, int, int, int, int, int, int]  # ordering, K, packed rank, place, group, n, cited


def cells(rows: Iterable[Row]) -> Cells:
    """Cells of one route from rows."""
    columns = list(zip(*rows, strict=True)) or [()] * 7
    ordering = np.array([ORDERINGS.index(name) for name in columns[0]], dtype=np.int64)
    k, rank, place, group, packed, cited = (np.array(c, dtype=np.int64) for c in columns[1:])
    none = np.zeros(len(k), dtype=np.int64)
    return Cells(ordering, ORDERINGS, none, k, rank, group, packed, cited, place, none)


def positions(rows: Iterable[Row]) -> PositionCells:
    """The same with exact positions in the place of places."""
    made = cells(rows)
    return PositionCells(
        made.ordering, ORDERINGS, made.route, made.k, made.rank, made.group, made.packed,
        made.cited, made.place,
    )  # fmt: skip


@dataclass(frozen=True)
class Plan:
    """Simulated requests: who serves which ordering, and what the model does with positions."""

    requests: int
    shares: tuple[float, float, float] = (0.3, 0.5, 0.2)  # best first, edges first, best last
    shuffled: float = 0.0
    dip: float = 0.0  # log of the cited rate in the exact middle against the edge
    by_k: float = 0.0  # how much relevance falls with K
    units: int = 0  # 0: every request its own; else orderings are fixed per unit
    unit_spread: float = 0.3
    groups_of_requests: bool = False  # count groups by request although units chose


def simulated(plan: Plan, seed: int) -> Cells:
    """Cells of traffic as the published tables use it: K about 8, relevance falling with rank."""
    rng = np.random.default_rng(seed)
    n = plan.requests
    unit = rng.integers(0, plan.units, n) if plan.units else np.arange(n)
    drawn = rng.choice(3, max(n, plan.units), p=plan.shares)
    ordering = np.where(rng.random(n) < plan.shuffled, 3, drawn[unit])
    k = np.clip(np.rint(rng.lognormal(np.log(8), 0.65, n)), 2, 40).astype(np.int64)
    attraction = rng.normal(0, plan.unit_spread, max(n, plan.units))[unit] + rng.normal(0, 0.4, n)
    request = np.repeat(np.arange(n), k)
    rank = np.arange(len(request)) - np.repeat(np.cumsum(k) - k, k) + 1
    position = _positions(ordering[request], k[request], rank, rng.random(len(request)), request)
    depth = (position - 1) / (k[request] - 1)
    relevance = np.exp(attraction[request] - plan.by_k * np.log(k[request] / 8) - 0.20 * (rank - 1))
    effect = np.exp(plan.dip * (1 - np.abs(2 * depth - 1) ** 1.6))
    chance = 0.9 * effect * np.minimum(0.97, 0.62 * relevance + 0.02)
    cited = rng.random(len(request)) < chance
    group = (np.arange(n) if plan.groups_of_requests else unit) * 7919 % 20
    return Cells(
        ordering[request], ORDERINGS, np.zeros(len(request), dtype=np.int64), k[request], rank,
        group[request], np.ones(len(request), dtype=np.int64), cited.astype(np.int64),
        _places(position, k[request]), np.zeros(len(request), dtype=np.int64),
    )  # fmt: skip


def _positions(
    ordering: Integers, k: Integers, rank: Integers, key: np.ndarray, request: Integers
) -> Integers:
    edges = np.where(rank % 2 == 1, (rank + 1) // 2, k + 1 - rank // 2)
    order = np.lexsort((key, request))
    shuffled = np.empty_like(rank)
    shuffled[order] = rank  # ranks run from 1 in every request, as positions must
    return np.choose(ordering, [rank, edges, k + 1 - rank, shuffled])


def _places(position: Integers, k: Integers) -> Integers:
    before, last = position - 1, k - 1
    return np.where(5 * before < last, 0, np.where(5 * before > 4 * last, 2, 1))
