"""From retrieved ranks to packed chunks: the walk that leaves gaps between ranks."""

from __future__ import annotations

import numpy as np

from analyzer.simulate.arrays import Bools, Ints
from analyzer.simulate.retrieve import Retrieved
from analyzer.simulate.traits import Packer


def pack(packer: Packer, retrieved: Retrieved, tokens: Ints, wanted: Ints) -> Bools:
    """Walk best first and keep what the packer allows, up to `wanted` chunks a request.

    What does not fit the budget is skipped, not stopped at: a smaller chunk further down may fit.
    """
    if packer == Packer():
        return np.asarray(
            retrieved.there & (np.arange(tokens.shape[1]) < wanted[:, None]), dtype=np.bool_
        )
    kept = np.zeros_like(retrieved.there)
    rows, used = np.arange(len(wanted)), np.zeros(len(wanted), dtype=np.int64)
    of_document = np.zeros(tokens.shape, dtype=np.int64)
    count = np.zeros_like(used)
    for rank in range(tokens.shape[1]):
        slot = retrieved.slot[:, rank]
        keep = retrieved.there[:, rank] & (count < wanted)
        if packer.drops_copies and rank:
            keep &= ~(retrieved.is_copy[:, rank] & kept[:, rank - 1])
        if packer.per_document:
            keep &= of_document[rows, slot] < packer.per_document
        if packer.budget_tokens:
            keep &= used + tokens[:, rank] <= packer.budget_tokens
        kept[:, rank] = keep
        of_document[rows, slot] += keep
        used += tokens[:, rank] * keep
        count += keep
    return kept
