"""From facts to causes: the points that each cause of the table gets for a measure that moved."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from analyzer.watch.cause_table import MOST_POINTS, CauseRow, CauseTable, condition
from analyzer.watch.facts import Fact

UNKNOWN = "unknown"


@dataclass(frozen=True)
class Moved:
    """A measure that moved, and which way."""

    measure: str
    up: bool


@dataclass(frozen=True)
class Candidate:
    """A cause and what speaks for it and against it, the weightiest first; points 0 to 10."""

    code: str
    title: str
    points: int
    speaks_for: tuple[str, ...]
    speaks_against: tuple[str, ...]
    next: str  # the command that shows more
    to_do: str = ""  # in a few words; empty where the table has none


def candidates(moved: Moved, facts: Mapping[str, Fact], table: CauseTable) -> tuple[Candidate, ...]:
    """The causes that can move the measure and whose needs are met; most points first."""
    found = []
    for cause in table.causes:
        directly = cause.moves_directly(moved.measure, moved.up)
        if (directly or cause.also_moves(moved.measure, moved.up)) and _thinkable(cause, facts):
            found.append(_weighed(cause, facts, 0 if directly else table.also_costs))
    return tuple(sorted(found, key=lambda each: -each.points))


def most_probable(
    found: Iterable[Candidate], facts: Mapping[str, Fact], table: CauseTable
) -> Candidate:
    """The first of them with enough points; else an unknown cause, with what moved."""
    best = next(iter(found), None)
    if best is not None and best.points >= table.least_points:
        return best
    moved = tuple(fact.words for fact in facts.values() if fact.state in ("up", "down", "new"))
    against = best.speaks_against if best else ()
    return Candidate(UNKNOWN, "Cause unknown", 0, moved, against, "citelog query weekly_measures")


def _thinkable(cause: CauseRow, facts: Mapping[str, Fact]) -> bool:
    return any(all(_holds(text, facts) for text in group) for group in cause.needs)


def _holds(text: str, facts: Mapping[str, Fact]) -> bool:
    asked = condition(text)
    return asked.holds(facts[asked.fact].state)


def _weighed(cause: CauseRow, facts: Mapping[str, Fact], costs: int) -> Candidate:
    speaking = _met(cause.for_, facts)
    contrary = _met(cause.against, facts)
    points = sum(n for _, n in speaking) - sum(n for _, n in contrary)
    points = min(MOST_POINTS, points) - costs
    return Candidate(
        cause.code,
        cause.title,
        max(0, points),
        tuple(words for words, _ in speaking),
        tuple(words for words, _ in contrary),
        cause.next,
        cause.to_do.format_map({name: fact.counted for name, fact in facts.items()}),
    )


def _met(conditions: Mapping[str, int], facts: Mapping[str, Fact]) -> list[tuple[str, int]]:
    """The words and points of the conditions that hold, the weightiest first."""
    met = [(facts[condition(text).fact].words, n) for text, n in conditions.items()
           if _holds(text, facts)]  # fmt: skip
    return sorted(met, key=lambda each: -each[1])
