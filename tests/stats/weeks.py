"""Weekly series made by hand or drawn at random."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from analyzer.stats.panel import WeekEstimate


def series(
    value: Sequence[float],
    se: Sequence[float] | float,
    *,
    route: str = "support",
    measure: str = "citation_free_rate",
    size: Sequence[float] | float = 5000,
    n: float = 1e6,
    first: int = 0,
) -> list[WeekEstimate]:
    """One series from week `first` on; requests are its size."""
    weeks = range(first, first + len(value))
    sizes = np.broadcast_to(size, len(value)).tolist()
    errors = np.broadcast_to(se, len(value)).tolist()
    return [
        WeekEstimate(route, measure, week, y, error, n, int(s), s)
        for week, y, error, s in zip(weeks, value, errors, sizes, strict=True)
    ]
