"""`citelog alerts`, and what people say about them: `ack`, `note`, `mute`, `exclude`."""

from __future__ import annotations

import getpass
from datetime import UTC, date, datetime
from difflib import get_close_matches
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from analyzer.cli import asking, configured, options, say
from analyzer.errors import NothingThere, UsageError
from analyzer.numbers import iso_week
from analyzer.parameters import day_named, week_named

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection

    from analyzer.watch import Alarms
    from analyzer.watch.causes import Explanation

RAISED = 3

Alarm = Annotated[str, typer.Argument(help="Its id, as `citelog alerts` prints it.")]
Week = Annotated[
    str | None, typer.Option(help="As 2026-W47; by default the newest week that is over.")
]
Who = Annotated[str | None, typer.Option(help="Who says so; by default the user of this shell.")]


class FailOn(StrEnum):
    """What ends with an exit code of its own."""

    alarm = "alarm"


def add_commands(app: typer.Typer) -> None:
    """Put this room's commands into `app`."""
    for command in (alerts, ack, note, mute, exclude):
        app.command()(command)


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
        _tell(found, explanations, requests)
    else:
        from analyzer.telling.table import alarm_table

        asking.show(alarm_table(found, explanations), as_format, output)
    muted = found.muted(_today())
    stands = {one.id for one in found.open} | {one.alarm for one in found.silences}
    return RAISED if fail_on and stands - muted else 0


def ack(
    alarm: Alarm,
    store: options.Store = options.DEFAULT_STORE,
    note: Annotated[str | None, typer.Option(help="Why, or what is done.")] = None,
    who: Who = None,
) -> None:
    """Say that somebody has seen an alarm; it changes no number and never waits."""
    _say(store, "ack", alarm, who, note=note)
    say.data(f"{alarm}: acknowledged")


def note(
    alarm: Alarm,
    text: Annotated[str, typer.Argument(help="What is to be remembered.")],
    store: options.Store = options.DEFAULT_STORE,
    who: Who = None,
) -> None:
    """Write a note to an alarm."""
    _say(store, "note", alarm, who, note=text)
    say.data(f"{alarm}: noted")


def mute(
    alarm: Alarm,
    until: Annotated[str, typer.Option(help="The last day of silence, as 2026-12-24.")],
    store: options.Store = options.DEFAULT_STORE,
    note: Annotated[str | None, typer.Option(help="Why.")] = None,
    who: Who = None,
) -> None:
    """Keep an alarm out of the list until a day; it is counted as muted, and stands again after."""
    _say(store, "mute", alarm, who, until=day_named("--until", until), note=note)
    say.data(f"{alarm}: muted until {until}")


def exclude(
    week: Annotated[str, typer.Argument(help="The week, as 2026-W47.")],
    store: options.Store = options.DEFAULT_STORE,
    route: Annotated[str | None, typer.Option(help="Only for this route.")] = None,
    note: Annotated[str | None, typer.Option(help="Why.")] = None,
    who: Who = None,
) -> None:
    """Leave a week out of the baselines of later weeks, as an incident that is understood."""
    monday = week_named(week)
    _check_held(store, monday, route)
    _append(store, "exclude", who, week=monday, route=route, note=note)
    say.data(f"{monday}: left out of baselines{f' of {route}' if route else ''}")


def _check_held(store: Path, monday: date, route: str | None) -> None:
    """That the store holds what is to be left out: a slip of the pen would leave out nothing."""
    from analyzer.store import reader
    from analyzer.telling.volumes import requests_of

    with reader(store) as con:
        held = [name for name, n in requests_of(con, monday).items() if n]
    if not held:
        raise UsageError(f"{store}: has no requests in {iso_week(monday)}; nothing to leave out")
    if route is not None and route not in held:
        near = get_close_matches(route, held, n=1)
        nearest = f"; the nearest is {near[0]}" if near else ""
        raise UsageError(f"{store}: route {route} has no requests in {iso_week(monday)}{nearest}")


def _explained(
    store: Path, week: str | None
) -> tuple[Alarms, dict[str, Explanation], dict[str, int]]:
    """The alarms, their causes, and the requests of every route of that week."""
    from analyzer.store import reader
    from analyzer.telling.volumes import requests_of
    from analyzer.watch.causes import explain

    with reader(store) as con:
        found = _judged(con, store, week)
        told = explain(con, found, configured.settings().effect_settings)
        return found, told, requests_of(con, found.week)


def _alarms(store: Path, week: str | None) -> Alarms:
    from analyzer.store import reader

    with reader(store) as con:
        return _judged(con, store, week)


def _judged(con: Connection, store: Path, week: str | None) -> Alarms:
    from analyzer import watch
    from analyzer.telling.volumes import requests_of

    closed = watch.closed_week(con, _today())
    asked = week_named(week) if week else closed
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


def _say(
    store: Path,
    kind: Literal["ack", "note", "mute"],
    alarm: str,
    who: str | None,
    *,
    until: date | None = None,
    note: str | None = None,
) -> None:
    found = _alarms(store, None)
    known = [one.id for one in found.episodes if one.raised is not None]
    known += [one.alarm for one in found.said if one.kind == "raised" and one.alarm]
    if alarm not in known:
        near = get_close_matches(alarm, known, n=1)
        nearest = f"the nearest is {near[0]}; " if near else ""
        raise UsageError(f"{store}: no alarm is named {alarm}; {nearest}citelog alerts lists them")
    _append(store, kind, who, alarm=alarm, until=until, note=note)


def _append(
    store: Path,
    kind: Literal["ack", "note", "mute", "exclude"],
    who: str | None,
    *,
    alarm: str | None = None,
    route: str | None = None,
    week: date | None = None,
    until: date | None = None,
    note: str | None = None,
) -> None:
    from analyzer.watch import Said, append

    if not store.exists():
        raise UsageError(f"{store}: there is no store; citelog ingest makes one")
    append(
        store,
        Said(
            said_at=datetime.now(UTC),
            kind=kind,
            alarm=alarm,
            route=route,
            week=week,
            until=until,
            who=who or getpass.getuser(),
            note=note,
        ),
    )


def _tell(found: Alarms, explanations: dict[str, Explanation], requests: dict[str, int]) -> None:
    from analyzer.telling.findings import screen
    from analyzer.telling.listing import listing

    settings = configured.settings().drift_settings
    for line in listing(screen(found, explanations, requests, _today(), settings), found.week):
        say.data(say.plain(line))


def _today() -> date:
    return datetime.now(UTC).date()
