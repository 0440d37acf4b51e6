"""`citelog simulate`: synthetic traffic with a known truth."""

from __future__ import annotations

import typer


def add_commands(app: typer.Typer) -> None:
    """Put this room's commands into `app`."""
