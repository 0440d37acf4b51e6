"""Student's t against scipy's, and the few values every table prints."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.stats.distributions import normal_quantile, t_quantile, two_sided_p


@pytest.mark.parametrize(
    ("groups", "quantile"),
    [(2, 12.706205), (5, 2.776445), (20, 2.093024), (50, 2.009575)],
)
def test_quantiles_of_the_printed_tables(groups: int, quantile: float) -> None:
    assert t_quantile(0.975, groups - 1) == pytest.approx(quantile, abs=1e-6)


def test_normal_quantile_is_the_known_one() -> None:
    assert normal_quantile(0.975) == pytest.approx(1.959964, abs=1e-6)


def test_tails_agree_with_scipy() -> None:
    special = pytest.importorskip("scipy.special")
    df = np.array([1, 1.5, 2, 3, 13, 19, 44.439268, 311.923687, 1e4, 1e6])[:, None]
    t = np.array([1e-8, 0.1, 0.5, 1, 2, 3.873017, 8, 20, 36])[None, :]
    expected = 2 * special.stdtr(df, -t)
    np.testing.assert_allclose(two_sided_p(t, df), expected, rtol=1e-8, atol=1e-300)


def test_quantiles_agree_with_scipy() -> None:
    special = pytest.importorskip("scipy.special")
    for df in (1, 2, 3.3, 7, 19, 52.851179, 400, 1e5):
        for probability in (0.6, 0.9, 0.975, 0.99999):
            expected = float(special.stdtrit(df, probability))
            assert t_quantile(probability, df) == pytest.approx(expected, rel=1e-8)


@given(st.floats(0.01, 30), st.floats(1, 500))
def test_a_sign_does_not_matter_and_p_lies_within_0_and_1(t: float, df: float) -> None:
    p = float(two_sided_p(t, df))
    assert p == float(two_sided_p(-t, df))
    assert 0 < p < 1


def test_no_distance_has_p_1_and_an_endless_one_0() -> None:
    assert two_sided_p(np.array([0.0, np.inf, np.nan]), 5.0) == pytest.approx(
        [1, 0, np.nan], nan_ok=True
    )
