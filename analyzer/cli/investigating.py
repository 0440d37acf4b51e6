"""`citelog investigate`: from an alarm to the hour, the label and five requests, on one screen."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from textwrap import TextWrapper
from typing import TYPE_CHECKING, Annotated

import typer

from analyzer import files
from analyzer.cli import alarms as alerts
from analyzer.cli import bringing, configured, options, pseudonyms, say
from analyzer.errors import UsageError
from analyzer.parameters import week_named

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection

    from analyzer.engine.bringing import Facts
    from analyzer.oncall.grids import Grid
    from analyzer.oncall.questions import Investigation, Thresholds
    from analyzer.oncall.told import Section, Told

WIDTH = 100
MARGIN = 12  # columns of the titles at the left


def add_commands(app: typer.Typer) -> None:
    """Put this room's commands into `app`."""
    app.command()(investigate)


def investigate(
    alarm: Annotated[
        str | None, typer.Argument(help="Its id, as `citelog alerts` prints it.")
    ] = None,
    store: options.Store = options.DEFAULT_STORE,
    route: Annotated[str | None, typer.Option(help="In place of an alarm: this route ...")] = None,
    since: Annotated[
        str | None, typer.Option(help="... since a day, as 2026-11-16 or 2026-W47.")
    ] = None,
    until: Annotated[str | None, typer.Option(help="The last day; four weeks at most.")] = None,
    metric: Annotated[
        str | None,
        typer.Option(help="The measure, as alarms name it; by default the one that moved most."),
    ] = None,
    release: Annotated[str | None, typer.Option(help="Or a release ...")] = None,
    against: Annotated[str | None, typer.Option(help="... against another ...")] = None,
    week: Annotated[
        str | None, typer.Option(help="... in a week; by default the last with 50 of both.")
    ] = None,
    html: Annotated[Path | None, typer.Option(help="Write it as a page to this file.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Write it as JSON.")] = False,
    pseudonymise_ids: pseudonyms.Wanted = False,
    pseudonym_key: pseudonyms.Key = None,
    facts: bringing.Folder = None,
    engine: bringing.Engine = None,
) -> None:
    """Say what moved and since which hour, what carries it, why, and which requests show it."""
    _check(alarm, since, release, against)
    way = bringing.asked(facts, engine, store)

    with pseudonyms.reader(store, pseudonymise_ids, pseudonym_key) as con:
        bringing.check(con, way)
        if alarm is not None:
            found = _of_alarm(con, store, alarm, way)
        elif since is not None:
            found = _since(con, since, until, route, metric, way)
        else:
            found = _releases(con, (str(release), str(against)), week, route, metric, way)
    hidden = pseudonyms.wanted(pseudonymise_ids, pseudonym_key)
    said = _said(found, pseudonym_key, hidden=hidden)
    said = replace(said, commands=bringing.commands(said.commands, way, hidden=hidden))
    _show(found, said, store, html, as_json=as_json)


def _check(alarm: str | None, since: str | None, release: str | None, against: str | None) -> None:
    """Exactly one of the three ways to ask."""
    if (release is None) != (against is None):
        raise UsageError("--release and --against belong together; name both releases")
    if sum(one is not None for one in (alarm, since, release)) != 1:
        raise UsageError(
            "name an alarm, or --since a day (with --route), or --release and --against; "
            "citelog alerts lists alarms"
        )


def _thresholds() -> Thresholds:
    from analyzer.oncall.questions import Thresholds

    made = configured.settings()
    return Thresholds(made.drift_settings, made.effect_settings)


def _of_alarm(con: Connection, store: Path, alarm: str, way: Facts | None = None) -> Investigation:
    from analyzer.oncall.questions import of_alarm

    return of_alarm(con, alarm, alerts.judged(con, store, None), _thresholds(), way)


def _since(
    con: Connection,
    since: str,
    until: str | None,
    route: str | None,
    metric: str | None,
    way: Facts | None,
) -> Investigation:
    from analyzer.oncall.changes import LONGEST, of_change

    first = day_of("--since", since)
    next_day = day_of("--until", until) + timedelta(days=1) if until else first + LONGEST
    if next_day <= first:
        raise UsageError(f"--until {until} lies before --since {since}")
    return of_change(con, first, next_day, _thresholds(), route, metric, way)


def _releases(
    con: Connection,
    releases: tuple[str, str],
    week: str | None,
    route: str | None,
    metric: str | None,
    way: Facts | None,
) -> Investigation:
    from analyzer.oncall.changes import of_releases
    from analyzer.oncall.together import last_week_of_both

    monday = week_named(week) if week else last_week_of_both(con, releases, route)
    return of_releases(con, releases, monday, _thresholds(), route, metric, way)


def day_of(option: str, text: str) -> date:
    """A day, or the Monday of a week such as 2026-W47."""
    try:
        return week_named(text) if "W" in text else date.fromisoformat(text)
    except ValueError:
        raise UsageError(
            f"{option} {text!r} is no day; write it as 2026-11-16 or 2026-W47"
        ) from None


def _said(found: Investigation, key: str | None, *, hidden: bool) -> Told:
    from analyzer.oncall.told import told

    said = told(found)
    return replace(said, commands=pseudonyms.commands(said.commands, key)) if hidden else said


def _show(
    found: Investigation, said: Told, store: Path, html: Path | None, *, as_json: bool
) -> None:
    if html is not None:
        from analyzer.report.investigated import page

        files.write_text(html, page(said))
    if as_json:
        from analyzer.oncall.as_data import as_data

        say.data(json.dumps(as_data(found), ensure_ascii=False, indent=1))
    elif html is None:
        commands = tuple(configured.of_store(one, store) for one in said.commands)
        for line in screen(replace(said, commands=commands)):
            say.data(say.plain(line))


def screen(one: Told) -> Iterator[str]:
    """The lines of an investigation, `WIDTH` columns at most."""
    from analyzer.telling.spans import plain

    yield one.subject + "".join(f"; {remark}" for remark in one.remarks)
    yield from _wrapped(plain(one.headline), 0)
    for text in one.also:
        yield from _wrapped(f"with it: {plain(text)}", 0)
    for section in one.sections:
        yield ""
        yield from _section(section)
    yield ""
    yield from (f"$ {command}" for command in one.commands)


def _section(section: Section) -> Iterator[str]:
    from analyzer.telling.spans import plain

    lines = [line for text in section.sentences for line in _wrapped(plain(text), MARGIN)]
    if section.grid is not None:
        lines += [" " * MARGIN + row for row in _aligned(section.grid)]
    lines += [line for text in section.small for line in _wrapped(text, MARGIN)]
    first, *rest = lines
    yield f"{section.title:{MARGIN}}{first[MARGIN:]}"
    yield from rest


def _wrapped(text: str, margin: int) -> list[str]:
    space = " " * margin
    wrapper = TextWrapper(
        WIDTH, initial_indent=space, subsequent_indent=space, break_on_hyphens=False
    )
    return wrapper.wrap(say.plain(text))


def _aligned(grid: Grid) -> list[str]:
    from analyzer.cli.table import padded, width_of

    columns = list(zip(grid.headings, *grid.rows, strict=True))
    told = []
    for at, cells in enumerate(columns):
        plain = [say.plain(cell) for cell in cells]
        widest = max(map(width_of, plain))
        told.append([padded(cell, widest, to_right=at >= grid.texts) for cell in plain])
    return ["  ".join(row).rstrip() for row in zip(*told, strict=True)]
