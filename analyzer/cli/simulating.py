"""`citelog simulate`: synthetic traffic with a known truth."""

from __future__ import annotations

import sys
from datetime import UTC, datetime, time
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from analyzer.cli import say
from analyzer.errors import UsageError
from analyzer.parameters import week_named

if TYPE_CHECKING:
    from analyzer.simulate import Scenario

FIRST_DAY = datetime(2026, 8, 17, tzinfo=UTC)
WEEKS = 14
FIRST_YEAR = 1980
LATEST = datetime(2200, 1, 1, tzinfo=UTC)  # no record is younger


class Per(StrEnum):
    """What one file holds."""

    day = "day"
    week = "week"


class Compression(StrEnum):
    """How the files are packed."""

    none = "none"
    gz = "gz"
    zst = "zst"


class Content(StrEnum):
    """What a chunk carries of its text."""

    fingerprints = "fingerprints"
    text = "text"
    none = "none"


class Citations(StrEnum):
    """How a record says what the answer cited."""

    flags = "flags"
    list = "list"
    markers = "markers"


FromFile = Annotated[
    Path | None,
    typer.Option(help="A scenario as TOML, in place of three standard routes over 14 weeks."),
]
FirstWeek = Annotated[
    str | None, typer.Option(metavar="WEEK", help="The first week: 2026-W34, or its Monday.")
]
Incidents = Annotated[
    list[str] | None,
    typer.Option(
        metavar="KIND:DATE[:ROUTE,...]",
        help="What goes wrong from then on, or a TOML file of [[incidents]], each with its kind, "
        "since, and, where wanted, until, routes and parameters; repeat.",
    ),
]
Dirty = Annotated[
    float | None, typer.Option(min=0.0, max=1.0, help="Broken lines, as a share of good ones.")
]


def add_commands(app: typer.Typer) -> None:
    """Put this room's commands into `app`."""
    app.command()(simulate)


def simulate(
    folder: Annotated[Path, typer.Argument(help="Where the logs and their truth.json go.")],
    scenario: FromFile = None,
    first_week: FirstWeek = None,
    weeks: Annotated[int | None, typer.Option(min=1, help="How many weeks.")] = None,
    requests: Annotated[
        float | None, typer.Option(min=1, max=100_000_000, help="A week on each route.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="The same seed makes the same bytes.")] = None,
    incident: Incidents = None,
    per: Annotated[Per | None, typer.Option(help="One file for each.")] = None,
    compression: Annotated[Compression | None, typer.Option(help="Of the files.")] = None,
    content: Annotated[Content | None, typer.Option(help="Of a chunk's text.")] = None,
    citations: Annotated[Citations | None, typer.Option(help="How they are logged.")] = None,
    dirty: Dirty = None,
) -> None:
    """Write synthetic citation logs and the truth they hide."""
    from analyzer import simulate as traffic

    base = traffic.load_scenario(scenario) if scenario else traffic.standard(FIRST_DAY, WEEKS)
    made = traffic.adjusted(
        base,
        first_day=datetime.combine(week_named(first_week), time(), UTC) if first_week else None,
        weeks=weeks,
        requests=requests,
        seed=seed,
        per=per,
        compression=compression,
        content=content,
        citations=citations,
        dirty=dirty,
    )
    for words in incident or []:
        made = traffic.with_incidents(made, traffic.incidents_of(words))
    _write(made, folder)


def _write(made: Scenario, folder: Path) -> None:
    from analyzer import simulate as traffic

    if folder.is_dir() and any(folder.iterdir()):
        raise UsageError(f"{folder} holds something already; name a new or empty folder")
    _check_years(made)
    traffic.simulate(made, folder, progress=_days if say.to_terminal(sys.stderr) else None)
    say.data(
        f"{folder}: weeks {made.weeks:,}, routes {len(made.routes):,}; "
        "what is hidden in the logs stands in truth.json"
    )


def _check_years(made: Scenario) -> None:
    """That documents may be years older than the first day, and labels younger than the last."""
    first = made.first_day
    if first.year < FIRST_YEAR or (LATEST - first).days < 7 * (made.weeks + 1):
        weeks = f"{made.weeks:,} weeks from {first.date()}"
        raise UsageError(
            f"{weeks} do not lie between {FIRST_YEAR} and {LATEST.year - 1}; move them"
        )


def _days(done: int, total: int) -> None:
    end = "\n" if done == total else ""
    sys.stderr.write(f"\r{done:,} of {total:,} days ({done / total:.0%}){end}")
    sys.stderr.flush()
