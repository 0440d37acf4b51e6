"""Published rollups into a store: days that are new or newer replace what was held of them.

Nothing is counted here. A day is taken whole from what its manifest names, or not at all.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from analyzer import rollup, store
from analyzer.engine import published
from analyzer.engine.published import Manifest, Settings, Shelf
from analyzer.engine.rolling import BESIDE
from analyzer.errors import CitelogError
from analyzer.ingest.settling import run, some
from analyzer.parameters import monday_of
from analyzer.places import Place
from analyzer.store import statement

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection
New = dict[Shelf, list[Manifest]]


@dataclass(frozen=True)
class Loaded:
    """The days that were replaced or new, how many stood already, and what is to be said."""

    days: list[date]
    same: int
    remarks: list[str]


def fixed(folder: Place) -> Settings:
    """What the rollups of a folder have in common; raises `CitelogError` where there are none."""
    held = published.settings(published.place(folder))
    if held is None:
        raise CitelogError(
            f"{folder}: holds no rollups; name the folder that citelog rollup wrote to"
        )
    return held


def load(con: Connection, folder: Place, called: str) -> Loaded:
    """Bring the store, `called` so, up to what is published in the folder."""
    where = published.place(folder)
    _check(con, fixed(folder), folder, called)
    days, weeks = (published.manifests(where, shelf) for shelf in ("days", "weeks"))
    new: New = {"days": _new(con, "days", days), "weeks": _new(con, "weeks", weeks)}
    remarks = [*_incomplete(days, weeks), *_sealed(con, new)]
    with store.transaction(con):
        if new["days"] or new["weeks"]:
            _replace(con, where, new)
        _keep_books(con, where)
    return Loaded([each.of for each in new["days"]], len(days) - len(new["days"]), remarks)


def _check(con: Connection, made: Settings, folder: Place, called: str) -> None:
    if another := published.unlike(made, store.settings(con), called, "here"):
        raise CitelogError(
            f"{folder}: its rollups have another {another}; load them into a store of their own"
        )
    if some(con, "store/elsewhere/own_facts"):
        raise CitelogError(
            f"{called}: holds logs of its own; load rollups into a store of their own"
        )


def _new(con: Connection, kind: Shelf, found: list[Manifest]) -> list[Manifest]:
    """Those that are not held, and not older than what is held."""
    rows = con.execute(statement("store/elsewhere/held")).fetchall()
    held = {of: (digest, made_at) for shelf, of, digest, made_at in rows if shelf == kind}

    def is_new(one: Manifest) -> bool:
        digest, made_at = held.get(one.of, ("", None))
        newer = made_at is None or _utc(one) >= made_at
        return digest != one.digest and newer

    return [one for one in found if is_new(one)]


def _sealed(con: Connection, new: New) -> Iterator[str]:
    """Takes sealed days and weeks out of what is new, and says so of days."""
    held: Any = store.settings(con)
    before = held["sealed_before"]
    if before is None:
        return
    late = [one.of for one in new["days"] if one.of < before]
    for found in new.values():
        found[:] = [one for one in found if one.of >= before]
    if late:
        span = f"{min(late)}" if len(late) == 1 else f"{min(late)} to {max(late)}"
        yield f"{span}: sealed since {held['sealed_on']}; what was counted anew is not loaded"


def _utc(one: Manifest) -> Any:
    return one.made_at.astimezone(UTC).replace(tzinfo=None)


def _replace(con: Connection, folder: Place, new: New) -> None:
    weeks = {monday_of(one.of) for one in new["days"]} | {one.of for one in new["weeks"]}
    run(con, "store/elsewhere/touched", _named(new))
    for table in (*rollup.BY_DAY, *rollup.BY_WEEK):
        con.execute(statement(f"rollup/clear/{table}"))
    run(con, "store/elsewhere/clear")
    for table in (*rollup.BY_DAY, *BESIDE):
        _insert(con, folder, new["days"], table)
    _insert(con, folder, new["weeks"], "documents")
    run(con, "store/elsewhere/note", _named(new))
    # Estimates rest on the days as well, documents on their weeks alone.
    run(con, "store/elsewhere/touched", _weeks(weeks))
    con.execute(statement("rollup/clear/week_estimates"))


def _insert(con: Connection, folder: Place, made: list[Manifest], name: str) -> None:
    rows = [published.table(folder, one, name) for one in made]
    if rows:
        con.from_arrow(pa.concat_tables(rows)).insert_into(name)


def _named(new: New) -> pa.Table:
    every = [(kind, one) for kind, found in new.items() for one in found]
    return pa.table(
        {
            "kind": pa.array([kind for kind, _ in every], pa.string()),
            "of": pa.array([one.of for _, one in every], pa.date32()),
            "digest": pa.array([one.digest for _, one in every], pa.string()),
            "requests": pa.array([one.requests for _, one in every], pa.int64()),
            "engine": pa.array([one.engine for _, one in every], pa.string()),
            "made_at": pa.array([_utc(one) for _, one in every], pa.timestamp("us")),
        }
    )


def _weeks(weeks: set[date]) -> pa.Table:
    return pa.table({"kind": ["weeks"] * len(weeks), "of": pa.array(sorted(weeks), pa.date32())})


def _keep_books(con: Connection, folder: Place) -> None:
    """What every file brought, as the newest run that read it says."""
    run(con, "store/elsewhere/books")
    told: set[str] = set()
    for one in sorted(published.manifests(folder, "runs"), key=_utc, reverse=True):
        batches = published.table(folder, one, "batches")
        unknown = {*batches["batch"].to_pylist()} - told
        for name in ("batches", "rejected_lines", "waiting"):
            rows = _of(published.table(folder, one, name), unknown)
            if name == "batches":
                rows = rows.append_column("loaded_at", _times(one, rows.num_rows))
            if rows.num_rows:
                run(con, f"store/elsewhere/{name}", rows)
        told |= unknown


def _of(rows: pa.Table, batches: set[str]) -> pa.Table:
    return rows.filter(pc.is_in(rows["batch"], pa.array(sorted(batches), pa.string())))


def _times(one: Manifest, size: int) -> pa.Array:
    return pa.array([_utc(one)] * size, pa.timestamp("us"))


def _incomplete(days: list[Manifest], weeks: list[Manifest]) -> Iterator[str]:
    """Weeks whose documents were not counted from the days that are published."""
    for week in weeks:
        stand = {str(one.of): one.requests for one in days if monday_of(one.of) == week.of}
        if stand != {day: week.days.get(day, 0) for day in stand}:
            yield (
                f"{week.of:%G-W%V}: its documents were counted from other logs than its days; run "
                "citelog rollup with all logs of the week"
            )
