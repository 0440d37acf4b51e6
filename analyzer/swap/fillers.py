"""What may stand around an expected chunk: chunks that do not hold the answer themselves.

First the other chunks of the question, which are the hard ones, then chunks of other questions. A
chunk that holds one of the answers, or is a near-copy of the expected chunk, would answer the
question from its own position.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from functools import lru_cache

from analyzer.copies import FARTHEST
from analyzer.swap.judging import holds_answer
from analyzer.swap.questions import Piece, Question
from analyzer.text import fingerprint

LARGEST_POOL = 5000
CANDIDATES = 1000  # that are looked at for one prompt


class Pool:
    """Chunks of all questions, from which any prompt can be made longer."""

    def __init__(self, questions: Sequence[Question], seed: int) -> None:
        pieces = {
            piece.chunk_id: piece
            for question in questions
            for piece in (*question.fillers, question.expected)
        }
        kept = [pieces[name] for name in sorted(pieces)]
        random.Random(seed).shuffle(kept)
        self._pieces = kept[:LARGEST_POOL]
        self._seed = seed

    def around(self, question: Question, draw: int) -> tuple[list[Piece], Iterator[Piece]]:
        """The question's own other chunks, and those of other questions, in a drawn order.

        The first draw keeps the order of the own chunks, further ones shuffle them.
        """
        dice = random.Random(f"{self._seed}/{draw}/{question.question_id}")
        own = [piece for piece in question.fillers if _is_harmless(piece, question)]
        if draw:
            dice.shuffle(own)
        others = dice.sample(self._pieces, min(CANDIDATES, len(self._pieces)))
        return own, _apart(others, question)


def _apart(pieces: list[Piece], question: Question) -> Iterator[Piece]:
    """Those that are not the question's own and may stand beside its expected chunk."""
    taken = {question.expected.chunk_id, *(piece.chunk_id for piece in question.fillers)}
    for piece in pieces:
        if piece.chunk_id not in taken and _is_harmless(piece, question):
            yield piece


def _is_harmless(piece: Piece, question: Question) -> bool:
    return not holds_answer(piece.text, question.answers) and not _are_near_copies(
        piece.text, question.expected.text
    )


def _are_near_copies(one: str, other: str) -> bool:
    first, second = _signature(one), _signature(other)
    if first is None or second is None:
        return one == other
    return (first ^ second).bit_count() <= FARTHEST


@lru_cache(maxsize=2 * LARGEST_POOL)
def _signature(text: str) -> int | None:
    made = fingerprint(text)
    return int(made.signature, 16) if made else None
