"""How long the prompts of production are, from a store."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from analyzer.errors import NothingThere, UsageError
from analyzer.parameters import monday_of
from analyzer.store import reader, statement

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection

DAYS = 28


def length_bins(path: Path, route: str | None) -> list[tuple[int, int]]:
    """(bin of context tokens, requests) of a route over the last four weeks of a store.

    Bins ascend. Raises `UsageError` where the store has several routes and none is named.
    """
    with reader(path) as con:
        last = _last_day(con)
        rows = []
        if last is not None:
            rows = con.execute(statement("swap/lengths"), _span(last, route)).fetchall()
    routes = sorted({row[0] for row in rows})
    if not routes:
        named = f" of route {route}" if route else ""
        raise NothingThere(f"{path}: holds no context tokens{named} of its last four weeks")
    if len(routes) > 1:
        raise UsageError(f"{path}: holds routes {', '.join(routes)}; name one with --route")
    counts: dict[int, int] = {}
    for _, _, context_bin, requests in rows:
        counts[context_bin] = counts.get(context_bin, 0) + requests
    return sorted(counts.items())


def last_week(con: Connection) -> date:
    """The Monday of the last week with requests; raises `NothingThere` for an empty store."""
    last = _last_day(con)
    if last is None:
        raise NothingThere("the store has no requests yet; citelog ingest loads some")
    return monday_of(last)


def _last_day(con: Connection) -> date | None:
    last: date | None
    ((last,),) = con.execute(statement("swap/last_day")).fetchall()
    return last


def _span(last: date, route: str | None) -> dict[str, object]:
    first = last - timedelta(days=DAYS - 1)
    return {"first_day": first, "next_day": last + timedelta(days=1), "route": route}
