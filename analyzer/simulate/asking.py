"""Who asks, and what is decided about a request before anything is retrieved."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analyzer.simulate.arrays import Bools, Floats, Ints, drawn, running_shares, stream
from analyzer.simulate.pool import lengths
from analyzer.simulate.scenario import Route
from analyzer.simulate.traits import Outcomes, TopK

OUTCOMES = ("answered", "refused", "error", "cached")
SHUFFLED = "shuffled"


@dataclass(frozen=True)
class Users:
    """The units of a route; they stay the same from the first day to the last."""

    sums: Floats  # running weights
    effect: Floats  # log relevance
    draw: Floats  # decides a unit's ordering, 0 to 1, evenly spread


@dataclass(frozen=True)
class Asked:
    """Requests of a period, one entry each."""

    unit: Ints
    effect: Floats  # of unit, request and segment together, on log relevance
    ordering: Ints  # index into the names
    explored: Bools
    outcome: Ints  # index into OUTCOMES
    citing: Bools  # False: answered without a citation
    citations_known: Bools
    wanted: Ints  # chunks the prompt should hold
    question_tokens: Ints
    answer_tokens: Ints


def users(seed: int, route: Route) -> Users:
    """The units that ask on a route."""
    rng = stream(seed, "units", route.name)
    count = route.units.count
    return Users(
        sums=np.cumsum(1.0 / np.arange(1, count + 1) ** route.units.tail),
        effect=rng.normal(0.0, route.units.sd, count),
        draw=(rng.permutation(count) + 0.5) / count,
    )


def ordering_names(route: Route) -> list[str]:
    """Every ordering that a request of the route can get, once each."""
    segments = [name for segment in route.segments for name in segment.orderings]
    explored = [SHUFFLED] if route.explored else []
    return list(dict.fromkeys([*route.orderings, *segments, *explored]))


def ask(route: Route, who: Users, n: int, rng: np.random.Generator) -> Asked:
    """Draw `n` requests."""
    unit = drawn(who.sums, rng, n)
    segment = _segments(route, n, rng)
    explored = rng.random(n) < route.explored
    outcome = _outcomes(route.outcomes, n, rng)
    answered = outcome == 0
    return Asked(
        unit=unit,
        effect=who.effect[unit] + _own_effect(route, segment, rng),
        ordering=_orderings(route, segment, explored, who.draw[unit], rng),
        explored=explored,
        outcome=outcome,
        citing=answered & (rng.random(n) >= route.outcomes.uncited),
        citations_known=answered & (rng.random(n) >= route.outcomes.unknown_citations),
        wanted=_wanted(route.k, n, rng),
        question_tokens=lengths(rng, route.question, n),
        answer_tokens=_answer_tokens(route, outcome, rng),
    )


def _answer_tokens(route: Route, outcome: Ints, rng: np.random.Generator) -> Ints:
    written = lengths(rng, route.answer, len(outcome))
    return np.asarray(np.where(outcome == OUTCOMES.index("error"), 0, written), dtype=np.int64)


def _segments(route: Route, n: int, rng: np.random.Generator) -> Ints:
    if not route.segments:
        return np.zeros(n, dtype=np.int64)
    return drawn(running_shares([segment.share for segment in route.segments]), rng, n)


def _own_effect(route: Route, segment: Ints, rng: np.random.Generator) -> Floats:
    shifts = np.array([part.shift for part in route.segments] or [0.0])
    own = rng.normal(0.0, route.relevance.request_sd, len(segment))
    return np.asarray(own + shifts[segment] + route.relevance.shift, dtype=np.float64)


def _outcomes(outcomes: Outcomes, n: int, rng: np.random.Generator) -> Ints:
    others = outcomes.refused + outcomes.error + outcomes.cached
    shares = [max(0.0, 1.0 - others), outcomes.refused, outcomes.error, outcomes.cached]
    return drawn(running_shares(shares), rng, n)


def _orderings(
    route: Route, segment: Ints, explored: Bools, unit_draw: Floats, rng: np.random.Generator
) -> Ints:
    names = ordering_names(route)
    luck = unit_draw if route.ordering_by == "unit" else rng.random(len(segment))
    result = np.zeros(len(segment), dtype=np.int64)
    for index, orderings in enumerate(_by_segment(route)):
        number = np.array([names.index(name) for name in orderings])
        here = segment == index
        picked = np.searchsorted(running_shares(list(orderings.values())), luck[here], "right")
        result[here] = number[picked]
    return np.where(explored, names.index(SHUFFLED), result) if route.explored else result


def _by_segment(route: Route) -> list[dict[str, float]]:
    return [part.orderings or route.orderings for part in route.segments] or [route.orderings]


def _wanted(k: TopK, n: int, rng: np.random.Generator) -> Ints:
    drawn_k = np.rint(np.exp(rng.normal(np.log(k.median), k.spread, n)))
    return np.clip(drawn_k, k.least, k.most).astype(np.int64)
