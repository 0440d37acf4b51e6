"""From outcomes to a profile and a gap: how much worse a question is answered from the middle.

Per question S, M and E are the shares of right answers with the expected chunk at the start, in
the middle and at the end; d = (S + E) / 2 - M, and the gap is its mean, in points of accuracy.
Draws of the other chunks are averaged inside a question first. A question that was not answered
everywhere is left out of the gap, and counted; each place keeps its own denominator.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from analyzer.stats.arrays import Floats
from analyzer.stats.distributions import normal_quantile
from analyzer.stats.jackknife import Estimate, rate_floor
from analyzer.stats.position_swap import exact_mcnemar, mean_of_questions, questions_needed
from analyzer.swap.outcomes import PLACES, Outcome, Place

POINTS = 0.05  # the gap that is to be seen


@dataclass(frozen=True)
class Slot:
    """One position of prompts of one K."""

    k: int
    position: int
    asked: int
    answered: int
    correct: int


@dataclass(frozen=True)
class AtPlace:
    """Right of answered at the start, in the middle or at the end, with a 95 % interval."""

    place: Place
    answered: int
    correct: int
    rate: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class McNemar:
    """Questions right at one of two places only, and the exact two-sided p."""

    only_start: int
    only_middle: int
    p: float


@dataclass(frozen=True)
class Score:
    """What an evaluation says. Rates 0 to 1, the gap a difference of rates."""

    slots: list[Slot]
    places: list[AtPlace]
    asked: int
    answered: int
    questions: int  # answered everywhere: the base of the gap
    incomplete: int  # asked, but not answered everywhere
    gap: float | None  # None: the start, the middle or the end was not asked
    low: float | None
    high: float | None
    mcnemar: McNemar | None
    seen: float | None  # the gap that so many questions show in 8 of 10 cases
    needed_80: int | None  # questions that show a gap of 5 points in 8 of 10 cases
    needed_90: int | None

    def at(self, place: Place) -> AtPlace | None:
        """One place of the profile; None where it was not asked."""
        return next((each for each in self.places if each.place == place), None)


def score(outcomes: Sequence[Outcome]) -> Score:
    """The score of outcomes, in any order."""
    by_question = _by_question(outcomes)
    complete = _complete(by_question)
    d = _gaps(complete)
    estimate = mean_of_questions(d)
    low, high = estimate.interval() or (None, None)
    sd = float(d.std(ddof=1)) if len(d) > 1 else None
    return Score(
        slots=_slots(outcomes),
        places=[found for place in PLACES if (found := _at_place(place, by_question))],
        asked=len(outcomes),
        answered=sum(each.correct is not None for each in outcomes),
        questions=len(complete),
        incomplete=len(by_question) - len(complete),
        gap=estimate.value,
        low=low,
        high=high,
        mcnemar=_mcnemar(complete),
        seen=_seen(estimate),
        needed_80=_needed(sd, 0.8),
        needed_90=_needed(sd, 0.9),
    )


def by_bucket(outcomes: Iterable[Outcome]) -> dict[int | None, list[Outcome]]:
    """The outcomes apart by the bucket of their context tokens, short prompts first."""
    ordered = sorted(outcomes, key=lambda each: -1 if each.bucket is None else each.bucket)
    return {bucket: list(mine) for bucket, mine in groupby(ordered, lambda each: each.bucket)}


def gaps_by_question(outcomes: Sequence[Outcome]) -> dict[str, float]:
    """d of every question that was answered everywhere."""
    complete = _complete(_by_question(outcomes))
    return dict(zip(complete, _gaps(complete).tolist(), strict=True))


def rates_by_question(outcomes: Sequence[Outcome]) -> dict[str, dict[Place, float]]:
    """The share right at each place of every question that was answered everywhere."""
    return {
        question: {place: sum(rates[place] for rates in draws) / len(draws) for place in PLACES}
        for question, draws in _complete(_by_question(outcomes)).items()
    }


_Rights = dict[Place, list[bool | None]]  # of one draw of one question
_Draws = dict[int, _Rights]


def _by_question(outcomes: Iterable[Outcome]) -> dict[str, _Draws]:
    found: dict[str, _Draws] = {}
    for each in outcomes:
        draw = found.setdefault(each.question_id, {}).setdefault(each.draw, {})
        if (place := each.place) is not None:
            draw.setdefault(place, []).append(each.correct)
    return dict(sorted(found.items()))


def _complete(by_question: dict[str, _Draws]) -> dict[str, list[dict[Place, float]]]:
    """Of each question the place rates of its draws that were answered everywhere."""
    found = {}
    for question, draws in by_question.items():
        rates = [rates for _, mine in sorted(draws.items()) if (rates := _rates(mine))]
        if rates:
            found[question] = rates
    return found


def _rates(draw: _Rights) -> dict[Place, float] | None:
    """Share right at each place; None where a place is missing or an answer is."""
    if len(draw) < len(PLACES) or any(None in rights for rights in draw.values()):
        return None
    return {place: sum(map(bool, rights)) / len(rights) for place, rights in draw.items()}


def _gaps(complete: dict[str, list[dict[Place, float]]]) -> Floats:
    def gap(rates: dict[Place, float]) -> float:
        return (rates["start"] + rates["end"]) / 2 - rates["middle"]

    return np.array([sum(map(gap, draws)) / len(draws) for draws in complete.values()])


def _at_place(place: Place, by_question: dict[str, _Draws]) -> AtPlace | None:
    """Its interval is that of questions: the answers of one question are not independent."""
    known = [
        [right for draw in draws.values() for right in draw.get(place, ()) if right is not None]
        for draws in by_question.values()
    ]
    rates = np.array([sum(mine) / len(mine) for mine in known if mine])
    if not len(rates):
        return None
    answered, correct = sum(map(len, known)), sum(map(sum, known))
    mean = mean_of_questions(rates).floored(rate_floor(float(rates.mean()), len(rates)))
    low, high = mean.interval() or (None, None)
    return AtPlace(place, answered, correct, correct / answered, _bounded(low), _bounded(high))


def _bounded(value: float | None) -> float | None:
    return None if value is None else min(1.0, max(0.0, value))


def _slots(outcomes: Iterable[Outcome]) -> list[Slot]:
    found: dict[tuple[int, int], list[bool | None]] = defaultdict(list)
    for each in outcomes:
        found[each.k, each.position].append(each.correct)
    return [
        Slot(k, position, len(mine), sum(c is not None for c in mine), sum(c is True for c in mine))
        for (k, position), mine in sorted(found.items())
    ]


def _mcnemar(complete: dict[str, list[dict[Place, float]]]) -> McNemar | None:
    """Start against middle, of questions each in its majority of draws and positions."""
    if not complete:
        return None
    start, middle = (
        np.array([sum(rates[place] for rates in draws) / len(draws) for draws in complete.values()])
        for place in ("start", "middle")
    )
    return McNemar(*exact_mcnemar(start, middle))


def _seen(estimate: Estimate) -> float | None:
    if estimate.se is None:
        return None
    return (normal_quantile(0.975) + normal_quantile(0.8)) * estimate.se


def _needed(sd: float | None, power: float) -> int | None:
    return questions_needed(POINTS, sd, power) if sd else None
