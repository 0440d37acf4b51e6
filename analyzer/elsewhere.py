"""Stores whose counts were made elsewhere: they have no requests, and say so where some are asked.

Whatever is told of weeks is told by counts, so it is the same; only what needs single requests has
to be brought from where they are.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from analyzer.errors import CitelogError
from analyzer.store import statement

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection


@dataclass(frozen=True)
class Needed:
    """The requests of a route in [first_day, next_day); with `chunks` their packed chunks too."""

    route: str
    first_day: date
    next_day: date
    chunks: bool


@dataclass(frozen=True)
class Brought:
    """What was: from `first_day` on, None where nothing was; `told` says from where, or why not."""

    first_day: date | None
    told: str


class Facts(Protocol):
    """The way to single requests of such a store."""

    def brought(self, con: Connection, needed: Needed) -> AbstractContextManager[Brought]:
        """Lay what is needed before the store's own tables, for as long as the block goes on."""


def engine_of(con: Connection) -> str | None:
    """What made the newest counts of such a store, as Spark 4.3.0; None where it has requests."""
    [(days, engine)] = con.execute(statement("store/elsewhere/told")).fetchall()
    return str(engine) if days else None


def sentence(con: Connection) -> str | None:
    """Why no single request is found; None where requests are here."""
    engine = engine_of(con)
    if engine is None:
        return None
    return (
        f"the requests are elsewhere: their counts were made by {engine} and loaded as rollups; "
        "name the folder that citelog rollup --facts keeps them in with --facts, or ask where the "
        "logs are"
    )


def refuse(con: Connection, path: Path) -> None:
    """Raise where logs would be mixed into counts that were made elsewhere."""
    engine = engine_of(con)
    if engine is not None:
        raise CitelogError(
            f"{path}: its counts were made by {engine} elsewhere; change the logs there, run "
            "citelog rollup and citelog load-rollups again, or name a store of its own"
        )
