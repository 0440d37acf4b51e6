"""The orderings that each route used, day by day, and the days on which that changed."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from datetime import date
from math import sqrt
from typing import TYPE_CHECKING

import pyarrow as pa

from analyzer.measures.declared import Declared, declared
from analyzer.measures.orderings import UNTOLD, resolved
from analyzer.measures.rows import Scope, rows

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection

CHANGE = 0.25  # of the requests that show their ordering, from one day to the next ...
SURE = 3.0  # ... and so many standard errors: a day of few requests wanders that far by chance
CLUSTERED = 2.0  # times the variance of independent counts: requests of a unit go together

_SCHEMA = pa.schema(
    [
        ("day", pa.date32()),
        ("route", pa.string()),
        ("ordering", pa.string()),
        ("requests", pa.int64()),  # with known citations and three or more packed chunks
        ("share", pa.float64()),  # of them
        ("declared_otherwise", pa.int64()),  # requests so ordered that declare another ordering
        ("changed", pa.bool_()),  # against the route's day before, by a quarter or more, and surely
    ]
)


Seen = list[tuple[date, str, int, int]]  # day, agreement, K, requests


def ordering_days(con: Connection, scope: Scope) -> pa.Table:
    """One row a day, route and ordering; what a request agrees with is resolved over the scope."""
    by_route: dict[str, Seen] = defaultdict(list)
    for row in rows(con, "ordering_days", scope).to_pylist():
        by_route[row["route"]].append((row["day"], row["ordering_seen"], row["k"], row["requests"]))
    contrary: dict[str, list[Declared]] = defaultdict(list)
    for one in declared(con, scope):
        if one.known and one.otherwise:
            contrary[one.route].append(one)
    found = [
        row
        for route, seen in sorted(by_route.items())
        for row in _of_route(route, seen, contrary[route])
    ]
    return pa.Table.from_pylist(found, _SCHEMA)


def _of_route(route: str, seen: Seen, contrary: list[Declared]) -> Iterator[dict[str, object]]:
    names = resolved((agreement, k, n) for _, agreement, k, n in seen)
    otherwise: Counter[tuple[date, str]] = Counter()
    for one in contrary:
        otherwise[one.day, names.get(one.agreement, "other")] += one.requests
    before: Counter[str] = Counter()
    for day, today in _by_day(seen, names):
        for ordering, requests in sorted(today.items(), key=lambda each: (-each[1], each[0])):
            yield {
                "day": day,
                "route": route,
                "ordering": ordering,
                "requests": requests,
                "share": requests / today.total(),
                "declared_otherwise": otherwise[day, ordering],
                "changed": _changed(ordering, before, today),
            }
        before = today


def _by_day(seen: Seen, names: Mapping[str, str]) -> list[tuple[date, Counter[str]]]:
    """Requests of three chunks or more by ordering, day after day."""
    by_day: dict[date, Counter[str]] = defaultdict(Counter)
    for day, agreement, _, n in seen:
        if agreement != "short":
            by_day[day][names[agreement]] += n
    return sorted(by_day.items())


def _changed(ordering: str, before: Counter[str], today: Counter[str]) -> bool:
    """Whether its share moved far and surely, of the requests that show their ordering."""
    was, now = (sum(n for name, n in day.items() if name not in UNTOLD) for day in (before, today))
    if ordering in UNTOLD or not was or not now:
        return False
    pooled = (before[ordering] + today[ordering]) / (was + now)
    error = sqrt(CLUSTERED * pooled * (1 - pooled) * (1 / was + 1 / now))
    moved = abs(today[ordering] / now - before[ordering] / was)
    return moved >= CHANGE and moved > SURE * error
