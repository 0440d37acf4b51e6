"""Years of ten routes: false alarms where nothing happens, power where something was planted.

A report is 16 weeks to warm up and 52 that are judged, ten routes of 500 to 15,000 requests a
week. A change is planted on one route of a stable report; the other routes stay as they were.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from analyzer.measures import weekly
from analyzer.stats.episodes import Episode
from analyzer.stats.panel import WeekEstimate
from analyzer.stats.watching import watch
from analyzer.watch.alarms import alarms, estimates
from analyzer.watch.naming import alarm_id, week_number

from .drawing import in_place, tables
from .stores import empty
from .years import NOTHING, WARM_UP, Change, Year, name_of, year

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection

WITHIN = (1, 2, 3, 4, 6)  # weeks


@dataclass(frozen=True)
class Planted:
    """A change of one route, the measure that should alarm, and how often it is published to.

    `published`: alarms within 1, 2, 3, 4 and 6 weeks. route None: every route changes.
    """

    name: str
    change: Change
    measure: str
    size: int
    published: tuple[float, ...]


PLANTED = (
    Planted("dip -.069 at 5k", Change(dip=1.67), "dip", 5000, (0.01, 0.22, 0.36, 0.46, 0.59)),
    Planted("dip -.096 at 5k", Change(dip=1.91), "dip", 5000, (0.07, 0.52, 0.67, 0.76, 0.80)),
    Planted("dip -.157 at 5k", Change(dip=2.405), "dip", 5000, (0.45, 0.94, 0.99, 1, 1)),
    Planted(
        "copies 1 -> 2 % at 5k",
        Change(copies=2.0),
        "involved_rate",
        5000,
        (0.02, 0.52, 0.65, 0.66, 0.69),
    ),
    Planted("copies 1 -> 4 % at 5k", Change(copies=4.1), "involved_rate", 5000, (1, 1, 1, 1, 1)),
    Planted(
        "ln p95 +.10 at 5k",
        Change(longer=1.105),
        "ln_p95_context_tokens",
        5000,
        (0, 0.25, 0.34, 0.38, 0.41),
    ),
    Planted(
        "ln p95 +.22 at 1k",
        Change(longer=1.246),
        "ln_p95_context_tokens",
        1000,
        (0.08, 0.70, 0.81, 0.86, 0.91),
    ),
)
STARTS = (28, 46)  # weeks in which a change is planted, each time anew


@dataclass(frozen=True)
class Report:
    """A stable report: its false alarms by measure, and its power: weeks to each planted alarm."""

    false: tuple[str, ...]
    weeks_to_alarm: Mapping[str, tuple[int | None, ...]]
    estimates: tuple[WeekEstimate, ...]


def report(seed: int, planted: Sequence[Planted] = PLANTED) -> Report:
    """One report, drawn; the changes are planted in it one at a time."""
    made = Year(year(seed))
    weeks = range(made.scenario.weeks)
    last = made.monday(weeks[-1])
    with closing(empty()) as con:
        keep_estimates(con, made, weeks)
        raised = [one for one in alarms(con, last).episodes if _in_report(one, made)]
        stable = estimates(con, last)
    found = {
        one.name: tuple(weeks_to_alarm(made, stable, one, start) for start in STARTS)
        for one in planted
    }
    return Report(tuple(one.measure for one in raised), found, tuple(stable))


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


def _in_report(one: Episode, made: Year) -> bool:
    return one.raised is not None and one.raised - week_number(made.monday(0)) >= WARM_UP


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
