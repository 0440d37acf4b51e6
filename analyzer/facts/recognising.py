"""Which ordering turned a request's ranks into its positions, told from ranks and positions alone.

A request can agree with several orderings (three chunks of three documents, best first, are also
by document), so all of them are named; which one a route really used is decided over many
requests. A declared ordering is not trusted here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from analyzer.facts.columns import Block, Bools, Ints, filled, told_of
from analyzer.facts.placing import Placed
from analyzer.ordering import by_rank

FEWEST = 3  # below three chunks every ordering agrees with another


@dataclass(frozen=True)
class Prompts:
    """The packed chunks of a block in prompt order, request after request."""

    size: int  # requests
    rows: Ints  # of the block
    owner: Ints
    position: Ints
    rank: Ints  # packed rank; 0 = none

    def without(self, chunks: Bools) -> Bools:
        """Requests none of whose packed chunks is among these."""
        free = np.ones(self.size, np.bool_)
        free[self.owner[chunks]] = False
        return free

    def never(self, step: Bools) -> Bools:
        """Requests that have no such step from one packed chunk to the next."""
        free = np.ones(self.size, np.bool_)
        within = self.owner[:-1] == self.owner[1:]
        free[self.owner[:-1][step & within]] = False
        return free


def orderings(block: Block, said: Mapping[str, Sequence[Any]], placed: Placed) -> list[str]:
    """Of each request the orderings it agrees with, joined by "|"; `said` are its fields.

    `explored` where the record says that the order was drawn; `short` below three packed chunks;
    `other` where nothing agrees; `unranked` where some packed chunk has no rank and the documents
    do not explain the order either.
    """
    prompts = _prompts(block, placed)
    ranked = placed.listed & (placed.ranked == placed.k)
    agreeing = {name: fits & ranked for name, fits in _by_rank(prompts, placed.k).items()}
    agreeing["edges_first_cut"] = _cut_edges(block, prompts, placed.k) & ranked
    agreeing["score_order"] = _by_score(block, prompts) & ranked
    by_document, by_source = _by_content(block, prompts)
    agreeing["by_document"] = by_document & ranked
    agreeing["source_order"] = by_source & placed.listed
    short = placed.listed & (placed.k < FEWEST)
    explored = told_of(said["explored"], bool, absent=False)
    return _labels(list(agreeing), [*agreeing.values(), ranked, short, explored])


def _labels(names: list[str], flags: list[Bools]) -> list[str]:
    """One label a request, from the flags of the names and then ranked, short, explored."""
    code = sum(flag.astype(np.int64) << bit for bit, flag in enumerate(flags))
    labels = {}
    for found in np.unique(code).tolist():
        agreeing = [name for bit, name in enumerate(names) if found >> bit & 1]
        ranked, short, explored = (bool(found >> len(names) + bit & 1) for bit in range(3))
        labels[found] = _label(agreeing, ranked, short, explored)
    return [labels[each] for each in np.asarray(code).tolist()]


def _label(agreeing: Sequence[str], ranked: bool, short: bool, explored: bool) -> str:
    if explored:
        return "explored"
    if short:
        return "short"
    return "|".join(agreeing) or ("other" if ranked else "unranked")


def _prompts(block: Block, placed: Placed) -> Prompts:
    rows = placed.prompts
    return Prompts(
        block.size, rows, block.owner[rows], placed.position[rows], placed.packed_rank[rows]
    )


def _by_rank(prompts: Prompts, packed: Ints) -> dict[str, Bools]:
    expected = by_rank.positions(prompts.rank, packed[prompts.owner])
    return {name: prompts.without(where != prompts.position) for name, where in expected.items()}


def _cut_edges(block: Block, prompts: Prompts, packed: Ints) -> Bools:
    """Edges first over more chunks than are packed: a prompt that was cut at its end.

    The weakest rank stands in the middle; where the cut fell before it, only odd ranks are left.
    """
    p, r = prompts.position, block.rank[prompts.rows]
    longest = np.zeros(block.size, np.int64)
    np.maximum.at(longest, prompts.owner, r)
    edges = by_rank.positions(r, longest[prompts.owner])["edges_first"]
    fits = prompts.without(edges != p)
    odd = prompts.without(r != 2 * p - 1)
    cut: Bools = (fits | odd) & (longest > packed)
    return cut


def _by_score(block: Block, prompts: Prompts) -> Bools:
    """By the first stage's score although a reranker ran and would have it otherwise."""
    if block.arrays["rerank_score"].null_count == len(block.owner):
        return np.zeros(block.size, np.bool_)
    first, known = _floats(block.arrays["score"], prompts)
    last, reranked = _floats(block.arrays["rerank_score"], prompts)
    told = prompts.without(~(known & reranked))
    follows, obeyed = prompts.never(first[:-1] < first[1:]), prompts.never(last[:-1] < last[1:])
    return told & follows & ~obeyed


def _by_content(block: Block, prompts: Prompts) -> tuple[Bools, Bools]:
    """Whether the order is that of the documents: by document, and by source."""
    by_time = _by_time(block, prompts)
    places, placed = filled(block.arrays["ordinal"])
    if not placed.any():
        return np.zeros(block.size, np.bool_), by_time
    code, known = _documents(block, prompts)
    told = prompts.without(~(known & placed[prompts.rows]))
    ordinal = places[prompts.rows]
    return (
        told & _by_document(prompts, code, ordinal),
        told & _by_source(prompts, code, ordinal) | by_time,
    )


def _by_document(prompts: Prompts, code: Ints, ordinal: Ints) -> Bools:
    """Chunks of a document together, in its own order, the documents by their best chunk."""
    descends = (code[:-1] == code[1:]) & (ordinal[:-1] >= ordinal[1:])
    # Only the pairs of request and document that there are: all would fill the memory.
    pairs, pair = np.unique(prompts.owner * (code.max(initial=0) + 1) + code, return_inverse=True)
    best = np.full(len(pairs), np.iinfo(np.int64).max)
    np.minimum.at(best, pair, prompts.rank)
    return prompts.never(descends | (best[pair[:-1]] > best[pair[1:]]))


def _by_source(prompts: Prompts, code: Ints, ordinal: Ints) -> Bools:
    """By document id and place in the document, whatever the rank."""
    same = code[:-1] == code[1:]
    return prompts.never((code[:-1] > code[1:]) | (same & (ordinal[:-1] >= ordinal[1:])))


def _by_time(block: Block, prompts: Prompts) -> Bools:
    """By the time of indexing, whatever the rank."""
    if block.arrays["indexed_at"].null_count == len(block.owner):
        return np.zeros(block.size, np.bool_)
    indexed, dated = filled(block.arrays["indexed_at"].cast(pa.int64()))
    moment = indexed[prompts.rows]
    return prompts.without(~dated[prompts.rows]) & prompts.never(moment[:-1] >= moment[1:])


def _documents(block: Block, prompts: Prompts) -> tuple[Ints, Bools]:
    """The document of each packed chunk, numbered in the order of the ids, and where it is told."""
    names = block.arrays["doc_id"].dictionary_encode()
    rank = np.empty(len(names.dictionary), np.int64)
    rank[pc.sort_indices(names.dictionary).to_numpy()] = np.arange(len(rank))
    code, known = filled(names.indices)
    code = code[prompts.rows]
    return (rank[code] if len(rank) else code), known[prompts.rows]


def _floats(values: pa.Array, prompts: Prompts) -> tuple[np.typing.NDArray[np.float64], Bools]:
    known = np.asarray(values.is_valid())[prompts.rows]
    return values.fill_null(0.0).to_numpy(zero_copy_only=False)[prompts.rows], known
