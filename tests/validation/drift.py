"""Years of ten routes: false alarms where nothing happens, power where something was planted.

A report is 16 weeks to warm up and 52 that are judged, ten routes of 500 to 15,000 requests a
week. A change is planted on one route of a stable report; the other routes stay as they were.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING

import numpy as np

from analyzer.measures import weekly
from analyzer.simulate import Scenario
from analyzer.stats.panel import WeekEstimate
from analyzer.stats.watching import watch
from analyzer.watch.alarms import alarms, estimates
from analyzer.watch.naming import alarm_id, week_number

from .drawing import in_place, tables
from .facts import fill
from .planted import PLANTED, Planted
from .stores import empty
from .years import NOTHING, WARM_UP, Change, Year, name_of, year

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection

WITHIN = (1, 2, 3, 4, 6)  # weeks
STARTS = (28, 46)  # weeks in which a change is planted, each time anew
WANDERING = ("dip", "involved_rate", "citation_free_rate", "ln_p95_context_tokens")
LARGE = name_of(5000)


@dataclass(frozen=True)
class Report:
    """What a report came to."""

    false: tuple[str, ...]  # measure of each false alarm
    waited: Mapping[str, tuple[int | None, ...]]  # of each planted change: weeks to its alarms
    wandering: Mapping[str, tuple[float, float]]  # at 5,000: sd of weekly values, their mean SE


def drawn_report(seed: int, planted: Sequence[Planted] = PLANTED) -> Report:
    """One report, drawn; the changes are planted in it one at a time."""
    made = Year(year(seed))
    with closing(empty()) as con:
        keep_estimates(con, made, range(made.scenario.weeks))
        stable = estimates(con, made.monday(made.scenario.weeks - 1))
        false = _false_alarms(con, made.scenario)
    waited = {
        one.name: tuple(weeks_to_alarm(made, stable, one, start) for start in STARTS)
        for one in planted
    }
    return Report(false, waited, _wandering(stable))


def whole_report(seed: int) -> Report:
    """The same year made chunk by chunk, nothing planted."""
    scenario = year(seed)
    with closing(empty()) as con:
        fill(con, scenario)
        weekly.update(con)
        stable = estimates(con, _last(scenario))
        return Report(_false_alarms(con, scenario), {}, _wandering(stable))


def _last(scenario: Scenario) -> date:
    return (scenario.first_day + timedelta(weeks=scenario.weeks - 1)).date()


def _false_alarms(con: Connection, scenario: Scenario) -> tuple[str, ...]:
    first = week_number(scenario.first_day.date()) + WARM_UP
    episodes = alarms(con, _last(scenario)).episodes
    return tuple(one.measure for one in episodes if one.raised is not None and one.raised >= first)


def _wandering(stable: Sequence[WeekEstimate]) -> dict[str, tuple[float, float]]:
    found = {}
    for measure in WANDERING:
        weeks = [
            (one.value, one.se)
            for one in stable
            if (one.route, one.measure, one.sound) == (LARGE, measure, True)
            and one.value is not None
            and one.se is not None
        ]
        value, se = np.array(weeks).T
        found[measure] = (float(value.std(ddof=1)), float(se.mean()))
    return found


def keep_estimates(
    con: Connection, made: Year, weeks: range, size: int | None = None, change: Change = NOTHING
) -> None:
    """The estimates of these weeks into the store, of one size of route or of all."""
    routes = [
        route for route in made.scenario.routes if size is None or route.name == name_of(size)
    ]
    for week in weeks:
        drawn = {route.name: made.drawn(route, week, change) for route in routes}
        with in_place(con, tables(made.monday(week), drawn)):
            weekly.update(con)


def weeks_to_alarm(
    made: Year, stable: Sequence[WeekEstimate], planted: Planted, start: int
) -> int | None:
    """1 where the change alarms when its first week closes; None: not in six weeks."""
    weeks = range(start, start + max(WITHIN))
    with closing(empty()) as con:
        keep_estimates(con, made, weeks, planted.size, planted.change)
        changed = estimates(con, made.monday(weeks[-1]))
    first, last = (week_number(made.monday(week)) for week in (weeks[0], weeks[-1]))
    route = name_of(planted.size)
    kept = [one for one in stable if one.week < first or (one.week <= last and one.route != route)]
    raised = [
        one.raised - first + 1
        for one in watch([*kept, *changed], (), alarm_id).episodes
        if (one.route, one.measure) == (route, planted.measure)
        and one.raised is not None
        and one.raised >= first
    ]
    return min(raised, default=None)
