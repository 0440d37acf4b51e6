"""What is said about alarms: by people, and by the night that raised them.

Events are only ever added. They go into a log beside the store, so that acknowledging never waits
for a writer; the next writer takes them into the store. Until then readers read both.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec

from analyzer.errors import CitelogError
from analyzer.store import statement

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection

Kind = Literal["ack", "note", "mute", "exclude", "raised", "told", "over"]


class Said(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """One event. `route` limits an excluded week to one route."""

    said_at: datetime
    kind: Kind
    alarm: str | None = None
    route: str | None = None
    week: date | None = None
    until: date | None = None
    who: str | None = None
    note: str | None = None

    @property
    def event(self) -> str:
        """Equal for equal events, so that merging one twice keeps it once."""
        return hashlib.blake2b(msgspec.json.encode(self), digest_size=16).hexdigest()


def append(store: Path, one: Said) -> None:
    """Add an event to the log beside the store; on the disk when this returns."""
    line = msgspec.json.encode(one) + b"\n"
    with _alone(store), log_beside(store).open("ab", buffering=0) as log:
        size = log.tell()
        try:
            if log.write(line) != len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(log_beside(store)))
            os.fsync(log.fileno())
        except OSError:
            log.truncate(size)  # half a line would keep everybody from reading the whole ones
            raise


def said(con: Connection, store: Path) -> list[Said]:
    """Every event, of the store and of the log beside it, oldest first."""
    held = [_row(row) for row in con.execute(statement("watch/events")).fetchall()]
    unique = {one.event: one for one in [*held, *_waiting(store)]}
    return sorted(unique.values(), key=lambda one: (one.said_at, one.event))


def merge(con: Connection, store: Path) -> None:
    """Take the log into the store, in a writer. The log itself goes with `forget_log`."""
    for one in _waiting(store):
        asked = {
            "event": one.event,
            "said_at": one.said_at.astimezone(UTC).replace(tzinfo=None),
            "kind": one.kind,
            "alarm": one.alarm,
            "route": one.route,
            "week": one.week,
            "until": one.until,
            "who": one.who,
            "note": one.note,
        }
        con.execute(statement("watch/keep_event"), asked)


def forget_log(con: Connection, store: Path) -> None:
    """After a merge was published: drop from the log what the store holds now."""
    if not log_beside(store).exists():
        return
    held = {_row(row).event for row in con.execute(statement("watch/events")).fetchall()}
    with _alone(store):
        left = [one for one in _waiting(store) if one.event not in held]
        draft = log_beside(store).with_suffix(".draft")
        draft.write_bytes(b"".join(msgspec.json.encode(one) + b"\n" for one in left))
        draft.replace(log_beside(store))


def _row(row: tuple[object, ...]) -> Said:
    _, said_at, kind, alarm, route, week, until, who, note = row
    moment = said_at.replace(tzinfo=UTC) if isinstance(said_at, datetime) else said_at
    fields = {
        "said_at": moment,
        "kind": kind,
        "alarm": alarm,
        "route": route,
        "week": week,
        "until": until,
        "who": who,
        "note": note,
    }
    return msgspec.convert(fields, Said)


def _waiting(store: Path) -> list[Said]:
    log = log_beside(store)
    if not log.exists():
        return []
    found = []
    for number, line in enumerate(log.read_bytes().splitlines(), start=1):
        try:
            found.append(msgspec.json.decode(line, type=Said))
        except msgspec.MsgspecError as error:
            raise CitelogError(f"{log}:{number}: is no event: {error}; take the line out") from None
    return found


def log_beside(store: Path) -> Path:
    """Where events wait for a writer."""
    return store.with_name(f"{store.name}.events.jsonl")


@contextmanager
def _alone(store: Path) -> Iterator[None]:
    """One writer of the log at a time; held for moments only."""
    lock = os.open(store.with_name(f".{store.name}.events.lock"), os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)
