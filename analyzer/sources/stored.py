"""One file as it lies on disk: read from start to end as often as needed, always the same bytes.

The file is opened once and read up to the size it had then. So a log that is still being written,
renamed by a rotation or deleted meanwhile gives the same bytes to its digest and to its records.
What cannot be read twice, a pipe or an object of a bucket, is copied to disk first.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import tempfile
from collections.abc import Generator, Iterator
from datetime import datetime
from pathlib import Path
from typing import Protocol

from analyzer import storage
from analyzer.errors import CitelogError

_PIECE = 1 << 20


class Readable(Protocol):
    """What a pipe can do."""

    def read(self, size: int = -1, /) -> bytes: ...


class Seekable(Readable, Protocol):
    """What a file on disk can do."""

    def seek(self, offset: int, /) -> int: ...
    def fileno(self) -> int: ...
    def close(self) -> None: ...


class Stored:
    """An open file: its name as it was given, its size in bytes, how far it was read.

    `path` is where others find the same bytes, None for a copy; `written_at` is what a storage
    tells of an object.
    """

    written_at: datetime | None = None

    def __init__(self, name: str, path: Path | None, file: Seekable) -> None:
        self.name = name
        self.path = path
        self.file = file
        self.size = os.fstat(file.fileno()).st_size
        self.consumed = 0

    def pieces(self, piece: int = _PIECE) -> Generator[bytes]:
        """All bytes from the start; raises CitelogError when they cannot be read."""
        self.consumed = 0
        with self.reading():
            self.file.seek(0)
            while self.consumed < self.size:
                data = self.file.read(min(piece, self.size - self.consumed))
                if not data:
                    raise self.shrunk()
                self.consumed += len(data)
                yield data

    def digest(self) -> str:
        """SHA-256 of the bytes as stored, 64 hex digits."""
        total = hashlib.sha256()
        for piece in self.pieces():
            total.update(piece)
        return total.hexdigest()

    def shrunk(self) -> CitelogError:
        return CitelogError(
            f"{self.name}: the file became shorter while it was read; load it again when nothing "
            "writes to it"
        )

    @contextlib.contextmanager
    def reading(self) -> Iterator[None]:
        """Says in one sentence what the system said."""
        try:
            yield
        except OSError as error:
            raise unreadable(self.name, error) from error


def open_stored(path: Path, spool: Path | None) -> Stored:
    """Opens a file; a pipe is first copied, as what cannot be read twice has no digest."""
    try:
        file = path.open("rb", buffering=0)
    except OSError as error:
        raise unreadable(str(path), error) from error
    if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        return Stored(as_text(path), path, file)
    with file:
        return spooled(as_text(path), file, spool)


def as_text(name: Path | str) -> str:
    """A name as text that can be stored: bytes that are no UTF-8 are written out, as \\xe9."""
    return str(name).encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def spooled(name: str, pipe: Readable, folder: Path | None) -> Stored:
    """A pipe copied to a file without a name, which is gone when it is closed or we are killed."""
    try:
        copy = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115  (closed with what is made of it)
        while piece := pipe.read(_PIECE):
            copy.write(piece)
        copy.flush()
    except OSError as error:
        where = folder or tempfile.gettempdir()
        raise CitelogError(
            f"{name}: could not be kept in {where} while it is read ({_said(error)}); make room "
            "there or name another folder in TMPDIR"
        ) from error
    return Stored(name, None, copy)


def fetched(found: storage.Listed, folder: Path | None) -> Stored:
    """An object copied in the same way."""
    with storage.opened(found) as content:
        copy = spooled(found.address, content, folder or found.room)
        copy.written_at = content.written_at
    return copy


def unreadable(name: str, error: OSError) -> CitelogError:
    """The sentence for a file that the system does not let us read."""
    if isinstance(error, FileNotFoundError):
        return CitelogError(
            f"{name}: there is no such file; name log files, folders of them, globs, or - for stdin"
        )
    if isinstance(error, PermissionError):
        return CitelogError(
            f"{name}: this user may not read it; change its permissions or run as another user"
        )
    if isinstance(error, IsADirectoryError):
        return CitelogError(f"{name}: is a folder; expected a file")
    return CitelogError(f"{name}: could not be read ({_said(error)}); try again or leave it out")


def _said(error: OSError) -> str:
    return error.strerror or str(error)
