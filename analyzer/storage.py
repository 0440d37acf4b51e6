"""Objects in a bucket, read and written as files are: the one gate to object storage.

What serves an address is fsspec's to know. Where it is and who asks is told by the variables and
profiles of that service, never by an address: one that carries credentials is refused, and no text
of a library is passed on, because they quote endpoints and requests.

fsspec with s3fs and not the client inside pyarrow, which would weigh nothing more: pyarrow lists
sizes and times but no ETag, by which alone an unchanged object is known without fetching it; it
cannot hold a read to one; and what went wrong it tells in sentences only. All of them are free
(BSD, Apache). The 40 MB of s3fs are an extra, and none of it is imported before an address is met.

An object is read as it was listed: another ETag is an error, so what is remembered of an ETag is
true of the bytes that were read.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

from analyzer import files
from analyzer.errors import UsageError
from analyzer.places import Place, without_credentials
from analyzer.storage_trouble import (
    SERVICES,
    NotThere,
    Unreachable,
    broken_off,
    not_there,
    replaced,
    said_of,
)

_PIECE = 8 * 2**20  # bytes that one request asks for


@dataclass(frozen=True)
class Listed:
    """An object as a listing showed it; `etag` is "" where the storage gives none.

    `room`: the folder in which its copy lies while it is read; None for the system's own.
    """

    address: str
    size: int
    etag: str
    room: Path | None = field(default=None, compare=False)

    def __str__(self) -> str:
        return self.address


def check(address: str) -> None:
    """Raises `CitelogError` where nothing under such an address could be read or written here."""
    if without_credentials(address) != address:
        raise UsageError(
            f"{without_credentials(address)}: an address holds no user, key or signature; put them "
            "into the variables or the profile that the storage's own tools read"
        )
    scheme, _, key = address.partition("://")
    if scheme not in SERVICES:
        raise UsageError(f"{address}: there is no way to {scheme}://; s3://, gs:// and az:// work")
    if not key.strip("/"):
        raise UsageError(f"{address}: names no bucket; write {scheme}://bucket/key")
    _storage(address)


def check_object(address: str) -> None:
    """The same where one object is meant, for which a bucket alone is no address."""
    check(address)
    if "/" not in _key(address):
        raise UsageError(f"{address}: names a bucket alone; write {address.rstrip('/')}/key")


def under(folder: str) -> list[Listed]:
    """Every object below an address, or the one of just this address."""
    check(folder)
    with said_of(folder):
        found = _storage(folder).find(_key(folder), detail=True)
    return _objects(folder, found)


def named(address: str) -> Listed:
    """The object of just this address."""
    for each in under(address):
        if each.address == address:
            return each
    raise not_there(address)


def matching(pattern: str) -> tuple[list[Listed], list[str]]:
    """The objects that match a glob, and the addresses of folders that do."""
    check(pattern)
    with said_of(pattern):
        found = _storage(pattern).glob(_key(pattern), detail=True)
    scheme = pattern.partition("://")[0]
    folders = [f"{scheme}://{name}" for name in found if found[name]["type"] == "directory"]
    return _objects(pattern, found), sorted(folders)


def _objects(address: str, found: dict[str, dict[str, Any]]) -> list[Listed]:
    scheme = address.partition("://")[0]
    return [
        Listed(f"{scheme}://{name}", int(held["size"]), _etag(held))
        for name, held in sorted(found.items())
        # Some tools make an object without bytes for a folder.
        if held["type"] == "file" and not name.endswith("/")
    ]


def _etag(held: dict[str, Any]) -> str:
    return str(held.get("ETag") or held.get("etag") or "").strip('"')


class Opened:
    """The bytes of an object from start to end; `written_at` is None where that is not told."""

    def __init__(self, found: Listed, file: Any) -> None:
        self._address, self._file, self._left = found.address, file, found.size
        changed = file.details.get("LastModified") or file.details.get("last_modified")
        told = isinstance(changed, datetime) and changed.tzinfo is not None
        self.written_at: datetime | None = changed if told else None

    def read(self, size: int = -1, /) -> bytes:
        """The next bytes, b"" at the end; raises `CitelogError` where it breaks off before."""
        asked = min(self._left, _PIECE if size < 0 else size)
        with said_of(self._address):
            data: bytes = self._file.read(asked) if asked else b""
        if len(data) < asked:
            raise broken_off(self._address)
        self._left -= len(data)
        return data


@contextmanager
def opened(found: Listed) -> Iterator[Opened]:
    """An object for reading; raises `CitelogError` where it is not the one that was listed."""
    address = found.address
    with said_of(address):
        file = _storage(address).open(
            _key(address), "rb", block_size=_PIECE, cache_type="readahead"
        )
        told = file.size, _etag(file.details)
    with file:
        if told != (found.size, found.etag):
            raise replaced(address)
        yield Opened(found, file)


def read(where: Place) -> bytes | None:
    """The whole content of a file or an object; None where there is none."""
    if isinstance(where, Path):
        return where.read_bytes() if where.exists() else None
    check(where)
    try:
        with said_of(where):
            content: bytes = _storage(where).cat_file(_key(where))
    except NotThere:
        return None
    return content


def write(where: Place, content: bytes) -> None:
    """Put `content` there, whole or not at all."""
    if isinstance(where, Path):
        with files.written_whole(where) as part:
            part.write_bytes(content)
        return
    check_object(where)
    with said_of(where):
        _storage(where).pipe_file(_key(where), content)


def clear(folder: Place) -> None:
    """Take a folder away, or every object below an address, where there is anything."""
    if isinstance(folder, Path):
        shutil.rmtree(folder, ignore_errors=True)
    elif under(folder):
        with said_of(folder):
            _storage(folder).rm(_key(folder), recursive=True)


def _key(address: str) -> str:
    return address.partition("://")[2].rstrip("/")


def _storage(address: str) -> Any:
    scheme = address.partition("://")[0]
    try:
        return _made(scheme)
    except ImportError:
        package = SERVICES[scheme].package
        raise Unreachable(
            f"{address}: needs the {package} package, which is not there; pip install {package} "
            "brings it" + (", as the s3 extra of citelog does" if package == "s3fs" else "")
        ) from None


@cache
def _made(scheme: str) -> Any:
    import fsspec

    # What was listed may be another when it is listed next.
    return fsspec.filesystem(scheme, use_listings_cache=False, skip_instance_cache=True)
