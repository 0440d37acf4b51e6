"""`citelog report`: the weekly report, from a store or straight from files."""

from __future__ import annotations

import shlex
from dataclasses import replace
from datetime import UTC, date, datetime
from functools import partial
from pathlib import Path, PurePath
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer

import analyzer
from analyzer import storage
from analyzer.cli import configured, loading, options, pseudonyms, say
from analyzer.errors import NothingThere, UsageError
from analyzer.parameters import week_named
from analyzer.places import Place, place

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection

    from analyzer.report import Report

FORMS = (".html", ".md", ".json", ".pdf")
WEEKS = 14
NAMED_LOGS = 3

Logs = Annotated[
    list[str] | None,
    typer.Argument(metavar="[LOG]...", help="Logs to report on, in place of a store."),
]
Week = Annotated[
    str | None,
    typer.Option(
        metavar="WEEK", help="2026-W47 or its Monday; by default the newest week that is over."
    ),
]
Outputs = Annotated[
    list[str] | None,
    typer.Option(
        "--output",
        "-o",
        metavar="PATH",
        help="A file or s3:// address ending in .html, .md, .json or .pdf; repeat.  [report.html]",
    ),
]
Drawn = Annotated[int, typer.Option(min=1, max=104, help="How many trailing weeks to draw.")]


def add_commands(app: typer.Typer) -> None:
    """Put this room's commands into `app`."""
    app.command()(report)


def report(
    logs: Logs = None,
    week: Week = None,
    store: options.Store = options.DEFAULT_STORE,
    output: Outputs = None,
    weeks: Drawn = WEEKS,
    max_rejected: loading.MaxRejected = loading.MAX_REJECTED,
    time_zone: loading.TimeZone = None,
    pseudonymise_ids: pseudonyms.Wanted = False,
    pseudonym_key: pseudonyms.Key = None,
) -> int:
    """Write the weekly report of a store, or straight from logs."""
    outputs = [_checked(place(named)) for named in output or ["report.html"]]
    asked = None if week is None else week_named(week)
    hidden = pseudonyms.wanted(pseudonymise_ids, pseudonym_key)
    made = partial(_of_store, asked=asked, weeks=weeks, hidden=hidden, key=pseudonym_key)
    if not logs:
        _write(made(store, str(store), source=["--store", str(store)]), outputs)
        return 0
    with TemporaryDirectory(prefix="citelog-") as folder:
        passing = Path(folder) / "citations.duckdb"
        code = loading.load(logs, passing, say.talk, max_rejected, time_zone, passing=True)
        _write(made(passing, "the logs", source=_named(logs)), outputs)
    return code


def _checked(output: Place) -> Place:
    """Where it cannot be written to is said before logs are loaded for it."""
    if isinstance(output, str):
        storage.check_object(output)
    if PurePath(output).suffix not in FORMS:
        raise UsageError(f"{output}: its ending says no form; end it in {', '.join(FORMS)}")
    return output


def _named(logs: list[str]) -> list[str]:
    return logs if len(logs) <= NAMED_LOGS else [*logs[:NAMED_LOGS], "..."]


def _of_store(
    store: Path,
    called: str,
    *,
    asked: date | None,
    weeks: int,
    source: list[str],
    hidden: bool,
    key: str | None,
) -> Report:
    from analyzer import watch
    from analyzer.report import Judging, build

    with pseudonyms.reader(store, hidden, key) as con:
        week = _week(con, called, asked)
        command = ["citelog", "report", "--week", f"{week:%G-W%V}", *source, "-o", "report.html"]
        made = build(
            con,
            week=week,
            weeks=weeks,
            command=shlex.join([*command, *([pseudonyms.OPTION] if hidden else [])]),
            version=analyzer.__version__,
            judging=Judging(
                watch.said(con, store),
                datetime.now(UTC).date(),
                configured.settings().drift_settings,
                configured.settings().effect_settings,
            ),
            prices=configured.settings().prices,
            tokens_per_second=configured.settings().what_if.prefill_tokens_per_second,
        )
    return _marked(made) if hidden else made


def _marked(made: Report) -> Report:
    """The report with a line in its foot that says what its ids are."""
    from analyzer.store_pseudonyms import SAYS

    return replace(made, foot=replace(made.foot, method=f"{made.foot.method} {SAYS}"))


def _week(con: Connection, called: str, asked: date | None) -> date:
    """The asked week, which must have requests; where none is asked, the newest that is over."""
    from analyzer import query, weeks

    found = weeks.last(con, datetime.now(UTC).date())
    if found is None:
        raise NothingThere(f"{called} holds no requests; citelog ingest loads some")
    name, newest = found
    if asked is None:
        return newest
    if asked not in query.ask(con, "weeks_held")["week"].to_pylist():
        raise NothingThere(
            f"{called} has no requests in {asked:%G-W%V}; its {name} is {newest:%G-W%V}"
        )
    return asked


def _write(made: Report, outputs: list[Place]) -> None:
    from analyzer.report import forms

    for output in outputs:
        for file in forms.write(made, output):
            say.data(str(file))
