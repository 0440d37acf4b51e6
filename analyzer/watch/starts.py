"""When the change behind an alarm began, and which alarms of a route began together."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from analyzer.stats.episodes import Began, Episode
from analyzer.stats.panel import ALL_ROUTES, Panel
from analyzer.stats.settings import DriftSettings
from analyzer.stats.watching import Watched

BESIDE = 1  # weeks between two starts that still count as one
SURE = 3.0  # standard errors by which a week before the step must have moved
PART = 0.2  # of the step


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
    """The one that is dated best; of equals the earliest."""
    return min(starts, key=lambda each: (each.latest - each.earliest, each.week))


def begun(one: Episode, watched: Watched) -> Begun:
    """Its start as it was dated, else the week it opened.

    The step is dated between whole weeks; a week before it that moved part of the way is the one
    in which it began. Weeks in which the measure could not be tested may have seen the start as
    well as the first one in which it could.
    """
    panel, found = watched.panel, one.began
    series = _series(panel, one)
    if found is None:
        return Begun(one.opened, _after_last_seen(watched, series, one.opened), one.opened)
    if _partly(panel, series, found, watched.settings):
        return Begun(found.week - 1, min(found.week - 1, found.earliest), found.week - 1)
    return Begun(found.week, _after_last_seen(watched, series, found.earliest), found.latest)


def _series(panel: Panel, one: Episode) -> int:
    names = zip(panel.routes, (measure.name for measure in panel.measures), strict=True)
    return list(names).index((one.route, one.measure))


def _partly(panel: Panel, series: int, found: Began, settings: DriftSettings) -> bool:
    """Whether the week before the step has surely moved, and some of the way."""
    week = found.week - 1 - panel.first_week
    if week < 1 or not panel.eligible[series, week]:
        return False
    minimum = float(panel.minimum[series])
    variance = panel.se[series] ** 2 + (settings.least_spread * minimum) ** 2
    weight = np.where(panel.eligible[series, :week], 1 / variance[:week], 0.0)
    weight[: max(0, week - settings.span)] = 0.0
    if not weight.any():
        return False
    usual = float((weight * panel.value[series, :week]).sum() / weight.sum())
    moved = float(panel.value[series, week]) - usual
    sure = abs(moved) > SURE * float(np.sqrt(variance[week] + 1 / weight.sum()))
    some = abs(moved) >= min(minimum, PART * abs(found.shift))
    return sure and some and moved * found.shift > 0


def _after_last_seen(watched: Watched, series: int, week: int) -> int:
    """The first week that could not be tested, of those right before this one; else this one."""
    panel = watched.panel
    before = np.flatnonzero(panel.eligible[series, : max(0, week - panel.first_week)])
    if not len(before):
        return week
    reach = week - watched.settings.start_reach
    return max(reach, panel.first_week + int(before[-1]) + 1)


def beyond(one: Episode, settings: DriftSettings) -> float:
    """How many times its minimum effect it changed by."""
    change = one.latest or one.at_first
    if change is None:
        return 0.0
    measure = settings.measure(one.measure).minimum_effect
    least = settings.all_routes_effect if one.route == ALL_ROUTES else measure
    return abs(change.delta) / least


def worst_first(told: Iterable[Episode], settings: DriftSettings) -> list[Episode]:
    """Alarms by how far beyond the minimum effect they are, then by id."""
    return sorted(told, key=lambda one: (-beyond(one, settings), one.id))


def piled(
    told: Iterable[Episode], joins: Callable[[Episode, Episode], bool], settings: DriftSettings
) -> list[list[Episode]]:
    """Each alarm put to the first pile whose worst it joins, or into a new one; worst first."""
    piles: list[list[Episode]] = []
    for one in worst_first(told, settings):
        pile = next((pile for pile in piles if joins(one, pile[0])), None)
        if pile is None:
            piles.append([one])
        else:
            pile.append(one)
    return piles
