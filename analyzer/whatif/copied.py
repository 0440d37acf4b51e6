"""Which candidates are near-copies of better ones, as `analyzer.copies` calls two chunks that."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from analyzer.copies import FARTHEST
from analyzer.stats.arrays import Flags, Integers

if TYPE_CHECKING:
    from analyzer.whatif.candidates import Candidates


def near_copy(block: Candidates, packed: Flags, rank: int) -> Flags:
    """[n] whether the candidate in this column is a near-copy of an earlier one that is packed."""
    before = slice(0, rank)
    same = (block.text_hash[:, before] == block.text_hash[:, [rank]]) & block.hashed[:, before]
    first = _differing(block.first[:, before], block.first[:, [rank]])
    bits = first + _differing(block.last[:, before], block.last[:, [rank]])
    near = (bits <= FARTHEST) & block.signed[:, before] & block.signed[:, [rank]]
    found: Flags = (((same & block.hashed[:, [rank]]) | near) & packed[:, before]).any(axis=1)
    return found


def _differing(left: Integers, right: Integers) -> Integers:
    # As unsigned: of a negative number numpy counts the bits of its absolute value.
    return np.bitwise_count((left ^ right).view(np.uint64)).astype(np.int64)
