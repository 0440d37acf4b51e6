"""`citelog open` and `citelog sql`: the store for who knows SQL."""

from __future__ import annotations

import os
import shutil
import sys
from typing import Annotated

import typer

from analyzer.cli import asking, options, say
from analyzer.errors import UsageError

SHELL = "duckdb"
SECONDS = 60.0


def add_commands(app: typer.Typer) -> None:
    """Put this room's commands into `app`."""
    app.command("open")(open_shell)
    app.command()(sql)


def open_shell(
    store: options.Store = options.DEFAULT_STORE,
    print_only: Annotated[
        bool, typer.Option("--print", help="Print the path and the statement, open nothing.")
    ] = False,
) -> None:
    """Open a read-only DuckDB shell on the store, or say how to attach it to one."""
    from analyzer.store_shell import attach

    path, said = store.resolve(), attach(store)
    binary = None if print_only else shutil.which(SHELL)
    if binary is None:
        say.data(f"{say.plain(str(path))}\n{say.plain(said)}")
        return
    say.talk("the shell shows the store as it is published now; open it again after a load")
    os.execv(binary, [SHELL, "-readonly", str(path)])


def sql(
    statement: Annotated[
        str | None, typer.Argument(metavar="[SELECT]", help="One SELECT; by default from stdin.")
    ] = None,
    store: options.Store = options.DEFAULT_STORE,
    timeout: Annotated[
        float, typer.Option(min=0.1, max=86_400, help="Seconds after which it is stopped.")
    ] = SECONDS,
    as_format: options.AsFormat = None,
    output: options.Output = None,
) -> None:
    """Ask the store one SELECT of your own; nothing else can be reached or changed."""
    from analyzer.store_shell import select

    asking.show(select(store, _asked(statement), seconds=timeout), as_format, output)


def _asked(statement: str | None) -> str:
    try:
        asked = _piped() if statement in (None, "-") else statement or ""
        asked.encode()  # a command line, and stdin in some locales, hold any bytes
    except UnicodeError:
        raise UsageError("sql: the statement is no UTF-8 text; write one SELECT") from None
    return asked


def _piped() -> str:
    stdin = sys.stdin
    if stdin is None or stdin.isatty():
        raise UsageError("sql: there is no statement; give one, or pipe it in")
    return stdin.read()
