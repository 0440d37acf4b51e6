"""What there is to load: files whose content the store does not hold yet, whatever their names.

Each file is known by its content; no name, no time and no order decides. An object of a bucket that
is not the one remembered is new until it is fetched. A file that was set aside
is tried again only when more rejected lines are allowed than then.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from analyzer import storage
from analyzer.config import Config
from analyzer.errors import CitelogError
from analyzer.fetching import Remembered
from analyzer.ingest.loading import BATCH_DIGITS
from analyzer.nightly.seen import Seen
from analyzer.places import is_address
from analyzer.sources import asked, expand, open_source
from analyzer.sources.asking import Asking
from analyzer.sources.together import File, neighbours
from analyzer.storage import Listed
from analyzer.storage_trouble import Unreachable
from analyzer.store import statement

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection


@dataclass
class Inputs:
    """The files that the configured paths mean, sorted by what is to be done with them."""

    new: list[File] = field(default_factory=list)
    beside: list[File] = field(default_factory=list)  # known, and next to a new one by name
    known: int = 0
    set_aside: int = 0  # on an earlier night, and lying there still
    unreadable: dict[str, str] = field(default_factory=dict)  # file: a sentence that says why
    unmatched: list[str] = field(default_factory=list)  # a sentence for each path without a file
    rolled: int | None = None  # days of published rollups that are new, in the place of files


def inputs(con: Connection, config: Config, seen: Seen, remembered: Remembered) -> Inputs:
    """Look at every file; `con` reads the store."""
    held = _held(con, config.inputs.max_rejected)
    found = Inputs()
    asking = asked((), config.inputs.format, config.inputs.mapping)
    files = _files(config.inputs.paths, found)
    for file in files:
        try:
            batch = _batch(file, asking, seen, remembered)
        except CitelogError as error:
            found.unreadable[str(file)] = str(error)
            continue
        is_set_aside = held.get(batch) if batch else None
        if is_set_aside is None:
            found.new.append(file)
        elif is_set_aside:
            found.set_aside += 1
        else:
            found.known += 1
    seen.keep()
    found.beside = neighbours(files, set(found.new))
    return found


def _batch(file: File, asking: Asking, seen: Seen, remembered: Remembered) -> str | None:
    """What a file would bring; None for an object that has to be fetched."""
    if isinstance(file, Listed):
        return remembered.batch(file)
    return seen.digest(file, partial(_digest, file, asking))[:BATCH_DIGITS]


def _digest(file: Path, asking: Asking) -> str:
    with open_source(file, asking=asking) as source:
        return source.digest()


def _held(con: Connection, max_rejected: float) -> dict[str, bool]:
    """The batches that need no loading, and whether they are set aside."""
    asked = {"max_rejected": max_rejected}
    return dict(con.execute(statement("night/known_batches"), asked).fetchall())


def _files(paths: Iterable[str], found: Inputs) -> list[File]:
    """Every file once; a path that means none is no error, because logs may have been moved on."""
    matched: list[str | File] = []
    for path in paths:
        if is_address(path):
            storage.check(path)
        try:
            files = expand([path])
        except Unreachable as error:
            found.unreadable[path] = str(error)
        except CitelogError as error:
            found.unmatched.append(str(error))
        else:
            matched += files if is_address(path) else [path]
    return [file for file in expand(matched) if not isinstance(file, str)]
