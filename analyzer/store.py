"""The store: one DuckDB file that readers may open at any time while one writer works.

A writer takes a lock that the kernel releases when it dies, works on a private copy beside the
file, and publishes it by checkpoint, close, fsync and rename. So a reader is never refused, never
sees half a batch, and a writer killed at any moment leaves the last published state. (DuckDB
itself refuses a second process while one holds a file read-write, even for reading.)
"""

from __future__ import annotations

import fcntl
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import duckdb

from analyzer.assets import shipped
from analyzer.errors import CitelogError, StoreLocked, UsageError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection

SCHEMA_VERSION = 1
WRITER_MEMORY = "1GB"
READER_MEMORY = "1GB"


@contextmanager
def reader(path: Path) -> Iterator[Connection]:
    """Open a published store for reading; raises `CitelogError` where there is none."""
    if not path.exists():
        raise CitelogError(f"{path}: there is no store; citelog ingest makes one")
    with _opened(path, read_only=True) as con:
        _check_version(con, path)
        yield con


@contextmanager
def writer(
    path: Path, *, time_zone: str | None = None, unit_key: str | None = None
) -> Iterator[Connection]:
    """Work on a private copy of the store and publish it when the block ends without an error.

    `time_zone` and `unit_key` (hex) settle a new store; for an existing one the zone must agree.
    """
    with _locked(path):
        draft = path.with_name(f".{path.name}.draft")
        _remove(draft)
        try:
            if path.exists():
                _copy(path, draft)
            with _opened(draft, read_only=False) as con:
                _settle(con, path, time_zone, unit_key)
                yield con
                con.execute("CHECKPOINT")
            _publish(draft, path)
        finally:
            _remove(draft)


def seal(path: Path, before: date, today: date) -> None:
    """Drop the facts of the days before a Monday; their rollups stand and never change again."""
    if before.weekday() != 0:
        monday = before - timedelta(days=before.weekday())
        raise UsageError(f"{before} is no Monday; whole weeks are sealed, as before {monday}")
    with writer(path) as con, transaction(con):
        for part in con.extract_statements(statement("store/seal")):
            asked = {"before": before, "today": today}
            con.execute(part, {name: asked[name] for name in part.named_parameters})


@contextmanager
def transaction(con: Connection) -> Iterator[None]:
    """All of the block or nothing of it."""
    con.begin()
    try:
        yield
    except BaseException:
        con.rollback()
        raise
    con.commit()


def statement(name: str) -> str:
    """The SQL of `queries/<name>.sql`; store and rollup statements are not questions."""
    return (shipped("queries") / f"{name}.sql").read_text(encoding="utf-8")


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    lock = path.with_name(f".{path.name}.lock")
    try:
        handle = os.open(lock, os.O_RDWR | os.O_CREAT, 0o644)
    except FileNotFoundError:
        raise CitelogError(f"{path.parent}: there is no such folder; make it first") from None
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
def _opened(path: Path, *, read_only: bool) -> Iterator[Connection]:
    memory = READER_MEMORY if read_only else WRITER_MEMORY
    spill = path.with_name(f"{path.name}.spill")
    config: dict[str, str | bool | int | float | list[str]] = {
        "memory_limit": memory,
        "temp_directory": str(spill),
    }
    try:
        con = duckdb.connect(str(path), read_only=read_only, config=config)
    except duckdb.Error as error:
        raise _not_a_store(path, error) from None
    try:
        yield con
    except duckdb.Error as error:
        raise _sentence(path, error) from error
    finally:
        con.close()
        shutil.rmtree(spill, ignore_errors=True)


def _not_a_store(path: Path, error: duckdb.Error) -> Exception:
    if "newer" in str(error) or "version number" in str(error):
        return CitelogError(f"{path}: was written by a newer DuckDB; upgrade citelog to read it")
    if isinstance(error, duckdb.IOException) and not os.access(path, os.R_OK):
        return CitelogError(f"{path}: may not be read; check its permissions")
    return CitelogError(f"{path}: is not a citelog store; name another file with --store")


def _sentence(path: Path, error: duckdb.Error) -> Exception:
    text = str(error)
    if "No space left" in text or "ENOSPC" in text:
        return CitelogError(
            f"{path}: the disk is full; nothing was published, free some and run again"
        )
    if isinstance(error, duckdb.OutOfMemoryException):
        return CitelogError(
            f"{path}: DuckDB ran out of memory or spill space: {text.splitlines()[0]}"
        )
    return error


def _settle(con: Connection, path: Path, time_zone: str | None, unit_key: str | None) -> None:
    """Make the schema in a new file; hold an existing one against what is asked."""
    if not con.execute("SHOW TABLES").fetchall():
        _create(con, time_zone or "UTC", unit_key)
        return
    _check_version(con, path)
    held = settings(con)["time_zone"]
    if time_zone is not None and time_zone != held:
        raise UsageError(
            f"{path}: cuts its days in {held}, and that is fixed; "
            "leave --time-zone out or make a new store"
        )


def _create(con: Connection, time_zone: str, unit_key: str | None) -> None:
    try:
        ZoneInfo(time_zone)
    except (ZoneInfoNotFoundError, ValueError):
        raise UsageError(
            f"time zone {time_zone!r} is not known; name one of the IANA zones, as Europe/Berlin"
        ) from None
    for part in ("store/schema", "store/versions"):
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
    names = [column[0] for column in con.execute("FROM settings").description]
    row = con.fetchone()
    return dict(zip(names, row or (), strict=True))


def _check_version(con: Connection, path: Path) -> None:
    try:
        held = int(str(settings(con)["schema_version"]))
    except duckdb.CatalogException:
        raise CitelogError(
            f"{path}: is a DuckDB file, but no citelog store; name another file with --store"
        ) from None
    if held > SCHEMA_VERSION:
        raise CitelogError(
            f"{path}: has schema version {held}, and this citelog knows up to {SCHEMA_VERSION}; "
            "upgrade citelog"
        )


def _copy(path: Path, draft: Path) -> None:
    need, free = path.stat().st_size, shutil.disk_usage(path.parent).free
    if free < need * 1.1:
        raise CitelogError(
            f"{path}: a writer works on a copy of {need:,} bytes, and the disk has {free:,} free"
        )
    shutil.copyfile(path, draft)


def _publish(draft: Path, path: Path) -> None:
    with draft.open("rb") as file:
        os.fsync(file.fileno())
    if path.exists():
        shutil.copymode(path, draft)
    draft.replace(path)
    parent = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(parent)
    finally:
        os.close(parent)


def _remove(draft: Path) -> None:
    for leftover in (draft, draft.with_name(f"{draft.name}.wal")):
        leftover.unlink(missing_ok=True)
    shutil.rmtree(draft.with_name(f"{draft.name}.spill"), ignore_errors=True)
