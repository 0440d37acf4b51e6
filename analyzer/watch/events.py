"""What is said about alarms: by people, and by the night that raised them.

Events are only ever added. They go into a log beside the store, so that acknowledging never waits
for a writer; the next writer takes them into the store. Until then readers read both. A line of the
log that is no event stops nobody: the next writer puts it aside, and it is told of.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, date, datetime
from io import FileIO
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

import msgspec

from analyzer.store import statement

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection

Kind = Literal["ack", "note", "mute", "unmute", "exclude", "include", "raised", "told", "over"]


_NEVER = datetime(1, 1, 1, tzinfo=UTC)


class Said(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """One event. `route` limits an excluded week to one route.

    `until` is the last day of a mute; of an unmute the day before it was said.
    """

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
    with _alone(store), log_beside(store).open("a+b", buffering=0) as log:
        size = log.tell()
        line = _begun_anew(log, size) + msgspec.json.encode(one) + b"\n"
        try:
            if log.write(line) != len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(log_beside(store)))
            os.fsync(log.fileno())
        except OSError:
            log.truncate(size)  # half a line would keep everybody from reading the whole ones
            raise


def _begun_anew(log: FileIO, size: int) -> bytes:
    """What closes a line that a machine lost power in, so that it spoils no other."""
    if not size:
        return b""
    log.seek(size - 1)
    return b"" if log.read(1) == b"\n" else b"\n"


def said(con: Connection, store: Path) -> list[Said]:
    """Every event in force, of the store and of the log beside it, oldest first."""
    held = [_row(row) for row in con.execute(statement("watch/events")).fetchall()]
    unique = {one.event: one for one in [*held, *_waiting(store).events]}
    return in_force(sorted(unique.values(), key=lambda one: (one.said_at, one.event)))


def in_force(said: Sequence[Said]) -> list[Said]:
    """Without weeks that were left out and taken in again, as if nothing had been said of them."""
    again = {(one.week, one.route): one.said_at for one in said if one.kind == "include"}
    return [
        one
        for one in said
        if one.kind != "include"
        and not (one.kind == "exclude" and one.said_at <= again.get((one.week, one.route), _NEVER))
    ]


def muted(said: Iterable[Said], day: date) -> dict[str, date]:
    """Alarms that are mute on a day, each with its last day of silence.

    Of each alarm what was said last holds, so that one that was let speak again does so at once.
    """
    return {
        alarm: one.until
        for alarm, one in _last_of_mutes(said).items()
        if one.kind == "mute" and one.until is not None and one.until >= day
    }


def heard(said: Sequence[Said], day: date) -> tuple[Said, ...]:
    """What was said; of the mutes of an alarm the last alone, if it holds or was taken back."""
    held = muted(said, day)
    last = _last_of_mutes(said)
    return tuple(
        one
        for one in said
        if one.kind not in ("mute", "unmute")
        or (one is last.get(one.alarm or "") and (one.kind == "unmute" or one.alarm in held))
    )


def _last_of_mutes(said: Iterable[Said]) -> dict[str, Said]:
    """Of each alarm what was said last of whether it speaks."""
    return {one.alarm: one for one in said if one.alarm and one.kind in ("mute", "unmute")}


def amiss(store: Path) -> str | None:
    """What is to be said of lines that are no events, where there are any."""
    aside = broken_beside(store)
    kept = aside.read_bytes().splitlines() if aside.exists() else []
    lines = len(kept) + len(_waiting(store).broken)
    if not lines:
        return None
    file = aside if kept else log_beside(store)
    one = lines == 1
    what = "1 line is no event" if one else f"{lines:,} lines are no events"
    return (
        f"{file}: {what} and {'counts' if one else 'count'} for nothing; "
        f"say again what {'it' if one else 'they'} said, and remove {'it' if one else 'them'}"
    )


def merge(con: Connection, store: Path) -> None:
    """Take the log into the store, in a writer. The log itself goes with `forget_log`."""
    for one in _waiting(store).events:
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
    """After a merge was published: drop from the log what the store holds now.

    Lines that are no events are put aside, in a file of their own.
    """
    if not log_beside(store).exists():
        return
    held = {_row(row).event for row in con.execute(statement("watch/events")).fetchall()}
    with _alone(store):
        waiting = _waiting(store)
        _put_aside(store, waiting.broken)
        left = [one for one in waiting.events if one.event not in held]
        draft = log_beside(store).with_suffix(".draft")
        draft.write_bytes(b"".join(msgspec.json.encode(one) + b"\n" for one in left))
        draft.replace(log_beside(store))


def _put_aside(store: Path, broken: Sequence[bytes]) -> None:
    if broken:
        with broken_beside(store).open("ab") as aside:
            aside.write(b"".join(line + b"\n" for line in broken))
            aside.flush()
            os.fsync(aside.fileno())


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


class _Waiting(NamedTuple):
    """What the log holds: events, and lines that are none."""

    events: list[Said]
    broken: list[bytes]


def _waiting(store: Path) -> _Waiting:
    found = _Waiting([], [])
    log = log_beside(store)
    if not log.exists():
        return found
    for line in filter(bytes.strip, log.read_bytes().split(b"\n")):
        try:
            found.events.append(_event(line))
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            found.broken.append(line)
    return found


def _event(line: bytes) -> Said:
    one = msgspec.json.decode(line, type=Said)
    if one.said_at.tzinfo is None:
        raise msgspec.ValidationError("a time without an offset")
    return one


def log_beside(store: Path) -> Path:
    """Where events wait for a writer; behind a link, so that all meet at one log."""
    home = store.resolve()
    return home.with_name(f"{home.name}.events.jsonl")


def broken_beside(store: Path) -> Path:
    """Where lines of the log are kept that are no events."""
    return log_beside(store).with_suffix(".broken")


@contextmanager
def _alone(store: Path) -> Iterator[None]:
    """One writer of the log at a time; held for moments only."""
    home = store.resolve()
    lock = os.open(home.with_name(f".{home.name}.events.lock"), os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)
