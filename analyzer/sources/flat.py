"""Flat Parquet and CSV: one row is one chunk, and a request's fields stand on each of its rows.

Columns have the record's names. Rows of one request (and revision) become one record; a field of
the request may be left out on some of its rows, but two values of one field refuse the request. A
row without chunk fields is a request without chunks. A row with `judged_at` and without
`chunk_id` is a judgement. A column that the record does not know goes with the request, as its
first row has it. A row that does not fit the table refuses the request that it names.

Requests are put together as the rows go by. Where the rows of a request do not stand together,
which a first pass over the keys finds out, the whole table is held in memory and sorted, requests
in the order of their first rows.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from analyzer.errors import CitelogError
from analyzer.record import MOST_CHUNKS, Chunk, Request
from analyzer.sources.records import Record, present
from analyzer.sources.rows import ROWS_AT_ONCE, Flaw, Rows, Table, python_values
from analyzer.sources.unpacking import EndsEarly

_CHUNK_FIELDS = frozenset(Chunk.__struct_fields__)
_REQUEST_FIELDS = frozenset(Request.__struct_fields__)

# The request and revision that a row belongs to; None for a row that stands alone: a judgement,
# or a row without a request.
_Key = tuple[str, Any] | None
_KEY_COLUMNS = ("request_id", "revision", "judged_at", "chunk_id")


def stand_together(table: Table) -> bool:
    """Whether the rows of each request follow one another; reads the key columns once."""
    heads = array("q")
    last: _Key = None
    try:
        for rows in table.batches(_KEY_COLUMNS):
            for key, _ in groupby(_keys(table.typed(rows.columns), len(rows.numbers))):
                if key is not None and key != last:
                    heads.append(hash(key))
                    last = key
    except EndsEarly:
        pass
    return len(np.unique(np.frombuffer(heads, dtype=np.int64))) == len(heads)


def flat_records(table: Table, together: bool) -> Iterator[Record]:
    """The requests and judgements of a table; `together` as `stand_together` found it.

    Raises EndsEarly again when reading the table raises it; the request that was open then is
    refused, as nobody knows whether all its rows were there.
    """
    current: _Request | None = None
    try:
        for row in _rows(table, table.batches() if together else _sorted(table)):
            if row.key is None:
                yield from row.alone()
            elif current and current.key == row.key:
                current.add(row)
            else:
                if current:
                    yield current.record()
                current = _Request(row)
    except EndsEarly:
        if current:
            current.flaw = Flaw("", "is cut off: the file ends among the rows of this request")
            yield current.record()
        raise
    if current:
        yield current.record()


class _Row(NamedTuple):
    """One row; `request` holds the request's fields in the order of the columns."""

    number: int
    key: _Key
    request: tuple[Any, ...]
    chunk: dict[str, Any]
    others: dict[str, Any]
    flaw: Flaw | None
    names: tuple[str, ...]

    def alone(self) -> Iterator[Record]:
        """A judgement; or a request without an id, which the parser will reject."""
        fields = present({**dict(zip(self.names, self.request, strict=True)), **self.others})
        if "judged_at" in fields and "chunk_id" not in self.chunk:
            yield Record(self.number, {**fields, **self.chunk}, self.flaw)
        elif self.flaw or self.chunk or fields:
            yield Record(self.number, {**fields, "chunks": [self.chunk]}, self.flaw)


