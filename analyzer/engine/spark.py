"""The statements on a cluster, through Spark Connect: Apache Spark, Sail, or what else speaks it.

The client is thin: nothing of Java is needed here. The program goes to the workers as an artifact,
so that lines are checked there by the version that asked; what it imports (`pip install citelog`)
must be on the workers. A server that takes no artifacts has the program in its own Python.
"""

from __future__ import annotations

import os
import socket
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import date
from functools import cache, reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit
from zipfile import ZipFile

import pyarrow as pa

from analyzer import storage
from analyzer.engine import published, reading
from analyzer.engine.reading import Asked
from analyzer.errors import CitelogError
from analyzer.leaving_out import let_pandas_in
from analyzer.places import is_address, within, without_credentials

if TYPE_CHECKING:
    from pyspark.sql.connect.dataframe import DataFrame
    from pyspark.sql.connect.session import SparkSession

    from analyzer.places import Place
    from analyzer.storage import Listed

MOST_BYTES = 2**30  # a file is a task and is held whole by its worker
PORT = 15002  # where an address names none
REACHED = 10  # seconds
_LONGEST = 300  # letters of what an engine says


class Spark:
    """A session of a Spark Connect server; what it keeps is Parquet under `scratch`."""

    def __init__(self, address: str, scratch: Place) -> None:
        self._address = address
        self._shown = "/".join(address.split("/")[:3])  # what follows may be a token
        self._scratch = scratch
        self._connected: SparkSession | None = None

    def __enter__(self) -> Spark:
        _check_reached(self._shown)
        with self._asked():
            self._connected = _connected(self._address)
            self._session.conf.set("spark.sql.session.timeZone", "UTC")
            self.name = f"Spark {self._session.version}"
        return self

    def __exit__(self, *ended: object) -> None:
        with suppress(Exception):  # a server that is gone needs no goodbye
            self._session.stop()
        storage.clear(published.place(self._scratch))

    @property
    def _session(self) -> SparkSession:
        assert self._connected is not None, "the engine is not open"
        return self._connected

    def parse(self, files: Sequence[Place | Listed], asked: Asked) -> None:
        """Read the files on the cluster, each by one worker."""
        names = {path: str(file) for file in files for path in _paths_of(_address_of(file))}
        with self._asked():
            self._ship()
            found = self._session.read.format("binaryFile").option("recursiveFileLookup", "true")
            held = found.load([_address_of(file) for file in files])
            held = _each_once(held, [str(file) for file in files if isinstance(file, Path)])
            held = held.select("path", "modificationTime", "content")
            rows = held.mapInArrow(_reader(names, asked), _kinds(reading.schema()))
            self._kept("parsed", rows)

    def give(self, name: str, table: pa.Table) -> None:
        """Let statements find a small table under a name."""
        with self._asked():
            held = self._session.createDataFrame(table, _kinds(table.schema))
            held.createOrReplaceTempView(name)

    def define(self, name: str, sql: str) -> None:
        """Let statements find the rows of a statement under a name."""
        with self._asked():
            self._session.sql(_spoken(sql)).createOrReplaceTempView(name)

    def keep(self, name: str, sql: str) -> None:
        """The same, worked out once."""
        with self._asked():
            self._kept(name, self._session.sql(_spoken(sql)))

    def run(self, sql: str) -> pa.Table:
        """The rows of a statement."""
        with self._asked():
            return self._session.sql(_spoken(sql)).toArrow()

    def save(self, sql: str, folder: Place) -> None:
        """Write the rows of a statement as Parquet below a folder, day by day."""
        with self._asked():
            rows = self._session.sql(_spoken(sql))
            rows.write.partitionBy("day").parquet(_address_of(folder))

    def find(self, name: str, days: Mapping[date, Place]) -> None:
        """Let statements find what was saved of days, each in its folder, under a name."""
        of_runs: dict[str, list[str]] = {}
        for day, folder in days.items():
            of_runs.setdefault(_address_of(folder).rpartition("/")[0], []).append(f"'{day}'")
        with self._asked():
            # Run by run, as folders of several have no partitions in common. What a run wrote of
            # other days is not asked for; Sail takes the day for a text.
            found = [
                self._session.read.parquet(saved).where(f"day IN ({', '.join(asked)})")
                for saved, asked in of_runs.items()
            ]
            dated = [rows.withColumn("day", rows["day"].cast("date")) for rows in found]
            reduce(lambda one, more: one.unionByName(more), dated).createOrReplaceTempView(name)

    def _kept(self, name: str, rows: DataFrame) -> None:
        folder = _address_of(within(self._scratch, name))
        rows.write.mode("overwrite").parquet(folder)
        self._session.read.schema(rows.schema).parquet(folder).createOrReplaceTempView(name)

    def _ship(self) -> None:
        """Give the workers the program."""
        with tempfile.TemporaryDirectory() as folder:
            packed = Path(folder) / "citelog.zip"
            with ZipFile(packed, "w") as file:
                home = Path(__file__).resolve().parents[1]
                for each in sorted(home.rglob("*.py")):
                    file.write(each, Path("analyzer") / each.relative_to(home))
            with suppress(NotImplementedError, *_refusals()):
                self._session.addArtifacts(str(packed), pyfile=True)

    @contextmanager
    def _asked(self) -> Iterator[None]:
        """What the server says as one sentence; its own words may go over pages."""
        try:
            yield
        except CitelogError:
            raise
        except Exception as error:
            said = " ".join(str(error).split())
            said = said.replace(self._address, self._shown)[:_LONGEST]
            raise CitelogError(
                f"{self._shown}: the engine gave up, and nothing of this step is published: "
                f"{without_credentials(said)}"
            ) from error


