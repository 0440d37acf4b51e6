"""Labels that come days later: which chunk held the answer, and whether the answer was right.

The expected chunk is drawn in proportion to relevance after the citations are, so switching labels
on changes no citation; an answer is right more often when it cites that chunk.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analyzer.simulate.arrays import Bools, Floats, Ints
from analyzer.simulate.cite import Cited
from analyzer.simulate.retrieve import Retrieved
from analyzer.simulate.traits import Judging

_DAY_MS = 86_400_000


@dataclass(frozen=True)
class Judged:
    """Labels of some of the requests; J of them, `row` says whose."""

    row: Ints
    delay_ms: Ints
    inline: Bools  # the label stands in the record itself
    correct: Bools
    expected: Ints  # code of the expected chunk, -1 = not named


def judge(
    judging: Judging,
    answered: Bools,
    retrieved: Retrieved,
    packed: Bools,
    cited: Cited,
    rows: Ints,
    rng: np.random.Generator,
) -> Judged:
    """Label a share of the answered requests; `rows` are their numbers in the period."""
    row = np.flatnonzero(answered & (rng.random(len(answered)) < judging.share))
    weight = np.where(retrieved.there[row], cited.relevance[row], 0.0)
    rank = _drawn_rank(weight, rng)
    missed = rng.random(len(row)) < judging.not_retrieved
    right = _chance_right(judging, missed, packed[row, rank], cited.cited[row, rank])
    code = np.where(missed, retrieved.unretrieved[row], retrieved.code[row, rank])
    named = rng.random(len(row)) < judging.expected
    return Judged(
        row=rows[row],
        delay_ms=(rng.exponential(judging.delay_days, len(row)) * _DAY_MS).astype(np.int64),
        inline=rng.random(len(row)) < judging.inline,
        correct=rng.random(len(row)) < right,
        expected=np.where(named, code, -1),
    )


def _drawn_rank(weight: Floats, rng: np.random.Generator) -> Ints:
    sums = np.cumsum(weight, axis=1)
    goal = rng.random(len(weight)) * sums[:, -1]
    return np.asarray((sums <= goal[:, None]).sum(axis=1), dtype=np.int64)


def _chance_right(judging: Judging, missed: Bools, packed: Bools, cited: Bools) -> Floats:
    when_packed = np.where(cited, judging.right_when_cited, judging.right_when_packed)
    return np.asarray(
        np.where(~missed & packed, when_packed, judging.right_when_absent), dtype=np.float64
    )
