"""The array types and the seeded random streams that all of the simulator shares.

A stream is named by words (seed, route, what for, when), so that a day's traffic depends on nothing
but its own name: adding a route, a week or an incident leaves every other day as it was, byte for
byte.
"""

from __future__ import annotations

from zlib import crc32

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Strings = NDArray[np.object_]


def stream(seed: int, *words: str) -> np.random.Generator:
    """The random stream that belongs to these words; the same words give the same numbers."""
    entropy = [seed, *(crc32(word.encode()) for word in words)]
    return np.random.Generator(np.random.SFC64(np.random.SeedSequence(entropy)))


def drawn(cumulative: Floats, rng: np.random.Generator, n: int) -> Ints:
    """`n` indices drawn with the probabilities whose running sums these are."""
    goals = rng.random(n) * cumulative[-1]
    return np.asarray(np.searchsorted(cumulative, goals, side="right"), dtype=np.int64)


def running_shares(shares: list[float]) -> Floats:
    """The running sums of shares that need not add up to one, ending at exactly 1."""
    sums = np.cumsum(np.asarray(shares, dtype=np.float64))
    return np.asarray(sums / sums[-1], dtype=np.float64)
