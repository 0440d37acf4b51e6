"""Much synthetic traffic into a store at once: facts outside, rollups inside.

The rows are those that ingest would store, and the rollup SQL is the real one; a test writes the
same scenario as log files, ingests them and compares every rollup. Only what concerns files
(broken, repeated and revised lines) has no counterpart here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import TYPE_CHECKING

import pyarrow as pa

from analyzer import rollup
from analyzer.simulate import Scenario, periods
from analyzer.simulate.generate import Traffic

from .labels import settled
from .stores import SETTINGS
from .traffic_facts import index_of, loaded

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection

Index = dict[str, pa.Array]


def fill(con: Connection, scenario: Scenario) -> None:
    """Roll up all of a scenario, a week at a time; none of its days may be in the store yet."""
    fill_from(con, scenario, periods(scenario))


def fill_from(con: Connection, scenario: Scenario, made: Iterable[Traffic]) -> None:
    """The same from traffic that is made already, in the order of its days."""
    for requests, chunks in weeks_of_facts(scenario, made):
        roll_up(con, requests, chunks)


def weeks_of_facts(
    scenario: Scenario, made: Iterable[Traffic]
) -> Iterator[tuple[pa.Table, pa.Table]]:
    """Requests and chunks as the store holds them, of one week after the other."""
    indices: dict[str, Index] = {}
    for _, week in groupby(made, key=lambda period: period.stretch.day.isocalendar()[:2]):
        rows = [_rows(scenario, period, indices) for period in week if len(period.k)]
        if rows:
            requests, chunks = zip(*rows, strict=True)
            yield pa.concat_tables(requests), pa.concat_tables(chunks)


def _rows(
    scenario: Scenario, period: Traffic, indices: dict[str, Index]
) -> tuple[pa.Table, pa.Table]:
    name = period.route.name
    if name not in indices:
        indices[name] = index_of(period.pool)
    made = loaded(scenario, period, indices[name], SETTINGS).facts
    assert made is not None, "a period without a single sound line belongs into log files"
    return settled(made, period, scenario)


def roll_up(con: Connection, requests: pa.Table, chunks: pa.Table) -> None:
    """Add the rollups of days that are not in the store yet; the facts themselves stay outside.

    Registered under their names they stand before the store's own, empty tables: copying every
    row into those first would take ten times as long.
    """
    con.register("requests", requests)
    con.register("chunks", chunks)
    con.execute("CREATE OR REPLACE TEMP TABLE touched_days AS SELECT DISTINCT day FROM requests")
    rollup.rebuild(con)
    con.unregister("requests")
    con.unregister("chunks")
