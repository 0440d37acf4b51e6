"""One fact of a route, before a change and since it: its numbers, its state, its words.

A fact has moved where it changed by the least amount that its row in the table of causes asks for,
and by more than chance would: three standard errors, with the variance of independent counts
doubled because chunks of one unit are not independent.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, sqrt

from analyzer import numbers
from analyzer.watch.cause_table import FactRow

SURE = 3.0  # standard errors
CLUSTERED = 2.0  # times the variance of independent counts


@dataclass(frozen=True)
class Fact:
    """`state`: up, down, same, new, unknown (see the table of causes).

    before, since: in the fact's own unit; None where nothing was counted or it is no number.
    counted: what it tells of and how many, where what to do about them depends on it.
    """

    name: str
    state: str
    words: str
    before: float | None = None
    since: float | None = None
    counted: str = "the documents that have some"


@dataclass(frozen=True)
class Side:
    """One side of a comparison: a value and what it rests on; variance is that of one counted."""

    value: float
    base: float
    variance: float = 0.0


def share(part: float, of: float) -> Side:
    """A share 0 to 1."""
    value = part / of if of else 0.0
    return Side(value, of, value * (1 - value))


def unknown(name: str, row: FactRow) -> Fact:
    """A fact of which too little was counted, or nothing."""
    return Fact(name, "unknown", f"{row.title}: not known")


def compared(name: str, row: FactRow, before: Side, since: Side, least_base: int) -> Fact:
    """A value before and since; unknown where either side rests on too little."""
    if min(before.base, since.base) < least_base:
        return unknown(name, row)
    state = _state(row, before, since)
    of = "of" if row.written == "rate" else "over"
    words = (
        f"{row.title}: {_written(before.value, row)} {of} {numbers.count(before.base)} {row.base} "
        f"before, {_written(since.value, row)} {of} {numbers.count(since.base)} since"
    )
    return Fact(name, state, words, before.value, since.value)


def _state(row: FactRow, before: Side, since: Side) -> str:
    change = since.value - before.value
    chance = CLUSTERED * (before.variance / before.base + since.variance / since.base)
    if abs(change) <= SURE * sqrt(chance):
        return "same"
    if row.relative:
        change = change / before.value if before.value else inf
    return direction(change, row.least)


def direction(change: float, least: float) -> str:
    """up, down, or same where the change is smaller than the least."""
    if abs(change) < least:
        return "same"
    return "up" if change > 0 else "down"


def _written(value: float, row: FactRow) -> str:
    if row.written == "rate":
        return numbers.rate(value)
    return numbers.fine(value) if value < 100 else numbers.count(value)
