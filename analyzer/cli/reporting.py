"""`citelog report`: the weekly report, from a store or straight from files."""

from __future__ import annotations

import typer


def add_commands(app: typer.Typer) -> None:
    """Put this room's commands into `app`."""
