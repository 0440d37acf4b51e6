"""The orderings that follow the rank alone: one table from rank and K to position.

It is arithmetic without a branch, so it takes one number in an application and an array of millions
where orderings are recognised. Libraries ship edges first under several names and with either end
for rank 1: those variants stand here too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, TypeVar

T = TypeVar("T")


def positions(rank: Any, k: Any) -> dict[str, Any]:
    """By ordering, the position 1..K of a packed rank 1..K; whole numbers or arrays of them."""
    edges, middle = _edges(rank, k), _edges(k + 1 - rank, k)
    return {
        "best_first": rank,
        "best_last": k + 1 - rank,
        "edges_first": edges,
        "edges_first_reversed": k + 1 - edges,
        "middle_first": middle,
        "middle_first_reversed": k + 1 - middle,
    }


def _edges(rank: Any, k: Any) -> Any:
    """Odd ranks are laid from the start on, even ones from the end: 1 3 5 6 4 2.

    Two ranks share a step from their edge; -1 for an even rank, 0 for an odd one, turns the sign.
    """
    even = (rank & 1) - 1
    return ((rank + 1 >> 1) ^ even) + (even & (k + 2))


BY_RANK: Final = tuple(positions(1, 1))
NAMES: Final = (*BY_RANK, "long_context_reorder", "lost_in_the_middle")


def position(ordering: str, rank: int, k: int) -> int:
    """Where an ordering of `NAMES` puts a packed rank (1..k) among k chunks.

    Raises ValueError for another ordering and for a rank that is not among 1..k.
    """
    if not 1 <= rank <= k:
        raise ValueError(f"rank is {rank}, but the ranks of {k} chunks are 1 to {k}")
    place: int = positions(rank, k)[recognised_as(ordering, k)]
    return place


def ranks(ordering: str, k: int) -> list[int]:
    """The ranks that positions 1..k hold; [1, 3, 5, 6, 4, 2] for edges first and 6 chunks."""
    return arranged(range(1, k + 1), ordering)


def rank_at(ordering: str, position: int, k: int) -> int:
    """The inverse of `position`: which rank stands there."""
    if not 1 <= position <= k:
        raise ValueError(f"position is {position}, but the positions of {k} chunks are 1 to {k}")
    return ranks(ordering, k)[position - 1]


def arranged(ranked: Sequence[T], ordering: str) -> list[T]:
    """Chunks, given best first, in prompt order."""
    order: list[T] = list(ranked)
    for place, chunk in zip(_places(ordering, len(ranked)), ranked, strict=True):
        order[place - 1] = chunk
    return order


def ranked_again(prompt: Sequence[T], ordering: str) -> list[T]:
    """The inverse of `arranged`: chunks, given in prompt order, best first."""
    return [prompt[place - 1] for place in _places(ordering, len(prompt))]


def best_first(ranked: Sequence[T]) -> list[T]:
    """1 2 3 4 5 6: rank and position are the same thing."""
    return arranged(ranked, "best_first")


def best_last(ranked: Sequence[T]) -> list[T]:
    """6 5 4 3 2 1: the best chunk stands next to the question that follows."""
    return arranged(ranked, "best_last")


def edges_first(ranked: Sequence[T]) -> list[T]:
    """1 3 5 6 4 2: the best at both ends, the weakest in the middle."""
    return arranged(ranked, "edges_first")


def edges_first_reversed(ranked: Sequence[T]) -> list[T]:
    """2 4 6 5 3 1: the same with the best chunk last."""
    return arranged(ranked, "edges_first_reversed")


def middle_first(ranked: Sequence[T]) -> list[T]:
    """6 4 2 1 3 5: the weakest at the ends; what edges first makes of chunks given worst first."""
    return arranged(ranked, "middle_first")


def middle_first_reversed(ranked: Sequence[T]) -> list[T]:
    """5 3 1 2 4 6: the same from the other end."""
    return arranged(ranked, "middle_first_reversed")


def long_context_reorder(ranked: Sequence[T]) -> list[T]:
    """LongContextReorder of LangChain and LlamaIndex: rank 1 opens an odd prompt, closes an even.

    Recognition names it edges_first for odd K and edges_first_reversed for even K.
    """
    return arranged(ranked, "long_context_reorder")


def lost_in_the_middle(ranked: Sequence[T]) -> list[T]:
    """LostInTheMiddleRanker of Haystack, without its word limit: edges first."""
    return arranged(ranked, "lost_in_the_middle")


def recognised_as(ordering: str, k: int) -> str:
    """What recognition calls the ordering that a library's name means for K chunks."""
    if ordering == "lost_in_the_middle":
        return "edges_first"
    if ordering == "long_context_reorder":
        return "edges_first" if k % 2 else "edges_first_reversed"
    if ordering not in BY_RANK:
        raise ValueError(f"ordering is {ordering!r}; those by rank are {', '.join(NAMES)}")
    return ordering


def _places(ordering: str, k: int) -> list[int]:
    """The position of each rank 1..k."""
    name = recognised_as(ordering, k)
    return [positions(rank, k)[name] for rank in range(1, k + 1)]
