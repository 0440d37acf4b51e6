"""`citelog simulate`: synthetic traffic with a known truth."""

from __future__ import annotations

import sys
from datetime import UTC, datetime, time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from analyzer.cli import say
from analyzer.errors import UsageError
from analyzer.parameters import week_named

if TYPE_CHECKING:
    from analyzer.simulate import Scenario

FIRST_WEEK = "2026-W34"
WEEKS = 14
REQUESTS = 5000.0
SEED = 1

FromFile = Annotated[
    Path | None,
    typer.Option(help="A scenario as TOML, in place of the standard one and the options for it."),
]
Incidents = Annotated[
    Path | None, typer.Option(help="Incidents as TOML ([[incidents]]), put into the traffic.")
]


def add_commands(app: typer.Typer) -> None:
    """Put this room's commands into `app`."""
    app.command()(simulate)


def simulate(
    folder: Annotated[Path, typer.Argument(help="Where the logs and their truth.json go.")],
    first_week: Annotated[str, typer.Option(help="2026-W34, or its Monday.")] = FIRST_WEEK,
    weeks: Annotated[int, typer.Option(min=1, help="How many weeks.")] = WEEKS,
    requests: Annotated[float, typer.Option(min=1, help="A week and route.")] = REQUESTS,
    seed: Annotated[int, typer.Option(min=0, help="The same seed makes the same bytes.")] = SEED,
    scenario: FromFile = None,
    incidents: Incidents = None,
) -> None:
    """Write synthetic citation logs, and beside them the truth they hide."""
    from analyzer import simulate as traffic

    if scenario is None:
        made = traffic.standard(_midnight(first_week), weeks, requests=requests, seed=seed)
    else:
        made = traffic.load_scenario(scenario)
    if incidents is not None:
        made = traffic.with_incidents(made, traffic.load_incidents(incidents))
    _write(made, folder)


def _midnight(named: str) -> datetime:
    return datetime.combine(week_named(named), time(), UTC)


def _write(made: Scenario, folder: Path) -> None:
    from analyzer import simulate as traffic

    if folder.is_dir() and any(folder.iterdir()):
        raise UsageError(f"{folder} holds something already; name a new or empty folder")
    traffic.simulate(made, folder, progress=_days if say.to_terminal(sys.stderr) else None)
    say.data(f"{folder}: {made.weeks} weeks on {len(made.routes)} routes; truth.json says what of")


def _days(done: int, total: int) -> None:
    end = "\n" if done == total else ""
    sys.stderr.write(f"\r{done:,} of {total:,} days ({done / total:.0%}){end}")
    sys.stderr.flush()
