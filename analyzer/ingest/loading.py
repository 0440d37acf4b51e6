"""One file into the store: what it is, whether it is known, its blocks added, its books closed."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pyarrow as pa

from analyzer import facts, store
from analyzer.errors import CitelogError
from analyzer.ingest import settling
from analyzer.ingest.dimensions import Keys
from analyzer.reading.pieces import Block, Rules, Tally, Terms, pieces, terms
from analyzer.reading.processes import Readers
from analyzer.sources import Asking, Source, open_source
from analyzer.storage import Listed

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection

State = Literal["loaded", "cut", "set_aside", "known", "unreadable"]
Progress = Callable[[str, int, int], None]

BATCH_DIGITS = 32
BLOCKS_AT_ONCE = 4  # added by one statement: each costs DuckDB a millisecond, whatever it adds
ADDED_AHEAD = 1  # so many more of them are read while DuckDB is at work
TURN = 0.0005  # seconds


@dataclass(frozen=True)
class Batch:
    """What one file brought. read = loaded + duplicate + superseded + rejected, in lines.

    `state`: loaded; cut (the file ended early); set_aside (too much was rejected, nothing is
    loaded and every line counts as rejected); known (this content was loaded before; the counts
    are 0); unreadable (no citation log). `note` says more: of a file that is not loaded why,
    and what is to be done. `bytes` is the size as stored.
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


def load(
    con: Connection,
    file: Path | str | Listed,
    rules: Rules,
    max_rejected: float,
    asking: Asking,
    readers: Readers,
    tell: Progress,
) -> Batch:
    """Load one file in one transaction; a file that is no log becomes an unreadable batch."""
    try:
        with open_source(file, asking=asking) as source:
            batch = source.digest()[:BATCH_DIGITS]
            if known := _known(con, source, batch):
                return known
            readers.foresee(source.size)
            with asking.kept_aside(batch):
                return _loaded(con, source, batch, rules, max_rejected, readers, tell)
    except (CitelogError, UnicodeError) as error:
        return Batch("", str(file), "", 0, "unreadable", note=str(error))


def _known(con: Connection, source: Source, batch: str) -> Batch | None:
    """The batch that brought this content before, if one did and was not set aside."""
    held = con.execute(store.statement("store/load/known"), {"batch": batch}).fetchone()
    if held is None or held[1] == "set_aside":
        return None
    note = f"this content was loaded before, from {held[0]}; nothing changed"
    return Batch(batch, source.name, source.format, source.size, "known", note=note)


def _loaded(
    con: Connection,
    source: Source,
    batch: str,
    rules: Rules,
    max_rejected: float,
    readers: Readers,
    tell: Progress,
) -> Batch:
    held = store.settings(con)
    settings = facts.Settings(str(held["time_zone"]), bytes.fromhex(str(held["unit_key"])))
    with store.transaction(con):
        settling.run(con, "store/forget/set_aside", batch=batch)
        settling.run(con, "store/load/begin")
        tally = _add_all(con, source, terms(source, batch, rules, settings), readers, tell)
        if held["sealed_before"] is not None:
            settling.reject_sealed(con, batch)
        torn = 1 if source.cut else 0  # that the file ends early is no fault of its lines
        if rejected_lines(con, batch) - torn > max_rejected * tally.read:
            return _set_aside(con, source, batch, rules, tally)
        labels = settling.reject_erased(con, batch)  # nor is that somebody asked to be erased
        rejected = rejected_lines(con, batch) + labels
        return _entered(con, source, batch, rules, tally, rejected)


def _add_all(
    con: Connection, source: Source, asked: Terms, readers: Readers, tell: Progress
) -> Tally:
    """Add every block; the next ones are read while DuckDB takes the last."""
    pending: deque[Future[None]] = deque()
    tally = Tally()

    def adding() -> Future[None] | None:
        return next((each for each in pending if not each.done()), None)

    blocks = _told(readers.blocks(pieces(source), asked, adding), source, tally, tell)
    keys = Keys(con)
    # The pool ends first: until then its thread may be at work on the connection.
    with store.one_thread(con), _short_turns(), ThreadPoolExecutor(1) as database:
        while some := list(islice(blocks, BLOCKS_AT_ONCE)):
            if len(pending) > ADDED_AHEAD:
                pending.popleft().result()
            pending.append(database.submit(_add, con, asked.batch, _tables(some, keys)))
        for each in pending:
            each.result()
    return tally


