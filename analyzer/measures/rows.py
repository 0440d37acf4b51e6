"""Rollup rows of a span of days, as the arrays that the statistics take.

A scope is a span of days and, where asked, one route, model and release.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from analyzer.stats.arrays import Integers
from analyzer.store import statement

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection


@dataclass(frozen=True)
class Scope:
    """The days from `first_day` up to, not including, `next_day`; None = every one."""

    first_day: date
    next_day: date
    route: str | None = None
    model: str | None = None
    release: str | None = None


def week_of(monday: date, route: str | None = None) -> Scope:
    """The seven days that a Monday opens."""
    return Scope(monday, monday + timedelta(days=7), route)


def rows(con: Connection, name: str, scope: Scope) -> pa.Table:
    """The answer of `queries/measures/<name>.sql` for a scope."""
    sql = statement(f"measures/{name}")
    asked: dict[str, Any] = {key: value for key, value in asdict(scope).items() if f"${key}" in sql}
    return con.sql(sql, params=asked).to_arrow_table()


def whole(table: pa.Table, column: str) -> Integers:
    """A column of counts."""
    return np.asarray(table[column].combine_chunks().to_numpy(zero_copy_only=False), np.int64)


def coded(table: pa.Table, column: str) -> tuple[Integers, list[str]]:
    """A column of strings as codes into its distinct values."""
    encoded = table[column].combine_chunks().dictionary_encode()
    codes = np.asarray(encoded.indices.to_numpy(zero_copy_only=False), np.int64)
    return codes, [str(name) for name in encoded.dictionary.to_pylist()]


def of_route(table: pa.Table, route: str) -> pa.Table:
    """The rows of one route."""
    return table.filter(pc.equal(table["route"], route))


def weeks_held(con: Connection, scope: Scope) -> int:
    """How many weeks of a scope have requests; at least 1, so that it can be divided by."""
    asked = {"first_day": scope.first_day, "next_day": scope.next_day}
    ((weeks,),) = con.execute(statement("measures/weeks_held"), asked).fetchall()
    return max(1, int(weeks))
