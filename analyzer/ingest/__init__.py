"""Load citation logs into a store, and take batches back.

A batch is what one file brought, known by the content of the file: loading it again changes
nothing and says so. A file that is too faulty is set aside by name while the others go in. All
batches of one call are published together.
"""

from __future__ import annotations

import gc
import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from analyzer import store
from analyzer.errors import CitelogError, UsageError
from analyzer.ingest import settling
from analyzer.ingest.asides import explained
from analyzer.ingest.loading import Batch, Progress, load, recounted
from analyzer.parameters import offset_named
from analyzer.reading.pieces import Rules
from analyzer.reading.processes import Readers
from analyzer.record import EARLIEST, LATEST
from analyzer.sources import Incomplete, asked, expand, waiting
from analyzer.sources.aside import Aside
from analyzer.storage import Listed

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection

__all__ = ["MAX_REJECTED", "Batch", "Progress", "forget", "ingest"]

MAX_REJECTED = 0.05


def ingest(
    paths: Sequence[str | Path | Listed],
    path: Path,
    *,
    now: datetime,
    max_rejected: float = MAX_REJECTED,
    time_zone: str | None = None,
    unit_key: str | None = None,
    assume_timezone: str | None = None,
    requested_at: datetime | None = None,
    marker_base: int | None = None,
    format: str | None = None,
    mapping: str | None = None,
    tokenizer: str | None = None,
    route_attribute: str | None = None,
    beside: Sequence[Path | Listed] = (),
    incomplete: Incomplete | None = None,
    must_read: bool = True,
    processes: int | None = None,
    readers: Readers | None = None,
    progress: Progress | None = None,
    then: Callable[[Connection], None] | None = None,
) -> list[Batch]:
    """Load files, folders, globs, addresses of objects or stdin ("-") into the store at `path`.

    `now` is the UTC time that is written into the books (and given to requests without a time
    that come through a pipe), `max_rejected` a share of a file's lines, `assume_timezone` an
    offset as +02:00, `unit_key` a hex key that settles, for a new store, how distinct units are
    counted. `format`, `mapping`, `tokenizer` and `route_attribute` are those of `sources.asked`;
    `beside` are files that are not loaded, but may hold other spans of the traces in those that
    are; `incomplete` says what becomes of traces that lack some. A long file is read by so many
    `processes`, this one among them (None: one for each core, at most four), or by `readers` that
    are started already and end with the load. `then` is done with the store before it is
    published. `must_read`: it is an error where nothing of any file could be read. Raises
    `CitelogError`; then nothing at all is published.
    """
    files = expand(paths)
    if not files:
        raise UsageError("no files are named; name log files, folders of them, globs, or -")
    if requested_at is not None and requested_at.tzinfo is None:
        raise UsageError(f"requested_at {requested_at} has no offset; give it one")
    if requested_at is not None and not EARLIEST <= requested_at < LATEST:
        raise UsageError(f"requested_at {requested_at} is outside the years 1970 to 2199")
    zone = None if assume_timezone is None else offset_named(assume_timezone)
    rules = Rules(now, zone, requested_at, marker_base)
    asking = asked([*files, *beside], format, mapping, tokenizer, route_attribute)
    tell = progress or (lambda name, done, size: None)
    with (
        closing(readers or Readers(processes)) as reading,
        store.writer(path, time_zone=time_zone, unit_key=unit_key) as con,
        _no_collecting(),
        closing(_aside(con, path, incomplete or Incomplete(), now)) as asking.aside,
    ):
        brought = [load(con, file, rules, max_rejected, asking, reading, tell) for file in files]
        reading.close()  # they hold memory that settling can use
        if must_read and all(batch.state == "unreadable" for batch in brought):
            raise CitelogError("; ".join(str(batch.note) for batch in brought))
        if then:
            then(con)
        asking.aside.publish({batch.batch for batch in brought if batch.state != "set_aside"})
        counted = [recounted(con, batch) for batch in brought]
        return [explained(con, batch, path, max_rejected) for batch in counted]


def forget(
    names: Sequence[str], path: Path, *, then: Callable[[Connection], None] | None = None
) -> list[Batch]:
    """Take batches back, each named by its hash or an unambiguous beginning of it."""
    with store.writer(path, new=False) as con:
        found = [_named(con, name, path) for name in names]
        for batch in found:
            with store.transaction(con):
                settling.withdraw(con, batch.batch)
        if then:
            then(con)
    for batch in found:
        waiting.forget(path, batch.batch)
    return found


def _aside(con: Connection, path: Path, asked: Incomplete, now: datetime) -> Aside:
    held = con.execute(store.statement("store/load/held")).fetchall()
    waiting.keep_only(path, {batch for batch, _ in held})
    return Aside(path, asked, now.date(), _erased(con))


def _erased(con: Connection) -> Callable[[str], bool]:
    """Whether a request was erased, told by its fingerprint in the table `erased_requests`."""
    known = {row[0] for row in con.execute(store.statement("store/erase/known")).fetchall()}
    key = str(store.settings(con)["unit_key"])

    def erased(request_id: str) -> bool:
        if not known:
            return False
        said = f"{key} {request_id}".encode("utf-8", "replace")
        digest = hashlib.md5(said, usedforsecurity=False).digest()
        return int.from_bytes(digest[8:], "little") in known  # DuckDB's md5_number_lower

    return erased


def _named(con: Connection, name: str, path: Path) -> Batch:
    if not name.strip():  # it would begin every batch
        raise UsageError("a batch is named by nothing; citelog batches lists their names")
    rows = con.execute(store.statement("store/forget/named"), {"name": name}).fetchall()
    if not rows:
        raise CitelogError(f"{path}: no batch is named {name}; citelog batches lists them")
    if len(rows) > 1:
        raise UsageError(f"{name} begins {len(rows)} batches; give more of its digits")
    batch, file, kind, size, state = rows[0]
    if state == "sealed":
        raise CitelogError(
            f"{file}: batch {batch[:12]} holds days that are sealed, so it stays in the counts"
        )
    return Batch(batch, file, kind, size, state)


@contextmanager
def _no_collecting() -> Iterator[None]:
    """Records hold no cycles; looking for some costs a third of the reading time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
