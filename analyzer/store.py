"""The store: one DuckDB file that readers may open at any time while one writer works.

A writer takes a lock that the kernel releases when it dies, works on a private copy beside the
file, and publishes it by checkpoint, close, fsync and rename. So a reader is never refused, never
sees half a batch, and a writer killed at any moment leaves the last published state. (DuckDB
itself refuses a second process while one holds a file read-write, even for reading.)
"""

from __future__ import annotations

import fcntl
import os
import re
import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING
from zoneinfo import available_timezones

import duckdb

from analyzer import store_drafts as drafts
from analyzer.assets import shipped
from analyzer.errors import CitelogError, StoreLocked, UsageError
from analyzer.parameters import monday_of
from analyzer.store_migrations import forward
from analyzer.store_trouble import broken_off, not_opened, not_there, said_of

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection

SCHEMA_VERSION = 5
WRITER_MEMORY = "1GB"
READER_MEMORY = "1GB"
_ELSEWHERE_SINCE = 4  # schema version
# What makes a new store, in this order.
PARTS = (
    "store/schema",
    "store/chunks",
    "store/versions",
    "store/swap",
    "store/erased",
    "store/elsewhere",
)

_UNIT_KEY = re.compile(r"(?:[0-9a-fA-F]{2}){1,64}")


@contextmanager
def reader(path: Path) -> Iterator[Connection]:
    """Open a published store for reading; raises `CitelogError` where there is none."""
    _check_there(path)
    with _opened(path, path, read_only=True) as con:
        supply(con, _check_version(con, path))
        yield con


def supply(con: Connection, version: int) -> None:
    """Let what reads a store of an older version find nothing where it lacks a table."""
    if version < _ELSEWHERE_SINCE:
        con.execute(statement("store/elsewhere/lacking"))


@contextmanager
def writer(
    path: Path,
    *,
    time_zone: str | None = None,
    unit_key: str | None = None,
    new: bool = True,
    rewritten: bool = False,
) -> Iterator[Connection]:
    """Work on a private copy of the store and publish it when the block ends without an error.

    `time_zone` and `unit_key` (hex) settle a new store; for an existing one the zone must agree.
    `new` says whether the store may be made here; `rewritten` writes the file anew, so that
    nothing that was deleted is left in it.
    """
    if not new:
        _check_there(path)
    home = _home(path)
    with _locked(home, path):
        draft = home.with_name(f".{home.name}.draft")
        drafts.remove(draft)
        try:
            if home.exists():
                drafts.copy(home, draft, path)
            with _opened(draft, path, read_only=False) as con:
                _settle(con, path, time_zone, unit_key)
                # Only in a file that is known for a store: there no table is missing whose name
                # a variable might have.
                con.execute("SET python_enable_replacements = true")
                yield con
                con.execute("CHECKPOINT")
                roomy = drafts.much_is_free(con)
            if rewritten:
                drafts.check_room(draft, path)
            if roomy or rewritten:
                drafts.rewrite(draft, path, WRITER_MEMORY)
            with said_of(path):
                drafts.publish(draft, home)
        finally:
            drafts.remove(draft)


def _check_there(path: Path) -> None:
    _check_file(path)
    if not path.exists():
        raise not_there(path)


def _check_file(path: Path) -> None:
    if path.is_dir():
        raise UsageError(f"{path}: is a folder; name a file in it with --store")
    if path.exists() and not path.is_file():
        raise UsageError(f"{path}: is a pipe or a device; name a file with --store")
    try:
        str(path.absolute()).encode()
    except UnicodeEncodeError:
        raise UsageError(
            f"{path}: holds bytes that are no UTF-8, and DuckDB opens no such file; "
            "name another with --store"
        ) from None


def _home(path: Path) -> Path:
    """Where the file lies: behind a link, so that the link stays one and all meet at one lock."""
    _check_file(path)
    return path.resolve()


def seal(path: Path, before: date, today: date, counts_before: date | None = None) -> int:
    """Drop the facts of the days before a Monday; their rollups stand and never change again.

    `counts_before`, no later Monday: the rollups of the days before it go too, and only the
    estimates of their weeks stay. Gives how many requests' facts went.
    """
    for monday in (before, counts_before or before):
        _check_monday(monday)
    if before > today:
        raise UsageError(
            f"{before} is still to come; sealing it would refuse every file until then"
        )
    if counts_before is not None and counts_before > before:
        raise UsageError(f"counts before {counts_before} cannot go while facts from {before} stay")
    asked = {"before": before, "today": today, "counts_before": counts_before}
    with writer(path, new=False) as con, transaction(con):
        [(requests,)] = con.execute(statement("store/to_seal"), {"before": before}).fetchall()
        left = ("store/settle/orphans", "store/settle/dimensions")
        for name in ("store/seal", *left, *(["store/drop_rollups"] if counts_before else [])):
            for part in con.extract_statements(statement(name)):
                con.execute(part, {each: asked[each] for each in part.named_parameters})
    return int(requests)


def _check_monday(day: date) -> None:
    if day.weekday() != 0:
        raise UsageError(f"{day} is no Monday; whole weeks are sealed, as before {monday_of(day)}")


