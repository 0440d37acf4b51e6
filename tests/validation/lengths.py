"""The 95th percentile of prompts as the published years of logs had it, drawn as estimates.

How soon a change alarms depends on the standard error and on how far weeks wander beyond it. The
prompts made here have others than those of the published years, so the published power is held to
estimates that are drawn with the published two.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from analyzer.stats.panel import WeekEstimate

from .alone import raised
from .years import NOISE, SIZES, WARM_UP, name_of

MEASURE = "ln_p95_context_tokens"
SIZE, SHIFT = 5000, 0.10
ERROR, OF_WEEKS = 0.0187, 0.0233  # published, at SIZE requests: mean error, spread of weekly values
WANDER = (OF_WEEKS**2 - ERROR**2) ** 0.5
DEGREES = 19  # of a jackknife over twenty groups
START, WITHIN = WARM_UP + 20, 6  # weeks


def weeks_to_alarm(seed: int) -> int | None:
    """1 where the first week of longer prompts alarms; None: not in six weeks."""
    rng = np.random.default_rng(seed)
    alarms = raised(row for size in SIZES for row in _route(size, rng))
    here = [week - START + 1 for route, week in alarms if route == name_of(SIZE)]
    return min((weeks for weeks in here if weeks > 0), default=None)


def _route(size: int, rng: np.random.Generator) -> Iterator[WeekEstimate]:
    error, away = ERROR * (SIZE / size) ** 0.5, rng.standard_normal()
    for week in range(START + WITHIN):
        value = 8.5 + WANDER * away + error * rng.standard_normal()
        value += SHIFT * (size == SIZE and week >= START)
        told = error * (rng.chisquare(DEGREES) / DEGREES) ** 0.5
        yield WeekEstimate(
            name_of(size), MEASURE, week, value, told, float(size), size, float(size)
        )
        away = NOISE.phi * away + (1 - NOISE.phi**2) ** 0.5 * rng.standard_normal()
