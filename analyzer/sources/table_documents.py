"""Rows of a table as documents, so that an importer reads Parquet and CSV as it reads JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from analyzer.sources.documents import SAMPLE, Decode, Document, Keys, Names
from analyzer.sources.rows import Rows, Table


class TableDocuments:
    """The rows of a table; of `wanted` columns, where that says which are read at all."""

    def __init__(self, table: Table, wanted: Sequence[str] | None = None) -> None:
        self.name = table.name
        self._table = table
        self._wanted = wanted

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return list(self._table.schema.names)

    def only(self, wanted: Sequence[str]) -> TableDocuments:
        """The same of some columns alone."""
        return TableDocuments(self._table, wanted)

    def __iter__(self) -> Iterator[Document]:
        for rows in self._table.batches(self._wanted):
            yield from _documents(rows)

    def keyed(self, keys: Keys, decode: Decode) -> Iterator[tuple[Names, Document]]:
        """The rows with the names in their key column; only this is read unless `decode`."""
        there = [column for column in keys.columns if column in self.columns][:1]
        if not there:
            return
        for rows in self._table.batches(self._wanted if decode else there):
            names: list[Names] = [
                {} if cell is None else {keys.plain(str(cell)): None}
                for cell in rows.columns[there[0]]
            ]
            yield from zip(names, _documents(rows), strict=True)

    def sample(self) -> list[dict[str, Any]]:
        """The first rows."""
        found = []
        for document in self:
            found.append(document.value)
            if len(found) >= SAMPLE:
                break
        return found


def _documents(rows: Rows) -> Iterator[Document]:
    names = list(rows.columns)
    for number, *cells in zip(rows.numbers, *rows.columns.values(), strict=True):
        # An empty cell of CSV and a null of Parquet are both nothing.
        row = {
            name: cell
            for name, cell in zip(names, cells, strict=True)
            if cell is not None and cell != ""
        }
        yield Document(number, row, rows.flaws.get(number))
