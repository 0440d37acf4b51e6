"""The whole weekly report as one command, from a store to a page that opens."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from statistics import median

from .running import CITELOG, TOP, CouldNotRun, Run, fresh, run, tell
from .stores import Held
from .table import markdown, middle, number, spread, verdict

GOAL = 3.0  # seconds
HEAD = ("store", "s", "CPU s", "peak RSS MB", "page MB")


def reported(stores: list[Held], rounds: int) -> Iterator[str]:
    """`citelog report` on each store, in turns, as Markdown."""
    page = fresh("pages") / "report.html"
    costs: list[list[Run]] = [[] for _ in stores]
    sizes: list[float] = [0.0 for _ in stores]
    yield f"## The weekly report\n\n`citelog report --week W -o report.html`; rounds: {rounds}.\n"
    try:
        for turn in range(rounds):
            tell(f"reporting: round {turn + 1} of {rounds}")
            for place, store in enumerate(stores):
                costs[place].append(_written(store, page))
                sizes[place] = (TOP / page).stat().st_size / 1e6
    except CouldNotRun as fault:
        yield f"Not measured: {fault}"
        return
    yield markdown(HEAD, map(_row, stores, costs, sizes))
    yield from map(_said, stores, costs)


def _written(store: Held, page: Path) -> Run:
    return run(*CITELOG, "report", "--week", store.week, "--store", store.path, "-o", page)


def _row(store: Held, costs: list[Run], size: float) -> list[str]:
    return [
        str(store),
        spread(cost.seconds for cost in costs),
        middle(cost.cpu for cost in costs),
        middle(cost.rss for cost in costs),
        number(size),
    ]


def _said(store: Held, costs: list[Run]) -> str:
    seconds = median(cost.seconds for cost in costs)
    return (
        f"\nGoal: under {GOAL:g} s; from {store.name} "
        f"it takes {number(seconds)} s: {verdict(seconds, GOAL)}"
    )
