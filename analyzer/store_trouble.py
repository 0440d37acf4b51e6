"""What the system and DuckDB say about the store's file, as a sentence that says what to do."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb

from analyzer.errors import CitelogError

_FULL = "the disk is full; nothing was published, free some space and run again"
_LIMITED = (
    "the file may not grow further, as this process is limited (ulimit -f); nothing was published"
)
_SYSTEM = {
    errno.EACCES: "this user may not write there; change the permissions or run as another user",
    errno.EPERM: "this user may not write there; change the permissions or run as another user",
    errno.EROFS: "it lies on a read-only disk; choose another place with --store",
    errno.ENOSPC: _FULL,
    errno.EDQUOT: "the disk quota is used up; nothing was published, free some space and run again",
    errno.EFBIG: _LIMITED,
    errno.ENOTDIR: "a part of this path is a file; name a file in a folder with --store",
}
_OF_DISK = {"No space left": _FULL, "ENOSPC": _FULL, "File too large": _LIMITED}
_OF_FILE = _OF_DISK | {
    "Could not set lock": "another program holds it open for writing; close it there",
    "WAL": "the .wal file beside it does not belong to it; another program left it, remove it",
    "newer": "was written by a newer DuckDB; upgrade citelog to read it",
    "version number": "was written by a newer DuckDB; upgrade citelog to read it",
}
_CORRUPT = "Corrupt database file"  # what DuckDB says of a block with another checksum
_DAMAGED = "is damaged ({said}); put back a copy, or move it away and load the logs again"
_NO_STORE = "is not a citelog store; name another file with --store"
_MAGIC = b"DUCK"  # bytes 8 to 11 of every DuckDB file
_HEADERS, _BLOCK = 3 * 4096, 262144  # bytes: a file is three headers and whole blocks


@contextmanager
def said_of(path: Path) -> Iterator[None]:
    """What the system refuses in the block is said of the store."""
    try:
        yield
    except OSError as error:
        raise not_written(path, error) from error


def not_written(path: Path, error: OSError) -> CitelogError:
    """The system refused to lock, copy or publish the store."""
    return CitelogError(f"{path}: {_SYSTEM.get(error.errno or 0) or error.strerror or error}")


def not_there(path: Path) -> CitelogError:
    """No file is there."""
    return CitelogError(
        f"{path}: there is no store; citelog ingest makes one, or name another with --store or "
        "CITELOG_STORE"
    )


def not_opened(path: Path, error: duckdb.Error) -> CitelogError:
    """DuckDB did not open the file."""
    if not path.exists() and "does not exist" in str(error):
        return not_there(path)
    if path.exists() and not os.access(path, os.R_OK):
        return CitelogError(f"{path}: this user may not read it; change its permissions")
    is_none = _DAMAGED.format(said=_first_line(error)) if _was_duckdb(path) else _NO_STORE
    return CitelogError(f"{path}: {_known(error, _OF_FILE) or is_none}")


def broken_off(path: Path, error: duckdb.Error) -> Exception:
    """DuckDB broke off while it worked; what is a fault of the program itself stays as it is."""
    said = _first_line(error)
    if full := _known(error, _OF_DISK):  # in a commit or a checkpoint it is no IOException
        return CitelogError(f"{path}: {full}")
    if isinstance(error, duckdb.OutOfMemoryException):
        return CitelogError(f"{path}: DuckDB ran out of memory or of space to spill into ({said})")
    if isinstance(error, duckdb.IOException) or _CORRUPT in said:
        return CitelogError(f"{path}: {_known(error, _OF_FILE) or _DAMAGED.format(said=said)}")
    if isinstance(error, duckdb.OutOfRangeException | duckdb.ConversionException):
        return CitelogError(f"{path}: a value is too large for the store ({said}); nothing changed")
    return error


def of_file(error: duckdb.Error) -> bool:
    """Whether `error` is about the file or the machine, whatever was asked."""
    about = duckdb.IOException | duckdb.OutOfMemoryException
    return isinstance(error, about) or _CORRUPT in str(error)


def _was_duckdb(path: Path) -> bool:
    """Whether the file shows, by its mark or by its size, that DuckDB wrote it."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        head = file.read(12)
    return head[8:] == _MAGIC or (path.stat().st_size - _HEADERS) % _BLOCK == 0


def _first_line(error: duckdb.Error) -> str:
    return str(error).splitlines()[0]


def _known(error: duckdb.Error, signs: dict[str, str]) -> str | None:
    return next((what for sign, what in signs.items() if sign in str(error)), None)
