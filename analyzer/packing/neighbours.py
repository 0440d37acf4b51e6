"""The chunks before and after a strong one: what it leaves unsaid often stands there.

Neighbours have no rank. They come after the walk, so they never take the place of a candidate, and
stand beside theirs in the prompt.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Generic, TypeVar

from analyzer.packing.likeness import Likeness
from analyzer.packing.walk import Block, Decision, Packing

T = TypeVar("T")
Fetch = Callable[[T], T | None]


def with_neighbours(
    packing: Packing[T],
    *,
    before: Fetch[T],
    after: Fetch[T],
    identity: Callable[[T], Hashable],
    tokens: Callable[[T], int],
    strong: int = 2,
    likeness: Likeness[T] | None = None,
) -> Packing[T]:
    """The same packing with the neighbours of its `strong` best chunks, as far as they fit.

    `before` and `after` fetch a chunk's neighbour, or None. One that is in already, or a near-copy
    of what is in, is left out; one that does not fit is skipped and said so.
    """
    adding = _Adding(packing, identity, tokens, likeness)
    blocks = [
        adding.around(block, before, after) if number < strong else block
        for number, block in enumerate(packing.blocks)
    ]
    return Packing((*packing.decisions, *adding.decisions), tuple(blocks), packing.room)


class _Adding(Generic[T]):
    """What is in the prompt so far, and what was decided about neighbours."""

    def __init__(
        self,
        packing: Packing[T],
        identity: Callable[[T], Hashable],
        tokens: Callable[[T], int],
        likeness: Likeness[T] | None,
    ) -> None:
        self._identity, self._tokens, self._likeness = identity, tokens, likeness
        self._inside, self._used, self._room = packing.chunks, packing.tokens, packing.room
        self.decisions: list[Decision[T]] = []

    def around(self, block: Block[T], before: Fetch[T], after: Fetch[T]) -> Block[T]:
        """The block with its neighbours; the one before first has its chance."""
        first = self._added(before(block[0]), block[0])
        last = self._added(after(block[-1]), block[-1])
        return (*first, *block, *last)

    def _added(self, chunk: T | None, of: T) -> Sequence[T]:
        if chunk is None or self._known(chunk):
            return ()
        size = self._tokens(chunk)
        if self._room is not None and self._used + size > self._room:
            said = f"{size} tokens, but {self._room - self._used} are left"
            self.decisions.append(Decision(chunk, None, "did_not_fit", said, size, of))
            return ()
        said = "stands beside a strong chunk in its document"
        self.decisions.append(Decision(chunk, None, "neighbour", said, size, of))
        self._inside.append(chunk)
        self._used += size
        return (chunk,)

    def _known(self, chunk: T) -> bool:
        name, near = self._identity(chunk), self._likeness
        return any(
            self._identity(one) == name or (near is not None and near.copies(one, chunk))
            for one in self._inside
        )
