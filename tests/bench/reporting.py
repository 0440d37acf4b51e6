"""The whole weekly report as one command, from a store to a page that opens.

Beside the stores that are asked for there is a year of ten routes, the largest page that is
promised a size: the counts of the sample logs, repeated.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from statistics import median

from .running import CITELOG, PYTHON, TOP, CouldNotRun, Run, fresh, run, tell
from .stores import Held
from .table import markdown, middle, number, spread, verdict

GOAL = 3.0  # seconds
SIZE = 2.0  # MB
A_YEAR = (
    "import shutil, sys; from pathlib import Path; sys.path.insert(0, 'tests');"
    "from report_traffic import a_year; shutil.copy(*sys.argv[1:]); a_year(Path(sys.argv[2]))"
)
HEAD = ("store", "s", "CPU s", "peak RSS MB", "page MB")


def reported(stores: list[Held], rounds: int) -> Iterator[str]:
    """`citelog report` on each store, in turns, as Markdown."""
    page = fresh("pages") / "report.html"
    stores = [*stores, _year(stores[0])]
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
    yield from map(_said, stores, costs, sizes)


def _year(sampled: Held) -> Held:
    tell("repeating the sample logs over a year of ten routes")
    path = fresh("stores/year") / "citations.duckdb"
    run(PYTHON, "-c", A_YEAR, sampled.path, path)
    name, weeks = "ten routes, their rollups repeated", 52
    return replace(sampled, name=name, path=path, weeks=weeks, requests=_requests(path, weeks))


def _requests(path: Path, weeks: int) -> int:
    held = run(*CITELOG, "query", "weeks_held", "--store", path, "--format", "json").said
    return sum(week["requests"] for week in json.loads(held)[:weeks])


def _written(store: Held, page: Path) -> Run:
    asked = ("--week", store.week, "--weeks", str(store.weeks))
    return run(*CITELOG, "report", *asked, "--store", store.path, "-o", page)


def _row(store: Held, costs: list[Run], size: float) -> list[str]:
    return [
        str(store),
        spread(cost.seconds for cost in costs),
        middle(cost.cpu for cost in costs),
        middle(cost.rss for cost in costs),
        number(size),
    ]


def _said(store: Held, costs: list[Run], size: float) -> str:
    seconds = median(cost.seconds for cost in costs)
    return (
        f"\nGoal: under {GOAL:g} s and {SIZE:g} MB; from {store.name} "
        f"it takes {number(seconds)} s: {verdict(seconds, GOAL)}, "
        f"and has {number(size)} MB: {verdict(size, SIZE)}"
    )
