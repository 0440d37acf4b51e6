"""The orderings that follow what chunks are, not how good they are.

For consecutive pages, steps of a procedure, messages of a thread: there an order by rank would tear
apart what belongs together. What they cost is that position is then in the hand of the content, and
no log can tell a position effect from it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, TypeVar

T = TypeVar("T")
Key = Callable[[T], Any]  # to something that sorts


def by_document(
    ranked: Sequence[T], *, document: Callable[[T], Hashable], ordinal: Key[T]
) -> list[T]:
    """Chunks of a document together and in its own order, the documents by their best chunk.

    `document` names a chunk's document, `ordinal` its place there.
    """
    best: dict[Hashable, int] = {}
    for rank, chunk in enumerate(ranked):
        best.setdefault(document(chunk), rank)
    return sorted(ranked, key=lambda chunk: (best[document(chunk)], ordinal(chunk)))


def source_order(chunks: Iterable[T], *, document: Key[T], ordinal: Key[T]) -> list[T]:
    """By document and place in it, whatever the rank: the place of the answer is pure luck.

    For the order of indexing give the time of indexing as `document` and a constant as `ordinal`.
    """
    return sorted(chunks, key=lambda chunk: (document(chunk), ordinal(chunk)))
