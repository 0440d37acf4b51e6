"""The alarms of a store as they stand after a closed week.

They are a function of the weekly estimates and of what people said, made anew each time: nothing
depends on when or how often anybody looked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from analyzer.errors import NothingThere
from analyzer.stats.episodes import Episode, Event, Excluded, Raised
from analyzer.stats.panel import WeekEstimate
from analyzer.stats.reach import Reach, reaches
from analyzer.stats.settings import DriftSettings
from analyzer.stats.watching import Watched, watch
from analyzer.store import statement
from analyzer.watch.events import Said, muted
from analyzer.watch.naming import alarm_id, week_number
from analyzer.watch.raising import raising, standing

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection


@dataclass(frozen=True)
class Alarms:
    """Every episode up to a week, and what could have been seen in it."""

    week: date
    watched: Watched
    reaches: tuple[Reach, ...]
    said: tuple[Said, ...]

    @property
    def settings(self) -> DriftSettings:
        """The thresholds by which they were judged."""
        return self.watched.settings

    @property
    def tests(self) -> int:
        """How many route and measure pairs were tested in the week."""
        return self.watched.looks[-1].tests if self.watched.looks else 0

    @property
    def episodes(self) -> tuple[Episode, ...]:
        """All of them, by the week they opened."""
        return self.watched.episodes

    @property
    def open(self) -> list[Episode]:
        """Alarms that stand: raised this week first, then the older ones."""
        standing = [one for one in self.episodes if one.state in ("raised", "persistent")]
        return sorted(standing, key=lambda one: (one.state != "raised", one.opened, one.id))

    @property
    def ended(self) -> list[Episode]:
        """Alarms that ended in the week."""
        number = week_number(self.week)
        return [one for one in self.episodes if one.raised is not None and one.ended == number]

    @property
    def silences(self) -> list[Said]:
        """Alarms on what is missing, as the nights raised them, of those that stand."""
        return [one for one in standing(self.said).values() if raising(one).sentence]

    def week_of(self, one: Episode) -> int:
        """The week in which to look at an alarm: the closed one, or that of the night since."""
        return max(week_number(self.week), one.raised or 0)

    def muted(self, today: date) -> dict[str, date]:
        """Ids of alarms that are mute on a day, each with its last day of silence."""
        return muted(self.said, today)


def closed_week(con: Connection, today: date | None = None) -> date:
    """The newest week that is over; raises `NothingThere` where none is.

    With `today` (in the store's time zone) the calendar says so; without it, and where no week
    ended before today, a week is over once its Sunday has requests or a later day has some.
    """
    asked = {"today": today}
    found = con.execute(statement("watch/last_closed_week"), asked).fetchall()
    if not found or found[0][0] is None:
        raise NothingThere("the store holds no week that is over; alarms need closed weeks")
    monday: date = found[0][0]
    return monday


def alarms(
    con: Connection,
    week: date,
    said: Sequence[Said] = (),
    settings: DriftSettings | None = None,
) -> Alarms:
    """Judge every closed week up to `week`, a Monday."""
    watched = watch(estimates(con, week), events(said), alarm_id, settings)
    return Alarms(week, watched, reaches(watched, settings), tuple(said))


def estimates(con: Connection, through: date) -> list[WeekEstimate]:
    """Every weekly estimate up to a week, as the tests of drift take them."""
    rows = con.execute(statement("watch/estimates"), {"through": through}).fetchall()
    return [
        WeekEstimate(
            route=route,
            measure=measure,
            week=week_number(week),
            value=value,
            se=se,
            n=base,
            requests=requests,
            size=size,
            sound=verdict == "OK",
            without=tuple(without),
        )
        for week, route, measure, value, se, base, requests, size, verdict, without in rows
    ]


def events(said: Sequence[Said]) -> list[Event]:
    """What bears on the tests: weeks left out, from the week in which it was said, and alarms."""
    left_out: list[Event] = [
        Excluded(
            week=week_number(one.week),
            since=week_number(one.said_at.date()),
            route=one.route,
        )
        for one in said
        if one.kind == "exclude" and one.week is not None
    ]
    return left_out + [_raised(one) for one in said if one.kind == "raised"]


def _raised(one: Said) -> Raised:
    what = raising(one)
    return Raised(
        week=week_number(one.week or one.said_at.date()),
        route=one.route or "",
        measure=what.measure,
        id=one.alarm or "",
        at_night=what.at_night,
        change=what.change,
    )
