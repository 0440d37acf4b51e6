"""Years of answers without a citation, made chunk by chunk and counted without a store.

Of all measures this one alarms most often by chance: it wanders with whatever makes chunks worth
citing, and users differ in it. Every route has users of its own, as logs have. A test compares
these estimates with those of the store.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from analyzer.facts.requests import units
from analyzer.measures.weekly import GROUPS
from analyzer.simulate import Route, Scenario, periods
from analyzer.simulate.arrays import Floats, Ints
from analyzer.simulate.generate import Traffic
from analyzer.stats.jackknife import rate
from analyzer.stats.panel import WeekEstimate
from analyzer.watch.naming import week_number

from .alone import raised
from .stores import SETTINGS
from .years import WARM_UP, year

MEASURE = "citation_free_rate"


def false_alarms(seed: int) -> float:
    """How many alarms a year of ten routes raises, in which nothing happens."""
    scenario = year(seed)
    first = week_number(scenario.first_day.date()) + WARM_UP
    return float(sum(week >= first for _, week in raised(uncited(scenario))))


def uncited(scenario: Scenario) -> Iterator[WeekEstimate]:
    """The weekly estimates of every route."""
    first = week_number(scenario.first_day.date())
    for (route, week), (base, part) in counted(scenario).items():
        estimate, requests = rate(part, base), int(base.sum())
        yield WeekEstimate(
            route, MEASURE, first + week, estimate.value, estimate.se, float(requests), requests,
            float(requests), without=tuple(estimate.leave_one_outs.tolist()),
        )  # fmt: skip


def counted(scenario: Scenario) -> dict[tuple[str, int], Floats]:
    """By route and week: answers with known citations and those without one, by unit group."""
    groups = {route.name: _groups(route) for route in scenario.routes}
    found: dict[tuple[str, int], Floats] = defaultdict(lambda: np.zeros((2, GROUPS)))
    for period in periods(scenario):
        week = (period.stretch.day - scenario.first_day).days // 7
        group = groups[period.route.name][period.asked.unit]
        found[period.route.name, week] += _of_period(period, group)
    return found


def _groups(route: Route) -> Ints:
    """The unit group of every user."""
    names = [f"{route.name}-u{number:05d}" for number in range(route.units.count)]
    made = units({"unit_id": names, "request_id": names}, SETTINGS.unit_key)["unit_group"]
    return np.asarray(made.to_numpy(), np.int64)


def _of_period(period: Traffic, group: Ints) -> Floats:
    cited = np.bincount(period.chunks.request[period.chunks.cited], minlength=len(period.k))
    known = period.asked.citations_known
    free = known & (cited == 0)
    return np.array([np.bincount(group, of, minlength=GROUPS) for of in (known, free)])
