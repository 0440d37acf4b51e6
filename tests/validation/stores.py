"""A store without a file, for rollups of simulated traffic."""

from __future__ import annotations

import duckdb
from duckdb import DuckDBPyConnection as Connection

from analyzer import facts, store

SETTINGS = facts.Settings("UTC", bytes(16))


def empty() -> Connection:
    """All tables and no rows."""
    con = duckdb.connect(":memory:", config={"python_enable_replacements": False})
    con.execute("SET enable_progress_bar = false")  # it would stand in the middle of the tables
    for part in store.PARTS:
        con.execute(store.statement(part))
    made = {"schema_version": store.SCHEMA_VERSION, "time_zone": "UTC", "unit_key": "00" * 16}
    con.execute(store.statement("store/settle_settings"), made)
    return con
