"""Figures as Markdown that people read: few digits, numbers to the right."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import median

Rows = Iterable[Sequence[str]]


def markdown(head: Sequence[str], rows: Rows) -> str:
    """A table, its first column to the left."""
    rule = ["---", *["---:"] * (len(head) - 1)]
    return "\n".join("| " + " | ".join(row) + " |" for row in (head, rule, *rows))


def number(value: float) -> str:
    """At most three digits that mean something; thousands with commas."""
    digits = 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2
    return f"{value:,.{digits}f}"


def middle(values: Iterable[float]) -> str:
    """The median."""
    return number(median(values))


def spread(values: Iterable[float]) -> str:
    """The median, and the least and largest beside it."""
    values = list(values)
    return f"{middle(values)} ({number(min(values))} to {number(max(values))})"


def verdict(value: float, goal: float) -> str:
    """Whether a figure that should be small is small enough: information, never a failure."""
    return "PASS" if value <= goal else "over"


def parsed_size(text: str) -> int:
    """Bytes of a size as people write it: 300MB, 5GB, 20kB; decimal units."""
    units = {"KB": 10**3, "MB": 10**6, "GB": 10**9}
    factor = units.get(text[-2:].upper())
    return int(float(text[:-2]) * factor) if factor else int(text)
