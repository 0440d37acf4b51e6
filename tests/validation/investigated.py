"""Every incident planted alone, in the middle of a week, and what `citelog investigate` says of it.

Right is: the cause it is known by, its route, the label that came with it where one did, and an
interval of hours that holds the hour at which it began. What has not alarmed is not investigated.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path

import pyarrow as pa
from duckdb import DuckDBPyConnection as Connection

from analyzer.oncall.began import Onset
from analyzer.oncall.questions import Investigation, Thresholds, of_alarm
from analyzer.simulate import Incident, Scenario
from analyzer.simulate.generate import Traffic
from analyzer.store import statement
from analyzer.watch import alarms
from analyzer.watch.causes import explain
from analyzer.watch.grouping import grouped

from .facts import roll_up, weeks_of_facts
from .incidents import EXPECTED, MIX, Case, planted
from .striking import Stable, made
from .table import Row

# incident: the dimension in which its label is new
LABELLED = {"reindex_copies": "index_version", "dip_deepens": "model"}


class Held(Stable):
    """Stable traffic whose requests are held from a day on, as a store holds them."""

    def __init__(self, scenario: Scenario, held_from: datetime) -> None:
        super().__init__(scenario)
        self.held_from = held_from
        names = [route.name for route in scenario.routes]
        for requests, chunks in weeks_of_facts(scenario, made(scenario, names, held_from)):
            hold(self.con, requests, chunks)

    def fill(self, scenario: Scenario, traffic_of_days: Iterable[Traffic]) -> None:
        """The counts and the requests of what happened."""
        for requests, chunks in weeks_of_facts(scenario, traffic_of_days):
            roll_up(self.con, requests, chunks)
            self.con.register("struck", requests)
            self.con.execute(
                "DELETE FROM requests WHERE (day, route) IN (SELECT (day, route) FROM struck)"
            )
            self.con.execute(
                "DELETE FROM chunk_facts WHERE (day, dimension_key) IN "
                "(SELECT (day, dimension_key) FROM struck JOIN dimensions USING (route))"
            )
            self.con.unregister("struck")
            hold(self.con, requests, chunks)

    def save(self, path: Path) -> Path:
        """The same as a file, for commands to open."""
        self.con.execute(f"ATTACH '{path}' AS file")
        self.con.execute("COPY FROM DATABASE memory TO file")
        self.con.execute("DETACH file")
        return path


def hold(con: Connection, requests: pa.Table, chunks: pa.Table) -> None:
    """Put requests and chunks into the store's own tables."""
    con.execute("CREATE TEMP TABLE whole_chunks AS FROM chunks LIMIT 0")
    for table, rows in (("requests", requests), ("whole_chunks", chunks)):
        columns = [row[0] for row in con.execute(f"DESCRIBE {table}").fetchall()]
        con.register("more", rows.select([name for name in columns if name in rows.column_names]))
        con.execute(f"INSERT INTO {table} BY NAME SELECT * FROM more")
        con.unregister("more")
    con.execute(statement("store/whole_chunks"))


@dataclass(frozen=True)
class Answer:
    """What was planted, and what is said of its worst alarm; None: nothing alarmed."""

    case: Case
    found: Investigation | None

    @property
    def incident(self) -> Incident:
        """The only one of the case."""
        return self.case.incidents[0]

    @property
    def right(self) -> dict[str, bool]:
        """Of what is said of it, whether it is so; empty where nothing alarmed."""
        facts = self.found.found if self.found else None
        if facts is None or self.found is None or self.found.cause is None:
            return {}
        told = {
            "cause": self.found.cause.code == EXPECTED[self.incident.kind],
            "route": facts.window.route in (self.incident.routes or (facts.window.route,)),
        }
        if isinstance(facts.began, Onset):
            since = self.incident.since.replace(tzinfo=None)
            told["hour"] = facts.began.earliest <= since <= facts.began.latest
        if self.incident.kind in LABELLED:
            leading = facts.carried.leading if facts.carried else None
            led = leading is not None and leading.dimension == LABELLED[self.incident.kind]
            told["label"] = led and leading is not None and leading.new
        return told

    @property
    def hours(self) -> float | None:
        """How wide the interval of its beginning is; None where no hour is told."""
        began = self.found.found.began if self.found and self.found.found else None
        if not isinstance(began, Onset):
            return None
        return (began.latest - began.earliest) / timedelta(hours=1)

    def told(self) -> str:
        """The answer in a line."""
        if self.found is None:
            return f"{self.case.name}: no alarm in three weeks"
        hours = "no hour" if self.hours is None else f"within {self.hours:.0f} h"
        wrong = [name for name, so in self.right.items() if not so]
        return f"{self.case.name}: {hours}{'; WRONG: ' + ', '.join(wrong) if wrong else ''}"


def rows(found: Sequence[Answer]) -> list[Row]:
    """How often each thing that is said is so; one hour in twenty may be missed."""
    alarmed = [one for one in found if one.found is not None]
    told = [
        Row(name, f"{sum(of)} of {len(of)}", promise, sum(of) >= least * len(of))
        for name, promise, least in _PROMISES
        for of in [[one.right[name] for one in alarmed if name in one.right]]
    ]
    hours = sorted(one.hours for one in alarmed if one.hours is not None)
    width = Row("hours of an interval, the middle one", f"{hours[len(hours) // 2]:.0f}", "", None)
    return [*told, width, Row("alarmed", f"{len(alarmed)} of {len(found)}", "", None)]


_PROMISES = (
    ("cause", "all", 1.0),
    ("route", "all", 1.0),
    ("label", "all", 1.0),
    ("hour", "95 %", 0.95),
)


def answered(held: Held, case: Case, last: date) -> Answer:
    """Plant a case and investigate the worst alarm of the week `last`."""
    with held.struck(*case.incidents) as con:
        told = alarms(con, last)
        findings = grouped(told, explain(con, told))
        if not findings:
            return Answer(case, None)
        return Answer(case, of_alarm(con, findings[0].episodes[0].id, told, Thresholds()))


def answers(scenario: Scenario, since: datetime) -> Iterator[Answer]:
    """Every incident on every route on which it can be seen, three weeks after it began."""
    monday = since - timedelta(days=since.weekday(), hours=since.hour)
    held = Held(scenario, monday - timedelta(weeks=3))
    last = monday.date() + timedelta(weeks=2)
    for case in planted(scenario, since):
        if EXPECTED[case.incidents[0].kind] != MIX:
            yield answered(held, case, last)
