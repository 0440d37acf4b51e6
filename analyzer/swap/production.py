"""How long the prompts of production are, from a store."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

from analyzer import weeks
from analyzer.errors import NothingThere, UsageError
from analyzer.store import reader, statement

WEEKS = 4


def length_bins(path: Path, route: str | None, today: date) -> list[tuple[int, int]]:
    """(bin of context tokens, requests) of a route over the last four weeks that are over.

    Bins ascend. Raises `UsageError` where the store has several routes and none is named.
    """
    with reader(path) as con:
        asked = _span(weeks.newest(con, today), route)
        rows = con.execute(statement("swap/lengths"), asked).fetchall()
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


def _span(last: date, route: str | None) -> dict[str, object]:
    after = last + timedelta(weeks=1)
    return {"first_day": after - timedelta(weeks=WEEKS), "next_day": after, "route": route}
