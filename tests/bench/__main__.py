"""Measure and write the tables: to stdout as they come, and to build/bench.md.

python -m tests.bench --help
"""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Iterator

from . import asking, formats, loading, machine, oncall, reporting, stores
from .logs import HOLDS
from .running import BUILD, PYTHON, TOP, WORK, CouldNotRun, pin
from .table import parsed_size

PARTS = ("load", "formats", "report", "queries", "oncall")


def main() -> None:
    """Run what was asked; slow figures are no failure, they are what is wanted to be known."""
    options = _options()
    pin()
    (TOP / BUILD).mkdir(exist_ok=True)
    with (TOP / BUILD / "bench.md").open("w", encoding="utf-8") as file:
        for lines in _document(options):
            print(lines, flush=True)
            print(lines, file=file, flush=True)
    shutil.rmtree(TOP / WORK, ignore_errors=True)


def _options() -> argparse.Namespace:
    words = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    add = words.add_argument
    add("--size", type=parsed_size, default="300MB", help="of a log without text [300MB]")
    add("--text-size", type=parsed_size, default="100MB", help="of a log with text [100MB]")
    add("--formats-size", type=parsed_size, default="60MB", help="of a log of another tool [60MB]")
    add("--holds", nargs="+", choices=HOLDS, default=["hashes", "text"], help="of each text")
    add("--rounds", type=int, default=5, help="fewer than 5 only to try it out [5]")
    add("--shorter", type=int, default=10, help="how many times shorter the log of pandas is [10]")
    add("--memory", type=parsed_size, metavar="SIZE", help="load one file of this size too")
    add("--simulate", type=int, metavar="REQUESTS", help="a week and route, for a larger store")
    add("--chunks", type=int, default=20_000_000, help="of the store to investigate [20 million]")
    add("--peers", metavar="PYTHON", default=PYTHON, help="the interpreter with chdb and pandas")
    add("--only", nargs="+", choices=PARTS, default=PARTS, help="these parts [all]")
    options = words.parse_args()
    if not shutil.which(options.peers):
        words.error(
            f"{options.peers} is no interpreter; `make bench` makes one with chdb and pandas"
        )
    return options


def _document(options: argparse.Namespace) -> Iterator[str]:
    yield "# Benchmarks\n"
    yield from machine.facts(options.peers)
    for part in _parts(options):
        yield ""
        try:
            yield from part
        except CouldNotRun as fault:
            yield f"Not measured: {fault}"
    yield f"\nAt the end: {machine.load()}"


def _parts(options: argparse.Namespace) -> Iterator[Iterator[str]]:
    if "load" in options.only:
        for holds in options.holds:
            size = options.text_size if holds == "text" else options.size
            yield loading.compared(holds, size, options.rounds, options.shorter, options.peers)
    if "formats" in options.only:
        yield formats.read(options.formats_size)
    if options.memory:
        yield loading.memory(options.memory, options.holds[0])
    if {"report", "queries", "oncall"} & set(options.only):
        yield from _questions(options)


def _questions(options: argparse.Namespace) -> Iterator[Iterator[str]]:
    held = [stores.sampled()]
    if options.simulate:
        held.append(stores.simulated(options.simulate))
    if "report" in options.only:
        yield reporting.reported(held, options.rounds)
    if "queries" in options.only:
        yield from (asking.asked(store, options.rounds) for store in held)
    if "oncall" in options.only:
        yield oncall.investigated(held[0], options.chunks, options.rounds)


if __name__ == "__main__":
    main()
