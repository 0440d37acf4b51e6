"""Nested Parquet: one row is one record, its chunks a list of structs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from analyzer.sources.records import Record, present
from analyzer.sources.rows import Table


def nested_records(table: Table) -> Iterator[Record]:
    """The records of a table in the order of its rows."""
    for rows in table.batches():
        if "chunks" in rows.columns:
            rows.columns["chunks"] = [_present_chunks(value) for value in rows.columns["chunks"]]
        names = list(rows.columns)
        for number, *values in zip(rows.numbers, *rows.columns.values(), strict=True):
            yield Record(number, dict(zip(names, values, strict=True)), rows.flaws.get(number))


def _present_chunks(chunks: Any) -> Any:
    if not isinstance(chunks, list):
        return chunks
    return [present(chunk) if isinstance(chunk, dict) else chunk for chunk in chunks]
