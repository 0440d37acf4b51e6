"""Which routes a week is expected to hold, and how much each of them had in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

from analyzer import query

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection

MISSED = 4  # weeks for which a route that fell silent still counts as one of the store's


def requests_of(con: Connection, week: date) -> dict[str, int]:
    """Requests of a week by route, the busiest first; 0 for one that fell silent lately."""
    first = week - timedelta(weeks=MISSED)
    days = query.ask(con, "requests_per_day", first_day=first, days=7 * (MISSED + 1))
    return counted(days.to_pylist(), week)


def counted(days: Iterable[Mapping[str, Any]], week: date) -> dict[str, int]:
    """The same from rows of `requests_per_day` that reach back far enough."""
    requests: Counter[str] = Counter()
    for row in days:
        if row["requests"] and row["day"] >= week - timedelta(weeks=MISSED):
            requests[row["route"]] += row["requests"] if row["day"] >= week else 0
    ranked = sorted(requests, key=lambda route: (-requests[route], route))
    return {route: requests[route] for route in ranked}
