"""`citelog swap`: position-swap evaluations, from making a set to holding two models apart."""

from __future__ import annotations

import typer

from analyzer.cli import configured, swap_planning, swap_running, swap_scores

swapping = typer.Typer(
    help="Position-swap evaluation: the same question with its expected chunk at the start, in "
    "the middle and at the end.",
    rich_markup_mode=None,
)
for room in (swap_planning, swap_running, swap_scores):
    room.add_commands(swapping)


@swapping.callback()
def _swapping(context: typer.Context) -> None:
    configured.prepare(context)


def add_commands(app: typer.Typer) -> None:
    """Put this room's commands into `app`, under one word."""
    app.add_typer(swapping, name="swap")
