"""Errors that respect groups: the reference example, floors, and what has no error."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from analyzer.stats.jackknife import (
    difference,
    difference_of_shares,
    jackknifed,
    mean,
    rate,
    ratio,
    wilson_error,
)

LEAVE_ONE_OUTS = np.array([-0.189242, -0.223144, -0.277632, -0.105361, -0.223144])
counts = hnp.arrays(np.int64, 20, elements=st.integers(0, 50))


def test_the_error_of_five_leave_one_outs() -> None:
    estimate = jackknifed(-0.203599, LEAVE_ONE_OUTS, np.ones(5, dtype=bool))
    assert estimate.se == pytest.approx(0.113496, abs=1e-6)
    assert estimate.df == 4
    interval = estimate.interval()
    assert interval is not None
    assert np.exp(interval) == pytest.approx([0.5953, 1.1180], abs=5e-5)


def test_an_empty_group_is_no_group() -> None:
    with_empty = jackknifed(
        -0.203599, np.append(LEAVE_ONE_OUTS, -0.203599), np.array([True] * 5 + [False])
    )
    assert with_empty.df == 4
    assert with_empty.se == pytest.approx(0.113496, abs=1e-6)
    assert with_empty.leave_one_outs[5] == -0.203599


def test_what_rests_on_one_group_has_no_error() -> None:
    estimate = ratio(np.array([3.0, 0, 0]), np.array([9.0, 0, 0]))
    assert estimate.value == pytest.approx(1 / 3)
    assert estimate.se is None
    assert estimate.interval() is None


def test_nothing_counted_is_no_value() -> None:
    estimate = rate(np.zeros(20), np.zeros(20))
    assert (estimate.value, estimate.se, estimate.df) == (None, None, 0)


def test_a_rate_of_zero_could_have_been_one_in_n() -> None:
    estimate = rate(np.zeros(20), np.full(20, 50.0))
    assert estimate.value == 0
    assert estimate.se == pytest.approx((0.001 * 1 / 1000) ** 0.5)


def test_a_mean_without_spread_has_the_error_of_one_doubled_rank() -> None:
    estimate = mean(np.full(20, 30.0), np.full(20, 20.0))
    assert (estimate.value, estimate.se) == (1.5, 1 / 400)


def test_what_moves_two_releases_alike_is_no_error_of_their_difference() -> None:
    rng = np.random.default_rng(1)
    common = rng.integers(10, 40, 20).astype(float)
    one = rate(common + 5, np.full(20, 100.0))
    other = rate(common, np.full(20, 100.0))
    apart = difference(one, other)
    assert apart.value == pytest.approx(0.05)
    assert apart.df == 19
    assert apart.se is not None
    assert one.se is not None
    assert apart.se < one.se / 100
    assert difference(one, rate(np.zeros(20), np.zeros(20))).value is None


def test_a_share_of_nothing_seen_is_no_sure_share() -> None:
    """0 of n: Wilson's upper end is z^2 / (n + z^2), so z / (n + z^2) is the error of it."""
    assert wilson_error(0.0, 60) == pytest.approx(1.959964 / (60 + 1.959964**2))
    assert wilson_error(1.0, 60) == pytest.approx(wilson_error(0.0, 60))
    # 3 of 60: ends (.05 + .032012 -+ 1.959964 sqrt(.0475 / 60 + .064024 / 240)) / 1.064024
    assert wilson_error(0.05, 60) == pytest.approx((0.137005 - 0.05) / 1.959964, abs=1e-6)


def test_a_difference_is_no_surer_than_a_side_in_which_nothing_was_seen() -> None:
    """0 of 120 and 0 of 60: errors 1.96 / 123.84 = .015826 and 1.96 / 63.84 = .030701."""
    one, other = (rate(np.zeros(20), np.full(20, n)) for n in (3.0, 6.0))
    found = difference_of_shares(one, other, (60, 120))
    assert (found.value, found.df) == (0.0, 19)
    assert found.se == pytest.approx(0.034540, abs=1e-6)
    floors = (one.se or 0) ** 2 + (other.se or 0) ** 2
    assert difference(one, other).se == pytest.approx(floors**0.5)


def test_shares_of_many_events_are_as_sure_as_their_groups() -> None:
    rng = np.random.default_rng(2)
    one, other = (rate(rng.integers(5, 20, 20).astype(float), np.full(20, 30.0)) for _ in "ab")
    assert difference_of_shares(one, other, (600, 600)).se == difference(one, other).se


@given(counts, counts, st.randoms(use_true_random=False))
def test_groups_have_no_order_and_nothing_is_infinite(
    missed: np.ndarray, cited: np.ndarray, random: object
) -> None:
    parts, wholes = cited.astype(float), (missed + cited).astype(float)
    order = np.random.default_rng(int(random.random() * 1e9)).permutation(20)  # type: ignore[attr-defined]
    one, other = rate(parts, wholes), rate(parts[order], wholes[order])
    assert one.value == other.value
    assert one.df == other.df
    if one.se is not None:
        assert one.se > 0
        assert np.isfinite(one.se)
        assert one.se == pytest.approx(other.se, rel=1e-9)
