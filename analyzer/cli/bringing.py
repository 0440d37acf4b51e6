"""`--facts` and `--engine`: single requests of a store of rollups, from where they are kept."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from analyzer.cli import pseudonyms
from analyzer.errors import UsageError
from analyzer.places import place, without_credentials

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection

    from analyzer.engine.bringing import Facts

Folder = Annotated[
    str | None,
    typer.Option(
        "--facts",
        metavar="PATH",
        help="Of a store of rollups: where citelog rollup --facts keeps the requests.",
    ),
]
Engine = Annotated[
    str | None,
    typer.Option("--engine", help="What reads them: duckdb, or a server as sc://host:15002."),
]


def asked(folder: str | None, engine: str | None, store: Path) -> Facts | None:
    """The way to single requests; None where none is named."""
    if folder is None:
        if engine is not None:
            raise UsageError("--engine reads facts; name their folder with --facts")
        return None
    from analyzer.engine.bringing import Facts

    return Facts(place(folder.rstrip("/")), engine or "duckdb", str(store))


def check(con: Connection, facts: Facts | None) -> None:
    """Raise where requests are to be brought to a store that has its own."""
    from analyzer.elsewhere import engine_of

    if facts is not None and engine_of(con) is None:
        raise UsageError(f"{facts.called}: holds requests of its own; leave --facts out")


def check_open(facts: Facts | None, *, hidden: bool) -> None:
    """Raise where a request would be looked for by a pseudonym."""
    if facts is not None and hidden:
        raise UsageError(
            f"{pseudonyms.OPTION}: no pseudonym is found in --facts; leave one of both out"
        )


@contextmanager
def named(con: Connection, facts: Facts | None, request_id: str) -> Iterator[None]:
    """Bring the requests whose id begins so, where they are to be brought at all."""
    check(con, facts)
    with facts.named(con, request_id) if facts is not None else nullcontext():
        yield


def commands(said: Sequence[str], facts: Facts | None, *, hidden: bool) -> tuple[str, ...]:
    """Commands that find the same requests; behind pseudonyms nothing in the folder is found."""
    if facts is None:
        return tuple(said)
    kept = [each for each in said if not (hidden and _is_request(each))]
    options = f" --facts {shlex.quote(str(facts))}"
    if facts.engine != "duckdb":
        options += f" --engine {shlex.quote(without_credentials(facts.engine))}"
    return tuple(each + options if _is_request(each) else each for each in kept)


def _is_request(command: str) -> bool:
    return command.startswith("citelog request ")
