"""`citelog effect` and `citelog orderings`: does place matter, and what decides the place?"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated

import typer

from analyzer import numbers
from analyzer.cli import asking, configured, options, say
from analyzer.errors import NothingThere, UsageError
from analyzer.parameters import week_named

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa
    from duckdb import DuckDBPyConnection as Connection

    from analyzer.measures.rows import Scope

Week = Annotated[
    str | None,
    typer.Option(help="2026-W47 or its Monday; by default the newest week that is over."),
]
Since = Annotated[str | None, typer.Option(help="First week of several, as 2026-W40.")]
Route = Annotated[str | None, typer.Option(help="Only this route.")]
Model = Annotated[str | None, typer.Option(help="Only this model.")]
Release = Annotated[str | None, typer.Option(help="Only this release.")]


def add_commands(app: typer.Typer) -> None:
    """Put this room's commands into `app`."""
    app.command()(effect)
    app.command()(orderings)


def effect(
    store: options.Store = options.DEFAULT_STORE,
    week: Week = None,
    since: Since = None,
    route: Route = None,
    model: Model = None,
    release: Release = None,
    by_prompt_tokens: Annotated[
        bool, typer.Option(help="Compare only prompts of like length with each other.")
    ] = False,
    accuracy: Annotated[
        bool, typer.Option(help="Of right answers by the place of their evidence, where judged.")
    ] = False,
    as_format: options.AsFormat = None,
    output: options.Output = None,
) -> None:
    """Say for each route whether chunks in the middle are cited less, or why that is not known."""
    from analyzer.measures.assumed import unlisted
    from analyzer.measures.effect import effects, effects_on_accuracy
    from analyzer.measures.effect_table import effect_table
    from analyzer.measures.rows import weeks_held
    from analyzer.store import reader

    with reader(store) as con:
        scope = scope_of(con, week, since, route, model, release)
        why = unlisted(con, scope)
        weeks = weeks_held(con, scope)
        settings = configured.settings().effect_settings
        found = effect_table(
            effects_on_accuracy(con, scope, settings)
            if accuracy
            else effects(con, scope, settings, by_prompt_tokens=by_prompt_tokens)
        )
    if not found.num_rows:
        raise _nothing(store, "no prompt of three or more ranked chunks", scope, why)
    if as_format is None and output is None:
        _tell(found, scope, weeks)
    else:
        asking.show(found, as_format, output)


def orderings(
    store: options.Store = options.DEFAULT_STORE,
    week: Week = None,
    since: Since = None,
    route: Route = None,
    as_format: options.AsFormat = None,
    output: options.Output = None,
) -> None:
    """Show by day which ordering the prompts of each route really had.

    Then, where many requests declare another one than they have, says so.
    """
    from analyzer.measures.assumed import unlisted
    from analyzer.measures.declared import contradictions
    from analyzer.measures.ordering_days import ordering_days
    from analyzer.store import reader

    with reader(store) as con:
        scope = scope_of(con, week, since, route, None, None)
        found = ordering_days(con, scope)
        told = contradictions(con, scope)
        why = unlisted(con, scope)
    if not found.num_rows:
        raise _nothing(store, "no prompt of three or more chunks", scope, why)
    asking.show(found, as_format, output)
    if as_format is None and output is None:
        for name, sentences in told.items():
            for sentence in sentences:
                say.data(f"{say.plain(name)}: {sentence}")


def _nothing(store: Path, what: str, scope: Scope, why: str | None) -> NothingThere:
    reason = f"; {why}" if why else ""
    return NothingThere(f"{store}: {what} {named(scope)}{reason}")


def scope_of(
    con: Connection,
    week: str | None,
    since: str | None,
    route: str | None,
    model: str | None,
    release: str | None,
) -> Scope:
    """The days that --week or --since name, up to the newest week that is over, and the rest."""
    from analyzer import weeks
    from analyzer.measures.rows import Scope

    if week is not None and since is not None:
        raise UsageError("--week and --since are both given; --week means one week")
    last = week_named(week) if week else weeks.newest(con, datetime.now(UTC).date())
    first = last if since is None else week_named(since)
    if first > last:
        raise UsageError(
            f"--since {first} is after {last}, the last week that is taken; "
            "name a later one with --week"
        )
    return Scope(first, last + timedelta(days=7), route, model, release)


def named(scope: Scope) -> str:
    """A scope in words."""
    last = scope.next_day - timedelta(days=1)
    route = f" of route {scope.route}" if scope.route else ""
    return f"from {scope.first_day} to {last}{route}"


def _tell(found: pa.Table, scope: Scope, weeks: int) -> None:
    from analyzer.measures.effect_table import advice

    say.data(f"position effect {named(scope)}, 95% intervals")
    said: dict[str, str] = {}  # a sentence and the first route that it holds for
    for row in found.to_pylist():
        first = said.setdefault(row["sentence"], row["route"])
        answers = numbers.counted(row["answers"], "answer")
        say.data("")
        say.data(f"{say.plain(row['route'])}  {row['verdict']}")
        again = f"As on {say.plain(first)}: see there."
        say.data(f"  {row['sentence'] if first == row['route'] else again}")
        chunks = f"{row['comparable_chunks']:,.0f} comparable chunks"
        say.data(f"  {answers}, {chunks}, {_units(row['units'])}")
        say.data(f"  orderings seen: {say.plain(row['orderings'])}")
        for sentence in advice(row, weeks):
            say.data(f"  {sentence}")


def _units(units: int) -> str:
    return "40 or more units" if units >= 40 else numbers.counted(units, "unit")