class _Request:
    """A request whose rows are being put together."""

    def __init__(self, row: _Row) -> None:
        self.key = row.key
        self.flaw: Flaw | None = None
        self._first = row
        self._fields = list(row.request)
        self._chunks: list[dict[str, Any]] = []
        self._chunk_count = 0
        self.add(row)

    def add(self, row: _Row) -> None:
        self.flaw = self.flaw or row.flaw
        if row.request != self._first.request:
            self._merge(row)
        if row.chunk:
            self._chunk_count += 1
            # What is over the limit is counted, not held: one id on every row fills no memory.
            if self._chunk_count <= MOST_CHUNKS:
                self._chunks.append(row.chunk)

    def record(self) -> Record:
        if self._chunk_count > MOST_CHUNKS:
            reason = f"has {self._chunk_count} items, but a request has at most {MOST_CHUNKS}"
            self.flaw = self.flaw or Flaw("chunks", reason)
        fields = dict(zip(self._first.names, self._fields, strict=True))
        fields.update(self._first.others)
        fields["chunks"] = self._chunks
        return Record(self._first.number, fields, self.flaw)

    def _merge(self, row: _Row) -> None:
        for at, (old, new) in enumerate(zip(self._fields, row.request, strict=True)):
            if old is None:
                self._fields[at] = new
            elif new is not None and not _same(old, new):
                reason = (
                    f"differs between rows {self._first.number} and {row.number} of the request"
                )
                self.flaw = self.flaw or Flaw(row.names[at], reason)


def _same(old: Any, new: Any) -> bool:
    both_are_nan = old != old and new != new
    return bool(old == new or both_are_nan)


def _rows(table: Table, batches: Iterator[Rows]) -> Iterator[_Row]:
    names = table.schema.names
    of_request = tuple(name for name in names if name in _REQUEST_FIELDS)
    of_chunk = [name for name in names if name in _CHUNK_FIELDS]
    of_others = [name for name in names if name not in _REQUEST_FIELDS | _CHUNK_FIELDS]
    for rows in batches:
        columns = table.typed(rows.columns)
        for number, key, request, chunk, others in zip(
            rows.numbers,
            _keys(columns, len(rows.numbers)),
            zip(*(columns[name] for name in of_request), strict=True),
            _present(columns, of_chunk, len(rows.numbers)),
            _present(columns, of_others, len(rows.numbers)),
            strict=True,
        ):
            yield _Row(number, key, request, chunk, others, rows.flaws.get(number), of_request)


def _present(columns: dict[str, list[Any]], names: list[str], count: int) -> list[dict[str, Any]]:
    if not names:
        return [{}] * count
    return [
        {
            name: value
            for name, value in zip(names, values, strict=True)
            # An empty id is how a row says that it holds no chunk.
            if value is not None and not (value == "" and name == "chunk_id")
        }
        for values in zip(*(columns[name] for name in names), strict=True)
    ]


def _keys(columns: dict[str, list[Any]], count: int) -> list[_Key]:
    nothing = [None] * count
    requests, revisions, judged, chunks = (columns.get(name, nothing) for name in _KEY_COLUMNS)
    return [
        None
        if request is None or (time is not None and not chunk)
        else (str(request), revision or 0)
        for request, revision, time, chunk in zip(requests, revisions, judged, chunks, strict=True)
    ]


def _sorted(table: Table) -> Iterator[Rows]:
    held, firsts, flaws = _held(table)
    order = np.argsort(np.frombuffer(firsts, dtype=np.int64), kind="stable")
    for low in range(0, len(order), ROWS_AT_ONCE):
        some = order[low : low + ROWS_AT_ONCE]
        part = held.take(some)
        columns = {name: python_values(part[name]) for name in part.schema.names}
        yield Rows((some + 1).tolist(), columns, flaws)


def _held(table: Table) -> tuple[pa.Table, array[int], dict[int, Flaw]]:
    """All rows; for each the number of its request's first row; and the flaws."""
    batches, firsts = [], array("q")
    first: dict[_Key, int] = {}
    flaws: dict[int, Flaw] = {}
    try:
        for rows in table.batches():
            batches.append(pa.RecordBatch.from_pydict(rows.columns, schema=table.schema))
            flaws.update(rows.flaws)
            keys = _keys(table.typed(rows.columns), len(rows.numbers))
            for number, key in zip(rows.numbers, keys, strict=True):
                firsts.append(number if key is None else first.setdefault(key, number))
    except EndsEarly as early:
        raise CitelogError(
            f"{table.name}: the compressed file {early}, and as the rows of its requests do not "
            "stand together no request is known to be whole; pack it again"
        ) from early
    return pa.Table.from_batches(batches, table.schema).combine_chunks(), firsts, flaws
