"""One period of one route's traffic, as arrays: who asked, what came back, what was cited.

The arrays are the product; writing them as JSON lines is another module's work.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TypeVar

import numpy as np

from analyzer.errors import CitelogError
from analyzer.simulate import calendar, prompt, state
from analyzer.simulate.arrays import Bools, Floats, Ints, stream
from analyzer.simulate.asking import Asked, Users, ask, ordering_names, users
from analyzer.simulate.cite import Cited
from analyzer.simulate.judge import Judged, judge
from analyzer.simulate.pool import Pool, make_pool
from analyzer.simulate.retrieve import Retrieved, retrieve
from analyzer.simulate.scenario import Model, Route, Scenario

_DEPTHS = (6, 10, 16)  # requests of like depth are made together, so that few cells stay empty
_WORTH_SPLITTING = 1_000  # requests

_Columns = TypeVar("_Columns", Asked, "Chunks", Judged)


@dataclass(frozen=True)
class World:
    """What stays the same on a route: its index and its users."""

    pool: Pool
    users: Users


@dataclass(frozen=True)
class Chunks:
    """The retrieved chunks of a period, in the order of request and rank."""

    request: Ints  # index of the request
    code: Ints  # see `Pool`
    rank: Ints
    position: Ints  # 0 = not packed
    packed_rank: Ints  # 0 = not packed
    score: Ints  # first stage, whole steps of 1e-5
    rerank_score: Ints
    cited: Bools
    redundant: Bools  # packed right after the near-copy of it that stands one rank above
    relevance: Floats
    theta: Floats  # 0 where the model saw nothing


@dataclass(frozen=True)
class Traffic:
    """A period: the route as it was, its requests, their chunks and labels."""

    route: Route
    stretch: calendar.Stretch
    pool: Pool
    orderings: list[str]
    requested_ms: Ints  # since 1970, sorted
    asked: Asked
    k: Ints
    prompt_tokens: Ints  # as the server counted them
    chunks: Chunks
    judged: Judged


@dataclass(frozen=True)
class _Part:
    """Requests of like depth; `rows` says which, and their arrays are in that order."""

    rows: Ints
    k: Ints
    prompt_tokens: Ints
    chunks: Chunks
    judged: Judged


def world(scenario: Scenario, route: Route) -> World:
    """The index and the users of a route."""
    indexed = state.reindexed(scenario, route)
    pool = make_pool(scenario.seed, route, indexed, scenario.first_day)
    return World(pool=pool, users=users(scenario.seed, route))


def traffic(scenario: Scenario, route: Route, here: World, stretch: calendar.Stretch) -> Traffic:
    """The traffic of a stretch of a day on a route, as releases, noise and incidents left it."""
    now = state.at(scenario, route, stretch.start)
    rng = stream(scenario.seed, "traffic", route.name, stretch.start.isoformat())
    n = int(rng.poisson(now.requests * calendar.share_of_week(scenario, stretch)))
    times = calendar.arrivals(scenario, stretch, n, rng)
    asked = ask(now, here.users, n, rng)
    depth, model = _depth(now, here.pool, asked), scenario.model(now)
    parts = [_part(now, model, here.pool, asked, depth, rows, rng) for rows in _alike(depth)]
    in_order = np.argsort(np.concatenate([part.rows for part in parts]))
    return Traffic(
        route=now,
        stretch=stretch,
        pool=here.pool,
        orderings=ordering_names(now),
        requested_ms=times,
        asked=asked,
        k=np.concatenate([part.k for part in parts])[in_order],
        prompt_tokens=np.concatenate([part.prompt_tokens for part in parts])[in_order],
        chunks=_joined([part.chunks for part in parts], "request"),
        judged=_joined([part.judged for part in parts], "row"),
    )


def _depth(route: Route, pool: Pool, asked: Asked) -> Ints:
    """How many chunks are retrieved for each request."""
    depth = np.maximum(asked.wanted, route.fetched)
    deepest = int(depth.max(initial=1))
    if deepest >= pool.documents:
        raise CitelogError(
            f"route {route.name}: {deepest} chunks are retrieved from {pool.documents} documents, "
            "but there must be more documents than that; raise documents.count"
        )
    return depth


def _alike(depth: Ints) -> list[Ints]:
    """The requests, in groups of like depth where there are many."""
    if len(depth) < _WORTH_SPLITTING:
        return [np.arange(len(depth))]
    group = np.searchsorted(_DEPTHS, depth)
    groups = [np.flatnonzero(group == number) for number in range(len(_DEPTHS) + 1)]
    return [rows for rows in groups if rows.size]


def _part(
    route: Route,
    model: Model,
    pool: Pool,
    everyone: Asked,
    depth: Ints,
    rows: Ints,
    rng: np.random.Generator,
) -> _Part:
    asked = _taken(everyone, rows)
    retrieved = retrieve(route, pool, depth[rows], rng)
    packed = prompt.assemble(route, pool, asked, retrieved, rng)
    cited = prompt.citations(model, route, pool, asked, retrieved, packed, rng)
    judged = judge(route.judging, asked.outcome == 0, retrieved, packed.packed, cited, rows, rng)
    return _Part(rows, packed.k, packed.tokens, _flat(retrieved, packed, cited, rows), judged)


def _flat(retrieved: Retrieved, packed: prompt.Prompt, cited: Cited, rows: Ints) -> Chunks:
    there = retrieved.there
    line, rank = np.nonzero(there)
    redundant = retrieved.is_copy & packed.packed
    redundant[:, 1:] &= packed.packed[:, :-1]
    return Chunks(
        request=rows[line],
        code=retrieved.code[there],
        rank=rank + 1,
        position=packed.position[there],
        packed_rank=packed.packed_rank[there],
        score=retrieved.score[there],
        rerank_score=retrieved.rerank_score[there],
        cited=cited.cited[there],
        redundant=redundant[there],
        relevance=cited.relevance[there],
        theta=cited.theta[there],
    )


def _taken(columns: _Columns, rows: Ints) -> _Columns:
    """The same columns, those rows of them."""
    return type(columns)(
        **{each.name: getattr(columns, each.name)[rows] for each in fields(columns)}
    )


def _joined(parts: list[_Columns], by: str) -> _Columns:
    """All rows of all parts, sorted by one column."""
    if len(parts) == 1:
        return parts[0]
    columns = {
        each.name: np.concatenate([getattr(part, each.name) for part in parts])
        for each in fields(parts[0])
    }
    return _taken(type(parts[0])(**columns), np.argsort(columns[by], kind="stable"))
