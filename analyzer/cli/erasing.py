"""`citelog erase`: a person's traces go, and what stays as counts is said."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from analyzer import names
from analyzer.cli import configured, options, say
from analyzer.errors import NothingThere, UsageError
from analyzer.numbers import counted, iso_week

if TYPE_CHECKING:
    from analyzer.erasing import Erased

NAMED = 5


def add_commands(app: typer.Typer) -> None:
    """Put this room's commands into `app`."""
    app.command()(erase)


def erase(
    request: Annotated[
        list[str] | None, typer.Option(metavar="ID", help="A request; repeat for more.")
    ] = None,
    unit: Annotated[
        list[str] | None,
        typer.Option(metavar="ID", help="A user, session or tenant: all of its requests."),
    ] = None,
    store: options.Store = options.DEFAULT_STORE,
) -> None:
    """Erase requests, or all requests of a unit, and say what stays as counts."""
    from analyzer import updating

    if not request and not unit:
        raise UsageError("nothing is named to be erased; give --request ID or --unit ID")
    erased = updating.erase(
        store,
        requests=request or [],
        units=unit or [],
        today=datetime.now(UTC).date(),
        effect=configured.settings().effect_settings,
    )
    if not erased.anything and not erased.sealed:
        raise NothingThere(_nothing(store, bool(request)))
    for line in _said(erased, by_unit=bool(unit)):
        say.data(line)


def _nothing(store: Path, by_name: bool) -> str:
    later = "; lines of the named requests are rejected if they come" if by_name else ""
    return f"{store}: holds nothing of what is named{later}"


def _said(erased: Erased, *, by_unit: bool) -> Iterator[str]:
    parts = [
        counted(erased.chunks, "chunk"),
        counted(erased.versions, "older record"),
        counted(erased.judgements, "label"),
        f"fingerprint{'' if erased.texts == 1 else 's'} of {counted(erased.texts, 'text')}",
    ]
    batches = "batch" if erased.batches == 1 else "batches"
    yield (
        f"erased {counted(erased.requests, 'request')} ({', '.join(parts)}) "
        f"of {erased.batches:,} {batches}; the file was written anew"
    )
    weeks = ", ".join(map(iso_week, erased.weeks)) or "none"
    yield f"made again without them: {weeks}"
    yield (
        f"stay as counts: {counted(erased.sealed, 'request')} of sealed days, "
        "and lines in the books of batches"
    )
    yield (
        "stay: a fingerprint of each request, by which its lines are rejected when they come "
        "again; logs and reports outside the store are as they were"
    )
    if by_unit:
        yield "later requests of the unit are loaded, if they are logged"
    if erased.unheld:
        yield f"not held, and rejected if they come: {_listed(erased.unheld)}"


def _listed(unheld: tuple[str, ...]) -> str:
    more = ", ..." if len(unheld) > NAMED else ""
    return f"{', '.join(map(names.shown, unheld[:NAMED]))}{more}"
