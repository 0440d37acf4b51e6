"""When the change behind an alarm began, and which alarms of a route began together."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from analyzer.stats.episodes import Episode
from analyzer.stats.panel import ALL_ROUTES, Panel
from analyzer.stats.settings import DriftSettings
from analyzer.stats.watching import Watched

BESIDE = 1  # weeks between two starts that still count as one


@dataclass(frozen=True)
class Begun:
    """The week it began most probably, and the weeks in which it may have; as numbers."""

    week: int
    earliest: int
    latest: int

    def beside(self, other: Begun) -> bool:
        """Whether both may be one start."""
        return self.earliest - BESIDE <= other.latest and other.earliest - BESIDE <= self.latest


def clearest(starts: Iterable[Begun]) -> Begun:
    """The one that is dated best; of equals the first."""
    return min(starts, key=lambda each: each.latest - each.earliest)


def begun(one: Episode, watched: Watched) -> Begun:
    """Its start as it was dated, else the week it opened.

    Weeks in which the measure could not be tested may have seen the start as well as the first
    one in which it could.
    """
    found = one.began
    week, earliest, latest = (
        (found.week, found.earliest, found.latest) if found else (one.opened,) * 3
    )
    return Begun(week, _after_last_seen(watched.panel, one, earliest), latest)


def _after_last_seen(panel: Panel, one: Episode, week: int) -> int:
    names = zip(panel.routes, (measure.name for measure in panel.measures), strict=True)
    series = list(names).index((one.route, one.measure))
    before = np.flatnonzero(panel.eligible[series, : max(0, week - panel.first_week)])
    if not len(before):
        return week
    reach = week - DriftSettings().start_reach
    return max(reach, panel.first_week + int(before[-1]) + 1)


def beyond(one: Episode) -> float:
    """How many times its minimum effect it changed by."""
    settings, change = DriftSettings(), one.latest or one.at_first
    if change is None:
        return 0.0
    measure = settings.measure(one.measure).minimum_effect
    least = settings.all_routes_effect if one.route == ALL_ROUTES else measure
    return abs(change.delta) / least


def worst_first(one: Episode) -> tuple[float, str]:
    """The order of alarms: by how far beyond the minimum effect, then by id."""
    return -beyond(one), one.id


def piled(
    told: Iterable[Episode], joins: Callable[[Episode, Episode], bool]
) -> list[list[Episode]]:
    """Each alarm put to the first pile whose worst it joins, or into a new one; worst first."""
    piles: list[list[Episode]] = []
    for one in sorted(told, key=worst_first):
        pile = next((pile for pile in piles if joins(one, pile[0])), None)
        if pile is None:
            piles.append([one])
        else:
            pile.append(one)
    return piles
