"""Few single requests to a store of rollups, from the folder that `citelog rollup --facts` keeps.

The statements of an investigation are DuckDB's, and the store is only read. So what the question is
about, some days of one route, is picked on the engine, fetched as Arrow and laid before the store's
own tables: temporary tables have their names for as long as the question is asked.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from analyzer import names, numbers, storage, store, store_pseudonyms
from analyzer.elsewhere import Brought, Needed
from analyzer.engine import Engine, engine, published
from analyzer.engine.published import Manifest
from analyzer.errors import CitelogError, NothingThere, UsageError
from analyzer.places import Place, is_address, within, without_credentials
from analyzer.store import statement

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection

MOST = 5_000_000  # requests and packed chunks, which must fit into the memory of a reader
NAMED = 3  # days

Days = Mapping[date, Manifest]


@dataclass(frozen=True)
class Facts:
    """Facts in a folder, and the engine that reads them; `called` is the store that they are of."""

    folder: Place
    engine: str
    called: str

    def __post_init__(self) -> None:
        if self.engine == "duckdb" and is_address(self.folder):
            raise UsageError(
                f"{self}: DuckDB reads facts from a folder here; name a Spark Connect server with "
                "--engine"
            )

    def __str__(self) -> str:
        return without_credentials(str(self.folder))

    @contextmanager
    def brought(self, con: Connection, needed: Needed) -> Iterator[Brought]:
        """Lay what is needed before the store's own tables, for as long as the block goes on.

        Raises `CitelogError` for facts that are not those of the store, and for too many.
        """
        self._check(con)
        counted = _counted(con, needed)
        kept = self._kept()
        days = {day: kept[day] for day in counted if day in kept}
        lacking = [day for day in counted if day not in days]
        if not days:
            yield Brought(None if lacking else needed.first_day, self._nothing(lacking))
            return
        _guard(needed, sum(counted[day] for day in days), len(days))
        name, requests, chunks = self._fetched(con, needed, days)
        with _laid(con, requests, chunks):
            self._hold_against(con, needed, days)
            first = min(days) if lacking and min(lacking) < min(days) else needed.first_day
            yield Brought(first, self._told(name, requests.num_rows, lacking))

    @contextmanager
    def named(self, con: Connection, beginning: str) -> Iterator[None]:
        """Lay the requests whose id begins so, with all their chunks, for as long as it goes on.

        Every day that is kept is looked through. Raises `NothingThere` where none begins so.
        """
        self._check(con)
        days = self._kept()
        with self._opened() as one:
            one.give("asked", pa.table({"beginning": [beginning.rstrip("…")]}))
            requests = self._read(one, "named", "requests", days)
            if requests is None or not requests.num_rows:
                raise NothingThere(
                    f"no request in {self} is named {names.shown(beginning)}, nor begins so"
                )
            one.give("found", requests.select(["request_id", "day"]))
            found = {day: days[day] for day in requests["day"].to_pylist()}
            chunks = self._read(one, "named", "chunks", found)
        with _laid(con, requests, _no_chunks(con) if chunks is None else chunks):
            yield

    @property
    def _place(self) -> Place:
        return published.place(self.folder)

    def _kept(self) -> dict[date, Manifest]:
        every = published.manifests(self._place, "days")
        return {each.of: each for each in every if "requests" in each.tables}

    def _check(self, con: Connection) -> None:
        made, held = published.settings(self._place), store.settings(con)
        if made is None:
            raise CitelogError(f"{self}: holds no facts; name the folder of citelog rollup --facts")
        if another := published.unlike(made, held, self.called, "there"):
            raise CitelogError(
                f"{self}: its facts have another {another}; name those that were kept when its "
                "rollups were made"
            )

    def _fetched(
        self, con: Connection, needed: Needed, days: Days
    ) -> tuple[str, pa.Table, pa.Table]:
        """The name of the engine, the requests and the chunks."""
        with self._opened() as one:
            one.give("asked", pa.table({"route": [needed.route]}))
            requests = self._read(one, "asked", "requests", days)
            if requests is None:
                raise self._lost(days)
            chunks = self._read(one, "asked", "chunks", days) if needed.chunks else None
            return one.name, requests, _no_chunks(con) if chunks is None else chunks

    @contextmanager
    def _opened(self) -> Iterator[Engine]:
        with tempfile.TemporaryDirectory() as room, engine(self.engine, Path(room) / "own") as one:
            yield one

    def _read(self, one: Engine, how: str, name: str, days: Days) -> pa.Table | None:
        """The rows of `queries/engine/<how>_<name>.sql`; None where the days hold none at all."""
        folders = {day: within(self.folder, made.tables[name]) for day, made in days.items()}
        there = {day: folder for day, folder in folders.items() if _is_there(folder)}
        if not there:
            return None
        one.find(f"published_{name}", there)
        return one.run(statement(f"engine/{how}_{name}"))

    def _hold_against(self, con: Connection, needed: Needed, days: Days) -> None:
        asked = {"route": needed.route, "days": [*days], "with_chunks": needed.chunks}
        apart = con.execute(statement("store/elsewhere/apart"), asked).fetchall()
        if apart:
            raise self._lost([day for (day,) in apart])

    def _lost(self, days: Sequence[date] | Days) -> CitelogError:
        return CitelogError(
            f"{self}: the facts of {_listed(days)} are not those that {self.called} counts; run "
            "citelog rollup with --facts and citelog load-rollups again"
        )

    def _nothing(self, lacking: Sequence[date]) -> str:
        return f"no facts of {_listed(lacking) or 'these days'} are kept in {self}"

    def _told(self, name: str, requests: int, lacking: Sequence[date]) -> str:
        more = f"; there are none of {_listed(lacking)}" if lacking else ""
        return f"{numbers.counted(requests, 'request')} read by {name} from {self}{more}"


def _counted(con: Connection, needed: Needed) -> dict[date, int]:
    """How many rows are needed of each day that the store counts."""
    asked = {"route": needed.route, "first_day": needed.first_day, "next_day": needed.next_day}
    rows = con.execute(statement("store/elsewhere/days_of"), asked).fetchall()
    return {day: requests + (packed if needed.chunks else 0) for day, requests, packed in rows}


def _guard(needed: Needed, rows: int, days: int) -> None:
    if rows > MOST:
        last = needed.next_day - timedelta(days=1)
        raise CitelogError(
            f"{names.shown(needed.route)}: {rows:,} requests and packed chunks in "
            f"{numbers.counted(days, 'day')} from {needed.first_day} to {last}, and {MOST:,} are "
            "brought here at most; name another --route, or fewer days with --since and --until"
        )


def _no_chunks(con: Connection) -> pa.Table:
    return con.sql(statement("store/elsewhere/no_chunks")).to_arrow_table()


def _is_there(folder: Place) -> bool:
    """No engine makes a folder for a day without rows, nor reads one that is not there."""
    if isinstance(folder, Path):
        return folder.is_dir()
    return bool(storage.under(str(published.place(folder))))


@contextmanager
def _laid(con: Connection, requests: pa.Table, chunks: pa.Table) -> Iterator[None]:
    con.register("found_requests", requests)
    con.register("found_chunks", chunks)
    con.execute(statement("store/elsewhere/lay"))
    con.unregister("found_requests")
    con.unregister("found_chunks")
    try:
        store_pseudonyms.hide(con)
        yield
    finally:
        con.execute(statement("store/elsewhere/lift"))


def _listed(days: Sequence[date] | Days) -> str:
    found = sorted(days)
    named = ", ".join(map(str, found[:NAMED]))
    return named + (f" and {len(found) - NAMED:,} more" if len(found) > NAMED else "")
