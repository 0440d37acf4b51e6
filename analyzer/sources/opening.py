"""Open a log file: find out what it is, or say in one sentence why it is none."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, TextIO

from analyzer import storage, tokens
from analyzer.errors import CitelogError
from analyzer.places import is_address
from analyzer.sources import looking
from analyzer.sources.asking import AUTO, OWN, Asking, imported
from analyzer.sources.content import PARQUET_MAGIC, Format, is_named_csv, not_a_log
from analyzer.sources.csv_rows import CsvRows
from analyzer.sources.documents import Documents, Input
from analyzer.sources.importing import Import
from analyzer.sources.mapping import named_mapping
from analyzer.sources.parquet import ParquetRows
from analyzer.sources.source import Source
from analyzer.sources.stored import Stored, fetched, open_stored, spooled
from analyzer.sources.table_documents import TableDocuments
from analyzer.sources.together import Together
from analyzer.sources.unpacking import EndsEarly, Packing, packing_of, unpacked
from analyzer.storage import Listed

MAX_LINE_BYTES = 64 * 2**20

_HEAD = 64 * 2**10
_NAMED = 8
_A_NAME = re.compile(r"[A-Za-z_][\w.;:/-]{0,39}", re.ASCII)


def open_source(
    path: Path | str | Listed,
    *,
    format: str | None = None,
    asking: Asking | None = None,
    max_line_bytes: int = MAX_LINE_BYTES,
    spool_dir: Path | None = None,
) -> Source:
    """Opens a log file, or stdin for "-".

    What it is follows from its content, or from what is asked for; CSV from its name (.csv, also
    packed) or from `format`, which stands for `Asking(format)`.
    A pipe or an object is first copied to a temporary file in `spool_dir`. Lines over
    `max_line_bytes` will be refused. Raises CitelogError for a file that is not there, may not be
    read or is no log.
    """
    stored = _stored(path, spool_dir)
    try:
        return _recognised(stored, asking or Asking(format or AUTO), max_line_bytes)
    except BaseException:
        stored.file.close()
        raise


def asked(
    files: Sequence[Path | str | Listed],
    format: str | None = None,
    mapping: str | None = None,
    tokenizer: str | None = None,
    route_attribute: str | None = None,
) -> Asking:
    """What is asked of the files of one load, by the names that people give.

    `mapping` is a file, or the name of one that is shipped; `route_attribute` is the attribute of
    spans, or the key of their metadata, that names the route. Raises UsageError for a name that
    means nothing and CitelogError for a mapping that cannot be read.
    """
    if format not in (None, AUTO, *OWN):
        looking.named(str(format))
    return Asking(
        format or AUTO,
        named_mapping(mapping) if mapping else None,
        tokens.counter(tokenizer) if tokenizer else None,
        Together(files, _documents_of) if len(files) > 1 else None,
        route=route_attribute or None,
    )


def sampled(path: Path | str | Listed) -> list[Any]:
    """The first documents of a file, whatever its format."""
    stored = _stored(path, None)
    with closing(stored.file):
        packing = packing_of(_first_bytes(stored, "", 4))
        head = _first_bytes(stored, packing, _HEAD)
        if head.startswith(PARQUET_MAGIC):
            return list(TableDocuments(_parquet(stored, packing)).sample())
        if reason := not_a_log(head):
            raise _no_log(stored, reason)
        if is_named_csv(stored.name):
            pieces = partial(unpacked, stored, packing)
            return list(TableDocuments(CsvRows(stored.name, pieces, MAX_LINE_BYTES)).sample())
        return Documents(stored, packing, MAX_LINE_BYTES).sample()


@contextmanager
def _documents_of(path: Path | Listed) -> Iterator[Input | None]:
    with open_source(path) as source:
        yield source.documents


def _stored(path: Path | str | Listed, spool_dir: Path | None) -> Stored:
    if isinstance(path, Listed):
        return fetched(path, spool_dir)
    if is_address(path):
        return fetched(storage.named(str(path)), spool_dir)
    return _stdin(spool_dir) if str(path) == "-" else open_stored(Path(path), spool_dir)


def _stdin(spool_dir: Path | None) -> Stored:
    # A program that is started without one has None here, whatever its type says.
    stdin: TextIO | None = sys.stdin
    if stdin is None:
        raise CitelogError("stdin: is closed; pipe a log into it or name a file")
    return spooled("stdin", stdin.buffer, spool_dir)


def _recognised(stored: Stored, asking: Asking, max_line_bytes: int) -> Source:
    packing = packing_of(_first_bytes(stored, "", 4))
    head = _first_bytes(stored, packing, _HEAD)
    table: ParquetRows | CsvRows | None = None
    own: Format = "jsonl"
    found: Import | None
    if head.startswith(PARQUET_MAGIC):
        table = _parquet(stored, packing)
        found = imported(TableDocuments(table), asking)
        own = own if found else _kind(stored, table)
    elif reason := not_a_log(head):
        raise _no_log(stored, reason)
    elif asking.format == "flat_csv" or is_named_csv(stored.name):
        table = CsvRows(stored.name, partial(unpacked, stored, packing), max_line_bytes)
        found = imported(TableDocuments(table), asking)
        own = own if found else _flat(stored, table)
    else:
        found = imported(Documents(stored, packing, max_line_bytes), asking)
    format = found.name if found else own
    return Source(stored, packing, format, table, max_line_bytes, found)


def _first_bytes(stored: Stored, packing: Packing, size: int) -> bytes:
    head = b""
    try:
        with closing(unpacked(stored, packing)) as pieces:
            while len(head) < size and (piece := next(pieces, None)) is not None:
                head += piece
    except EndsEarly:
        pass
    return head[:size]


def _parquet(stored: Stored, packing: Packing) -> ParquetRows:
    if packing:
        raise _no_log(stored, f"it is Parquet packed once more with {packing}; unpack it")
    return ParquetRows(stored.name, stored.file)


def _kind(stored: Stored, table: ParquetRows) -> Format:
    names = table.schema.names
    _check_columns(stored, names, ("chunks", "chunk_id", "judged_at"))
    flat = "chunk_id" in names and "chunks" not in names
    return "flat_parquet" if flat else "nested_parquet"


def _flat(stored: Stored, table: CsvRows) -> Format:
    if table.schema.names:
        _check_columns(stored, table.schema.names, ("chunk_id", "judged_at"))
    return "flat_csv"


def _check_columns(stored: Stored, names: list[str], one_of: tuple[str, ...]) -> None:
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        named = _shown(twice[:1])
        raise _no_log(stored, f"it has several columns named {named}; a name is given once")
    if "request_id" not in names or not set(one_of) & set(names):
        raise _no_log(
            stored,
            f"its columns are {_shown(names)}; expected request_id and {' or '.join(one_of)}",
        )


def _shown(names: list[str]) -> str:
    """Column names; what is none may be of the first row of a file without a header: counted."""
    told = [repr(name) for name in names if _A_NAME.fullmatch(name)]
    others = len(names) - len(told)
    shown = ", ".join(told[:_NAMED]) + (" ..." if len(told) > _NAMED else "")
    counted = f"{others} that {'is' if others == 1 else 'are'} no name" if others else ""
    return " and ".join(filter(None, (shown, counted))) or "none"


def _no_log(stored: Stored, reason: str) -> CitelogError:
    return CitelogError(f"{stored.name}: is not a citation log: {reason}")
