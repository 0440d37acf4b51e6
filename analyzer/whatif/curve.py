"""How a route's own model reads each place of its prompts, from the prompts that are replayed.

Strata are exact K and packed rank, and only orderings that follow the rank or chance count, as for
the position effect itself. The curve is smooth in depth and grows with prompt length: a reordering
moves chunks within the middle too, and fewer chunks make a shorter prompt.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from analyzer.stats import reading
from analyzer.stats.arrays import Flags, Floats, Integers
from analyzer.stats.cells import joined
from analyzer.whatif.candidates import Candidates

GROUPS = 20
RARE = 0.01  # of the prompts on either side: lengths at which little is known
Lengths = tuple[float, float]


@dataclass(frozen=True)
class Curve:
    """What was fitted, and between which lengths: beyond them the nearest one stands."""

    reading: reading.Reading
    lengths: Lengths

    def design(self, position: Integers, k: Integers, length: Floats) -> Floats:
        """[n, w, column] of every chunk, from its position and the K and length of its prompt."""
        return _design(position, k, length, self.lengths)


def own_curve(blocks: Sequence[Candidates]) -> Curve | None:
    """The curve of one route; None where nothing varies or it does not settle."""
    lengths = np.concatenate([block.length_of(block.packed)[_useful(block)] for block in blocks])
    if not len(lengths):
        return None
    usual = (float(np.quantile(lengths, RARE)), float(np.quantile(lengths, 1 - RARE)))
    rows = [_rows(block, usual) for block in blocks]
    stratum, _ = joined(_all(rows, "k"), _all(rows, "rank"))
    design, cited, group = (_all(rows, name) for name in ("design", "cited", "group"))
    found = reading.fitted(reading.Rows(design, stratum, cited, group), GROUPS)
    return Curve(found, usual) if found else None


def _useful(block: Candidates) -> Flags:
    """[n] prompts that have a middle, known citations, and an ordering that can be compared."""
    useful: Flags = block.known & block.comparable & (block.k > 2)
    return useful


@dataclass(frozen=True)
class _Rows:
    """The packed chunks of a block that can be compared."""

    k: Integers
    rank: Integers  # packed rank
    design: Floats
    cited: Flags
    group: Integers


def _rows(block: Candidates, lengths: Lengths) -> _Rows:
    here = block.packed & _useful(block)[:, None]
    length = block.length_of(block.packed)
    return _Rows(
        k=np.broadcast_to(block.k[:, None], here.shape)[here],
        rank=np.cumsum(block.packed, axis=1, dtype=np.int64)[here],
        design=_design(block.position, block.k, length, lengths)[here],
        cited=block.cited[here],
        group=np.broadcast_to(block.group[:, None], here.shape)[here],
    )


def _all(rows: Sequence[_Rows], name: str) -> Any:
    return np.concatenate([getattr(each, name) for each in rows])


def _design(position: Integers, k: Integers, length: Floats, lengths: Lengths) -> Floats:
    depth = (position - 1) / np.maximum(k - 1, 1)[:, None]
    usual = np.clip(length, *lengths)[:, None]
    return reading.design(depth, np.broadcast_to(usual, depth.shape))
