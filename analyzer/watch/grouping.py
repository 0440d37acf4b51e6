"""Alarms as findings: what has one cause and began together is one thing to tell people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from analyzer.stats.episodes import Episode
from analyzer.watch.alarms import Alarms
from analyzer.watch.causes import Explanation
from analyzer.watch.starts import Begun, beyond, clearest, piled
from analyzer.watch.weighing import UNKNOWN, Candidate


@dataclass(frozen=True)
class Finding:
    """One cause, one start, one or several routes; the worst alarm first."""

    routes: tuple[str, ...]
    cause: Candidate  # as the alarm tells it to which most points are given
    begun: Begun
    episodes: tuple[Episode, ...]
    beyond: float  # how many minimum effects the worst of them changed by

    @property
    def worst(self) -> Episode:
        """The alarm that says it most clearly."""
        return self.episodes[0]


def grouped(alarms: Alarms, explanations: Mapping[str, Explanation]) -> list[Finding]:
    """Open alarms as findings, worst first; `explanations` are those of `explain`."""

    def joins(one: Episode, worst: Episode) -> bool:
        return _one_thing(explanations[one.id], explanations[worst.id])

    return [_finding(pile, explanations) for pile in piled(alarms.open, joins)]


def _one_thing(mine: Explanation, other: Explanation) -> bool:
    """Two unknown causes on two routes are not known to be one."""
    told_apart = mine.cause.code == UNKNOWN and mine.route != other.route
    same = mine.cause.code == other.cause.code and not told_apart
    return same and mine.begun.beside(other.begun)


def _finding(pile: Sequence[Episode], explanations: Mapping[str, Explanation]) -> Finding:
    told = [explanations[one.id] for one in pile]
    return Finding(
        routes=tuple(dict.fromkeys(one.route for one in pile)),
        cause=max((each.cause for each in told), key=lambda cause: cause.points),
        begun=clearest(each.begun for each in told),
        episodes=tuple(pile),
        beyond=beyond(pile[0]),
    )
