"""What is old goes: facts of weeks that are sealed now, and the counts of much older ones."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from analyzer import store
from analyzer.config import Config
from analyzer.nightly.calendar import Night

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection


@dataclass(frozen=True)
class Held:
    """The first days with facts and with counts, and the first day that is not sealed."""

    facts_from: date | None
    counts_from: date | None
    sealed_before: date | None


def held(con: Connection) -> Held:
    """How far back the store reaches."""
    [row] = con.execute(store.statement("night/facts_from")).fetchall()
    return Held(*row)


def apply(path: Path, night: Night, config: Config, now: Held) -> bool:
    """Seal what is older than is to be kept; whether there was any."""
    kept = config.retention
    if kept.facts_weeks is None:
        return False
    facts = night.before(kept.facts_weeks)
    counts = night.before(kept.rollup_weeks) if kept.rollup_weeks else None
    seals = now.facts_from is not None and now.facts_from < facts
    drops = counts is not None and now.counts_from is not None and now.counts_from < counts
    if not seals and not drops:
        return False
    store.seal(path, max(facts, now.sealed_before or facts), night.today, counts)
    return True
