"""Logged candidates packed and ordered anew, all requests of a block at once.

The walk is that of `analyzer.packing`, which tests hold it to. What the log cannot tell is kept as
it was: a candidate that the packer skipped above the last one it took stays skipped, for it had its
reasons; and a prompt keeps its own ordering unless another is asked for.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analyzer.ordering import BY_RANK, positions, recognised_as
from analyzer.stats.arrays import Flags, Floats, Integers
from analyzer.whatif.candidates import AS_LAID, Candidates
from analyzer.whatif.change import Change
from analyzer.whatif.copied import near_copy

_NO_LIMIT = np.iinfo(np.int64).max


@dataclass(frozen=True)
class Replayed:
    """The prompts that a change would have made, [n, w]."""

    packed: Flags
    position: Integers  # 0 = not packed
    copied: Flags  # left out as near-copies of what is packed
    length: Floats  # [n] of the prompt, by the measure of the route

    @property
    def k(self) -> Integers:
        """[n] packed chunks."""
        total: Integers = self.packed.sum(axis=1)
        return total


def replay(block: Candidates, change: Change) -> Replayed:
    """What the change makes of the block."""
    copied = np.zeros_like(block.there)
    packed = _walk(block, change, copied) if change.packs else block.packed
    placed = _placed(block, packed, change.ordering)
    return Replayed(packed, placed, copied, block.length_of(packed))


def _walk(block: Candidates, change: Change, copied: Flags) -> Flags:
    packed = np.zeros_like(block.there)
    allowed, limit, room = _allowed(block), _limits(block, change), _room(block, change)
    tokens = np.maximum(block.tokens, 0)  # of what has none, `tally.usable` leaves out the request
    count, used = np.zeros_like(block.k), np.zeros_like(block.k)
    for rank in range(block.there.shape[1]):
        keep = allowed[:, rank] & (count < limit)
        if change.dedupe:
            copied[:, rank] = keep & near_copy(block, packed, rank)
            keep &= ~copied[:, rank]
        if change.per_document is not None:
            keep &= _of_document(block, packed, rank) < change.per_document
        keep &= used + tokens[:, rank] <= room
        packed[:, rank] = keep
        count += keep
        used += tokens[:, rank] * keep
    return packed


def _allowed(block: Candidates) -> Flags:
    """Candidates that were packed, and those ranked behind the last of them."""
    lowest = np.where(block.packed, block.rank, 0).max(axis=1)
    allowed: Flags = block.there & (block.packed | (block.rank > lowest[:, None]))
    return allowed


def _limits(block: Candidates, change: Change) -> Integers:
    """How many each prompt may hold: what was below the route's largest K had another limit."""
    if change.top_k is None:
        return block.k
    grows = block.k == block.route_most
    return np.where(grows, change.top_k, np.minimum(block.k, change.top_k))


def _room(block: Candidates, change: Change) -> Integers:
    """Tokens: the budget asked for, else the logged one, or what the prompt took beyond it."""
    if change.budget is not None:
        return np.full_like(block.k, change.budget)
    return np.where(block.budget >= 0, np.maximum(block.budget, block.context), _NO_LIMIT)


def _of_document(block: Candidates, packed: Flags, rank: int) -> Integers:
    """[n] chunks of the candidate's document that are packed; an unnamed one has none."""
    document = block.document[:, [rank]]
    same = (block.document[:, :rank] == document) & (document >= 0) & packed[:, :rank]
    total: Integers = same.sum(axis=1)
    return total


def _placed(block: Candidates, packed: Flags, ordering: str | None) -> Integers:
    """[n, w] position of each packed chunk."""
    k = packed.sum(axis=1)[:, None]
    by_rank = positions(np.cumsum(packed, axis=1), k)
    if ordering is not None:
        odd, even = (by_rank[recognised_as(ordering, parity)] for parity in (1, 2))
        return np.where(packed, np.where(k & 1, odd, even), 0)
    placed = _as_laid(block, packed)
    for index, name in enumerate(BY_RANK):
        placed = np.where(block.ordering[:, None] == index, by_rank[name], placed)
    return np.where(packed, placed, 0)


def _as_laid(block: Candidates, packed: Flags) -> Integers:
    """For prompts that follow no rank: what stays keeps its order, what enters stands behind it."""
    if not (block.ordering == AS_LAID).any():
        return np.zeros_like(block.rank)
    behind = block.position.max(initial=0) + block.rank
    key = np.where(block.packed, block.position, behind)
    order = np.argsort(np.where(packed, key, _NO_LIMIT), axis=1, kind="stable")
    placed = np.empty_like(order)
    np.put_along_axis(placed, order, np.arange(1, key.shape[1] + 1)[None, :], axis=1)
    return placed
