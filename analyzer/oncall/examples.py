"""Requests to look at: those that add most to a change inside the label that leads it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from analyzer.oncall.carried import Carried, Labels
from analyzer.oncall.measured import Measured

MOST = 5


@dataclass(frozen=True)
class Example:
    """A request: its part of the measure's whole, and how much of that is beyond before."""

    request_id: str
    requested_at: datetime  # UTC
    k: int | None
    context_tokens: int | None
    part: float
    whole: float
    adds: float


def examples(
    measured: Measured, found: Carried, known: Mapping[int, Labels], moment: datetime
) -> tuple[Example, ...]:
    """Five of them, each of another unit; of all labels where none leads."""
    leading = found.leading
    labels = [
        key
        for key, one in known.items()
        if leading is None or getattr(one, leading.dimension) == leading.label
    ]
    rows = measured.run(
        "examples",
        moment=moment,
        sign=1 if (found.change.value or 0.0) >= 0 else -1,
        level=found.levels[0],
        labels=labels,
        most=MOST,
    )
    return tuple(Example(*row) for row in rows)
