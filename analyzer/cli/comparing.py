"""`citelog compare`: every watched measure in two weeks, or of two releases in one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from analyzer.cli import asking, configured, options, say
from analyzer.errors import NothingThere, UsageError
from analyzer.parameters import week_named

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection

    from analyzer.measures.rows import Scope
    from analyzer.oncall.splitting import Comparison

_FOOT = (
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
        str | None, typer.Option(help="... in this week; by default the last that has both.")
    ] = None,
    as_format: options.AsFormat = None,
    output: options.Output = None,
) -> None:
    """Hold two weeks, or two releases, against each other, mix apart from behaviour."""
    from analyzer.oncall.compared_table import compared_table
    from analyzer.oncall.comparing import compared
    from analyzer.oncall.splitting import with_parts
    from analyzer.store import reader

    _check(before, since, release, against)
    made = configured.settings()
    with reader(store) as con:
        scopes, sides = _sides(con, (before, since), (against, release), week, route)
        found = compared(con, *scopes, made.drift_settings, made.effect_settings)
        if not found:
            raise NothingThere(f"{store}: no route has requests in both {' and '.join(sides)}")
        whole = with_parts(con, found, scopes, made.drift_settings)
    if as_format is None and output is None:
        _tell(whole, sides)
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


def _sides(
    con: Connection,
    weeks: tuple[str | None, str | None],
    releases: tuple[str | None, str | None],
    week: str | None,
    route: str | None,
) -> tuple[tuple[Scope, Scope], tuple[str, str]]:
    """The two scopes, the one that comes first before the other, and what they are called."""
    from dataclasses import replace

    from analyzer.measures.rows import week_of
    from analyzer.oncall.together import last_week_of_both

    before, since = weeks
    if before is not None and since is not None:
        first, last = week_named(before), week_named(since)
        if first >= last:
            raise UsageError(f"{before} is not before {since}; name the earlier week first")
        return (week_of(first, route), week_of(last, route)), (before, since)
    against, release = map(str, releases)
    monday = week_named(week) if week else last_week_of_both(con, (release, against), route)
    scope = week_of(monday, route)
    return (replace(scope, release=against), replace(scope, release=release)), (against, release)


def _tell(found: Comparison, sides: tuple[str, str]) -> None:
    from analyzer.cli import table
    from analyzer.oncall.compared_table import refusals, told_table

    say.data(table.aligned(told_table(found, sides), table.terminal_width()))
    for line in refusals(found):
        say.data(say.plain(line))
    say.data(_FOOT)
