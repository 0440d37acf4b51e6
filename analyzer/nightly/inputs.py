"""What there is to load: files whose content the store does not hold yet, whatever their names.

Each file is known by its content; no name, no time and no order decides. A file that was set aside
is tried again only when more rejected lines are allowed than then.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from analyzer.config import Config
from analyzer.errors import CitelogError
from analyzer.ingest.loading import BATCH_DIGITS
from analyzer.nightly.seen import Seen
from analyzer.sources import asked, expand, open_source
from analyzer.sources.asking import Asking
from analyzer.store import statement

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection


@dataclass
class Inputs:
    """The files that the configured paths mean, sorted by what is to be done with them."""

    new: list[Path] = field(default_factory=list)
    beside: list[Path] = field(default_factory=list)  # known, and next to a new one by name
    known: int = 0
    set_aside: int = 0  # on an earlier night, and lying there still
    unreadable: dict[str, str] = field(default_factory=dict)  # file: a sentence that says why
    unmatched: list[str] = field(default_factory=list)  # a sentence for each path without a file


def inputs(con: Connection, config: Config, seen: Seen) -> Inputs:
    """Look at every file; `con` reads the store."""
    held = _held(con, config.inputs.max_rejected)
    found = Inputs()
    asking = asked((), config.inputs.format, config.inputs.mapping)
    files = _files(config.inputs.paths, found)
    for file in files:
        try:
            digest = seen.digest(file, partial(_digest, file, asking))
        except CitelogError as error:
            found.unreadable[str(file)] = str(error)
            continue
        is_set_aside = held.get(digest[:BATCH_DIGITS])
        if is_set_aside is None:
            found.new.append(file)
        elif is_set_aside:
            found.set_aside += 1
        else:
            found.known += 1
    seen.keep()
    found.beside = _neighbours(files, set(found.new))
    return found


def _neighbours(files: list[Path], new: set[Path]) -> list[Path]:
    """Known files right before or after a new one: a trace may go on over the end of a file."""
    return [
        file
        for at, file in enumerate(files)
        if file not in new and not new.isdisjoint(files[max(0, at - 1) : at + 2])
    ]


def _digest(file: Path, asking: Asking) -> str:
    with open_source(file, asking=asking) as source:
        return source.digest()


def _held(con: Connection, max_rejected: float) -> dict[str, bool]:
    """The batches that need no loading, and whether they are set aside."""
    asked = {"max_rejected": max_rejected}
    return dict(con.execute(statement("night/known_batches"), asked).fetchall())


def _files(paths: Iterable[str], found: Inputs) -> list[Path]:
    """Every file once; a path that means none is no error, because logs may have been moved on."""
    matched = []
    for path in paths:
        try:
            expand([path])
        except CitelogError as error:
            found.unmatched.append(str(error))
        else:
            matched.append(path)
    return [file for file in expand(matched) if isinstance(file, Path)]
