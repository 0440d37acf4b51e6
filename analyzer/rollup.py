"""Rollups: additive counts per day, rebuilt for exactly the days that a change touched.

Each `queries/rollup/<table>.sql` selects the rows of one table for the days in `touched_days`
(`documents`: the weeks of those days). The statements use only what DuckDB and Spark compute
identically: sums, counts and CASE on integers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from analyzer.store import statement

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection

BY_DAY = ("cells", "cells_by_position", "ranks", "units", "days", "lengths")
BY_WEEK = ("documents",)


def rebuild(con: Connection) -> None:
    """Rebuild every rollup for the days in the temporary table `touched_days`; sealed ones stay."""
    con.execute(statement("rollup/distinct_days"))
    con.execute(statement("rollup/touched_weeks"))
    for table in (*BY_DAY, *BY_WEEK):
        con.execute(statement(f"rollup/clear/{table}"))
        con.sql(statement(f"rollup/{table}")).insert_into(table)
    con.execute(statement("rollup/clear/week_estimates"))
