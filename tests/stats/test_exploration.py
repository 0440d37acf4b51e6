"""How much to shuffle: the published sizes, and a route's own prompts against a real estimate."""

from __future__ import annotations

import pytest

from analyzer.stats.cells import dense
from analyzer.stats.exploration import error_of_one, requests_needed, weeks_needed
from analyzer.stats.position_effect import log_ratio

from .made import Plan, cells, simulated


@pytest.mark.parametrize(("dip", "published"), [(0.05, 2000), (0.10, 480)])
def test_shuffled_requests_that_show_a_dip(dip: float, published: int) -> None:
    assert requests_needed(dip) == pytest.approx(published, rel=0.04)


def test_two_per_cent_of_35_000_for_three_weeks_shows_5_per_cent() -> None:
    assert weeks_needed(requests_needed(0.05), 35_000, 0.02) == 3


def test_what_can_never_show_is_said() -> None:
    assert error_of_one(cells([("best_first", 2, 1, 0, 0, 50, 20)])) is None
    assert error_of_one(cells([])) is None


def test_a_route_foretells_its_own_error() -> None:
    """One ordering measured before, against the errors once 5 % of 5,000 were shuffled."""
    before = error_of_one(simulated(Plan(requests=5000, shares=(0, 1, 0)), seed=1))
    after = [
        log_ratio(*dense(simulated(plan, seed), 20).two_sided()).se or 0.0
        for plan in [Plan(requests=5000, shares=(0, 1, 0), shuffled=0.05)]
        for seed in range(20)
    ]
    assert before is not None
    assert sum(after) / 20 == pytest.approx(before / (5000 * 0.05) ** 0.5, rel=0.12)


def test_short_prompts_and_rare_citations_need_more() -> None:
    long = error_of_one(cells([("best_first", 9, 1, 0, 0, 100, 40)]))
    rare = error_of_one(cells([("best_first", 9, 1, 0, 0, 100, 4)]))
    assert long == pytest.approx((0.6 / 0.4 / (5 / 9)) ** 0.5)
    assert rare == pytest.approx((0.96 / 0.04 / (5 / 9)) ** 0.5)
