"""`citelog compare`: every watched measure in two weeks, or of two releases in one."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Annotated

import typer

from analyzer.cli import asking, configured, options, say
from analyzer.errors import NothingThere, UsageError
from analyzer.numbers import iso_week
from analyzer.parameters import week_named

if TYPE_CHECKING:
    from datetime import date

    from duckdb import DuckDBPyConnection as Connection

    from analyzer.measures.rows import Scope
    from analyzer.oncall.splitting import Comparison

_FOOT = (
    "n: what the value before it is of (answers, prompts, packed or cited chunks, citations).\n"
    "chance: of the requests drawn; of changes called no, one in twenty may be it all the same.\n"
    "Weeks differ from each other anyway; citelog alerts knows by how much."
)


def add_commands(app: typer.Typer) -> None:
    """Put this room's commands into `app`."""
    app.command()(compare)


def compare(
    before: Annotated[str | None, typer.Argument(help="The earlier week, as 2026-W46.")] = None,
    since: Annotated[str | None, typer.Argument(help="The later week, as 2026-W47.")] = None,
    store: options.Store = options.DEFAULT_STORE,
    route: Annotated[str | None, typer.Option(help="Only this route.")] = None,
    release: Annotated[str | None, typer.Option(help="In place of weeks: a release ...")] = None,
    against: Annotated[str | None, typer.Option(help="... against another ...")] = None,
    week: Annotated[
        str | None, typer.Option(help="... in this week; by default the last that has 50 of both.")
    ] = None,
    as_format: options.AsFormat = None,
    output: options.Output = None,
) -> None:
    """Hold two weeks, or two releases, against each other, mix apart from behaviour."""
    from analyzer.oncall.compared_table import compared_table
    from analyzer.oncall.comparing import compared
    from analyzer.oncall.splitting import with_parts
    from analyzer.oncall.too_few import of_all
    from analyzer.store import reader

    _check(before, since, release, against)
    weeks = _weeks(before, since)
    made = configured.settings()
    with reader(store) as con:
        scopes, sides = _sides(con, weeks, (against, release), week, route)
        found = compared(con, *scopes, made.drift_settings, made.effect_settings)
        if not found:
            raise NothingThere(f"{store}: no route has requests in both {' and '.join(sides)}")
        if all(one.chance is None for one in found):
            told = of_all(found, _phrases(scopes, sides), releases=weeks is None)
            raise NothingThere(f"{store}: {told}")
        whole = with_parts(con, found, scopes, made.drift_settings)
    if as_format is None and output is None:
        _tell(whole, scopes, sides)
    else:
        asking.show(compared_table(whole), as_format, output)


def _check(before: str | None, since: str | None, release: str | None, against: str | None) -> None:
    by_week, by_release = before is not None, release is not None or against is not None
    if by_week == by_release or (by_week and since is None):
        raise UsageError(
            "name two weeks, as citelog compare 2026-W46 2026-W47, or --release and --against"
        )
    if by_release and None in (release, against):
        raise UsageError("--release and --against belong together; name both releases")


def _weeks(before: str | None, since: str | None) -> tuple[date, date] | None:
    """The Mondays of two weeks that are named, the earlier one first."""
    if before is None or since is None:
        return None
    first, last = (_week(each, (before, since)) for each in (before, since))
    if first >= last:
        raise UsageError(f"{before} is not before {since}; name the earlier week first")
    return first, last


def _sides(
    con: Connection,
    weeks: tuple[date, date] | None,
    releases: tuple[str | None, str | None],
    week: str | None,
    route: str | None,
) -> tuple[tuple[Scope, Scope], tuple[str, str]]:
    """The two scopes, the one that comes first before the other, and what they are called."""
    from dataclasses import replace

    from analyzer.measures.rows import week_of
    from analyzer.oncall.together import last_week_of_both

    if weeks is not None:
        before, since = (week_of(monday, route) for monday in weeks)
        return (before, since), (iso_week(weeks[0]), iso_week(weeks[1]))
    against, release = map(str, releases)
    monday = week_named(week) if week else last_week_of_both(con, (release, against), route)
    scope = week_of(monday, route)
    return (replace(scope, release=against), replace(scope, release=release)), (against, release)


def _week(text: str, both: tuple[str, str]) -> date:
    """A week by its name; who names a release in its place is told how to ask for two of them."""
    try:
        return week_named(text)
    except UsageError:
        if text[:1].isdigit():
            raise
    against, release = map(shlex.quote, both)
    raise UsageError(
        f"{text!r} is no week as 2026-W47; of two releases ask "
        f"citelog compare --release {release} --against {against}"
    )


def _phrases(scopes: tuple[Scope, Scope], sides: tuple[str, str]) -> tuple[str, str]:
    """The sides as they stand in a sentence."""
    before, since = sides
    if scopes[0].release is None:
        return f"in {before}", f"in {since}"
    week = iso_week(scopes[0].first_day)
    return f"with {before}", f"with {since} in {week}"


def _tell(found: Comparison, scopes: tuple[Scope, Scope], sides: tuple[str, str]) -> None:
    from analyzer.cli import table
    from analyzer.oncall.compared_table import remarks, told_table

    say.data(table.aligned(told_table(found, sides), table.terminal_width()))
    for line in remarks(found, _phrases(scopes, sides)):
        say.data(say.plain(line))
    week = scopes[0].first_day if scopes[0].release else None
    say.data((f"Both in {iso_week(week)}; " if week else "") + _FOOT)
