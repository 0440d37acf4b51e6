"""`citelog rollup` and `citelog load-rollups`: where one machine is not enough."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Any

import typer

from analyzer import numbers
from analyzer.cli import configured, loading, options, say
from analyzer.cli.brought import LEFT_OUT
from analyzer.cli.investigating import day_of
from analyzer.errors import CitelogError, UsageError
from analyzer.parameters import offset_named
from analyzer.places import place

if TYPE_CHECKING:
    from analyzer.engine.rolling import Rolled, Span

NAMED = 3  # days

Folder = Annotated[str, typer.Argument(metavar="PATH", help="Where citelog rollup wrote to.")]


def add_commands(app: typer.Typer) -> None:
    """Put this room's commands into `app`."""
    app.command()(rollup)
    app.command(name="load-rollups")(load_rollups)


def rollup(
    input: Annotated[
        list[str], typer.Option("--input", help="Log files, folders, globs or addresses.")
    ],
    output: Annotated[str, typer.Option("--output", help="The folder that rollups are kept in.")],
    engine: Annotated[
        str, typer.Option(help="duckdb, or a Spark Connect server as sc://host:15002.")
    ] = "duckdb",
    days: Annotated[
        str | None,
        typer.Option(
            metavar="FROM..TO",
            help="Publish these days, whatever stood there; by default every day in the logs.",
        ),
    ] = None,
    facts: Annotated[
        str | None, typer.Option(help="Keep requests and chunks in this folder as well.")
    ] = None,
    max_rejected: loading.MaxRejected = loading.MAX_REJECTED,
    time_zone: loading.TimeZone = None,
    unit_key: Annotated[
        str | None,
        typer.Option(
            metavar="HEX", help="The key that counts distinct units; fixed when first run."
        ),
    ] = None,
    assume_timezone: loading.AssumeTimezone = None,
    marker_base: loading.MarkerBase = None,
) -> int:
    """Count logs by day on a cluster, and publish the counts as Parquet."""
    from analyzer.engine.running import Wanted, run

    made = run(
        Wanted(
            engine,
            input,
            place(output.rstrip("/")),
            datetime.now(UTC),
            max_rejected,
            _span(days),
            None if facts is None else place(facts.rstrip("/")),
            time_zone,
            unit_key or configured.settings().inputs.unit_key,
            None if assume_timezone is None else offset_named(assume_timezone),
            marker_base,
        )
    )
    return _said(made, output)


def _span(days: str | None) -> Span:
    from analyzer.engine.rolling import Span

    if days is None:
        return Span()
    first, dots, after = days.partition("..")
    last = after if dots else first
    begins, ends = day_of("--days", first), day_of("--days", last)
    if "W" in last:
        ends += timedelta(6)
    if ends < begins:
        raise UsageError(f"--days {days}: {ends} lies before {begins}")
    return Span(begins, ends)


def _said(made: Rolled, output: str) -> int:
    """The counts of the files and what became of the days; the exit code."""
    left_out = [file for file in made.files if file["state"] in LEFT_OUT]
    if left_out and len(left_out) == len(made.files):
        raise CitelogError("; ".join(_why(file) for file in left_out))
    for file in made.files:
        if file["note"] or file in left_out:
            say.talk(say.plain(_why(file)))
    totals = ", ".join(
        f"{sum(batch[name] for batch in made.batches):,} {name}"
        for name in ("read", "loaded", "duplicate", "superseded", "rejected")
    )
    say.data(f"{numbers.counted(len(made.files), 'file')}: {totals}")
    say.data(
        f"{say.plain(output)}: {numbers.counted(len(made.written), 'day')} published, "
        f"{len(made.same):,} as they were"
    )
    if made.left:
        say.talk(
            f"{_listed(made.left)}: fewer requests were read than are published, so these days "
            "were left as they are; read all of their logs, or name them with --days in a run that "
            "leaves no file out"
        )
    return loading.SET_ASIDE if left_out else 0


def _why(file: dict[str, Any]) -> str:
    if file["state"] == "set_aside":
        return (
            f"{file['name']}: more of its {file['read']:,} lines were rejected than --max-rejected "
            "allows; set aside, nothing of it is counted; "
            f"{shlex.join(['citelog', 'check', file['name']])} says why, and a larger "
            "--max-rejected counts its other lines"
        )
    return str(file["note"] or file["name"])


def _listed(days: Sequence[date]) -> str:
    named = ", ".join(map(str, days[:NAMED]))
    return named + (f" and {len(days) - NAMED:,} more" if len(days) > NAMED else "")


def load_rollups(path: Folder, store: options.Store = options.DEFAULT_STORE) -> None:
    """Make a store of published rollups, or bring it up to date; loading again changes nothing."""
    from analyzer import updating

    effect = configured.settings().effect_settings
    made = updating.load_rollups(place(path.rstrip("/")), store, effect)
    say.data(
        f"{say.plain(str(store))}: {numbers.counted(len(made.days), 'day')} loaded, "
        f"{made.same:,} as they were"
    )
    for told in made.remarks:
        say.talk(say.plain(told))
