"""The same measures where one machine is not enough: logs to rollups on DuckDB or on Spark.

The design, decided before it was written:

**One statement, two engines.** Every statement is one file in `queries/`, written for DuckDB and
put into Spark's dialect by sqlglot when it runs there. `queries/rollup/` is what a load into a
store uses, unchanged. `queries/engine/` settles what a store settles row by row in `queries/store/`
(repeats, revisions, labels, expected places): there as an update of what is held, here as a
function of everything that was read, because a cluster holds nothing. The two are kept equal by
tests, cell by cell of every rollup, on both engines, over dirty logs as well. So no statement here
uses what only one of them has: no QUALIFY, FILTER, list function, hash, percentile or cast of a
fraction.

**One validator.** A file is read by `analyzer.reading.pieces`, the very code of `citelog ingest`,
in `engine.reading`: in this process or, by mapInArrow, in a Python worker of the cluster. A file is
the unit of work, because what its markers count from, how much of it is rejected and which line a
fault stands in are known of whole files only; many files of 64 to 512 MB are what a cluster likes
anyhow. Scheduling, shuffles and retries are the engine's; what a worker gives is a function of the
file's bytes, so a task that is tried again changes nothing.

**Steps.** `parsed` has a row for each line that became something and for each file. From it follow,
each a statement: `files`, `lines` (every request line with its place among its tellings), `won`
(what counts), `said`, `labels`, `chunks`, `requests`, then the rollups. What is `kept` is written
down once (a table of DuckDB, Parquet of Spark), so that no file is parsed twice.

**Small results.** Rollups saturate, so they come back as Arrow and are written by `published`: data
first, then one manifest a day, put in place by one rename. A day is what its manifest names; a run
that dies, or a worker that does, leaves whole days or what was there before.

**Few facts.** Single requests stay where they are. Whoever asks for some (`bringing`) has the
engine pick those of a route and its days, and lays them beside the counts of a store for as long as
it asks.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from analyzer.errors import UsageError

if TYPE_CHECKING:
    import pyarrow as pa

    from analyzer.engine.reading import Asked
    from analyzer.places import Place
    from analyzer.storage import Listed


class Engine(Protocol):
    """What runs the statements. It is closed, and what it kept is gone, when its block ends."""

    @property
    def name(self) -> str:
        """Its name and version, as people call it."""

    def __enter__(self) -> Engine: ...

    def __exit__(self, *ended: object) -> None: ...

    def parse(self, files: Sequence[Place | Listed], asked: Asked) -> None:
        """Read the files and keep what comes of them as the table `parsed`."""

    def give(self, name: str, table: pa.Table) -> None:
        """Let statements find a small table under a name."""

    def define(self, name: str, sql: str) -> None:
        """Let statements find the rows of a statement under a name."""

    def keep(self, name: str, sql: str) -> None:
        """The same, worked out once."""

    def run(self, sql: str) -> pa.Table:
        """The rows of a statement."""

    def save(self, sql: str, folder: Place) -> None:
        """Write the rows of a statement as Parquet below a folder, in folders as day=2026-11-16."""

    def find(self, name: str, days: Mapping[date, Place]) -> None:
        """Let statements find what was saved of days, each in its folder, under a name."""


def engine(named: str, scratch: Place) -> Engine:
    """The engine of a name: duckdb, or the address of a Spark Connect server (sc://host:port).

    `scratch` is a folder that it may fill and that the cluster sees as well. Raises `UsageError`
    for another name and `CitelogError` where the server cannot be reached.
    """
    if named == "duckdb":
        from analyzer.engine.duckdb import DuckDB

        return DuckDB(scratch if isinstance(scratch, Path) else Path(tempfile.mkdtemp()))
    if named.startswith("sc://"):
        from analyzer.engine.spark import Spark

        return Spark(named, scratch)
    raise UsageError(
        f"engine {named!r} is not known; name duckdb, or a Spark Connect server as sc://host:15002"
    )
