"""What the night sees: the full rule over closed weeks, the at-once rule over the last seven days.

A look is a function of the store, of what was said, and of the night's date, so a missed night can
be looked at later, and looking twice raises nothing twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from analyzer import watch, weeks
from analyzer.config import Config
from analyzer.measures import weekly
from analyzer.nightly.calendar import Night
from analyzer.parameters import monday_of
from analyzer.stats.night import NightAlarm, night_look
from analyzer.stats.panel import WeekEstimate
from analyzer.watch import Alarms, Said
from analyzer.watch.naming import week_number

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection


@dataclass(frozen=True)
class Look:
    """`alarms` is None while no week is over; `tonight` holds the estimates of seven days."""

    night: Night
    alarms: Alarms | None
    tonight: tuple[WeekEstimate, ...]
    at_once: tuple[NightAlarm, ...]


def look(con: Connection, night: Night, said: Sequence[Said], config: Config) -> Look:
    """Judge the closed weeks and the last seven days."""
    tonight = _tonight(con, night, config)
    week = weeks.newest_over(con, night.today)
    if week is None:
        return Look(night, None, tonight, ())
    found = watch.alarms(con, week, said, config.drift_settings)
    return Look(night, found, tonight, night_look(found.watched, tonight, config.drift_settings))


def again(con: Connection, before: Look, said: Sequence[Said], config: Config) -> Look:
    """The same look after more was said."""
    if before.alarms is None:
        return before
    found = watch.alarms(con, before.alarms.week, said, config.drift_settings)
    return replace(before, alarms=found, at_once=())


def _tonight(con: Connection, night: Night, config: Config) -> tuple[WeekEstimate, ...]:
    begins = week_number(monday_of(night.seven_days.first_day))
    return tuple(
        WeekEstimate(
            route=one.route,
            measure=one.measure,
            week=begins,
            value=one.estimate.value,
            se=one.estimate.se,
            n=one.base,
            requests=one.requests,
            size=one.size,
            sound=one.verdict == "OK",
            without=tuple(one.estimate.leave_one_outs.tolist()),
        )
        for one in weekly.estimates(con, night.seven_days, config.effect_settings)
    )
