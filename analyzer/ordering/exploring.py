"""Orders that are drawn: how to make a position effect measurable.

Most systems run one ordering, and then rank and position cannot be told apart. A small, known
share of prompts packed in random order makes them so.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Explored(Generic[T]):
    """The chunks in the order to pack them, and what the record must say about that."""

    chunks: list[T]
    explored: bool

    @property
    def log(self) -> dict[str, object]:
        """Fields for the record of this request."""
        return {"ordering": "shuffled", "explored": True} if self.explored else {"explored": False}


def explore(ranked: Sequence[T], *, share: float = 0.02, unit: str, seed: str = "") -> Explored[T]:
    """Shuffle the chunks of a small, known share of requests; leave all others as they are.

    The draw depends on `unit` and `seed` alone, so it can be repeated. Give the request id as
    `unit`: then intervals are narrowest; give a user or session id where one user must not see
    both, and log it as `unit_id`. Raises ValueError for a share outside 0 to 1.
    """
    if not 0 <= share <= 1:
        raise ValueError(f"share is {share}, but a share lies between 0 and 1")
    draw = _draw(unit, seed)
    chunks = list(ranked)
    explored = draw.random() < share
    if explored:
        draw.shuffle(chunks)
    return Explored(chunks, explored)


def shuffled(chunks: Sequence[T], *, unit: str, seed: str = "") -> list[T]:
    """Any order, the same one again for the same `unit` and `seed`."""
    order = list(chunks)
    _draw(unit, seed).shuffle(order)
    return order


def _draw(unit: str, seed: str) -> random.Random:
    return random.Random(hashlib.blake2b(f"{seed}\0{unit}".encode(), digest_size=16).digest())
