"""`citelog alerts`: the alarms that stand."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from analyzer.cli import asking, configured, options, say
from analyzer.errors import NothingThere
from analyzer.numbers import iso_week
from analyzer.parameters import week_named

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection

    from analyzer.telling.findings import Screen
    from analyzer.watch import Alarms
    from analyzer.watch.causes import Explanation

RAISED = 3

Week = Annotated[
    str | None, typer.Option(help="As 2026-W47; by default the newest week that is over.")
]


class FailOn(StrEnum):
    """What ends with an exit code of its own."""

    alarm = "alarm"


def add_commands(app: typer.Typer) -> None:
    """Put this room's commands into `app`."""
    app.command()(alerts)


def alerts(
    store: options.Store = options.DEFAULT_STORE,
    week: Week = None,
    fail_on: Annotated[
        FailOn | None, typer.Option(help="Exit with 3 where an alarm stands that is not muted.")
    ] = None,
    as_format: options.AsFormat = None,
    output: options.Output = None,
) -> int:
    """List the alarms that stand: what changed, how much, since when, and the next command."""
    found, explanations, requests = _explained(store, week)
    if as_format is None and output is None:
        _tell(found, explanations, requests, store)
    else:
        from analyzer.telling.table import alarm_table

        asking.show(alarm_table(found, explanations), as_format, output)
    say_amiss(store)
    muted = found.muted(_today())
    stands = {one.id for one in found.open} | {one.alarm for one in found.silences}
    return RAISED if fail_on and stands.difference(muted) else 0


def say_amiss(store: Path) -> None:
    """Say that lines of the log of events are none, where there are any."""
    from analyzer.watch.events import amiss

    if sentence := amiss(store):
        say.talk(say.plain(sentence))


def _explained(
    store: Path, week: str | None
) -> tuple[Alarms, dict[str, Explanation], dict[str, int]]:
    """The alarms, their causes, and the requests of every route of that week."""
    from analyzer.store import reader
    from analyzer.telling.volumes import requests_of
    from analyzer.watch.causes import explain

    with reader(store) as con:
        found = judged(con, store, week)
        told = explain(con, found, configured.settings().effect_settings)
        return found, told, requests_of(con, found.week)


def judged(con: Connection, store: Path, week: str | None) -> Alarms:
    """The alarms of a week, by default the newest that is over, with what was said of them."""
    from analyzer import watch
    from analyzer.telling.volumes import requests_of

    closed = watch.closed_week(con, _today())
    asked = closed if week is None else week_named(week)
    if asked > closed:
        raise NothingThere(
            f"{store}: {iso_week(asked)} is not over, or has no requests; "
            f"the last week to judge is {iso_week(closed)}"
        )
    if not requests_of(con, asked):
        raise NothingThere(f"{store}: has no requests in {iso_week(asked)}, so nothing was watched")
    said = watch.said(con, store)
    known = said if asked == closed else watch.up_to(said, asked)
    return watch.alarms(con, asked, known, configured.settings().drift_settings)


def _tell(
    found: Alarms, explanations: dict[str, Explanation], requests: dict[str, int], store: Path
) -> None:
    from analyzer.telling.findings import screen
    from analyzer.telling.listing import listing

    settings = configured.settings().drift_settings
    seen = screen(found, explanations, requests, _today(), settings)
    for line in listing(_of_store(seen, store), found.week):
        say.data(say.plain(line))


def _of_store(seen: Screen, store: Path) -> Screen:
    """The same with commands that ask this store again."""
    silent, new, still = (
        tuple(replace(one, command=configured.of_store(one.command, store)) for one in told)
        for told in (seen.silent, seen.new, seen.open)
    )
    muted = tuple(
        replace(one, command=configured.of_store(one.command, store)) for one in seen.muted
    )
    return replace(seen, silent=silent, new=new, open=still, muted=muted)


def _today() -> date:
    return datetime.now(UTC).date()
