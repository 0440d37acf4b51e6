"""Repeat the promises of the statistics by simulation; the tables go to stdout as they come.

python -m tests.validation [--only PART ...]

Ends with 1 where a promise is not kept.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from datetime import timedelta
from multiprocessing import get_context

from analyzer.simulate import standard

from . import cost, coverage, drifting, foreseen, incidents, invented, investigated, switching
from .striking import Stable
from .table import Row, table


def main() -> int:
    """Run the parts that are asked for."""
    asked = _options()
    kept = True
    # Spawned, not forked: DuckDB and Arrow have threads that a fork would lose.
    with ProcessPoolExecutor(asked.processes, get_context("spawn")) as pool:
        for part in asked.only:
            start = time.perf_counter()
            kept &= _PARTS[part](asked, pool)
            print(f"\n({part}: {(time.perf_counter() - start) / 60:.1f} minutes)", flush=True)
    return 0 if kept else 1


def _options() -> argparse.Namespace:
    words = argparse.ArgumentParser(prog="python -m tests.validation", description=__doc__)
    words.add_argument("--only", nargs="+", choices=tuple(_PARTS), default=tuple(_PARTS))
    words.add_argument("--runs", type=int, default=1000, help="of each design [1000]")
    words.add_argument("--traps", type=int, default=100, help="runs of each flat model [100]")
    words.add_argument("--changes", type=int, default=100, help="runs of each change [100]")
    words.add_argument("--reports", type=int, default=30, help="drawn years of ten routes [30]")
    words.add_argument("--whole", type=int, default=2, help="of them, made chunk by chunk too [2]")
    words.add_argument("--uncited", type=int, default=30, help="years of that rate alone [30]")
    words.add_argument("--told", type=int, default=200, help="years of lengths as published [200]")
    words.add_argument("--a-day", type=int, default=cost.A_DAY, help="requests, for the cost")
    words.add_argument("--processes", type=int, default=2)
    return words.parse_args()


def _shown(title: str, rows: list[Row]) -> bool:
    print(table(title, rows), flush=True)
    return all(row.kept is not False for row in rows)


def _cost(asked: argparse.Namespace, pool: ProcessPoolExecutor) -> bool:
    return _shown("Cost: ten routes, a year", cost.rows(asked.a_day))


def _coverage(asked: argparse.Namespace, pool: ProcessPoolExecutor) -> bool:
    title = f"Coverage of the 95 % interval, {asked.runs} runs of 2,500 requests each"
    return _shown(title, coverage.rows(asked.runs, pool))


def _invented(asked: argparse.Namespace, pool: ProcessPoolExecutor) -> bool:
    title = f"No invented effect: flat models, {asked.traps} runs of 5,000 requests each"
    return _shown(title, invented.rows(asked.traps, pool))


def _foreseen(asked: argparse.Namespace, pool: ProcessPoolExecutor) -> bool:
    title = f"What-if: changes foreseen, {asked.changes} runs of 2,500 requests each"
    return _shown(title, foreseen.rows(asked.changes, pool))


def _drift(asked: argparse.Namespace, pool: ProcessPoolExecutor) -> bool:
    title = "False alarms and power: ten routes of 500 to 15,000 requests a week, 52 weeks"
    years = drifting.Years(asked.reports, asked.whole, asked.uncited, asked.told)
    return _shown(title, drifting.rows(years, pool))


def _orderings(asked: argparse.Namespace, pool: ProcessPoolExecutor) -> bool:
    title = "Shares of orderings: ten routes of 100 to 15,000 requests a week, 52 weeks"
    return _shown(title, list(switching.rows(asked.reports)))


def _incidents(asked: argparse.Namespace, pool: ProcessPoolExecutor) -> bool:
    scenario = standard(incidents.FIRST, 26, requests=20_000.0)
    since, stable = incidents.FIRST + timedelta(weeks=22), Stable(scenario)
    rows = list(incidents.tried(stable, incidents.planted(scenario, since)))
    print("\n## Incidents and what they are called: three routes of 20,000 a week\n")
    print(incidents.confusion(rows), flush=True)
    others = list(incidents.tried(stable, incidents.of_file(incidents.EXAMPLES)))
    print(f"\n## Those of {incidents.EXAMPLES.name}\n")
    print(incidents.confusion(others), flush=True)
    wrong = [row for row in (*rows, *others) if not row.right]
    for row in wrong:
        print(incidents.told(row))
    return not wrong


def _investigate(asked: argparse.Namespace, pool: ProcessPoolExecutor) -> bool:
    scenario = standard(incidents.FIRST, 14, requests=5_000.0)
    since = incidents.FIRST + timedelta(weeks=10, days=2, hours=9)
    print("\n## Incidents investigated: three routes of 5,000 a week, from a Wednesday 09:00\n")
    found = []
    for each in investigated.answers(scenario, since):
        print(each.told(), flush=True)
        found.append(each)
    return _shown("What is said of them", investigated.rows(found))


_PARTS: dict[str, Callable[[argparse.Namespace, ProcessPoolExecutor], bool]] = {
    "cost": _cost,
    "coverage": _coverage,
    "foreseen": _foreseen,
    "invented": _invented,
    "drift": _drift,
    "orderings": _orderings,
    "incidents": _incidents,
    "investigate": _investigate,
}

if __name__ == "__main__":
    sys.exit(main())
