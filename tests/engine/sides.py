"""The same files on both sides: loaded into a store, and rolled up by an engine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa
from loading.sites import NOW, Site

from analyzer import engine, facts, rollup, store
from analyzer.engine import Engine, rolling
from analyzer.engine.reading import Asked
from analyzer.reading.pieces import Rules

Rows = list[str]
BOOKS = ("file", "state", "read", "loaded", "duplicate", "superseded", "rejected", "judgements")
FAULTS = ("batch", "line", "byte_offset", "path", "reason", "line_hash")
LISTED = ("requests", "chunks")


def asked(time_zone: str = "UTC", max_rejected: float = 1.0) -> Asked:
    """What a site's loads ask as well."""
    return Asked(Rules(NOW), facts.Settings(time_zone, bytes.fromhex("00")), max_rejected)


@contextmanager
def settled(
    named: str, folder: Path, files: Sequence[Path], how: Asked | None = None
) -> Iterator[Engine]:
    """An engine that has read the files and knows their days as touched."""
    with engine.engine(named, folder / "scratch") as one:
        rolling.settle(one, files, how or asked(), rolling.Span())
        held = one.run(store.statement("engine/read_days")).to_pylist()
        days = {row["day"]: row["requests"] for row in held}
        one.give("touched_days", rolling.touched_days(days))
        one.give("touched_weeks", rolling.touched_weeks(days))
        yield one


def cells(table: pa.Table) -> Rows:
    """Every cell of a table, row by row in an order that is not the engine's; columns by name."""
    names = sorted(table.column_names)
    columns = [[_plain(value) for value in table[name].to_pylist()] for name in names]
    return [str(names), *sorted(map(repr, zip(*columns, strict=True)))]


def _plain(value: Any) -> Any:
    return str(value) if isinstance(value, date) else value


def of_engine(one: Engine) -> dict[str, Rows]:
    """What an engine counts, and what it counts it from."""
    found = {name: cells(one.run(store.statement(f"rollup/{name}"))) for name in rollup.BY_DAY}
    found["documents"] = cells(one.run(store.statement("rollup/documents")))
    for name in LISTED:
        found[name] = cells(_only(one.run(store.statement(f"engine/facts_{name}")), name))
    found["batches"] = cells(one.run(store.statement("engine/batches")).select(BOOKS))
    found["rejected_lines"] = cells(
        one.run(store.statement("engine/rejected_lines")).select(FAULTS)
    )
    return found


def of_store(site: Site) -> dict[str, Rows]:
    """The same of a store."""
    found = {}
    with store.reader(site.store) as con:
        for name in (*rollup.BY_DAY, "documents", *LISTED):
            found[name] = cells(_only(con.sql(f"FROM {name}").to_arrow_table(), name))
        for name, columns in (("batches", BOOKS), ("rejected_lines", FAULTS)):
            found[name] = cells(con.sql(f"FROM {name}").to_arrow_table().select(columns))
    return found


def _only(table: pa.Table, name: str) -> pa.Table:
    """The columns that a store has as well; its floats and times as an engine gives them."""
    left_out = {"line", "batch", "file", "names_expected"} if name == "requests" else set()
    return table.select([column for column in table.column_names if column not in left_out])


def assert_equal(named: str, site: Site, files: Sequence[Path], how: Asked | None = None) -> None:
    """Load the files into the site and let the engine read them; every cell is the same."""
    site.load(*files, max_rejected=(how or asked()).max_rejected)
    with settled(named, site.folder, files, how) as one:
        theirs, ours = of_engine(one), of_store(site)
    for name, rows in ours.items():
        odd = [*sorted(set(theirs[name]) ^ set(rows))[:4], len(theirs[name]), len(rows)]
        assert theirs[name] == rows, (name, odd)