def _told(blocks: Iterator[Block], source: Source, tally: Tally, tell: Progress) -> Iterator[Block]:
    """The blocks, counted in the tally and told of as they come."""
    for block in blocks:
        tally.add(block.tally)
        tell(source.name, source.consumed, source.size)
        yield block


@contextmanager
def _short_turns() -> Iterator[None]:
    """Let the thread that feeds DuckDB have its turn at once: it needs it often, and for little."""
    usual = sys.getswitchinterval()
    if usual <= TURN:  # another load has seen to it, and will put it back
        yield
        return
    sys.setswitchinterval(TURN)
    try:
        yield
    finally:
        sys.setswitchinterval(usual)


def _tables(blocks: list[Block], keys: Keys) -> dict[str, pa.Table]:
    """What is to be added of the blocks, by the store's tables; nothing where all have nothing."""
    facts = [block.facts for block in blocks if block.facts]
    tables = {
        "judgements": [block.judgements for block in blocks],
        "rejected_lines": [block.rejected for block in blocks],
        "requests": [each.requests for each in facts],
        "texts": [each.texts for each in facts],
    }
    held = {name: [part for part in parts if part] for name, parts in tables.items()}
    made = {name: pa.concat_tables(parts) for name, parts in held.items() if parts}
    return made | (keys.tables(facts) if facts else {})


def _add(con: Connection, batch: str, tables: dict[str, pa.Table]) -> None:
    for name, table in tables.items():
        settling.run(con, f"store/load/{name}", table, batch=batch)


def _entered(
    con: Connection, source: Source, batch: str, rules: Rules, tally: Tally, rejected: int
) -> Batch:
    state: State = "cut" if source.cut else "loaded"
    settling.run(con, "store/load/batch", **_books(source, batch, rules, tally, rejected, state))
    settling.settle(con, batch)
    return _counted(con, source, batch, tally, state)


def _set_aside(con: Connection, source: Source, batch: str, rules: Rules, tally: Tally) -> Batch:
    """Take out what the file added, but for its rejected lines; then every line counts as one."""
    settling.run(con, "store/load/take_out", batch=batch)
    books = _books(source, batch, rules, tally, tally.read, "set_aside")
    settling.run(con, "store/load/batch", **books)
    return _counted(con, source, batch, tally, "set_aside")


def _books(
    source: Source, batch: str, rules: Rules, tally: Tally, rejected: int, state: State
) -> dict[str, object]:
    return {
        "batch": batch,
        "file": source.name,
        "format": source.format,
        "bytes": source.size,
        "state": state,
        "read": tally.read,
        "rejected": rejected,
        "judgements": tally.judgements,
        "unknown_fields": tally.unknown.total(),
        "loaded_at": rules.now.astimezone(UTC).replace(tzinfo=None),
    }


def _counted(con: Connection, source: Source, batch: str, tally: Tally, state: State) -> Batch:
    brought = Batch(batch, source.name, source.format, source.size, state)
    brought = replace(brought, unknown_fields=dict(tally.unknown), note=source.cut or source.told)
    return recounted(con, brought)


def recounted(con: Connection, batch: Batch) -> Batch:
    """A batch with the counts of the books; a later file can supersede what it brought."""
    if batch.state in ("known", "unreadable"):
        return batch
    asked = {"batch": batch.batch}
    counts = con.execute(store.statement("store/load/counts"), asked).fetchall()
    names = ("read", "loaded", "duplicate", "superseded", "rejected", "judgements")
    return replace(batch, **dict(zip(names, counts[0], strict=True)))


def rejected_lines(con: Connection, batch: str) -> int:
    """How many lines of a batch could not become records; set aside, all count as rejected."""
    row = con.execute(store.statement("store/load/rejected_count"), {"batch": batch}).fetchone()
    return int(row[0]) if row else 0
