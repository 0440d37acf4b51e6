"""How a route's own model reads each place of its prompts, from the prompts that are replayed.

Strata are exact K and packed rank, and only orderings that follow the rank or chance count, as for
the position effect itself. The curve is smooth in depth and grows with prompt length: a reordering
moves chunks within the middle too, and fewer chunks make a shorter prompt.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from analyzer.stats import reading
from analyzer.stats.arrays import Flags, Floats, Integers
from analyzer.stats.cells import joined
from analyzer.whatif.candidates import Candidates

GROUPS = 20


def own_curve(blocks: Sequence[Candidates]) -> reading.Reading | None:
    """The curve of one route; None where nothing varies or it does not settle."""
    rows = [_rows(block) for block in blocks]
    k, rank = (np.concatenate([getattr(each, name) for each in rows]) for name in ("k", "rank"))
    if not len(k):
        return None
    stratum, _ = joined(k, rank)
    design, cited, group = (
        np.concatenate([getattr(each, name) for each in rows])
        for name in ("design", "cited", "group")
    )
    return reading.fitted(reading.Rows(design, stratum, cited, group), GROUPS)


@dataclass(frozen=True)
class _Rows:
    """The packed chunks of a block that can be compared."""

    k: Integers
    rank: Integers  # packed rank
    design: Floats
    cited: Flags
    group: Integers


def _rows(block: Candidates) -> _Rows:
    useful: Flags = block.known & block.comparable & (block.k > 2)
    here = block.packed & useful[:, None]
    length = block.length_of(block.packed)
    return _Rows(
        k=np.broadcast_to(block.k[:, None], here.shape)[here],
        rank=np.cumsum(block.packed, axis=1, dtype=np.int64)[here],
        design=placed_design(block.position, block.k, length)[here],
        cited=block.cited[here],
        group=np.broadcast_to(block.group[:, None], here.shape)[here],
    )


def placed_design(position: Integers, k: Integers, length: Floats) -> Floats:
    """[n, w, column] of every chunk, from its position and the K and length of its prompt."""
    depth = (position - 1) / np.maximum(k - 1, 1)[:, None]
    return reading.design(depth, np.broadcast_to(length[:, None], depth.shape))
