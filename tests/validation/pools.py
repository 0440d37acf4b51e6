"""A large stock of requests of one generator, from which weeks are drawn by the thousand.

A year of ten routes takes minutes to make chunk by chunk. Here the requests are made and laid out
once (through the real facts) and a week draws from them at random, with replacement: K, ranks,
orderings, users, copies and lengths are then those of the generator, and what is cited is drawn
anew by the generator's own formulas. A test gives one week to both ways and compares every
estimate.
"""

from __future__ import annotations

from dataclasses import dataclass

import msgspec
import numpy as np
import pyarrow as pa

from analyzer.facts import Facts
from analyzer.simulate import Route, Scenario
from analyzer.simulate.arrays import Floats, Ints
from analyzer.simulate.calendar import Stretch
from analyzer.simulate.cite import bump, depth_of
from analyzer.simulate.generate import Traffic, traffic, world

from .stores import SETTINGS
from .traffic_facts import index_of, loaded

_replace = msgspec.structs.replace
# Relevance is cut off at .97; made so low that nothing is cut, it can be raised again.
_LOWERED = 2.0


@dataclass(frozen=True)
class Cells:
    """What chunks can be counted by: one entry a cell (ordering, K, packed rank, position)."""

    ordering: pa.DictionaryArray
    k: Ints
    rank: Ints  # packed and retrieved: these prompts have no gaps
    position: Ints
    place: pa.DictionaryArray


@dataclass(frozen=True)
class Pool:
    """Requests, and their packed chunks laid end to end."""

    cells: Cells
    group: Ints  # unit group of each request
    unit: Ints  # keyed hash
    k: Ints
    tokens: Ints  # of the context, and of the prompt
    involved: Ints
    largest: Ints
    start: Ints  # first chunk
    cell: Ints  # of each chunk
    relevance: Floats  # of each chunk, without floor, not cut off
    bump: Floats

    @property
    def size(self) -> int:
        """How many requests."""
        return len(self.k)


def stock(scenario: Scenario, route: Route, size: int) -> tuple[Traffic, Facts]:
    """About `size` requests of the route on the scenario's first day, of little relevance."""
    quiet = _replace(route.relevance, shift=route.relevance.shift - _LOWERED)
    there = _replace(route, requests=float(size), relevance=quiet)
    crowded = _replace(scenario, weekdays=(1, 0, 0, 0, 0, 0, 0))
    start = Stretch(scenario.first_day, 0, 24)
    period = traffic(crowded, there, world(crowded, there), start)
    made = loaded(scenario, period, index_of(period.pool), SETTINGS).facts
    assert made is not None
    return period, made


def pool(period: Traffic, made: Facts) -> Pool:
    """A stock, ready to be drawn from."""
    requests, chunks = made.requests, made.chunks
    owner = period.chunks.request
    cells, cell = _cells(chunks)
    lowered = period.chunks.relevance - period.route.relevance.floor
    return Pool(
        cells=cells,
        group=_whole(requests["unit_group"]),
        unit=_whole(requests["unit_hash"]),
        k=_whole(requests["packed"]),
        tokens=_whole(requests["context_tokens"]),
        involved=_whole(requests["involved"]),
        largest=_whole(requests["largest_document"]),
        start=np.searchsorted(owner, np.arange(len(period.k))),
        cell=cell,
        relevance=lowered * np.exp(_LOWERED),
        bump=bump(depth_of(period.chunks.position[:, None], period.k[owner])[:, 0]),
    )


def _cells(chunks: pa.Table) -> tuple[Cells, Ints]:
    """The distinct cells of the chunks, and the cell of each."""
    names = chunks["ordering_seen"].combine_chunks()
    code = _whole(names.indices)
    k, rank, position = (_whole(chunks[name]) for name in ("k", "packed_rank", "position"))
    key = ((code * 64 + k) * 64 + rank) * 64 + position
    _, first, cell = np.unique(key, return_index=True, return_inverse=True)
    places = chunks["place"].combine_chunks().dictionary_encode()
    of = Cells(names.take(first), k[first], rank[first], position[first], places.take(first))
    return of, cell


def _whole(column: pa.Array) -> Ints:
    return np.asarray(column.to_numpy(), np.int64)
