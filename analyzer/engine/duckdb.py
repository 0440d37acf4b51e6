"""The statements on DuckDB, in this process: the same steps as on a cluster, on one machine."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date
from glob import escape
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
import pyarrow as pa

from analyzer.engine import reading
from analyzer.engine.reading import Asked
from analyzer.errors import CitelogError

if TYPE_CHECKING:
    from analyzer.places import Place
    from analyzer.storage import Listed

MEMORY = "1GB"


class DuckDB:
    """A DuckDB of its own in a file under `scratch`, which is gone when the block ends."""

    name = f"DuckDB {duckdb.__version__}"

    def __init__(self, scratch: Path) -> None:
        self._scratch = scratch

    def __enter__(self) -> DuckDB:
        self._scratch.mkdir(parents=True, exist_ok=True)
        spill = str(self._scratch / "spill")
        self._con = duckdb.connect(
            str(self._scratch / "facts.duckdb"),
            config={"memory_limit": MEMORY, "temp_directory": spill},
        )
        self._con.execute("SET enable_progress_bar = false")
        return self

    def __exit__(self, *ended: object) -> None:
        self._con.close()
        shutil.rmtree(self._scratch, ignore_errors=True)

    def parse(self, files: Sequence[Place | Listed], asked: Asked) -> None:
        """Read the files one after the other."""
        self.give("parsed", reading.schema().empty_table())
        for file in files:
            for rows in reading.of_file(file, str(file), asked):
                with _said():
                    self._con.from_arrow(pa.Table.from_batches([rows])).insert_into("parsed")

    def give(self, name: str, table: pa.Table) -> None:
        """Let statements find a small table under a name."""
        self._con.from_arrow(table).create(name)

    def define(self, name: str, sql: str) -> None:
        """Let statements find the rows of a statement under a name."""
        self._con.sql(sql).create_view(name)

    def keep(self, name: str, sql: str) -> None:
        """The same, worked out once."""
        with _said():
            self._con.sql(sql).create(name)

    def run(self, sql: str) -> pa.Table:
        """The rows of a statement."""
        with _said():
            return self._con.sql(sql).to_arrow_table()

    def save(self, sql: str, folder: Place) -> None:
        """Write the rows of a statement as Parquet below a folder, day by day."""
        assert isinstance(folder, Path), "an address is refused before a run begins"
        folder.parent.mkdir(parents=True, exist_ok=True)
        with _said():
            self._con.sql(sql).write_parquet(str(folder), partition_by=["day"])

    def find(self, name: str, days: Mapping[date, Place]) -> None:
        """Let statements find what was saved of days, each in its folder, under a name."""
        files: list[str] = []
        for folder in days.values():
            assert isinstance(folder, Path), "an address is refused before"
            files += (escape(str(file)) for file in sorted(folder.glob("*.parquet")))
        with _said():
            found = self._con.read_parquet(files, hive_partitioning=True, union_by_name=True)
            found.create_view(name)


@contextmanager
def _said() -> Iterator[None]:
    """What DuckDB raises, as a full disk, in one sentence."""
    try:
        yield
    except duckdb.Error as error:
        said = str(error).splitlines()[0]
        raise CitelogError(
            f"DuckDB gave up, and nothing of this step is published: {said}"
        ) from error
