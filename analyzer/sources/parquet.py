"""Read Parquet a few rows at a time into plain Python values that JSON can say.

Times become UTC where the column knows its zone and stay without an offset where it does not;
bytes are read as text; dictionaries, views and nanoseconds become plain strings and microseconds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from analyzer.errors import CitelogError
from analyzer.sources.rows import ROWS_AT_ONCE, Flaw, Rows, python_values
from analyzer.sources.stored import Seekable


class ParquetRows:
    """A Parquet file, read by row groups from its open file."""

    def __init__(self, name: str, file: Seekable) -> None:
        self.name = name
        self.rows_read = 0
        try:
            # Not buffered ahead: that would hold a whole row group.
            self._file = pq.ParquetFile(file, buffer_size=1 << 20, pre_buffer=False)
        except (pa.ArrowException, OSError) as error:
            raise CitelogError(
                f"{name}: is Parquet that breaks off or is damaged; write the file again"
            ) from error
        columns = self._file.schema_arrow
        _check_apart(name, columns.names)
        self.schema = pa.schema([(column.name, _plain(column.type)) for column in columns])
        # A row with a list of chunks, of documents or of messages may hold a hundred texts.
        wide = any(pa.types.is_nested(column.type) for column in columns)
        self._at_once = ROWS_AT_ONCE // 10 if wide else ROWS_AT_ONCE

    @property
    def rows(self) -> int:
        """How many rows the file has."""
        return int(self._file.metadata.num_rows)

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[Rows]:
        self.rows_read = 0
        there = [name for name in self.schema.names if columns is None or name in columns]
        for batch in self._raw_batches(there):
            numbers = range(self.rows_read + 1, self.rows_read + 1 + batch.num_rows)
            self.rows_read += batch.num_rows
            yield _rows(numbers, batch, self.schema)
        # Rows of a file that was cut off meanwhile are left out without a word.
        if self.rows_read < self.rows:
            raise self._unreadable()

    def typed(self, columns: dict[str, list[Any]]) -> dict[str, list[Any]]:
        return columns

    def _raw_batches(self, columns: list[str]) -> Iterator[pa.RecordBatch]:
        try:
            yield from self._file.iter_batches(batch_size=self._at_once, columns=columns)
        except (pa.ArrowException, OSError) as error:
            raise self._unreadable() from error

    def _unreadable(self) -> CitelogError:
        return CitelogError(
            f"{self.name}: row {self.rows_read + 1} or one soon after it could not be read; "
            "the file is damaged or was changed meanwhile, write it again"
        )


def _check_apart(name: str, columns: Sequence[str]) -> None:
    twice = next((each for each in columns if columns.count(each) > 1), None)
    if twice is not None:
        raise CitelogError(f"{name}: has two columns named {twice!r}; give each a name of its own")


def _rows(numbers: range, batch: pa.RecordBatch, schema: pa.Schema) -> Rows:
    flaws: dict[int, Flaw] = {}
    columns = {}
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        plain = schema.field(name).type
        try:
            columns[name] = _values(column, plain)
        except (ValueError, OverflowError, pa.ArrowException):
            columns[name], odd = _one_by_one(column, plain)
            for at in odd:
                reason = "holds bytes that are not UTF-8 text or a time that no calendar has"
                flaws.setdefault(numbers[at], Flaw(name, reason))
    return Rows(numbers, columns, flaws)


def _values(column: pa.Array, plain: pa.DataType) -> list[Any]:
    if column.type != plain:
        # Not checked here: what does not fit is found when it becomes a Python value.
        column = column.cast(plain, safe=False)
    return python_values(column)


def _one_by_one(column: pa.Array, plain: pa.DataType) -> tuple[list[Any], list[int]]:
    """The values, None for those that Python cannot hold, and where these stand."""
    values: list[Any] = []
    odd: list[int] = []
    for at in range(len(column)):
        try:
            values += _values(column.slice(at, 1), plain)
        except (ValueError, OverflowError, pa.ArrowException):
            values.append(None)
            odd.append(at)
    return values, odd


def _plain(kind: pa.DataType) -> pa.DataType:
    types = pa.types
    if types.is_timestamp(kind):
        return pa.timestamp("us", "UTC" if kind.tz else None)
    if types.is_dictionary(kind):
        return _plain(kind.value_type)
    if types.is_struct(kind):
        return pa.struct([(member.name, _plain(member.type)) for member in kind.fields])
    # The large kinds, so that any number of rows can be held together.
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        return pa.large_list(_plain(kind.value_type))
    if kind in (pa.string(), pa.string_view(), pa.binary(), pa.large_binary(), pa.binary_view()):
        return pa.large_string()
    return kind
