"""A counterbalanced set: every question at every asked place, and nothing else differs.

The chunks around the expected one are drawn once for a question (or once for each of several
draws) and keep their order wherever it is put. The order in which the places of a question are
asked rotates from question to question, so that a server that tires, or a run that is broken off,
favours none of them.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain, islice

from analyzer.swap.fillers import Pool
from analyzer.swap.questions import Piece, Question
from analyzer.swap.sets import Planned

FEWEST_CHUNKS = 3  # a start, a middle and an end


class At(StrEnum):
    """Where the expected chunk is put."""

    places = "places"
    slots = "slots"
    start = "start"
    middle = "middle"
    end = "end"


@dataclass(frozen=True)
class Wanted:
    """What is planned; of `chunks` and `lengths` at most one, else prompts are as they came."""

    seed: int
    questions: int | None = None  # None: all of them
    at: tuple[At, ...] = (At.places,)
    draws: int = 1
    chunks: int | None = None  # K of every prompt
    lengths: Callable[[int, random.Random], list[int]] | None = None  # n -> context tokens of each


@dataclass(frozen=True)
class Plan:
    """The set, and what could not be had."""

    planned: list[Planned]
    left_out: Counter[str]
    short: int  # prompts for whose length there were too few chunks


def plan(questions: Sequence[Question], wanted: Wanted) -> Plan:
    """The set that is wanted, from these questions; the same seed gives the same set."""
    dice = random.Random(wanted.seed)
    pool = Pool(questions, wanted.seed)
    left_out: Counter[str] = Counter()
    planned: list[Planned] = []
    short = 0
    chosen = dice.sample(questions, len(questions))[: wanted.questions]
    goals = wanted.lengths(len(chosen), dice) if wanted.lengths else [None] * len(chosen)
    for question, goal in zip(chosen, goals, strict=True):
        for draw in range(wanted.draws):
            fillers = _fillers(question, draw, goal, wanted, pool)
            if len(fillers) + 1 < FEWEST_CHUNKS:
                left_out["there are too few chunks for a start, a middle and an end"] += 1
                continue
            made = _planned(question, draw, fillers, wanted.at, len(planned))
            short += _is_short(made, goal, wanted.chunks)
            planned.append(made)
    return Plan(planned, left_out, short)


def _fillers(
    question: Question, draw: int, goal: int | None, wanted: Wanted, pool: Pool
) -> tuple[Piece, ...]:
    own, others = pool.around(question, draw)
    if wanted.chunks is not None:
        return tuple(islice(chain(own, others), wanted.chunks - 1))
    if goal is None:
        return tuple(own)
    return _to_length(chain(own, others), goal - question.expected.tokens)


def _to_length(pieces: Iterable[Piece], goal: int) -> tuple[Piece, ...]:
    """As many as come nearest to `goal` tokens, in their order, and never fewer than two."""
    kept: list[Piece] = []
    total = 0
    for piece in pieces:
        if len(kept) + 1 >= FEWEST_CHUNKS and total + piece.tokens / 2 > goal:
            break
        kept.append(piece)
        total += piece.tokens
    return tuple(kept)


def _planned(
    question: Question, draw: int, fillers: tuple[Piece, ...], at: Sequence[At], number: int
) -> Planned:
    k = len(fillers) + 1
    positions = list(dict.fromkeys(p for where in at for p in _positions(where, k, number)))
    turn = number % len(positions)
    return Planned(
        question_id=question.question_id,
        draw=draw,
        question=question.question,
        answers=question.answers,
        expected=question.expected,
        fillers=fillers,
        positions=tuple(positions[turn:] + positions[:turn]),
        route=question.route,
    )


def _positions(where: At, k: int, number: int) -> list[int]:
    """Positions, 1..k; of the two in the middle of an even k each question takes another."""
    middle = (k + 1) // 2 + (number % 2 if k % 2 == 0 else 0)
    every = {
        At.places: [1, middle, k],
        At.slots: list(range(1, k + 1)),
        At.start: [1],
        At.middle: [middle],
        At.end: [k],
    }
    return every[where]


def _is_short(made: Planned, goal: int | None, chunks: int | None) -> bool:
    if chunks is not None:
        return made.k < chunks
    return goal is not None and made.tokens < 0.9 * goal and made.k > FEWEST_CHUNKS
