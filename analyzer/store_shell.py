"""Statements of people: one SELECT on a store that is locked against everything else.

A statement may come from a page, a ticket or a model, so it gets what a question of the program
never needs to be denied: no file but the store, no setting, no extension, an end in time, and an
answer that fits the memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain, count
from pathlib import Path
from threading import Timer
from typing import TYPE_CHECKING

import duckdb
import pyarrow as pa

from analyzer.errors import CitelogError, UsageError
from analyzer.store import reader, statement

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection

MOST_BYTES = 100 * 2**20
ROWS_AT_ONCE = 10_000

_KIND = re.compile(r"^[A-Za-z ]+ Error: ")


def select(path: Path, sql: str, *, seconds: float) -> pa.Table:
    """The answer to one SELECT, asked of the last published state of the store at `path`.

    Raises `UsageError` for what is no SELECT or no SQL, and `CitelogError` for one that takes
    more than `seconds`, more memory than a reader has, or whose answer is larger than 100 MB.
    """
    with reader(path) as con:
        con.execute(statement("store/shell/lock"))
        try:
            _check(con, sql)
            with _ended(con, seconds):
                return _fetched(con, sql)
        except duckdb.InterruptException:
            raise CitelogError(
                f"sql: was stopped after {seconds:g} seconds; narrow it, or give more --timeout"
            ) from None
        except (duckdb.IOException, duckdb.OutOfMemoryException):
            raise  # of the file or the machine: the reader says what of
        except duckdb.Error as error:
            raise UsageError(f"sql: {_said(error)}") from None


def attach(path: Path) -> str:
    """The statement by which any DuckDB shell reads the store beside its own tables.

    Raises `CitelogError` where there is no store.
    """
    with reader(path):
        pass
    quoted = "'" + str(path.resolve()).replace("'", "''") + "'"
    return statement("store/shell/attach").strip().replace("$file", quoted)


def _check(con: Connection, sql: str) -> None:
    statements = con.extract_statements(sql)
    if not statements:
        raise UsageError("sql: there is no statement; write one SELECT")
    if len(statements) > 1:
        raise UsageError(f"sql: these are {len(statements)} statements; write one SELECT")
    kind = statements[0].type
    if kind != duckdb.StatementType.SELECT:
        raise UsageError(
            f"sql: this is a statement of the kind {kind.name}, and only SELECT is taken here: "
            "the store is read, never changed"
        )


@contextmanager
def _ended(con: Connection, seconds: float) -> Iterator[None]:
    """Interrupt what runs in the block when its time is over."""
    timer = Timer(seconds, con.interrupt)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _fetched(con: Connection, sql: str) -> pa.Table:
    """The answer block by block, so that one that is too large is noticed before it is there."""
    blocks = con.sql(sql).to_arrow_reader(ROWS_AT_ONCE)
    held, size = [], 0
    for block in blocks:
        held.append(block)
        size += block.nbytes
        if size > MOST_BYTES:
            raise CitelogError(
                f"sql: the answer is larger than {MOST_BYTES // 2**20} MB; count in the "
                "statement, or add a LIMIT"
            )
    made = pa.Table.from_batches(held, blocks.schema)
    return made.rename_columns(_told_apart(made.column_names))


def _told_apart(names: list[str]) -> list[str]:
    """Columns of one name as name, name_1, name_2: no form of an answer may lose one."""
    apart: list[str] = []
    for name in names:
        others = (f"{name}_{number}" for number in count(1) if f"{name}_{number}" not in names)
        apart.append(next(each for each in chain([name], others) if each not in apart))
    return apart


def _said(error: duckdb.Error) -> str:
    """What DuckDB says, without the kind of its error, the quoted line and the advice to SET."""
    lines = [line for line in str(error).split("\n\nLINE")[0].splitlines() if line.strip()]
    said = " ".join(_KIND.sub("", line) for line in lines[:2])
    return said.split(". Use ")[0].replace("nvalid", "nusable")
