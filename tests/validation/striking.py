"""Stable traffic to which incidents happen, one after the other, each alone.

A day's traffic depends on nothing but its own name, so an incident changes only the days since it
and only its routes: everything else is rolled up once for all incidents.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

from duckdb import DuckDBPyConnection as Connection

from analyzer import rollup
from analyzer.measures import weekly
from analyzer.simulate import Incident, Scenario, calendar, state, with_incidents
from analyzer.simulate.generate import Traffic, traffic, world

from .facts import fill, fill_from
from .stores import empty

_ROLLUPS = {  # and the column that says when
    **dict.fromkeys(rollup.BY_DAY, "day"),
    **dict.fromkeys(rollup.BY_WEEK, "week"),
}


class Stable:
    """A store of a scenario in which nothing happens (yet)."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.con = empty()
        fill(self.con, scenario)
        weekly.update(self.con)

    @contextmanager
    def struck(self, *incidents: Incident) -> Iterator[Connection]:
        """The same weeks, these incidents having happened; afterwards all is as before."""
        ill = with_incidents(self.scenario, incidents)
        routes = self._routes(incidents)
        first = min(incident.since for incident in incidents)
        monday = first - timedelta(days=first.weekday(), hours=first.hour)
        self.con.begin()
        try:
            self._set_aside(monday, routes)
            self.fill(ill, made(ill, routes, monday))
            for table in _ROLLUPS:
                self.con.execute(f"INSERT INTO {table} FROM kept_{table}")
            weekly.update(self.con)
            yield self.con
        finally:
            self.con.rollback()

    def fill(self, scenario: Scenario, traffic_of_days: Iterable[Traffic]) -> None:
        """Take in what happened, instead of what was set aside."""
        fill_from(self.con, scenario, traffic_of_days)

    def _routes(self, incidents: tuple[Incident, ...]) -> list[str]:
        """Those that something happens to."""
        named = [name for incident in incidents for name in incident.routes]
        everywhere = any(not incident.routes for incident in incidents)
        return [each.name for each in self.scenario.routes if everywhere or each.name in named]

    def _set_aside(self, monday: datetime, struck: list[str]) -> None:
        """Take the weeks from a Monday on out, and keep those of routes that nothing strikes.

        A rollup is rebuilt for whole days, whatever the route.
        """
        asked = [monday.date(), struck]
        for table, day in _ROLLUPS.items():
            kept = f"FROM {table} WHERE {day} >= $1 AND NOT list_contains($2, route)"
            self.con.execute(f"CREATE TEMP TABLE kept_{table} AS {kept}", asked)
            self.con.execute(f"DELETE FROM {table} WHERE {day} >= $1", asked[:1])
        self.con.execute("DELETE FROM week_estimates WHERE week >= $1", asked[:1])


def made(scenario: Scenario, routes: list[str], monday: datetime) -> Iterator[Traffic]:
    """The traffic of these routes from a Monday on, day by day."""
    there = [(route, world(scenario, route)) for route in scenario.routes if route.name in routes]
    for day in calendar.days(scenario):
        for route, here in there if day >= monday else ():
            for stretch in calendar.stretches(day, state.changes(scenario, route)):
                yield traffic(scenario, route, here, stretch)
