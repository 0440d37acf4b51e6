"""Where each packed chunk stands in the prompt, by the ordering that the route uses.

Orderings that follow the packed rank are tables (K, packed rank -> position). Those that follow
content (documents, source, first-stage score) or chance are the order of a key.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from analyzer.simulate.arrays import Bools, Floats, Ints

_LAST = np.inf  # the key of a chunk that was not packed


def _edges_first(k: int) -> list[int]:
    return [*range(1, k + 1, 2), *reversed(range(2, k + 1, 2))]


def _edges_first_reversed(k: int) -> list[int]:
    return _edges_first(k)[::-1]


def _long_context_reorder(k: int) -> list[int]:
    """As common libraries do it: rank 1 opens a prompt of odd K and closes one of even K."""
    return _edges_first(k) if k % 2 else _edges_first_reversed(k)


_BY_RANK: dict[str, Callable[[int], list[int]]] = {
    "best_first": lambda k: list(range(1, k + 1)),
    "best_last": lambda k: list(range(k, 0, -1)),
    "edges_first": _edges_first,
    "edges_first_reversed": _edges_first_reversed,
    "long_context_reorder": _long_context_reorder,
}
_BY_KEY = ("by_document", "source_order", "score_order", "shuffled")
ORDERINGS: tuple[str, ...] = (*_BY_RANK, *_BY_KEY)


def ranks_in_order(ordering: str, k: int) -> list[int]:
    """The packed ranks that positions 1..k hold, for an ordering that follows the rank."""
    return _BY_RANK[ordering](k)


@cache
def _table(ordering: str, most: int) -> Ints:
    """[K, packed rank] -> position, for K up to `most`."""
    table = np.zeros((most + 1, most + 1), dtype=np.int64)
    for k in range(1, most + 1):
        table[k, ranks_in_order(ordering, k)] = np.arange(1, k + 1)
    return table


@dataclass(frozen=True)
class Packed:
    """Requests by retrieved rank: which chunks were packed, and what orderings can look at."""

    packed: Bools
    packed_rank: Ints  # 1..K, 0 = not packed
    k: Ints  # of each request
    slot: Ints  # which of the request's documents, 0 = the one of rank 1
    source: Ints  # the chunk's place in the whole source
    ordinal: Ints
    score: Ints


def positions(names: list[str], which: Ints, chunks: Packed, rng: np.random.Generator) -> Ints:
    """The position of every chunk, 0 = not packed; `which` is each request's index into `names`."""
    result = np.zeros_like(chunks.packed_rank)
    for index, name in enumerate(names):
        rows = np.flatnonzero(which == index)
        if rows.size == 0:
            continue
        if name in _BY_RANK:
            most = int(chunks.k[rows].max(initial=1))
            result[rows] = _table(name, most)[chunks.k[rows, None], chunks.packed_rank[rows]]
        else:
            result[rows] = _by_key(_key(name, chunks, rows, rng), chunks.packed[rows])
    return result


def _key(name: str, chunks: Packed, rows: Ints, rng: np.random.Generator) -> Floats:
    if name == "shuffled":
        return rng.random(chunks.packed[rows].shape)
    if name == "source_order":
        return chunks.source[rows].astype(np.float64)
    if name == "score_order":
        return -chunks.score[rows].astype(np.float64)
    return _document_key(chunks, rows)


def _document_key(chunks: Packed, rows: Ints) -> Floats:
    """Documents in the order of their best packed chunk; inside one, by place in the document."""
    packed, slot = chunks.packed[rows], chunks.slot[rows]
    width = packed.shape[1]
    best = np.full(packed.shape, width, dtype=np.int64)
    lines = np.arange(len(rows))
    for rank in reversed(range(width)):
        here = packed[:, rank]
        best[lines[here], slot[here, rank]] = rank
    order = np.take_along_axis(best, slot, axis=1)
    return (order * 1_000_000 + chunks.ordinal[rows] * 1_000 + np.arange(width)).astype(np.float64)


def _by_key(key: Floats, packed: Bools) -> Ints:
    order = np.argsort(np.where(packed, key, _LAST), axis=1, kind="stable")
    place = np.empty_like(order)
    np.put_along_axis(place, order, np.arange(1, key.shape[1] + 1)[None, :], axis=1)
    return np.asarray(np.where(packed, place, 0), dtype=np.int64)
