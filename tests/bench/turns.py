"""One contender's turns: it loads the same log round after round, each time from nothing.

Before its turn it loads a log of one request: what a start costs whatever the size, and a warm-up.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from .logs import WEEK, Log
from .running import CITELOG, PYTHON, CouldNotRun, Run, fresh, run, settle

Held = list[int]  # requests, chunks
Load = Callable[[Log, Path], tuple[Run, Held]]


@dataclass
class Contender:
    """Somebody who loads `log`; `fault` is why there are no more turns."""

    name: str
    load: Load
    log: Log
    factor: float = 1.0  # how much longer the log of the others is
    starts: list[Run] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)
    fault: str = ""

    def turn(self, one: Log) -> None:
        """Load the log of one request, then the whole one."""
        if self.fault:
            return
        try:
            start, whole = self._loaded(one), self._loaded(self.log)
        except CouldNotRun as fault:
            self.fault = str(fault)
        else:
            self.starts.append(start)
            self.runs.append(whole)

    def taken(self, of: Callable[[Run], float]) -> list[float]:
        """Seconds of each round for the log of the others, the start counted once."""
        pairs = zip(map(of, self.starts), map(of, self.runs), strict=True)
        return [start + (whole - start) * self.factor for start, whole in pairs]

    def _loaded(self, log: Log) -> Run:
        """Nobody is fast by leaving something out: what is held then is counted."""
        output = fresh("output") / "held"
        settle()
        cost, held = self.load(log, output)
        if held != [log.requests, log.chunks]:
            raise CouldNotRun(f"holds {held} requests and chunks of {[log.requests, log.chunks]}")
        return cost


def citelog(log: Log, output: Path) -> tuple[Run, Held]:
    """The command as anyone gives it: checks, facts, rollups and publishing included."""
    cost = run(*CITELOG, "ingest", log.path, "--store", output)
    asked = ("week_totals", "--param", f"week={WEEK}", "--format", "json", "--store", output)
    [totals] = json.loads(run(*CITELOG, "query", *asked).said)
    return cost, [totals["requests"], totals["retrieved"]]


def unchecked(name: str, python: str = PYTHON) -> Load:
    """One of `contenders`, in a process of its own and where `python` finds its package."""
    return partial(_unchecked, name, python)


def _unchecked(name: str, python: str, log: Log, output: Path) -> tuple[Run, Held]:
    cost = run(python, "-m", "tests.bench.contenders", name, log.path, output)
    return cost, json.loads(cost.said)
