"""A log file as rows: a request, a label or a fault for each line, and what became of the file.

It runs where the file is: in this process, or in a worker of a cluster. What it gives is a function
of the file's bytes, name and time and of `Asked` alone.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from analyzer import facts
from analyzer.errors import CitelogError
from analyzer.ingest.loading import BATCH_DIGITS
from analyzer.places import Place
from analyzer.reading.pieces import Block, Rules, Tally, blocks, terms
from analyzer.sources import Source, open_source
from analyzer.storage import Listed

OURS = ("jsonl", "nested_parquet", "flat_parquet", "flat_csv")

_TEXT, _WHOLE = pa.string(), pa.int64()
FILE = pa.struct(
    [
        ("name", _TEXT),
        ("batch", _TEXT),
        ("format", _TEXT),
        ("bytes", _WHOLE),
        ("state", _TEXT),  # loaded, cut, set_aside or unreadable, as of a batch
        ("note", _TEXT),
        ("read", _WHOLE),
        ("rejected", _WHOLE),
        ("judgements", _WHOLE),
        ("unknown_fields", _WHOLE),
    ]
)
FAULT = pa.struct(
    [
        ("batch", _TEXT),
        ("file", _TEXT),
        ("line", _WHOLE),
        ("byte_offset", _WHOLE),
        ("path", _TEXT),
        ("reason", _TEXT),
        ("line_hash", _TEXT),
    ]
)


@dataclass(frozen=True)
class Asked:
    """What decides about lines: the rules and settings of a load, and when a file is set aside."""

    rules: Rules
    settings: facts.Settings
    max_rejected: float


@cache
def schema() -> pa.Schema:
    """The columns of `parsed`; of each row one of file, request, label and fault is not null.

    request and chunks: the columns of the store's tables that are facts of one record, what is the
    same for all chunks standing with the request.
    """
    asked = facts.build([], [], facts.Settings())
    there = {*asked.requests.schema.names} - {"cited"}  # a count of the one, a flag of the other
    request = [(field.name, _plain(field.type)) for field in asked.requests.schema]
    chunk = [
        (field.name, _plain(field.type)) for field in asked.chunks.schema if field.name not in there
    ]
    source = [("batch", _TEXT), ("file", _TEXT), ("names_expected", pa.bool_())]
    label = [(field.name, _plain(field.type)) for field in facts.judgement_table([]).schema]
    return pa.schema(
        [
            ("file", FILE),
            ("request", pa.struct(request + source)),
            ("chunks", pa.list_(pa.struct(chunk))),
            ("label", pa.struct(label + source)),
            ("fault", FAULT),
        ]
    )


def _plain(kind: pa.DataType) -> pa.DataType:
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def of_bytes(
    files: Iterable[pa.RecordBatch], asked: Asked, called: Callable[[str], str]
) -> Iterator[pa.RecordBatch]:
    """The rows of files that come whole: their path (`called` says how), time and content."""
    for batch in files:
        for row in range(batch.num_rows):
            path, time = (batch.column(name)[row].as_py() for name in ("path", "modificationTime"))
            content = batch.column("content")[row].as_buffer()
            with tempfile.TemporaryDirectory() as folder:
                copy = Path(folder) / Path(path).name
                with copy.open("wb") as file:
                    file.write(content)
                os.utime(copy, (time.timestamp(), time.timestamp()))
                yield from of_file(copy, called(path), asked)


def of_file(path: Place | Listed, name: str, asked: Asked) -> Iterator[pa.RecordBatch]:
    """The rows of one file, which is called `name`; the last one says what became of it."""
    try:
        with open_source(path) as source:
            batch = source.digest()[:BATCH_DIGITS]
            if source.format not in OURS:
                raise CitelogError(
                    f"{name}: is a log of the format {source.format}, which is read on one machine "
                    "alone; citelog ingest loads it"
                )
            told = Tally()
            for block in blocks(source, terms(source, batch, asked.rules, asked.settings)):
                told.add(block.tally)
                yield from _rows(block, batch, name)
            yield _row("file", FILE, _became(source, batch, name, told, asked.max_rejected))
    except (CitelogError, UnicodeError) as error:
        note = str(error).replace(str(path), name)
        yield _row("file", FILE, {"name": name, "state": "unreadable", "note": note})


def _became(
    source: Source, batch: str, name: str, told: Tally, max_rejected: float
) -> dict[str, Any]:
    torn = 1 if source.cut else 0  # that the file ends early is no fault of its lines
    aside = told.rejected - torn > max_rejected * told.read
    said = source.cut or source.told
    return {
        "name": name,
        "batch": batch,
        "format": source.format,
        "bytes": source.size,
        "state": "set_aside" if aside else "cut" if source.cut else "loaded",
        "note": said.replace(source.name, name) if said else None,
        "read": told.read,
        "rejected": told.read if aside else told.rejected,
        "judgements": told.judgements,
        "unknown_fields": told.unknown.total(),
    }


def _rows(block: Block, batch: str, name: str) -> Iterator[pa.RecordBatch]:
    if block.facts:
        table = block.facts.requests
        request = _struct(table, "request", batch, name, table["logged_expected"])
        yield _batch(len(request), request=request, chunks=_listed(block.facts))
    if block.judgements:
        table = block.judgements
        label = _struct(table, "label", batch, name, table["expected_chunk_ids"])
        yield _batch(len(label), label=label)
    if block.rejected:
        fault = _struct(block.rejected, "fault", batch, name)
        yield _batch(len(fault), fault=fault)


def _struct(
    table: pa.Table, column: str, batch: str, name: str, expected: pa.ChunkedArray | None = None
) -> pa.StructArray:
    """A row of the table in each, with where it came from and whether it names expected chunks."""
    beside: dict[str, Any] = {
        "batch": pa.array([batch] * table.num_rows, _TEXT),
        "file": pa.array([name] * table.num_rows, _TEXT),
    }
    if expected is not None:
        beside["names_expected"] = pc.fill_null(
            pc.greater(pc.list_value_length(expected), 0), False
        )
    fields = list(schema().field(column).type)
    values = [_one(beside.get(field.name, _of(table, field.name)), field.type) for field in fields]
    return pa.StructArray.from_arrays(values, fields=fields)


def _of(table: pa.Table, name: str) -> pa.ChunkedArray | None:
    return table[name] if name in table.column_names else None


def _one(values: Any, kind: pa.DataType) -> pa.Array:
    whole = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
    return whole.cast(kind)


def _listed(made: facts.Facts) -> pa.ListArray:
    """The chunks of each request: they stand in the order of the requests."""
    kind = schema().field("chunks").type
    fields = list(kind.value_type)
    columns = [_one(made.chunks[field.name], field.type) for field in fields]
    counts = made.requests["retrieved"].to_numpy()
    offsets = pa.array(np.concatenate([[0], np.cumsum(counts)]), pa.int32())
    return pa.ListArray.from_arrays(
        offsets, pa.StructArray.from_arrays(columns, fields=fields), type=kind
    )


def _row(column: str, kind: pa.DataType, value: dict[str, Any]) -> pa.RecordBatch:
    return _batch(1, **{column: pa.array([value], kind)})


def _batch(size: int, **columns: pa.Array) -> pa.RecordBatch:
    arrays = [columns.get(field.name, pa.nulls(size, field.type)) for field in schema()]
    return pa.RecordBatch.from_arrays(arrays, schema=schema())
