"""The expected change by the illustrative curve: calculated, not measured, and given on request.

For routes that give no curve of their own. No interval: the curve is an assumption.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from analyzer.stats import illustrative
from analyzer.stats.arrays import Flags, Floats, Integers, divided
from analyzer.whatif.candidates import Candidates
from analyzer.whatif.expected import RANKS
from analyzer.whatif.replay import Replayed


@dataclass(frozen=True)
class Illustrated:
    """Sums over prompts whose tokens are known; [r] by retrieved rank."""

    cited: float
    stays: float  # cited chunks that stay, times the ratio of how their places are read
    enters: Floats  # [r] how the places of what would enter are read
    packed: Floats  # [r] packed chunks
    worth: Floats  # [r] cited chunks / how their places are read

    def __add__(self, other: Illustrated) -> Illustrated:
        return Illustrated(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))

    @property
    def change(self) -> float | None:
        """Relative change of cited chunks."""
        if not self.cited:
            return None
        rate = divided(self.worth, self.packed, otherwise=0.0)
        return (self.stays + float(rate @ self.enters)) / self.cited - 1


def illustrated(block: Candidates, made: Replayed, usable: Flags) -> Illustrated:
    """Sums over the usable requests of a block whose citations and tokens are known."""
    rows = (usable & block.known & block.counted)[:, None]
    before = np.where(block.prompt_tokens >= 0, block.prompt_tokens, block.context)
    old = _read(block.position, block.k, before)
    new = _read(made.position, made.k, before - block.context + block.context_of(made.packed))
    packed = block.packed & rows
    cited, enters = packed & block.cited, made.packed & ~block.packed & rows
    rank = np.clip(block.rank, 1, RANKS) - 1
    return Illustrated(
        cited=float(cited.sum()),
        stays=float((new / old)[cited & made.packed].sum()),
        enters=_sums(rank[enters], new[enters]),
        packed=_sums(rank[packed], np.ones(int(packed.sum()))),
        worth=_sums(rank[cited], 1 / old[cited]),
    )


def _read(position: Integers, k: Integers, tokens: Integers) -> Floats:
    depth = (position - 1) / np.maximum(k - 1, 1)[:, None]
    return illustrative.read(depth, tokens[:, None].astype(np.float64))


def _sums(rank: Integers, values: Floats) -> Floats:
    return np.bincount(rank, values, RANKS).astype(np.float64)