def _check_reached(server: str) -> None:
    """The client goes on for ten minutes where nobody answers, and says nothing."""
    try:
        parts = urlsplit(server)
        with socket.create_connection((parts.hostname or "", parts.port or PORT), REACHED):
            return
    except (OSError, ValueError) as error:
        raise CitelogError(
            f"{server}: nobody answers there; start a server of Spark Connect, or check its host "
            "and port"
        ) from error


def _connected(address: str) -> SparkSession:
    let_pandas_in()
    try:
        with warnings.catch_warnings(), _home():
            warnings.simplefilter("ignore", FutureWarning)  # of a pandas that is not used
            from pyspark.sql.connect.session import SparkSession as Session
    except ImportError as error:
        raise CitelogError(
            "an engine named sc:// needs the client of Spark Connect; "
            "run pip install 'citelog[spark]'"
        ) from error
    made: SparkSession = Session.builder.remote(address).create()
    return made


@contextmanager
def _home() -> Iterator[None]:
    """The client ends a program that has no file (python -c) where it finds no home of Spark."""
    given = "SPARK_HOME" in os.environ
    os.environ.setdefault("SPARK_HOME", os.curdir)
    try:
        yield
    finally:
        if not given:
            del os.environ["SPARK_HOME"]


def _address_of(file: Place | Listed) -> str:
    """What the cluster finds it by: it knows neither our folder nor that paths mean files."""
    return f"file://{file.absolute()}" if isinstance(file, Path) else str(file)


def _paths_of(address: str) -> tuple[str, ...]:
    """What servers call it: Sail leaves the bucket out."""
    key = address.partition("://")[2].partition("/")[2]
    return _plain_path(address), _plain_path(key)


def _each_once(files: DataFrame, named: Sequence[str]) -> DataFrame:
    """Each file once: paths may overlap, and a listing may name a file twice."""
    listed = files.select("path", "length").toArrow().to_pylist()
    found = {each["path"] for each in listed}
    big = [each["path"] for each in listed if each["length"] > MOST_BYTES]
    if big:
        raise CitelogError(
            f"{_plain_path(big[0])}: is beyond {MOST_BYTES:,} bytes, and a worker holds a whole "
            "file; write logs in files of 64 to 512 MB"
        )
    if len(found) < len(named):
        raise CitelogError(
            f"{named[0]} and others, {len(named):,} in all: the cluster finds {len(found):,} of "
            "them; name files that its workers see, without % and [ in their names"
        )
    # Not always: it sends what the files hold from worker to worker.
    return files.dropDuplicates(["path"]) if len(found) < len(listed) else files


def _refusals() -> tuple[type[Exception], ...]:
    from pyspark.errors import PySparkException

    return (PySparkException,)


def _kinds(schema: pa.Schema) -> Any:
    from pyspark.sql.pandas.types import from_arrow_schema

    return from_arrow_schema(schema, prefer_timestamp_ntz=True)


@cache
def _spoken(sql: str) -> str:
    """A statement of DuckDB in Spark's dialect."""
    import sqlglot

    [spoken] = sqlglot.transpile(sql, read="duckdb", write="spark", comments=False)
    return str(spoken)


def _reader(
    names: dict[str, str], asked: Asked
) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def read(files: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return reading.of_bytes(files, asked, called)

    def called(path: str) -> str:
        plain = _plain_path(path)
        return names.get(plain) or names.get(unquote(plain)) or plain

    return read


def _plain_path(path: str) -> str:
    """A path as people write it: servers call files file:/logs/a, file:///logs/a or logs/a."""
    if path.startswith("file:"):
        return "/" + path.removeprefix("file:").lstrip("/")
    return path if is_address(path) else "/" + path.lstrip("/")
