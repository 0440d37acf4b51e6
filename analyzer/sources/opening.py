"""Open a log file: find out what it is, or say in one sentence why it is none."""

from __future__ import annotations

import re
import sys
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Literal, TextIO

from analyzer.errors import CitelogError
from analyzer.sources.content import PARQUET_MAGIC, Format, is_named_csv, not_a_log
from analyzer.sources.csv_rows import CsvRows
from analyzer.sources.parquet import ParquetRows
from analyzer.sources.source import Source
from analyzer.sources.stored import Stored, open_stored, spooled
from analyzer.sources.unpacking import EndsEarly, Packing, packing_of, unpacked

MAX_LINE_BYTES = 64 * 2**20

_HEAD = 64 * 2**10
_NAMED = 8
_A_NAME = re.compile(r"[A-Za-z_][\w.;:/-]{0,39}", re.ASCII)


def open_source(
    path: Path | str,
    *,
    format: Literal["flat_csv"] | None = None,
    max_line_bytes: int = MAX_LINE_BYTES,
    spool_dir: Path | None = None,
) -> Source:
    """Opens a log file, or stdin for "-".

    What it is follows from its content; CSV from its name (.csv, also packed) or from `format`.
    A pipe is first copied to a temporary file in `spool_dir`. Lines over `max_line_bytes` will be
    refused. Raises CitelogError for a file that is not there, may not be read or is no log.
    """
    stored = _stdin(spool_dir) if str(path) == "-" else open_stored(Path(path), spool_dir)
    try:
        return _recognised(stored, format, max_line_bytes)
    except BaseException:
        stored.file.close()
        raise


def _stdin(spool_dir: Path | None) -> Stored:
    # A program that is started without one has None here, whatever its type says.
    stdin: TextIO | None = sys.stdin
    if stdin is None:
        raise CitelogError("stdin: is closed; pipe a log into it or name a file")
    return spooled("stdin", stdin.buffer, spool_dir)


def _recognised(stored: Stored, format: Format | None, max_line_bytes: int) -> Source:
    packing = packing_of(_first_bytes(stored, "", 4))
    head = _first_bytes(stored, packing, _HEAD)
    table: ParquetRows | CsvRows | None = None
    if head.startswith(PARQUET_MAGIC):
        table, format = _parquet(stored, packing)
    elif reason := not_a_log(head):
        raise _no_log(stored, reason)
    elif format == "flat_csv" or is_named_csv(stored.name):
        table, format = _csv(stored, packing, max_line_bytes), "flat_csv"
    return Source(stored, packing, format or "jsonl", table, max_line_bytes)


def _first_bytes(stored: Stored, packing: Packing, size: int) -> bytes:
    head = b""
    try:
        with closing(unpacked(stored, packing)) as pieces:
            while len(head) < size and (piece := next(pieces, None)) is not None:
                head += piece
    except EndsEarly:
        pass
    return head[:size]


def _parquet(stored: Stored, packing: Packing) -> tuple[ParquetRows, Format]:
    if packing:
        raise _no_log(stored, f"it is Parquet packed once more with {packing}; unpack it")
    table = ParquetRows(stored.name, stored.file)
    names = table.schema.names
    _check_columns(stored, names, ("chunks", "chunk_id", "judged_at"))
    flat = "chunk_id" in names and "chunks" not in names
    return table, "flat_parquet" if flat else "nested_parquet"


def _csv(stored: Stored, packing: Packing, max_line_bytes: int) -> CsvRows:
    table = CsvRows(stored.name, partial(unpacked, stored, packing), max_line_bytes)
    if table.schema.names:
        _check_columns(stored, table.schema.names, ("chunk_id", "judged_at"))
    return table


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
