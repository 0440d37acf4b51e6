"""Percentiles out of counts by logarithmic bin: a worked example and order statistics."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.stats.percentiles import (
    LN_GAMMA,
    ZERO,
    by_group,
    log_percentile,
    log_percentile_estimate,
    read_out,
)


@pytest.mark.parametrize(("percent", "tokens"), [(50, 346.6894), (95, 430.5390)])
def test_eight_bins_of_an_eighth_octave(percent: int, tokens: float) -> None:
    index, inside = read_out(np.array([5.0, 10, 20, 30, 20, 10, 4, 1]), percent)
    assert 2 ** (8 + (index + inside) / 8) == pytest.approx(tokens, abs=5e-5)


@given(st.lists(st.integers(1, 200_000), min_size=1, max_size=300), st.sampled_from([50, 95, 99]))
def test_within_one_bin_of_the_order_statistic(tokens: list[int], percent: int) -> None:
    values = np.sort(np.array(tokens))
    bins = np.ceil(np.log(values) / LN_GAMMA).astype(np.int64)
    names, counts = np.unique(bins, return_counts=True)
    found = np.exp(log_percentile(names, counts.astype(float), percent))
    exact = values[-(-percent * len(values) // 100) - 1]
    assert found == pytest.approx(exact, rel=0.0101)


def test_zero_tokens_and_no_requests_have_no_logarithm() -> None:
    bins = np.array([ZERO, 400])
    assert np.isnan(log_percentile(bins, np.array([99.0, 1.0]), 95))
    assert np.isnan(log_percentile(bins, np.zeros(2), 95))
    assert log_percentile_estimate(bins, np.zeros((20, 2)), 95).value is None


def test_one_bin_everywhere_has_the_smallest_error() -> None:
    estimate = log_percentile_estimate(np.array([800]), np.full((20, 1), 7.0), 95)
    assert estimate.value == pytest.approx((800 - 1 + 0.95) * LN_GAMMA)
    assert estimate.se == 0.0005


def test_rows_become_a_table_by_group() -> None:
    bins, counts = by_group(np.array([7, 5, 7]), np.array([0, 2, 2]), np.array([4, 1, 3]), 3)
    assert bins.tolist() == [5, 7]
    assert counts.tolist() == [[0, 4], [0, 0], [1, 3]]
