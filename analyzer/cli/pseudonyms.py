"""`--pseudonymise-ids`: what leaves the house names no request, chunk or document."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from analyzer.errors import UsageError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection

OPTION = "--pseudonymise-ids"

Wanted = Annotated[
    bool,
    typer.Option(OPTION, help="Put keyed hashes in the place of request, chunk and document ids."),
]
Key = Annotated[
    str | None,
    typer.Option(
        "--pseudonym-key",
        metavar="TEXT",
        help="Their key, by default the store's; random draws one that nobody keeps.",
    ),
]


def wanted(asked: bool, key: str | None) -> bool:
    """Whether ids are to be pseudonyms; whoever gives a key means so."""
    if key is not None and not key:
        raise UsageError("--pseudonym-key is empty; give a text, or random")
    return asked or key is not None


def named(con: Connection, request_id: str) -> str:
    """What a request is called behind pseudonyms, whether its id was given or its pseudonym."""
    from analyzer.store_pseudonyms import FORM, pseudonym

    return request_id if FORM.fullmatch(request_id) else pseudonym(con, request_id)


def commands(said: Sequence[str], key: str | None) -> tuple[str, ...]:
    """Commands with the option by which they know pseudonyms, where they take it.

    With a key of one's own no command finds a request: a key is never written out.
    """
    known = [each for each in said if key is None or not each.startswith("citelog request ")]
    takes = ("citelog request ", "citelog query ")
    return tuple(f"{each} {OPTION}" if each.startswith(takes) else each for each in known)


def reader(store: Path, asked: bool, key: str | None) -> AbstractContextManager[Connection]:
    """The store for reading, behind pseudonyms where they are wanted."""
    if wanted(asked, key):
        from analyzer.store_pseudonyms import reader as behind

        return behind(store, key)
    from analyzer.store import reader as plain

    return plain(store)
