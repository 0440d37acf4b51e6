"""Read one question from `queries/`, keep the promises its header makes, and ask it.

The header is documentation that cannot rot: its parameters are compared with the ones DuckDB
finds in the statement, and its columns with the ones DuckDB says the statement returns. What an
answer means is not known here; a question is a file, and adding one changes nothing in Python.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakSet

import duckdb

from analyzer.assets import places
from analyzer.errors import CitelogError, UsageError
from analyzer.parameters import value_of
from analyzer.store_trouble import of_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import pyarrow as pa

_ENTRY = re.compile(
    r"--   (?P<name>\w+)  +(?P<type>[A-Z]+)(?: = (?P<default>\S+))?  +(?P<meaning>\S.*)"
)
_prepared: WeakSet[duckdb.DuckDBPyConnection] = WeakSet()


class Needed(UsageError):
    """Parameters that must be given, and were not: their `names`."""

    def __init__(self, said: str, names: Sequence[str]) -> None:
        super().__init__(said)
        self.names = names


@dataclass(frozen=True)
class Field:
    """One parameter or one column: its name, its SQL type, and its meaning with the unit."""

    name: str
    type: str
    meaning: str
    default: str | None = None  # parameters only: as written, `NULL` included; None: must be given


@dataclass(frozen=True)
class Query:
    """One question: what it answers, what it takes, what it returns, and its SQL."""

    name: str
    purpose: str
    parameters: tuple[Field, ...]
    columns: tuple[Field, ...]
    sql: str


def query_names() -> list[str]:
    """The names of all questions, the user's own included, sorted."""
    return sorted(_files())


def load_query(name: str) -> Query:
    """The question `name`.

    Raises `UsageError` where there is none and `CitelogError` where its header breaks the
    convention.
    """
    files = _files()
    if name not in files:
        raise UsageError(
            f"there is no query {name!r}; {_nearest(name, files)}"
            "`citelog queries` lists what can be asked"
        )
    sql = files[name].read_text(encoding="utf-8")
    header = list(takewhile(lambda line: line.startswith("--"), sql.splitlines()))
    if not header:
        raise CitelogError(f"{files[name]}: has no header; it must open with its purpose")
    return Query(
        name=name,
        purpose=header[0].removeprefix("-- "),
        parameters=_section(header, "parameters"),
        columns=_section(header, "columns"),
        sql=sql,
    )


def ask(con: duckdb.DuckDBPyConnection, name: str, **params: object) -> pa.Table:
    """The answer to question `name`: its declared columns, in its declared order.

    `con` is a connection to a store; reading is enough. A parameter that is absent or None takes
    the default of the header. Weeks are Mondays (`datetime.date`) or text such as `2026-W47`.

    Raises `UsageError` for an unknown name, and for a missing, unknown or badly typed parameter.
    """
    query = load_query(name)
    values = _values(query, params)
    try:
        _prepare(con)
        return con.sql(query.sql, params=values).to_arrow_table()
    except duckdb.Error as fault:
        if of_file(fault):  # no fault of the question; the store says which file it is
            raise
        raise CitelogError(f"query {name}: {_first_line(fault)}") from fault


def _files() -> dict[str, Path]:
    """Name and file of every question; the user's own folder comes last, so that it wins."""
    return {
        file.stem: file for place in reversed(places("queries")) for file in place.glob("*.sql")
    }


def _section(header: list[str], title: str) -> tuple[Field, ...]:
    if f"-- {title}" not in header:
        return ()
    after = header[header.index(f"-- {title}") + 1 :]
    entries = takewhile(bool, (_ENTRY.fullmatch(line) for line in after))
    return tuple(Field(e["name"], e["type"], e["meaning"], e["default"]) for e in entries if e)


def _values(query: Query, given: dict[str, object]) -> dict[str, object]:
    """Every parameter of `query` with the value to bind; all faults of the names at once."""
    names = [parameter.name for parameter in query.parameters]
    for unknown in sorted(given.keys() - set(names)):
        raise UsageError(
            f"query {query.name} has no parameter {unknown!r}; "
            f"{_nearest(unknown, names)}it takes {', '.join(names) or 'none'}"
        )
    missing = [p for p in query.parameters if p.default is None and given.get(p.name) is None]
    if missing:
        needs = " and ".join(f"{p.name} ({p.meaning})" for p in missing)
        raise Needed(f"query {query.name} needs {needs}", [p.name for p in missing])
    return {parameter.name: _value(parameter, given) for parameter in query.parameters}


def _value(parameter: Field, given: dict[str, object]) -> object:
    value = given.get(parameter.name)
    if value is None:
        value = parameter.default
        if value == "NULL":
            return None
    return value_of(parameter.name, parameter.type, value)


def _prepare(con: duckdb.DuckDBPyConnection) -> None:
    """Make the macros that questions share; temporary ones, so that a reader may hold them."""
    if con in _prepared:
        return
    for place in reversed(places("queries")):
        for file in sorted((place / "shared").glob("*.sql")):
            con.execute(file.read_text(encoding="utf-8"))
    _prepared.add(con)


def _nearest(name: str, known: Iterable[str]) -> str:
    near = get_close_matches(name, list(known), n=1)
    return f"the nearest is {near[0]}; " if near else ""


def _first_line(fault: Exception) -> str:
    return str(fault).splitlines()[0]
