"""A folder with logs and a store: what the tests of loading work on, and how they look into it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from analyzer import ingest, store
from analyzer.ingest import Batch
from loading.records import Json, log

NOW = datetime(2026, 12, 1, 2, tzinfo=UTC)
FACTS = ("requests", "chunks", "dimensions", "texts", "versions")
BOOKS = ("memberships", "judgements", "rejected_lines", "sealed_requests")
ROLLUPS = ("cells", "cells_by_position", "ranks", "units", "days", "lengths", "documents")
_SHOWN = {
    "batches": "SELECT * EXCLUDE (loaded_at) FROM batches",
    "dimensions": "SELECT * EXCLUDE (dimension_key) FROM dimensions",
    "versions": "SELECT * REPLACE (list_sort(chunks) AS chunks) FROM versions",
}

Contents = dict[str, list[str]]


class Site:
    """One store and its logs, in a folder of their own."""

    def __init__(self, folder: Path, **settings: str) -> None:
        self.folder = folder
        self.store = folder / "store.duckdb"
        self.settings = {"unit_key": "00", **settings}

    def log(self, name: str, *records: Json) -> Path:
        """A log file here with these records."""
        return log(self.folder / name, *records)

    def load(self, *files: Path, **options: Any) -> list[Batch]:
        """Load files in one call; rejected lines alone set no file aside unless it is asked."""
        options = {"now": NOW, "max_rejected": 1.0, **self.settings, **options}
        return ingest.ingest(files, self.store, **options)

    def load_log(self, name: str, *records: Json, **options: Any) -> Batch:
        """Write a log here and load it."""
        [batch] = self.load(self.log(name, *records), **options)
        return batch

    def forget(self, *batches: Batch) -> list[Batch]:
        """Take batches back."""
        return ingest.forget([batch.batch for batch in batches], self.store)

    def seal(self, before: str, today: str) -> None:
        """Seal the days before a Monday."""
        store.seal(self.store, date.fromisoformat(before), date.fromisoformat(today))

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """What a query returns."""
        with store.reader(self.store) as con:
            return con.execute(sql).fetchall()

    def contents(self, tables: Sequence[str] = (*FACTS, *BOOKS, *ROLLUPS, "batches")) -> Contents:
        """Every row of every table, in an order that does not depend on the store's."""
        found = {}
        with store.reader(self.store) as con:
            for table in tables:
                rows = con.execute(_SHOWN.get(table, f"FROM {table}")).fetchall()
                found[table] = sorted(map(repr, rows))
        return found


def counters(batch: Batch) -> tuple[int, int, int, int, int]:
    """read, loaded, duplicate, superseded, rejected; held to adding up."""
    parts = (batch.loaded, batch.duplicate, batch.superseded, batch.rejected)
    assert batch.read == sum(parts), batch
    return batch.read, *parts


def kept(site: Site) -> dict[str, tuple[int, ...]]:
    """The counters in the books, by file name; held to adding up."""
    rows = site.rows(
        "SELECT parse_filename(file), read, loaded, duplicate, superseded, rejected FROM batches"
    )
    for _, read, *parts in rows:
        assert read == sum(parts), rows
    return {name: tuple(numbers) for name, *numbers in rows}
