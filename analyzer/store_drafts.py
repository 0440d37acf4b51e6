"""Drafts: the private copy that a writer works on, from its copying to its publishing.

A file does not shrink when rows are deleted; a draft of which a third is free is written anew
before it is published, so that sealing weeks gives their room back.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

from analyzer.assets import shipped
from analyzer.errors import CitelogError
from analyzer.store_trouble import broken_off, said_of

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection

FREE = 1 / 3
LEAST_BLOCKS = 64  # of 256 KB; rewriting less gives nothing back that anybody misses


def copy(home: Path, draft: Path, path: Path) -> None:
    """Begin a draft with what is published."""
    need, free = home.stat().st_size, shutil.disk_usage(home.parent).free
    if free < need * 1.1:
        raise CitelogError(
            f"{path}: a writer works on a copy of {need:,} bytes, and the disk has {free:,} free; "
            "free some and run again"
        )
    with said_of(path):
        shutil.copyfile(home, draft)


def much_is_free(con: Connection) -> bool:
    """Whether a third of the file, as it was last checkpointed, holds nothing."""
    [(total, free)] = con.execute(_statement("store/room")).fetchall()
    return bool(total >= LEAST_BLOCKS and free >= total * FREE)


def check_room(draft: Path, path: Path) -> None:
    """Raise where a draft that must be written anew has no room for both."""
    need, free = draft.stat().st_size, shutil.disk_usage(draft.parent).free
    if free < need * 1.1:
        raise CitelogError(
            f"{path}: what is erased goes when the file of {need:,} bytes is written anew, and the "
            f"disk has {free:,} free; nothing was changed, free some and run again"
        )


def rewrite(draft: Path, path: Path, memory: str) -> None:
    """Write the draft anew without its gaps; where the disk has no room for both, it stays."""
    fresh = fresh_of(draft)
    if shutil.disk_usage(draft.parent).free < draft.stat().st_size:
        return
    spill = draft.with_name(f"{draft.name}.spill")
    config: dict[str, str | bool | int | float | list[str]] = {
        "memory_limit": memory,
        "temp_directory": str(spill),
    }
    try:
        with duckdb.connect(config=config) as con:
            con.execute("SET enable_progress_bar = false")
            con.execute(_statement("store/rewrite/old"), {"file": str(draft)})
            con.execute(_statement("store/rewrite/new"), {"file": str(fresh)})
            con.execute(_statement("store/rewrite/copy"))
            con.execute(_statement("store/rewrite/close"))
    except duckdb.Error as error:
        raise broken_off(path, error) from error
    with said_of(path):
        fresh.replace(draft)


def fresh_of(draft: Path) -> Path:
    """Where a draft is written anew."""
    return draft.with_name(f"{draft.name}.fresh")


def publish(draft: Path, home: Path) -> None:
    """Put the draft, whole and on the disk, in the place of what was published."""
    with draft.open("rb") as file:
        os.fsync(file.fileno())
    if home.exists():
        shutil.copymode(home, draft)
    # A log that another program left beside the old file would keep readers from the new one.
    home.with_name(f"{home.name}.wal").unlink(missing_ok=True)
    draft.replace(home)
    parent = os.open(home.parent, os.O_RDONLY)
    try:
        os.fsync(parent)
    finally:
        os.close(parent)


def remove(draft: Path) -> None:
    """Take a draft away with all that a writer may have left beside it."""
    for file in (draft, fresh_of(draft)):
        for leftover in (file, file.with_name(f"{file.name}.wal")):
            leftover.unlink(missing_ok=True)
    shutil.rmtree(draft.with_name(f"{draft.name}.spill"), ignore_errors=True)


def _statement(name: str) -> str:
    return (shipped("queries") / f"{name}.sql").read_text(encoding="utf-8")
