"""`citelog queries` and `citelog query`: the named questions."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from analyzer import files
from analyzer.cli import options, pseudonyms, say
from analyzer.errors import NothingThere, UsageError

if TYPE_CHECKING:
    import pyarrow as pa

Parameters = Annotated[
    list[str] | None,
    typer.Option("--param", "-p", metavar="NAME=VALUE", help="A parameter of the query; repeat."),
]


def add_commands(app: typer.Typer) -> None:
    """Put this room's commands into `app`."""
    app.command()(queries)
    app.command()(query)


def queries() -> None:
    """List the named questions, each with its purpose."""
    from analyzer.query import load_query, query_names

    names = query_names()
    widest = max(map(len, names), default=0)
    for name in names:
        say.data(f"{name:{widest}}  {say.plain(load_query(name).purpose)}")


def query(
    name: Annotated[str, typer.Argument(help="One of those that `citelog queries` lists.")],
    store: options.Store = options.DEFAULT_STORE,
    param: Parameters = None,
    as_format: options.AsFormat = None,
    output: options.Output = None,
    pseudonymise_ids: pseudonyms.Wanted = False,
    pseudonym_key: pseudonyms.Key = None,
) -> None:
    """Ask one named question of the store; an answer without a row ends with 5."""
    from analyzer.query import Needed

    asked = given(param or [])
    hidden = pseudonyms.wanted(pseudonymise_ids, pseudonym_key)
    try:
        result = answer(store, name, asked, hidden=hidden, key=pseudonym_key)
    except Needed as fault:
        raise UsageError(f"{fault}{_example(store, fault.names)}") from None
    show(result, as_format, output)
    if not result.num_rows:
        raise NothingThere(_why_empty(store, name, asked))


def answer(
    store: Path,
    name: str,
    parameters: dict[str, object],
    *,
    hidden: bool = False,
    key: str | None = None,
) -> pa.Table:
    """The answer to the question `name`, asked of the last published state of `store`."""
    from analyzer import query as questions

    with pseudonyms.reader(store, hidden, key) as connection:
        return questions.ask(connection, name, **parameters)


def _example(store: Path, needed: Sequence[str]) -> str:
    """A week that the store holds, as it is typed, where one is needed."""
    from analyzer.numbers import iso_week

    found = _last_week(store) if "week" in needed else None
    if found is None:
        return ""
    name, monday = found
    return f"; the store's {name} is --param week={iso_week(monday)}"


def _last_week(store: Path) -> tuple[str, date] | None:
    from analyzer import weeks
    from analyzer.store import reader

    with reader(store) as con:
        return weeks.last(con, datetime.now(UTC).date())


def _why_empty(store: Path, name: str, asked: dict[str, object]) -> str:
    """What the store lacks that was asked for, where that can be told."""
    from analyzer.numbers import iso_week
    from analyzer.parameters import week_named

    week = asked.get("week")
    if week is None:
        return f"{store}: has nothing that query {name} asks for"
    monday = week_named(str(week))
    if monday in answer(store, "weeks_held", {})["week"].to_pylist():
        return f"{store}: has nothing in {iso_week(monday)} that query {name} asks for"
    found = _last_week(store)
    last = f"; its {found[0]} is {iso_week(found[1])}" if found else ""
    return f"{store} has no requests in {iso_week(monday)}{last}"


def given(parameters: list[str]) -> dict[str, object]:
    """`NAME=VALUE` pairs as a mapping; an empty value means NULL."""
    pairs = [_pair(text) for text in parameters]
    names = [name for name, _ in pairs]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"--param {name} is given {names.count(name)} times; give it once")
    return dict(pairs)


def _pair(text: str) -> tuple[str, str | None]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise UsageError(f"--param {text!r} has no name or no value; write --param week=2026-W47")
    return name, value or None


def show(result: pa.Table, as_format: options.Format | None, output: Path | None) -> None:
    """Write `result` to `output` or stdout, in the asked format or the one its ending says."""
    chosen = as_format or _by_ending(output)
    if chosen is options.Format.parquet:
        _write_parquet(result, output)
    elif output is None:
        say.data(_text(result, chosen, to_file=False))
    else:
        files.write_text(output, _text(result, chosen, to_file=True) + "\n")


def _by_ending(output: Path | None) -> options.Format:
    ending = output.suffix.removeprefix(".") if output else ""
    if ending in ("", "txt"):
        return options.Format.table
    try:
        return options.Format(ending)
    except ValueError:
        raise UsageError(f"{output}: the ending .{ending} says no format; add --format") from None


def _text(result: pa.Table, chosen: options.Format, *, to_file: bool) -> str:
    from analyzer.cli import table

    if chosen is options.Format.csv:
        seen = not to_file and say.to_terminal(sys.stdout)
        lines = table.csv_lines(result)
        return "\n".join(map(say.plain, lines) if seen else lines)
    if chosen is options.Format.json:
        return "\n".join(map(say.in_json, table.json_lines(result)))
    return table.aligned(result, None if to_file else table.terminal_width())


def _write_parquet(result: pa.Table, output: Path | None) -> None:
    import pyarrow.parquet as parquet

    if output is not None:
        with files.written_whole(output) as part:
            parquet.write_table(result, part)
    elif say.to_terminal(sys.stdout):
        raise UsageError("parquet is no text for a terminal; name a file with -o")
    else:
        parquet.write_table(result, sys.stdout.buffer)
