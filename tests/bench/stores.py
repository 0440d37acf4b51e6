"""Stores to ask: the sample logs of fourteen weeks, and simulated ones where that is asked."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from .running import CITELOG, fresh, run, tell


@dataclass(frozen=True)
class Held:
    """A store, its newest week (a Monday), and how much it holds."""

    name: str
    path: Path
    week: str
    weeks: int
    requests: int

    def __str__(self) -> str:
        return f"{self.name}: {self.weeks} weeks, {self.requests:,} requests"


def sampled() -> Held:
    """The sample logs, loaded."""
    return _loaded("sample_logs", "sample_logs", "sample_logs/*.jsonl.*")


def simulated(requests: int) -> Held:
    """Fourteen weeks of standard traffic with so many requests a week on each route, loaded."""
    tell(f"simulating {requests:,} requests a week on each route")
    logs = fresh("simulated")
    run(*CITELOG, "simulate", logs, "--requests", str(requests))
    held = _loaded(f"simulated, {requests:,} requests a week and route", logs.name, logs)
    fresh("simulated")
    return held


def _loaded(name: str, folder: str, logs: str | Path) -> Held:
    tell(f"loading {name}")
    store = fresh(f"stores/{folder}") / "citations.duckdb"
    run(*CITELOG, "ingest", logs, "--store", store)
    weeks = json.loads(
        run(*CITELOG, "query", "weeks_held", "--store", store, "--format", "json").said
    )
    requests = sum(week["requests"] for week in weeks)
    return Held(name, store, weeks[0]["week"], len(weeks), requests)
