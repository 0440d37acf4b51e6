"""How alike two chunks are, and from where on one is a near-copy of the other.

The measures are those of the analyzer, so what is filtered here is what it would have called a
near-copy in the log.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import mul
from typing import Final, Generic, TypeVar

from analyzer.copies import COSINE, FARTHEST
from analyzer.text import SLOTS, Fingerprint, fingerprint

T = TypeVar("T")
NEAR_TEXT: Final = 1 - 2 * FARTHEST / SLOTS  # of the estimate that differing bits give
_REMEMBERED = 10_000  # texts whose fingerprint is kept


@dataclass(frozen=True)
class Likeness(Generic[T]):
    """A measure between two chunks, 1 = the same, and the value from which on they are copies."""

    of: Callable[[T, T], float]
    near: float

    def copies(self, one: T, other: T) -> bool:
        """Whether one is a near-copy of the other."""
        return self.of(one, other) >= self.near


def by_text(text: Callable[[T], str], near: float = NEAR_TEXT) -> Likeness[T]:
    """Jaccard similarity of the texts' shingles, as their 128-bit signatures estimate it.

    The default, .61, is where two signatures differ in 25 bits. A text without a word is like none.
    """
    return Likeness(lambda one, other: _texts(text(one), text(other)), near)


def by_signature(signature: Callable[[T], str], near: float = NEAR_TEXT) -> Likeness[T]:
    """The same from signatures that were made before, as 32 hex digits."""
    return Likeness(lambda one, other: _bits(signature(one), signature(other)), near)


def by_embedding(vector: Callable[[T], Sequence[float]], near: float = COSINE) -> Likeness[T]:
    """Cosine of the chunks' embeddings. A vector of zeros is like none."""
    return Likeness(lambda one, other: _cosine(vector(one), vector(other)), near)


def _texts(one: str, other: str) -> float:
    first, second = _remembered(one), _remembered(other)
    if first is None or second is None:
        return 0.0
    same = first.text_hash == second.text_hash
    return 1.0 if same else _bits(first.signature, second.signature)


@lru_cache(_REMEMBERED)
def _remembered(text: str) -> Fingerprint | None:
    return fingerprint(text)


def _bits(one: str, other: str) -> float:
    differing = (int(one, 16) ^ int(other, 16)).bit_count()
    return 1 - 2 * differing / SLOTS


def _cosine(one: Sequence[float], other: Sequence[float]) -> float:
    lengths = math.hypot(*one) * math.hypot(*other)
    return sum(map(mul, one, other)) / lengths if lengths else 0.0
