"""Alarms as findings: what has one cause and began together is one thing to tell people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from analyzer.stats.episodes import Episode
from analyzer.stats.settings import DriftSettings, of_ordering
from analyzer.watch.alarms import Alarms
from analyzer.watch.causes import Explanation
from analyzer.watch.starts import Begun, beyond, clearest, piled
from analyzer.watch.weighing import UNKNOWN, Candidate


@dataclass(frozen=True)
class Finding:
    """One cause, one start, one or several routes; a new ordering first, then the worst alarm."""

    routes: tuple[str, ...]
    cause: Candidate  # as the alarm tells it to which most points are given
    begun: Begun
    episodes: tuple[Episode, ...]
    beyond: float  # how many minimum effects the worst of them changed by


def grouped(alarms: Alarms, explanations: Mapping[str, Explanation]) -> list[Finding]:
    """Open alarms as findings, worst first; `explanations` are those of `explain`."""

    def joins(one: Episode, worst: Episode) -> bool:
        return _one_thing(explanations[one.id], explanations[worst.id])

    piles = piled(alarms.open, joins, alarms.settings)
    return [_finding(pile, explanations, alarms.settings) for pile in piles]


def _one_thing(mine: Explanation, other: Explanation) -> bool:
    """Two unknown causes on two routes are not known to be one."""
    told_apart = mine.cause.code == UNKNOWN and mine.route != other.route
    same = mine.cause.code == other.cause.code and not told_apart
    return same and mine.begun.beside(other.begun)


def _finding(
    pile: Sequence[Episode], explanations: Mapping[str, Explanation], settings: DriftSettings
) -> Finding:
    told = [explanations[one.id] for one in pile]
    return Finding(
        routes=tuple(dict.fromkeys(one.route for one in pile)),
        cause=max((each.cause for each in told), key=lambda cause: cause.points),
        begun=clearest(each.begun for each in told),
        episodes=tuple(sorted(pile, key=_orderings_first)),
        beyond=beyond(pile[0], settings),
    )


def _orderings_first(one: Episode) -> tuple[bool, bool]:
    """Before what follows from it: to which ordering prompts went, then from which."""
    change = one.latest or one.at_first
    ordering = of_ordering(one.measure)
    return not ordering, ordering and change is not None and change.delta < 0
