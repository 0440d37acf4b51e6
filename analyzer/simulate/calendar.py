"""When traffic comes: days cut at every change, weekdays and hours with their weights.

A period is a stretch of one day, on one route, in which nothing about that route changes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise

import numpy as np

from analyzer.simulate.arrays import Floats, Ints
from analyzer.simulate.scenario import Scenario

_HOUR_MS = 3_600_000


@dataclass(frozen=True)
class Stretch:
    """From one whole hour of a day to another; `last_hour` is not part of it."""

    day: datetime
    first_hour: int
    last_hour: int

    @property
    def start(self) -> datetime:
        """The moment it begins."""
        return self.day + timedelta(hours=self.first_hour)


def days(scenario: Scenario) -> list[datetime]:
    """The midnights of all days of the scenario."""
    return [scenario.first_day + timedelta(days=day) for day in range(7 * scenario.weeks)]


def stretches(day: datetime, changes: Iterable[datetime]) -> list[Stretch]:
    """The day, cut at those of the changes that fall into it."""
    hours = {int((change - day).total_seconds() // 3600) for change in changes}
    cuts = [0, *sorted(hour for hour in hours if 0 < hour < 24), 24]
    return [Stretch(day, first, last) for first, last in pairwise(cuts)]


def share_of_week(scenario: Scenario, stretch: Stretch) -> float:
    """Which part of a week's requests falls into the stretch."""
    weekday = scenario.weekdays[stretch.day.weekday()] / sum(scenario.weekdays)
    within = sum(scenario.hours[stretch.first_hour : stretch.last_hour]) / sum(scenario.hours)
    return weekday * within


def arrivals(scenario: Scenario, stretch: Stretch, n: int, rng: np.random.Generator) -> Ints:
    """`n` sorted arrival times of the stretch, in milliseconds since 1970."""
    weights = np.asarray(scenario.hours[stretch.first_hour : stretch.last_hour], dtype=np.float64)
    sums: Floats = np.concatenate([[0.0], np.cumsum(weights)])
    hours = np.interp(np.sort(rng.random(n)) * sums[-1], sums, np.arange(len(sums)))
    start = int(stretch.start.timestamp()) * 1000
    since = np.minimum(hours * _HOUR_MS, len(weights) * _HOUR_MS - 1)
    return np.asarray(start + since, dtype=np.int64)
