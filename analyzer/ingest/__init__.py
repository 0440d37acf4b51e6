"""Load citation logs into a store, and take batches back.

A batch is what one file brought, known by the content of the file: loading it again changes
nothing and says so. A file that is too faulty is set aside by name while the others go in. All
batches of one call are published together.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pyarrow.compute as pc

from analyzer import facts, store
from analyzer.errors import CitelogError, UsageError
from analyzer.ingest import settling
from analyzer.ingest.reading import Block, Reading, Rules
from analyzer.sources import Source, expand, open_source
from analyzer.sources.opening import Format

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection

State = Literal["loaded", "cut", "set_aside", "known", "unreadable"]
Progress = Callable[[str, int, int], None]

MAX_REJECTED = 0.5
BATCH_DIGITS = 32


@dataclass(frozen=True)
class Batch:
    """What one file brought. read = loaded + duplicate + superseded + rejected, in lines.

    `state`: loaded; cut (the file ended early); set_aside (too much was rejected, nothing is
    loaded and every line counts as rejected); known (this content was loaded before; the counts
    are 0); unreadable (no citation log; `note` says why).
    """

    batch: str
    file: str
    format: str
    bytes: int
    state: State
    read: int = 0
    loaded: int = 0
    duplicate: int = 0
    superseded: int = 0
    rejected: int = 0
    judgements: int = 0
    unknown_fields: dict[str, int] = field(default_factory=dict)
    note: str | None = None


def ingest(
    paths: Sequence[str | Path],
    path: Path,
    *,
    now: datetime,
    max_rejected: float = MAX_REJECTED,
    time_zone: str | None = None,
    unit_key: str | None = None,
    assume_timezone: str | None = None,
    requested_at: datetime | None = None,
    marker_base: int | None = None,
    format: Format | None = None,
    progress: Progress | None = None,
) -> list[Batch]:
    """Load files, folders, globs or stdin ("-") into the store at `path`, made where absent.

    `now` is the UTC time that is written into the books (and given to requests without a time
    that come through a pipe), `max_rejected` a share of a file's lines, `assume_timezone` an
    offset as +02:00, `unit_key` a hex key that settles, for a new store, how distinct units are
    counted. Raises `CitelogError`; then nothing at all is published.
    """
    files = expand([str(each) for each in paths])
    rules = Rules(now, _offset(assume_timezone), requested_at, marker_base)
    tell = progress or (lambda name, done, size: None)
    with store.writer(path, time_zone=time_zone, unit_key=unit_key) as con, _no_collecting():
        brought = [_one_file(con, file, rules, max_rejected, format, tell) for file in files]
        if all(batch.state == "unreadable" for batch in brought):
            raise CitelogError("; ".join(str(batch.note) for batch in brought))
        return brought


def forget(names: Sequence[str], path: Path) -> list[Batch]:
    """Take batches back, each named by its hash or an unambiguous beginning of it."""
    with store.writer(path) as con:
        found = [_named(con, name, path) for name in names]
        for batch in found:
            with _transaction(con):
                settling.withdraw(con, batch.batch)
        return found


def _named(con: Connection, name: str, path: Path) -> Batch:
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


def _one_file(
    con: Connection,
    file: Path | str,
    rules: Rules,
    max_rejected: float,
    format: Format | None,
    tell: Progress,
) -> Batch:
    try:
        with open_source(file, format=format) as source:
            batch = source.digest()[:BATCH_DIGITS]
            known = con.execute(store.statement("store/load/known"), {"batch": batch}).fetchone()
            if known and known[1] != "set_aside":
                note = f"this content was loaded before, from {known[0]}; nothing changed"
                return Batch(batch, source.name, source.format, source.size, "known", note=note)
            with _transaction(con):
                if known:
                    settling.withdraw(con, batch)
                return _load(con, source, batch, rules, max_rejected, tell)
    except CitelogError as error:
        return Batch("", str(file), "", 0, "unreadable", note=str(error))


def _load(
    con: Connection, source: Source, batch: str, rules: Rules, max_rejected: float, tell: Progress
) -> Batch:
    held = store.settings(con)
    settings = facts.Settings(str(held["time_zone"]), bytes.fromhex(str(held["unit_key"])))
    settling.run(con, "store/load/staging")
    reading = Reading(source, batch, rules, settings)
    sorted_by_day = _stage(con, reading, source, tell)
    if held["sealed_before"] is not None:
        settling.run(con, "store/load/sealed", batch=batch)
    return _entered(con, source, batch, reading, max_rejected, sorted_by_day)


def _stage(con: Connection, reading: Reading, source: Source, tell: Progress) -> bool:
    """Stage every block; the next one is read while DuckDB takes the last. True: sorted by day."""
    last, is_sorted = date.min, True
    with ThreadPoolExecutor(1) as database:
        pending: Future[None] | None = None
        for block in reading:
            if pending:
                pending.result()
            pending = database.submit(_stage_block, con, block)
            if block.facts:
                days = block.facts.requests["day"].combine_chunks()
                in_order = pc.all(pc.greater_equal(days[1:], days[:-1]), min_count=0).as_py()
                is_sorted = is_sorted and in_order and days[0].as_py() >= last
                last = days[-1].as_py()
            tell(source.name, source.consumed, source.size)
        if pending:
            pending.result()
    return is_sorted


def _stage_block(con: Connection, block: Block) -> None:
    tables = {"judgements": block.judgements, "rejected": block.rejected}
    if block.facts:
        tables |= {
            "requests": block.facts.requests,
            "chunks": block.facts.chunks,
            "texts": block.facts.texts,
        }
    for name, table in tables.items():
        if table is not None and table.num_rows:
            con.register("block", table)
            con.execute(store.statement(f"store/load/stage_{name}"))
            con.unregister("block")


def _entered(
    con: Connection,
    source: Source,
    batch: str,
    reading: Reading,
    max_rejected: float,
    sorted_by_day: bool,
) -> Batch:
    """Enter the batch in the books: settled, or set aside where too much was rejected."""
    tally = reading.tally
    rejected = _count(con, "store/load/rejected_count")
    aside = tally.read > 0 and rejected / tally.read > max_rejected
    state: State = "set_aside" if aside else "cut" if source.cut else "loaded"
    settling.run(
        con,
        "store/load/batch",
        batch=batch,
        file=source.name,
        format=source.format,
        bytes=source.size,
        state=state,
        read=tally.read,
        rejected=tally.read if aside else rejected,
        judgements=tally.judgements,
        unknown_fields=tally.unknown.total(),
        loaded_at=reading.rules.now.astimezone(UTC).replace(tzinfo=None),
    )
    settling.run(con, "store/load/rejected")
    if not aside:
        settling.settle(con, batch, sorted_by_day=sorted_by_day)
    names = ("read", "loaded", "duplicate", "superseded", "rejected", "judgements")
    counts = con.execute(store.statement("store/load/counts"), {"batch": batch}).fetchone() or ()
    return replace(
        Batch(batch, source.name, source.format, source.size, state),
        **dict(zip(names, counts, strict=True)),
        unknown_fields=dict(tally.unknown),
        note=source.cut,
    )


def _count(con: Connection, name: str) -> int:
    row = con.execute(store.statement(name)).fetchone()
    return int(row[0]) if row else 0


@contextmanager
def _transaction(con: Connection) -> Iterator[None]:
    con.begin()
    try:
        yield
    except BaseException:
        con.rollback()
        raise
    con.commit()


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


def _offset(text: str | None) -> timezone | None:
    if text is None:
        return None
    try:
        offset = datetime.strptime(text.replace("Z", "+00:00"), "%z").utcoffset()
    except ValueError:
        offset = None
    if offset is None:
        raise UsageError(f"offset {text!r} is not one; write it as +02:00 or Z")
    return timezone(offset or timedelta(0))
