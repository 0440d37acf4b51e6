"""What the prompt called its chunks: numbers given before reordering, given twice, or to some."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from analyzer.checking.found import Fault, Finding, Tally
from analyzer.checking.reading import Block
from analyzer.record import Chunk

FEWEST = 3  # packed chunks whose numbers show an order

_BY_RANK = Fault(
    "numbered_by_rank",
    25,
    "chunks are numbered in the order of their ranks, not of the prompt (`marker`)",
    "nothing is miscounted, but the model reads numbers out of order, and a position's effect may "
    "be one of its number",
    "number the chunks after they are reordered",
)
_TWICE = Fault(
    "marker_twice",
    85,
    "two packed chunks are called the same",
    "a citation of that number counts for one of them alone",
    "log a `marker` for every packed chunk, or for none",
)


class Numbering:
    """Counts of prompts that are numbered oddly."""

    def __init__(self) -> None:
        self._by_rank, self._twice = Tally(), Tally()

    def see(self, block: Block) -> None:
        """Count a block."""
        for index, request in enumerate(block.requests):
            packed = [chunk for chunk in request.chunks if chunk.position is not None]
            if any(chunk.marker is not None for chunk in packed):
                called = [_called(chunk, block.base) for chunk in packed]
                place = block.place(index)
                self._twice.add(len(set(called)) < len(called), 1, place)
                self._by_rank.add(_numbered_by_rank(packed, called), 1, place)

    def findings(self) -> Iterator[Finding]:
        """Where any prompt is numbered so."""
        yield from self._twice.found(_TWICE, "prompts with markers")
        yield from self._by_rank.found(_BY_RANK, "prompts with markers")


def _called(chunk: Chunk, base: int) -> int:
    return (chunk.position or 0) + base - 1 if chunk.marker is None else chunk.marker


def _numbered_by_rank(packed: Sequence[Chunk], called: Sequence[int]) -> bool:
    """Whether the numbers grow with the rank, and not with the position."""
    ranks = [chunk.rank for chunk in packed]
    if len(packed) < FEWEST or None in ranks:
        return False
    by_place = sorted(zip([chunk.position or 0 for chunk in packed], called, strict=True))
    by_rank = sorted(zip([rank or 0 for rank in ranks], called, strict=True))
    return _grows(by_rank) and not _grows(by_place)


def _grows(pairs: Sequence[tuple[int, int]]) -> bool:
    return all(first[1] < second[1] for first, second in pairwise(pairs))
