"""Where each chunk stood: positions without holes, ranks among the packed, places, orderings.

Definitions are those of the position measures: with p = position and K = packed chunks,
start where 5(p-1) < K-1, end where 5(p-1) > 4(K-1), else middle, in whole numbers; K = 1 is "only".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from analyzer.facts.columns import Block, Bools, Ints, filled, masked, token_bins, told_of
from analyzer.record import Origins

_PLACES = pa.array(["start", "middle", "end", "only"])
AT_BUDGET = 0.95


@dataclass(frozen=True)
class Placed:
    """`position`, `packed_rank`: 0 = none. `listed`: the log lists all packed chunks.

    `prompts` are the rows of the packed chunks in prompt order, request after request.
    """

    packed: Bools
    position: Ints
    packed_rank: Ints
    k: Ints
    ranked: Ints
    holes: Ints
    listed: Bools
    prompts: Ints

    def chunk_columns(self, block: Block) -> dict[str, pa.Array]:
        """Position, packed rank, place, K and the marker that differs from the position."""
        called, known = filled(block.arrays["marker"])
        called = np.where(known, called, block.position)
        same = (called == self.position) & ~(known & ~self.packed)
        return {
            "k": masked(self.k[block.owner], ~self.listed[block.owner]),
            "position": masked(self.position, ~self.packed),
            "packed_rank": masked(self.packed_rank, self.packed_rank == 0),
            "marker": masked(called, same | (~known & (block.position == 0)), pa.int64()),
            "place": _PLACES.take(masked(self._places(block), ~self.packed)),
        }

    def _places(self, block: Block) -> Ints:
        before, last = self.position - 1, self.k[block.owner] - 1
        place = np.where(5 * before < last, 0, np.where(5 * before > 4 * last, 2, 1))
        return np.where(last <= 0, 3, place)

    def request_columns(
        self, block: Block, budgets: pa.Array, prompts: pa.Array
    ) -> dict[str, pa.Array]:
        """Counts of chunks, context tokens and what follows from them.

        `budgets` and `prompts` are the tokens of each request's budget and prompt.
        """
        return {
            "retrieved": pa.array(np.bincount(block.owner, minlength=block.size), pa.int32()),
            "packed": masked(self.k, ~self.listed),
            "ranked": masked(self.ranked, ~self.listed),
            "holes": pa.array(self.holes, pa.int32()),
            **self._lengths(block, budgets, prompts),
            **self._documents(block),
            "missing_rank": self._missing(block, "rank"),
            "missing_tokens": self._missing(block, "tokens"),
            "missing_document": self._missing(block, "doc_id"),
        }

    def _lengths(self, block: Block, budgets: pa.Array, prompts: pa.Array) -> dict[str, pa.Array]:
        tokens, known = filled(block.arrays["tokens"])
        context = block.sum_by_request(np.where(self.packed, tokens, 0))
        absent = ~self.listed | (block.per_request(self.packed & ~known) > 0)
        budget, budgeted = filled(budgets)
        prompt, counted = filled(prompts)
        return {
            "context_tokens": masked(context, absent, pa.int64()),
            "context_bin": masked(token_bins(context), absent),
            "at_budget": pa.array(context >= AT_BUDGET * budget, mask=absent | ~budgeted),
            "prompt_cut": pa.array(prompt < context, mask=absent | ~counted),
        }

    def _missing(self, block: Block, field: str) -> pa.Array:
        return pa.array(block.per_request(self.packed & ~block.known(field)), pa.int32())

    def _documents(self, block: Block) -> dict[str, pa.Array]:
        names = block.arrays["doc_id"]
        code, known = filled(names.dictionary_encode().indices)
        absent = ~self.listed | (block.per_request(self.packed & ~known) > 0)
        owner, code = block.owner[self.packed & known], code[self.packed & known]
        pairs, counts = np.unique(owner * (len(names) + 1) + code, return_counts=True)
        largest = np.zeros(block.size, np.int64)
        np.maximum.at(largest, pairs // (len(names) + 1), counts)
        return {
            "documented": masked(self.k, absent),
            "largest_document": masked(largest, absent),
        }


def place(block: Block, said: Mapping[str, Sequence[Any]]) -> Placed:
    """Close the holes in positions and count the ranks among the packed.

    `said` are the fields of the requests.
    """
    listed = told_of(said["exposure"], lambda exposure: exposure == "packed", absent=True)
    packed = (block.position > 0) & listed[block.owner]
    k = block.per_request(packed)
    last = np.zeros(block.size, np.int64)
    np.maximum.at(last, block.owner[packed], block.position[packed])
    position = np.where(packed, block.position, 0)
    if (last != k).any():
        position = order_within(block.owner, block.position, packed)
    told = told_of(said["origins"], _told, absent=True)[block.owner]
    ranked = packed & told & (block.rank > 0) & _one_retrieval(block, packed)[block.owner]
    return Placed(
        packed=packed,
        position=position,
        packed_rank=order_within(block.owner, block.rank, ranked),
        k=k,
        ranked=block.per_request(ranked),
        holes=last - k,
        listed=listed,
        prompts=_in_order(block.owner, position, packed),
    )


def _told(origins: Origins) -> bool:
    """Whether neither rank nor position was taken from the other: only then both say something."""
    return "assumed" not in (origins.rank, origins.position)


def order_within(owner: Ints, key: Ints, chosen: Bools) -> Ints:
    """1, 2, 3 … by ascending `key` among the chosen chunks of each request; 0 for the others."""
    index = _in_order(owner, key, chosen)
    order = np.zeros(len(owner), np.int64)
    if len(index):
        owners = owner[index]
        first = np.flatnonzero(np.r_[True, owners[1:] != owners[:-1]])
        sizes = np.diff(np.r_[first, len(owners)])
        order[index] = np.arange(1, len(owners) + 1) - np.repeat(first, sizes)
    return order


def _in_order(owner: Ints, key: Ints, chosen: Bools) -> Ints:
    """The rows of the chosen chunks by ascending `key`, request after request."""
    rows = np.flatnonzero(chosen)
    return rows[np.argsort(owner[rows] << 32 | key[rows], kind="stable")]


def _one_retrieval(block: Block, packed: Bools) -> Bools:
    """Whether the packed chunks come from one retrieval; else their ranks do not compare."""
    names = block.arrays["retrieval_id"]
    if names.null_count == len(names):
        return np.ones(block.size, np.bool_)
    code = filled(names.fill_null("").dictionary_encode().indices)[0]
    pairs = np.unique(block.owner[packed] * (len(names) + 1) + code[packed])
    return np.bincount(pairs // (len(names) + 1), minlength=block.size) <= 1
