"""Stores of simulated traffic, in memory, filled through the real facts and the real rollup SQL.

Facts go when their week is rolled up: what is asked later reads rollups and weekly estimates.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property

import duckdb
import msgspec
import pyarrow as pa
from duckdb import DuckDBPyConnection as Connection

from analyzer import facts, rollup, store
from analyzer.ingest import MAX_REJECTED, settling
from analyzer.measures import weekly
from analyzer.simulate import Incident, Route, Scenario, calendar, state, with_incidents
from analyzer.simulate.generate import Traffic, World, traffic, world

from .traffic_facts import Loaded, index_of, loaded

SETTINGS = facts.Settings("UTC", bytes(16))
_FACTS = ("requests", "chunks", "judgements", "memberships")
_BY_DAY = ("days", "cells", "cells_by_position", "ranks", "units", "lengths")
_FAULT = ("chunks[1].position", "is 1 a second time, but every packed chunk has its own")


def empty() -> Connection:
    """A store without a file."""
    con = duckdb.connect(":memory:", config={"python_enable_replacements": False})
    for part in ("store/schema", "store/versions"):
        con.execute(store.statement(part))
    made = {"schema_version": store.SCHEMA_VERSION, "time_zone": "UTC", "unit_key": "00" * 16}
    con.execute(store.statement("store/settle_settings"), made)
    return con


@dataclass(frozen=True)
class Site:
    """A route with its index, as a store reads it."""

    route: Route
    world: World

    @cached_property
    def known(self) -> dict[str, pa.Array]:
        """What the index says about each chunk."""
        return index_of(self.world.pool)


def sites(scenario: Scenario, routes: Collection[str] = ()) -> list[Site]:
    """The routes of a scenario; those named, or all."""
    wanted = [route for route in scenario.routes if not routes or route.name in routes]
    return [Site(route, world(scenario, route)) for route in wanted]


def add_week(con: Connection, scenario: Scenario, there: list[Site], week: int) -> None:
    """Load a week of the scenario, counted from 0, and roll it up; its facts stay."""
    settling.run(con, "store/load/begin")
    for day in calendar.days(scenario)[7 * week : 7 * week + 7]:
        for site in there:
            _add_day(con, scenario, site, day)
    settling.run(con, "store/load/settle_judgements", batch="")
    settling.run(con, "store/settle/labels")
    rollup.rebuild(con)


def drop_facts(con: Connection) -> None:
    """Keep the rollups alone."""
    for table in _FACTS:
        con.execute(f"DELETE FROM {table}")


def _add_day(con: Connection, scenario: Scenario, site: Site, day: datetime) -> None:
    """A file of one route and day: all of it, or nothing where too much of it is rejected."""
    found = [
        (each, loaded(scenario, each, site.known, SETTINGS)) for each in _day(scenario, site, day)
    ]
    batch = f"{day:%Y-%m-%d}-{site.route.name}"
    unsound, lines = (sum(getattr(one, name) for _, one in found) for name in ("unsound", "lines"))
    aside = unsound > MAX_REJECTED * lines
    for _, one in [] if aside else found:
        _insert(con, one, batch)
    _note(con, batch, day, lines, unsound, aside)


def _day(scenario: Scenario, site: Site, day: datetime) -> Iterator[Traffic]:
    for stretch in calendar.stretches(day, state.changes(scenario, site.route)):
        yield traffic(scenario, site.route, site.world, stretch)


def _insert(con: Connection, one: Loaded, batch: str) -> None:
    made = {"judgements": one.labels}
    if one.facts:
        made |= {"requests": one.facts.requests, "chunks": one.facts.chunks}
    for name, table in made.items():
        if table is not None and table.num_rows:
            con.register("block", table)
            settling.run(con, f"store/load/{name}", batch=batch)
            con.unregister("block")


def _note(
    con: Connection, batch: str, day: datetime, lines: int, unsound: int, aside: bool
) -> None:
    """Enter the file in the books, with its rejected lines."""
    books = {
        "batch": batch, "file": f"{batch}.jsonl", "format": "jsonl", "bytes": 0,
        "state": "set_aside" if aside else "loaded", "read": lines,
        "rejected": lines if aside else unsound, "judgements": 0, "unknown_fields": 0,
        "loaded_at": (day + timedelta(days=1, hours=2)).replace(tzinfo=None),
    }  # fmt: skip
    settling.run(con, "store/load/batch", **books)
    fault = "SELECT $1, range, NULL, $2, $3, '' FROM range($4)"
    con.execute(f"INSERT INTO rejected_lines {fault}", [batch, *_FAULT, unsound])


class Stable:
    """A store of stable traffic, to which incidents can happen one at a time."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.con = empty()
        there = sites(scenario)
        for week in range(scenario.weeks):
            add_week(self.con, scenario, there, week)
            drop_facts(self.con)
        weekly.update(self.con)

    @contextmanager
    def struck(self, *incidents: Incident) -> Iterator[Connection]:
        """The same weeks, these incidents having happened; afterwards all is as before."""
        ill = with_incidents(self.scenario, incidents)
        first = min(incident.since for incident in incidents)
        week = (first - self.scenario.first_day).days // 7
        routes = {name for incident in incidents for name in incident.routes}
        self.con.begin()
        try:
            self._forget(self.scenario.first_day + timedelta(weeks=week), routes)
            there = sites(ill, routes)
            for later in range(week, ill.weeks):
                add_week(self.con, ill, there, later)
                drop_facts(self.con)
            weekly.update(self.con)
            yield self.con
        finally:
            self.con.rollback()

    def _forget(self, monday: datetime, routes: Collection[str]) -> None:
        named = sorted(routes) or [route.name for route in self.scenario.routes]
        asked = [monday.date(), named]
        for table in _BY_DAY:
            self.con.execute(
                f"DELETE FROM {table} WHERE day >= $1 AND list_contains($2, route)", asked
            )
        self.con.execute(
            "DELETE FROM documents WHERE week >= $1 AND list_contains($2, route)", asked
        )
        self.con.execute("DELETE FROM week_estimates WHERE week >= $1", asked[:1])
        for table in ("batches", "rejected_lines"):
            gone = "batch >= $1 AND list_contains($2, substr(batch, 12))"
            self.con.execute(f"DELETE FROM {table} WHERE {gone}", [f"{monday:%Y-%m-%d}", named])


def with_requests(scenario: Scenario, requests: float) -> Scenario:
    """So many requests a week on every route."""
    routes = tuple(msgspec.structs.replace(route, requests=requests) for route in scenario.routes)
    return msgspec.structs.replace(scenario, routes=routes)


def utc(day: str) -> datetime:
    """Midnight of a day."""
    return datetime.fromisoformat(day).replace(tzinfo=UTC)
