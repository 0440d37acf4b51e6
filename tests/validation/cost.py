"""What a night and a report cost on a large site: ten routes, a year, 50,000 requests a day each.

One day is drawn for each route and stands for all days of the year; the cells of such a day are
nearly all there are, so the store is as large as it would be. Weekly estimates wander around those
of one week. Times are wall clock on this machine, whatever else it does.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import closing
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import duckdb
import msgspec
import pyarrow as pa

from analyzer import report, store
from analyzer.measures import weekly
from analyzer.telling.findings import Screen, screen
from analyzer.telling.volumes import requests_of
from analyzer.watch.alarms import alarms
from analyzer.watch.causes import explain

from .drawing import tables
from .table import Row
from .years import Year, year

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection

A_DAY = 50_000
WEEKS = 52
UPDATE_SECONDS, WATCH_SECONDS = 10.0, 2.0
# Sums of three even numbers spread like a normal one, with a standard deviation of a half.
_WANDERING = """
    INSERT INTO week_estimates
    SELECT week_estimates.* REPLACE (
        week + CAST(7 * later AS INTEGER) AS week,
        value + se * 2 * (random() + random() + random() - 1.5) AS value
    )
    FROM week_estimates, range(1, CAST($weeks AS BIGINT)) AS weeks(later)
"""
_replace = msgspec.structs.replace


def rows(requests: int = A_DAY, weeks: int = WEEKS) -> list[Row]:
    """Build the store in a temporary folder, time both, and take it away again."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "store.duckdb"
        with closing(_made(file)) as con:
            last = _fill(con, requests, weeks)
            con.execute("CHECKPOINT")
            cells = con.execute("SELECT count(*) FROM cells").fetchall()[0][0]
            update = _timed(lambda: weekly.update(con))
            watch = _timed(lambda: _told(con, last))
            whole = _timed(lambda: report.build(con, week=last, version="0"))
        size = file.stat().st_size / 1e9
    held = f"{cells / 1e6:.0f} million cells, {size:.1f} GB"
    return [
        Row(f"estimates of one touched week; {held}", f"{update:.1f} s", "under 10 s",
            update < UPDATE_SECONDS),
        Row(f"alarms from the estimates of {weeks} weeks, causes and findings", f"{watch:.1f} s",
            "under 2 s", watch < WATCH_SECONDS),
        Row("the whole weekly report, with the effects of 13 weeks from their cells",
            f"{whole:.1f} s", "not promised", None),
    ]  # fmt: skip


def _told(con: Connection, last: date) -> Screen:
    """What `citelog alerts` and the head of the report say."""
    found = alarms(con, last)
    return screen(found, explain(con, found), requests_of(con, last), last)


def _timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _made(file: Path) -> Connection:
    con = duckdb.connect(str(file), config={"memory_limit": store.WRITER_MEMORY})
    con.execute("SET enable_progress_bar = false")
    for part in store.PARTS:
        con.execute(store.statement(part))
    return con


def _fill(con: Connection, requests: int, weeks: int) -> date:
    """A year of rollups and estimates, but for those of the last week, whose Monday it returns."""
    made = Year(year(1), size=requests)
    busy = [_replace(route, requests=float(requests)) for route in made.scenario.routes]
    day = tables(made.monday(0), {route.name: made.drawn(route, 0) for route in busy})
    _repeat(con, day, range(1))
    weekly.update(con)
    con.execute("SELECT setseed(0.5)").fetchall()
    con.execute(_WANDERING, {"weeks": weeks - 1})
    _repeat(con, day, range(1, weeks))
    return made.monday(weeks - 1)


def _repeat(con: Connection, day: Mapping[str, pa.Table], weeks: range) -> None:
    """The same day's rollups on every day of these weeks."""
    for name, table in day.items():
        con.register("block", table)
        for week in weeks:
            con.execute(
                f"INSERT INTO {name} SELECT block.* REPLACE (day + CAST(i + $1 AS INTEGER) AS day) "
                "FROM block, range(7) AS days(i)",
                [7 * week],
            )
        con.unregister("block")
