"""Maximal marginal relevance: candidates that say something new come first.

Carbonell and Goldstein, SIGIR 1998: each next candidate is the one with the largest
balance * relevance - (1 - balance) * (likeness to the most alike one chosen before it). An
alternative to the cap by document. The order is that of the last scorer before packing, so it is
what the record calls `rank`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from analyzer.packing.likeness import Likeness

T = TypeVar("T")


def diverse(
    candidates: Sequence[T],
    *,
    relevance: Callable[[T], float],
    likeness: Likeness[T],
    balance: float = 0.7,
) -> list[T]:
    """All candidates in that order, ties as they came; n candidates are compared n^2 / 2 times.

    `relevance` should be 0 to 1 as likeness is. Raises ValueError for a balance outside 0 to 1.
    """
    if not 0 <= balance <= 1:
        raise ValueError(f"balance is {balance}, but it lies between 0 and 1")
    left, order = list(range(len(candidates))), []
    alike = [0.0] * len(candidates)
    worth = [balance * relevance(chunk) for chunk in candidates]
    while left:
        best = max(left, key=lambda number: worth[number] - (1 - balance) * alike[number])
        left.remove(best)
        order.append(candidates[best])
        for other in left:
            close = likeness.of(candidates[best], candidates[other])
            alike[other] = max(alike[other], close)
    return order
