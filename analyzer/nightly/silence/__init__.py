"""Alarms on what is missing: a route without traffic, a night without a file, a field that
vanished, and a jump of the rejected share.

Simple rules on counts, so that they hold from the second week on and on small routes; their
thresholds are the settings of [volume].
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from analyzer.config import Volume
from analyzer.nightly.calendar import WEEK, Night
from analyzer.nightly.silence.fields import vanished_fields
from analyzer.nightly.silence.judged import Judged, Key, Standing
from analyzer.nightly.silence.loads import Loaded, no_file, rejected_lines
from analyzer.nightly.silence.routes import silent_routes, unraised
from analyzer.store import statement

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection

__all__ = ["Judged", "Key", "Standing", "silences"]


def silences(
    con: Connection, night: Night, standing: Standing, volume: Volume
) -> tuple[Judged, ...]:
    """Everything that could be missing, judged for the night; standing: what is so already."""
    rows = _rows(con, night, volume.weeks)
    loads = _loads(con, night, volume.weeks)
    files = no_file(loads, _first_load(con, night), night, volume)
    routes = silent_routes(rows, night, standing, volume)
    if files.holds:  # then every route is silent, and that is no news
        routes = [unraised(one) for one in routes]
    fields = vanished_fields(rows, night, standing, volume)
    return (files, rejected_lines(loads, night, volume), *routes, *fields)


def _rows(con: Connection, night: Night, weeks: int) -> list[Mapping[str, Any]]:
    """Counts of each route and day, from so many weeks before the last day on."""
    asked = {"first_day": night.last_day - weeks * WEEK, "next_day": night.today}
    rows: list[Mapping[str, Any]] = (
        con.sql(statement("night/route_days"), params=asked).to_arrow_table().to_pylist()
    )
    return rows


def _loads(con: Connection, night: Night, weeks: int) -> dict[date, Loaded]:
    """What was loaded on each day, by the store's calendar."""
    since = datetime.combine(night.today - (weeks + 1) * WEEK, datetime.min.time())
    rows = con.execute(statement("night/loads"), {"since": since}).fetchall()
    found: dict[date, Loaded] = {}
    for loaded_at, read, rejected in rows:
        day = night.day_of(loaded_at)
        found[day] = found.get(day, Loaded()) + Loaded(1, read, rejected)
    return found


def _first_load(con: Connection, night: Night) -> date | None:
    [(moment,)] = con.execute(statement("night/first_load")).fetchall()
    return night.day_of(moment) if moment else None
