"""Intervals against known truth, on a flat model: small seeded runs of the published designs."""

from __future__ import annotations

import numpy as np
import pytest

from analyzer.stats.cells import dense
from analyzer.stats.position_effect import log_ratio

from .made import Plan, simulated


def _covered(plan: Plan, runs: int) -> tuple[float, float]:
    """Share of 95 % intervals that hold 0, and the mean estimate."""
    held, values = 0, []
    for seed in range(runs):
        estimate = log_ratio(*dense(simulated(plan, seed), 20).two_sided())
        interval = estimate.interval()
        assert interval is not None
        assert estimate.value is not None
        held += interval[0] <= 0 <= interval[1]
        values.append(estimate.value)
    return held / runs, float(np.mean(values))


@pytest.mark.parametrize(
    "plan",
    [
        Plan(requests=500),
        Plan(requests=1500, shares=(0, 1, 0), shuffled=0.05, by_k=0.35),
        Plan(requests=1500, units=400, unit_spread=0.6),
    ],
    ids=["several orderings", "one ordering and 5 % shuffled", "an ordering per unit"],
)
def test_a_flat_model_is_covered(plan: Plan) -> None:
    covered, mean = _covered(plan, runs=300)
    assert 0.92 <= covered <= 0.98
    assert abs(mean) < 0.05


def test_groups_of_requests_are_too_sure_where_units_chose_the_ordering() -> None:
    plan = Plan(requests=1500, units=60, unit_spread=0.6, groups_of_requests=True)
    covered, _ = _covered(plan, runs=150)
    assert covered < 0.89
