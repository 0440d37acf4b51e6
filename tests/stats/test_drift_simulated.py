"""Alarms on weeks that wander as real ones do: rare where nothing happened, quick where it did."""

from __future__ import annotations

import numpy as np
import pytest

from analyzer.stats.arrays import Floats
from analyzer.stats.episodes import Episode
from analyzer.stats.panel import WeekEstimate
from analyzer.stats.watching import watch

from .weeks import series

WEEKS, CHANGE = 28, 20
# What a measure is, its standard error at one request, and how far weeks wander beyond that.
MEASURES = {
    "dip": (-0.11, 1.85, 0.01),
    "citation_free_rate": (0.08, 0.33, 0.0037),
    "ln_p95_context_tokens": (8.5, 1.3, 0.015),
    "involved_rate": (0.01, 0.055, 0.001),
}


def _wandering(rng: np.random.Generator, spread: float) -> Floats:
    """An AR(1) process with phi = .5."""
    steps = rng.normal(0, spread * np.sqrt(0.75), WEEKS)
    for week in range(1, WEEKS):
        steps[week] += 0.5 * steps[week - 1]
    return steps


def _report(seed: int, shift: float = 0.0) -> tuple[Episode, ...]:
    """Three routes; the dip of the one with 5,000 requests a week may shift."""
    rng = np.random.default_rng(seed)
    rows: list[WeekEstimate] = []
    for route, n in {"small": 1000, "middle": 5000, "large": 50_000}.items():
        for measure, (level, error, spread) in MEASURES.items():
            se = error / n**0.5
            value = level + _wandering(rng, spread) + rng.normal(0, se, WEEKS)
            if (route, measure) == ("middle", "dip"):
                value[CHANGE:] += shift
            shown = se * np.sqrt(rng.chisquare(19, WEEKS) / 19)
            rows += series(
                value.tolist(), shown.tolist(), route=route, measure=measure, size=n, n=10 * n
            )
    found = watch(rows, (), lambda week, route, measure: f"{week}-{route}-{measure}").episodes
    return tuple(one for one in found if one.raised is not None)


def test_weeks_in_which_nothing_happened_raise_next_to_nothing() -> None:
    assert sum(len(_report(seed)) for seed in range(8)) <= 2


def test_a_deep_dip_is_found_within_three_weeks_and_dated() -> None:
    found = [
        [one for one in _report(seed, -0.143) if (one.route, one.measure) == ("middle", "dip")]
        for seed in range(8)
    ]
    first = [episodes[0] for episodes in found if episodes]
    assert len(first) >= 7
    assert sum((one.raised or WEEKS) < CHANGE + 3 for one in first) >= 6
    began = [one.began.week for one in first if one.began is not None]
    assert np.mean([week == CHANGE for week in began]) >= 0.75
    shift = np.mean([one.at_first.delta for one in first if one.at_first is not None])
    assert shift == pytest.approx(-0.143, abs=0.04)
