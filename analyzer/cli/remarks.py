"""What people say about alarms and weeks: `ack`, `note`, `mute`, `exclude`, and taking it back."""

from __future__ import annotations

import getpass
import os
from datetime import UTC, date, datetime, timedelta
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from analyzer.cli import alarms, options, say
from analyzer.errors import UsageError
from analyzer.numbers import iso_week
from analyzer.parameters import day_named, week_named

if TYPE_CHECKING:
    from analyzer.watch import Alarms
    from analyzer.watch.events import Kind

Alarm = Annotated[str, typer.Argument(help="Its id, as `citelog alerts` prints it.")]
Who = Annotated[str | None, typer.Option(help="Who says so; by default the user of this shell.")]
Note = Annotated[str | None, typer.Option(help="Why, or what is done.")]
Undo = Annotated[bool, typer.Option("--undo", help="Take it back.")]


def add_commands(app: typer.Typer) -> None:
    """Put this room's commands into `app`."""
    for command in (ack, note, mute, exclude):
        app.command()(command)


def ack(
    alarm: Alarm,
    store: options.Store = options.DEFAULT_STORE,
    note: Note = None,
    who: Who = None,
) -> None:
    """Say that somebody has seen an alarm; it changes no number and never waits."""
    _known(store, alarm)
    _append(store, "ack", who, alarm=alarm, note=note)
    say.data(f"{alarm}: acknowledged")


def note(
    alarm: Alarm,
    text: Annotated[str, typer.Argument(help="What is to be remembered.")],
    store: options.Store = options.DEFAULT_STORE,
    who: Who = None,
) -> None:
    """Write a note to an alarm."""
    _known(store, alarm)
    _append(store, "note", who, alarm=alarm, note=text)
    say.data(f"{alarm}: noted")


def mute(
    alarm: Alarm,
    until: Annotated[
        str | None, typer.Option(help="The last day of silence, as 2026-12-24.")
    ] = None,
    undo: Undo = False,
    store: options.Store = options.DEFAULT_STORE,
    note: Note = None,
    who: Who = None,
) -> None:
    """Keep an alarm out of the list until a day; it is counted as muted, and stands again after.

    What was said last holds; --undo lets the alarm stand again at once.
    """
    if undo == (until is not None):
        raise UsageError(
            "give --until with the last day of silence, or --undo to let the alarm stand again"
        )
    day = None if until is None else day_named("--until", until)
    found = _known(store, alarm)
    today = datetime.now(UTC).date()
    if day is not None:
        _check_to_come(day, today)
        _append(store, "mute", who, alarm=alarm, until=day, note=note)
        say.data(f"{alarm}: muted until {day}")
        return
    if alarm not in found.muted(today):
        raise UsageError(f"{store}: {alarm} is not muted; there is nothing to take back")
    _append(store, "unmute", who, alarm=alarm, until=today - timedelta(days=1), note=note)
    say.data(f"{alarm}: no longer muted")


def _check_to_come(until: date, today: date) -> None:
    """That a mute holds at all: one that is over the day it is said would silence nothing."""
    if until < today:
        raise UsageError(
            f"--until {until} is past, so it would mute nothing; name {today} or a later day, "
            "or --undo to let the alarm stand again"
        )


def exclude(
    week: Annotated[str, typer.Argument(help="The week, as 2026-W47.")],
    store: options.Store = options.DEFAULT_STORE,
    route: Annotated[str | None, typer.Option(help="Only for this route.")] = None,
    undo: Undo = False,
    note: Note = None,
    who: Who = None,
) -> None:
    """Leave a week out of the baselines of later weeks, as an incident that is understood.

    --undo takes it in again, as if it had never been left out.
    """
    monday = week_named(week)
    (_check_left_out if undo else _check_held)(store, monday, route)
    _append(store, "include" if undo else "exclude", who, week=monday, route=route, note=note)
    done = "taken into baselines again" if undo else "left out of baselines"
    say.data(say.plain(f"{iso_week(monday)}: {done}{_of(route)}"))


def _of(route: str | None) -> str:
    return f" of {route}" if route is not None else ""


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


def _check_left_out(store: Path, monday: date, route: str | None) -> None:
    """That this was said before; what was said of every route is taken back for every route."""
    from analyzer.store import reader
    from analyzer.watch import said

    with reader(store) as con:
        left_out = [
            (one.week, one.route) for one in said(con, store) if one.week and one.kind == "exclude"
        ]
    if (monday, route) not in left_out:
        names = ", ".join(dict.fromkeys(f"{iso_week(day)}{_of(of)}" for day, of in left_out))
        raise UsageError(
            f"{store}: {iso_week(monday)}{_of(route)} is not left out of baselines; "
            f"left out {'are ' + names if names else 'is nothing'}"
        )


def _known(store: Path, alarm: str) -> Alarms:
    """All alarms of the store, among which there is this one."""
    from analyzer.store import reader

    with reader(store) as con:
        found = alarms.judged(con, store, None)
    known = [one.id for one in found.episodes if one.raised is not None]
    known += [one.alarm for one in found.said if one.kind == "raised" and one.alarm]
    if alarm not in known:
        near = get_close_matches(alarm, known, n=1)
        nearest = f"the nearest is {near[0]}; " if near else ""
        raise UsageError(f"{store}: no alarm is named {alarm}; {nearest}citelog alerts lists them")
    return found


def _append(
    store: Path,
    kind: Kind,
    who: str | None,
    *,
    alarm: str | None = None,
    route: str | None = None,
    week: date | None = None,
    until: date | None = None,
    note: str | None = None,
) -> None:
    from analyzer.watch import Said, append

    append(
        store,
        Said(
            said_at=datetime.now(UTC),
            kind=kind,
            alarm=alarm,
            route=route,
            week=week,
            until=until,
            who=who or _user(),
            note=note,
        ),
    )


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container may run as a number that has no name
        return f"user {os.getuid()}"
