"""Stores as earlier versions of the schema made them."""

from __future__ import annotations

from pathlib import Path

import duckdb
from duckdb import DuckDBPyConnection as Connection

from analyzer import store
from analyzer.store_migrations import forward

CHUNKS = Path(__file__).with_name("chunks_until_4.sql").read_text(encoding="utf-8")
UNIT_KEY = "00"


def make(path: Path, version: int = 1, time_zone: str = "UTC") -> None:
    """A store of a schema version before 5, without rows."""
    with duckdb.connect(str(path)) as con:
        for part in (store.statement("store/schema"), CHUNKS, store.statement("store/versions")):
            con.execute(part)
        made = {"schema_version": 1, "time_zone": time_zone, "unit_key": UNIT_KEY}
        con.execute(store.statement("store/settle_settings"), made)
        forward(con, 1, version)


def turned_back(newer: Path, path: Path, version: int) -> None:
    """The same as such a store holds it."""
    make(path, version)
    with duckdb.connect(str(path)) as con:
        con.execute(f"ATTACH '{newer}' AS newer (READ_ONLY)")
        for (table,) in con.execute("SHOW TABLES").fetchall():
            if table != "settings":
                con.execute(f"INSERT INTO {table} FROM newer.{table}")


def held(con: Connection) -> dict[str, list[str]]:
    """Every row of every table that such a store has."""
    of_first = [name for (name,) in con.execute("SHOW TABLES").fetchall() if name != "settings"]
    return {name: sorted(map(repr, con.execute(f"FROM {name}").fetchall())) for name in of_first}
