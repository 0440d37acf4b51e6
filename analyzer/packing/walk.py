"""The walk from the best candidate to the worst, with the reason of every step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Generic, Literal, TypeVar

from analyzer.packing.likeness import Likeness
from analyzer.packing.rules import Rules

T = TypeVar("T")
Outcome = Literal["kept", "near_copy", "over_cap", "did_not_fit", "beyond_k", "neighbour"]
Block = tuple[T, ...]  # chunks that stand together


@dataclass(frozen=True)
class Decision(Generic[T]):
    """What became of a candidate, and why."""

    chunk: T
    rank: int | None  # among the candidates, 1 = best; None for a neighbour
    outcome: Outcome
    says: str  # the reason, for people
    tokens: int
    of: T | None = None  # the kept chunk that it is a near-copy or neighbour of


@dataclass(frozen=True)
class Packing(Generic[T]):
    """The packed chunks, best first, and one decision a candidate."""

    decisions: tuple[Decision[T], ...]
    blocks: tuple[Block[T], ...]  # best first: a packed chunk, or it between its neighbours
    room: int | None  # tokens there were for chunks

    @property
    def chunks(self) -> list[T]:
        """Packed chunks, best first, neighbours beside theirs."""
        return [chunk for block in self.blocks for chunk in block]

    @property
    def tokens(self) -> int:
        """Tokens of the packed chunks."""
        return sum(one.tokens for one in self.decisions if one.outcome in ("kept", "neighbour"))

    def ordered(self, ordering: Callable[[Sequence[Block[T]]], Sequence[Block[T]]]) -> list[T]:
        """In prompt order, as `edges_first` makes it; neighbours stay beside theirs."""
        return [chunk for block in ordering(self.blocks) for chunk in block]


def pack(
    candidates: Iterable[T],
    rules: Rules,
    *,
    tokens: Callable[[T], int],
    document: Callable[[T], Hashable] | None = None,
    likeness: Likeness[T] | None = None,
) -> Packing[T]:
    """Walk the candidates, given best first, and keep what the rules allow.

    A near-copy of a kept chunk is skipped, then what is over its document's cap, then what does
    not fit: skipped, not stopped at, a smaller one may fit. `tokens` counts a chunk as it will
    stand in the prompt, its marker included. Without `document` no cap holds, without `likeness`
    (`by_text`, `by_embedding`) no copy is noticed.
    """
    walk = _Walk(rules, document, likeness)
    decisions = tuple(
        walk.decide(chunk, rank, tokens(chunk)) for rank, chunk in enumerate(candidates, start=1)
    )
    return Packing(decisions, tuple((chunk,) for chunk in walk.kept), rules.room)


@dataclass
class _Walk(Generic[T]):
    rules: Rules
    document: Callable[[T], Hashable] | None
    likeness: Likeness[T] | None
    kept: list[T] = field(default_factory=list)
    of_document: Counter[Hashable] = field(default_factory=Counter)
    used: int = 0

    def decide(self, chunk: T, rank: int, tokens: int) -> Decision[T]:
        """The first reason that holds against the chunk, or none: then it is kept."""
        if len(self.kept) >= self.rules.k:
            return Decision(chunk, rank, "beyond_k", f"{self.rules.k} better ones are in", tokens)
        for other in self.kept:
            if self.likeness is not None and self.likeness.copies(other, chunk):
                return Decision(chunk, rank, "near_copy", "a near-copy of it is in", tokens, other)
        if self._over_cap(chunk):
            said = f"its document has {self.rules.per_document} already"
            return Decision(chunk, rank, "over_cap", said, tokens)
        if self.rules.room is not None and self.used + tokens > self.rules.room:
            said = f"{tokens} tokens, but {self.rules.room - self.used} are left"
            return Decision(chunk, rank, "did_not_fit", said, tokens)
        self._keep(chunk, tokens)
        return Decision(chunk, rank, "kept", "fits and is like none before it", tokens)

    def _over_cap(self, chunk: T) -> bool:
        cap = self.rules.per_document
        if cap is None or self.document is None:
            return False
        return self.of_document[self.document(chunk)] >= cap

    def _keep(self, chunk: T, tokens: int) -> None:
        self.kept.append(chunk)
        self.used += tokens
        if self.document is not None:
            self.of_document[self.document(chunk)] += 1
