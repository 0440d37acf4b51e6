"""The orderings that each route used, day by day, and the days on which that changed."""

from __future__ import annotations

from collections import defaultdict
from datetime import date
from typing import TYPE_CHECKING

import pyarrow as pa

from analyzer.measures.orderings import resolved, shares
from analyzer.measures.rows import Scope, rows

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection

# A share of requests that moves by this much from one day to the next is a change of ordering.
CHANGE = 0.25

_SCHEMA = pa.schema(
    [
        ("day", pa.date32()),
        ("route", pa.string()),
        ("ordering", pa.string()),
        ("requests", pa.int64()),  # with known citations and three or more packed chunks
        ("share", pa.float64()),  # of them
        ("changed", pa.bool_()),  # against the route's day before, by a quarter or more
    ]
)


def ordering_days(con: Connection, scope: Scope) -> pa.Table:
    """One row a day, route and ordering; what a request agrees with is resolved over the scope."""
    by_route: dict[str, list[tuple[date, str, int, int]]] = defaultdict(list)
    for row in rows(con, "ordering_days", scope).to_pylist():
        by_route[row["route"]].append((row["day"], row["ordering_seen"], row["k"], row["requests"]))
    found = [row for route, seen in sorted(by_route.items()) for row in _of_route(route, seen)]
    return pa.Table.from_pylist(found, _SCHEMA)


def _of_route(route: str, seen: list[tuple[date, str, int, int]]) -> list[dict[str, object]]:
    names = resolved((agreement, k, n) for _, agreement, k, n in seen)
    by_day: dict[date, list[tuple[str, int, int]]] = defaultdict(list)
    for day, agreement, k, n in seen:
        by_day[day].append((agreement, k, n))
    found, before = [], None
    for day, told in sorted(by_day.items()):
        today = shares(told, names)
        requests = sum(n for agreement, _, n in told if agreement != "short")
        for ordering, share in today.items():
            moved = before is not None and abs(share - before.get(ordering, 0.0)) >= CHANGE
            found.append(
                {
                    "day": day,
                    "route": route,
                    "ordering": ordering,
                    "requests": round(share * requests),
                    "share": share,
                    "changed": moved,
                }
            )
        before = today or before
    return found
