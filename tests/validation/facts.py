"""Synthetic traffic straight into a store: the rows that ingest would store, without log files.

The chunks of a period are laid out by looking them up, then take the way of every log: through
`analyzer.facts`, the tables and the rollup SQL. A test writes the same scenario as log files,
ingests them and compares every rollup. Only what concerns files (broken, repeated and revised
lines) has no counterpart here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import groupby
from typing import TYPE_CHECKING

import duckdb
import numpy as np
import pyarrow as pa

from analyzer import facts, rollup, store
from analyzer.facts import columns
from analyzer.simulate import Scenario, periods
from analyzer.simulate.arrays import stream
from analyzer.simulate.generate import Traffic
from analyzer.simulate.logged import Logged, as_logged

from .labels import settled
from .records import requests as records_of
from .shelves import Shelf, logged_columns, shelf

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection

_UNIT_KEY = b"simulated"


def fill(con: Connection, scenario: Scenario, *, keep_facts: bool = False) -> None:
    """Load all of a scenario, a week at a time; none of its days may be in the store yet.

    The facts are dropped once they are rolled up, unless they are to be kept.
    """
    fill_from(con, scenario, periods(scenario), keep_facts=keep_facts)


def fill_from(
    con: Connection, scenario: Scenario, made: Iterable[Traffic], *, keep_facts: bool = False
) -> None:
    """The same from traffic that is made already, in the order of its days."""
    shelves: dict[str, Shelf] = {}
    settings = _settings(con)
    for _, week in groupby(made, key=lambda period: period.stretch.day.isocalendar()[:2]):
        rows = [_rows(scenario, period, shelves, settings) for period in week]
        requests, chunks = (pa.concat_tables(tables) for tables in zip(*rows, strict=True))
        roll_up(con, requests, chunks)
        if keep_facts:
            for name, table in {
                "requests": requests.drop_columns("line"),
                "chunks": chunks,
            }.items():
                con.register("block", table)
                con.execute(f"INSERT INTO {name} BY NAME FROM block")
                con.unregister("block")


def _rows(
    scenario: Scenario, period: Traffic, shelves: dict[str, Shelf], settings: facts.Settings
) -> tuple[pa.Table, pa.Table]:
    name = period.route.name
    if name not in shelves:
        shelves[name] = shelf(period.pool)
    return settled(facts_of(scenario, period, shelves[name], settings), period, scenario)


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


@contextmanager
def empty_store() -> Iterator[Connection]:
    """A store in memory, its days cut in UTC."""
    with duckdb.connect(config={"python_enable_replacements": False, "threads": 1}) as con:
        for part in ("store/schema", "store/versions"):
            con.execute(store.statement(part))
        settled = {
            "schema_version": store.SCHEMA_VERSION,
            "time_zone": "UTC",
            "unit_key": _UNIT_KEY.hex(),
        }
        con.execute(store.statement("store/settle_settings"), settled)
        yield con


def _settings(con: Connection) -> facts.Settings:
    held = store.settings(con)
    return facts.Settings(str(held["time_zone"]), bytes.fromhex(str(held["unit_key"])))


def facts_of(
    scenario: Scenario, period: Traffic, shelf: Shelf, settings: facts.Settings
) -> facts.Facts:
    """The fact rows of a period; lines that no record can be made of are left out."""
    start = period.stretch.start.isoformat()
    logged = as_logged(period, stream(scenario.seed, "logged", period.route.name, start))
    sound = np.flatnonzero(logged.sound)
    records = records_of(period, logged)
    if len(sound) < len(records):
        records = [records[index] for index in sound.tolist()]
    return facts.build(records, sound.tolist(), settings, _block(period, logged, shelf))


def _block(period: Traffic, logged: Logged, shelf: Shelf) -> columns.Block:
    """The chunks of a period, laid end to end as `columns.block` would lay its records."""
    rows = np.flatnonzero(logged.sound[period.chunks.request])
    arrays = logged_columns(period, logged, shelf)
    if len(rows) < len(period.chunks.request):
        arrays = {name: column.take(rows) for name, column in arrays.items()}
    number = np.cumsum(logged.sound) - 1
    return columns.Block(
        size=int(logged.sound.sum()),
        owner=number[period.chunks.request[rows]],
        arrays=arrays,
        texts=(),
        embeddings=(),
        rank=columns.filled(arrays["rank"])[0],
        position=columns.filled(arrays["position"])[0],
    )
