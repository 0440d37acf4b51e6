"""What is printed: a promise, what was measured, what is published, and whether it is kept."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """kept: None where nothing is promised and the figure is only to be known."""

    what: str
    measured: str
    published: str
    kept: bool | None


def table(title: str, rows: Iterable[Row]) -> str:
    """A Markdown table under its title."""
    lines = [f"\n## {title}\n", "| | measured | published | within? |", "|---|---|---|---|"]
    lines += [f"| {row.what} | {row.measured} | {row.published} | {_said(row)} |" for row in rows]
    return "\n".join(lines)


def _said(row: Row) -> str:
    return "" if row.kept is None else "yes" if row.kept else "**no**"


def share(part: int, whole: int) -> str:
    """A share in per cent with its Monte-Carlo standard error."""
    if not whole:
        return "none of 0"
    rate = part / whole
    error = (max(rate * (1 - rate), 1 / whole) / whole) ** 0.5
    return f"{100 * rate:.1f} ± {100 * error:.1f} %"


def mean(values: list[float]) -> tuple[float, float]:
    """Mean and its standard error; an error of 0 from a handful of equal values is none."""
    count = len(values)
    middle = sum(values) / count
    spread = sum((value - middle) ** 2 for value in values) / max(1, count - 1)
    return middle, (max(spread, 1 / count) / count) ** 0.5
