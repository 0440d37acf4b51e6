"""Digests of files that were read before, so that months of logs are not read again every night.

A file is taken for the one that was read only while its size, inode and both of its times are the
same to the nanosecond; whoever writes to it changes at least the last of them. What changed since
two seconds before the night is not remembered, because one tick of a clock can hide a second write.
What a digest means is asked of the store; here it only saves reading.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import msgspec

from analyzer import files
from analyzer.sources.stored import as_text

_SETTLING_NS = 2 * 10**9

Stamp = tuple[int, int, int, int]  # size, inode, modified, changed


class Entry(msgspec.Struct, array_like=True, frozen=True):
    """What a file was like when it was read, and its digest."""

    stamp: Stamp
    digest: str


class Seen:
    """The remembered digests of a store's inputs; `keep` writes those that were asked for."""

    def __init__(self, store: Path, now: datetime) -> None:
        self._file = beside(store)
        self._settled_ns = int(now.timestamp() * 1e9) - _SETTLING_NS
        self._held = _read(self._file)
        self._asked: dict[str, Entry] = {}

    def digest(self, path: Path, read: Callable[[], str]) -> str:
        """The digest of a file; `read` makes it where the file is not the one remembered."""
        name, stamp = as_text(os.path.realpath(path)), _stamp(path)
        held = self._held.get(name)
        if held is not None and stamp is not None and held.stamp == stamp:
            self._asked[name] = held
            return held.digest
        made = read()
        if stamp is not None and stamp == _stamp(path) and max(stamp[2:]) <= self._settled_ns:
            self._asked[name] = Entry(stamp, made)
        return made

    def keep(self) -> None:
        """Remember what was asked for, and nothing of files that are gone."""
        if self._asked != self._held:
            files.write_text(self._file, msgspec.json.encode(self._asked).decode())


def beside(store: Path) -> Path:
    """Where the digests of a store's inputs are remembered; the file may be removed at any time."""
    home = store.resolve()
    return home.with_name(f".{home.name}.seen.json")


def _read(file: Path) -> dict[str, Entry]:
    try:
        return msgspec.json.decode(file.read_bytes(), type=dict[str, Entry])
    except (FileNotFoundError, msgspec.MsgspecError, UnicodeDecodeError):
        return {}


def _stamp(path: Path) -> Stamp | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_size, found.st_ino, found.st_mtime_ns, found.st_ctime_ns
