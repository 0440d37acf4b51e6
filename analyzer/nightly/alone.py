"""One night at a time on a store, and no leftovers of a dry run that was killed."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from analyzer.errors import CitelogError, StoreLocked
from analyzer.store_trouble import said_of


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """One night at a time on a store; the kernel ends the lock with its holder."""
    home = path.resolve()
    if not home.parent.exists():
        raise CitelogError(f"{path.parent}: there is no such folder; make it first")
    with said_of(path):
        handle = os.open(home.with_name(f".{home.name}.night.lock"), os.O_RDWR | os.O_CREAT, 0o644)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise StoreLocked(
                f"{path}: another night is running on this store; wait until it is done"
            ) from None
        shutil.rmtree(dry_run_folder(path), ignore_errors=True)
        yield
    finally:
        os.close(handle)


def dry_run_folder(path: Path) -> Path:
    """Where a dry run works: beside the store, so that a copy of it has room."""
    home = path.resolve()
    return home.with_name(f".{home.name}.dry-run")
