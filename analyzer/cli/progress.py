"""How far a load, or anything that takes long, has come; on a terminal only."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import PurePath
from typing import TYPE_CHECKING

from analyzer.cli import say

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

Told = Callable[[str, int, int], None]


@contextmanager
def shown() -> Iterator[Told | None]:
    """A function to tell (file, bytes done, bytes in all); None where nobody would see it."""
    if not say.to_terminal(sys.stderr):
        yield None
        return
    with _bar() as bar:
        yield _teller(bar)


@contextmanager
def counting(what: str) -> Iterator[Callable[[int, int], None]]:
    """A function to tell (done, in all)."""
    if not say.to_terminal(sys.stderr):
        yield lambda done, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn(what, markup=False), BarColumn(), MofNCompleteColumn())
    console = Console(stderr=True)
    with Bar(*columns, TimeRemainingColumn(), console=console, transient=True) as bar:
        task = bar.add_task("", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _bar() -> Progress:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )

    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TaskProgressColumn(),
        DownloadColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )


def _teller(bar: Progress) -> Told:
    tasks: dict[str, TaskID] = {}

    def tell(file: str, done: int, total: int) -> None:
        if file not in tasks:
            tasks[file] = bar.add_task(say.plain(PurePath(file).name))
        finished = 0 < total <= done
        bar.update(tasks[file], completed=done, total=total or None, visible=not finished)

    return tell