@contextmanager
def transaction(con: Connection) -> Iterator[None]:
    """All of the block or nothing of it."""
    con.begin()
    try:
        yield
    except BaseException:
        with suppress(duckdb.Error):  # what broke the block may have ended the transaction
            con.rollback()
        raise
    con.commit()


@contextmanager
def one_thread(con: Connection) -> Iterator[None]:
    """Let DuckDB work in the thread that asks: for a few rows at a time more would only wait."""
    [(usual,)] = con.execute("SELECT current_setting('threads')").fetchall()
    con.execute("SET threads = 1")
    try:
        yield
    finally:
        with suppress(duckdb.Error):  # after what broke the block, it may take no statement
            con.execute(f"SET threads = {usual}")


def statement(name: str) -> str:
    """The SQL of `queries/<name>.sql`; store and rollup statements are not questions."""
    return (shipped("queries") / f"{name}.sql").read_text(encoding="utf-8")


@contextmanager
def _locked(home: Path, path: Path) -> Iterator[None]:
    lock = home.with_name(f".{home.name}.lock")
    if not home.parent.exists():
        raise CitelogError(f"{path.parent}: there is no such folder; make it first")
    with said_of(path):
        handle = os.open(lock, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise StoreLocked(
                f"{path}: another writer holds the store; wait until it is done and run again"
            ) from None
        yield
    finally:
        os.close(handle)


@contextmanager
def _opened(file: Path, path: Path, *, read_only: bool) -> Iterator[Connection]:
    """Open `file`; `path` is what the store is called when something is wrong with it."""
    # Readers of one store must not share a folder to spill into: DuckDB reuses its file names.
    spill = file.with_name(f"{file.name}.spill{os.getpid() if read_only else ''}")
    config: dict[str, str | bool | int | float | list[str]] = {
        "memory_limit": READER_MEMORY if read_only else WRITER_MEMORY,
        "temp_directory": str(spill),
        "checkpoint_threshold": "1TB",  # a draft is checkpointed once, when it is published
        # What is full is written while the next lines are read, not all at the end.
        "write_buffer_row_group_count": 1,
        "python_enable_replacements": False,
    }

    def connect() -> Connection:
        con = duckdb.connect(str(file), read_only=read_only, config=config)
        con.execute("SET enable_progress_bar = false")  # it goes to stdout, which is for data
        return con

    with answering(path, spill, connect) as con:
        yield con


@contextmanager
def answering(path: Path, spill: Path, connect: Callable[[], Connection]) -> Iterator[Connection]:
    """What `connect` opens; what DuckDB raises is told of the store at `path`.

    In the end it is closed, and the folder that it spilled into is gone.
    """
    try:
        con = connect()
    except duckdb.Error as error:
        raise not_opened(path, error) from None
    try:
        yield con
    except duckdb.Error as error:
        raise broken_off(path, error) from error
    finally:
        con.close()
        shutil.rmtree(spill, ignore_errors=True)


def _settle(con: Connection, path: Path, time_zone: str | None, unit_key: str | None) -> None:
    """Make the schema in a new file; hold an existing one against what is asked."""
    if not con.execute("SHOW TABLES").fetchall():
        _create(con, time_zone or "UTC", unit_key)
        return
    forward(con, _check_version(con, path), SCHEMA_VERSION)
    held = settings(con)["time_zone"]
    if time_zone is not None and time_zone != held:
        raise UsageError(
            f"{path}: cuts its days in {held}, and that is fixed; "
            "leave --time-zone out or make a new store"
        )


def _create(con: Connection, time_zone: str, unit_key: str | None) -> None:
    if time_zone not in available_timezones():
        raise UsageError(
            f"time zone {time_zone!r} is not known; name one of the IANA zones, as Europe/Berlin"
        )
    if unit_key is not None and not _UNIT_KEY.fullmatch(unit_key):
        raise UsageError("a unit key is 2 to 128 hexadecimal digits, two for each byte")
    for part in PARTS:
        con.execute(statement(part))
    con.execute(
        statement("store/settle_settings"),
        {
            "schema_version": SCHEMA_VERSION,
            "time_zone": time_zone,
            "unit_key": unit_key or secrets.token_hex(16),
        },
    )


def settings(con: Connection) -> dict[str, object]:
    """The one row of `settings`."""
    names = [column[0] for column in con.execute(statement("store/settings")).description]
    rows = con.fetchall()  # to its end: an unfinished result would keep the connection busy
    return dict(zip(names, rows[0], strict=True)) if rows else {}


def _check_version(con: Connection, path: Path) -> int:
    """The version of a store that this program knows how to read."""
    try:
        held = settings(con).get("schema_version")
    except (duckdb.CatalogException, duckdb.BinderException):
        held = None
    if not isinstance(held, int):
        raise CitelogError(
            f"{path}: is a DuckDB file, but no citelog store; name another file with --store"
        )
    if held > SCHEMA_VERSION:
        raise CitelogError(
            f"{path}: has schema version {held}, and this citelog knows up to {SCHEMA_VERSION}; "
            "upgrade citelog"
        )
    return held
