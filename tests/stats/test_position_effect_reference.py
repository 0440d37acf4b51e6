"""The reference numbers of the position effect, worked out beside the formulas."""

from __future__ import annotations

import numpy as np
import pytest

from analyzer.stats.arrays import Floats
from analyzer.stats.cells import dense
from analyzer.stats.comparability import (
    comparability,
    components,
    effective_sizes,
    laplacian,
)
from analyzer.stats.mantel_haenszel import (
    crossed,
    density_ratio,
    greenland_robins_se,
    independence_se,
    lift_ratio,
    log_odds_ratio,
    log_risk_ratio,
    risk_difference,
)
from analyzer.stats.position_effect import log_ratio
from analyzer.stats.profile import fitted, slope, stratum_rates

from .made import cells

# Three strata, edge | middle: 40, 20 cited | 10, 4; 30, 9 | 20, 5; none | 50, 6.
PACKED = np.array([[40.0, 10], [30, 20], [0, 50]])
CITED = np.array([[20.0, 4], [9, 5], [0, 6]])

# The same, split into five unit groups.
GROUP_PACKED = np.array([[[8.0, 2], [6, 4], [0, 10]]] * 5)
GROUP_CITED = np.array(
    [
        [[5.0, 1], [2, 1], [0, 1]],
        [[4, 1], [2, 1], [0, 2]],
        [[3, 0], [1, 2], [0, 1]],
        [[4, 1], [2, 0], [0, 1]],
        [[4, 1], [2, 1], [0, 1]],
    ]
)


def _rounded(value: Floats | float) -> float:
    return round(float(value), 6)


def test_mantel_haenszel_of_three_strata() -> None:
    assert [_rounded(x) for x in crossed(PACKED, CITED)] == [6.2, 7.6]
    assert _rounded(np.exp(log_risk_ratio(PACKED, CITED))) == 0.815789
    assert _rounded(log_risk_ratio(PACKED, CITED)) == -0.203599
    assert _rounded(risk_difference(PACKED, CITED)) == -0.07
    assert _rounded(log_odds_ratio(PACKED, CITED)) == -0.320908
    assert _rounded(np.exp(log_odds_ratio(PACKED, CITED))) == 0.725490


def test_errors_if_chunks_were_independent() -> None:
    error = float(greenland_robins_se(PACKED, CITED))
    assert _rounded(error) == 0.315825
    assert _rounded(error**2) == 0.099745
    assert _rounded(independence_se(PACKED, CITED)) == 0.315380
    ends = np.exp(float(log_risk_ratio(PACKED, CITED)) + np.array([-1.96, 1.96]) * error)
    assert ends.round(4).tolist() == [0.4393, 1.5150]


def test_plain_ratios_that_mostly_show_the_ordering() -> None:
    assert _rounded(density_ratio(CITED)) == 0.344828
    assert _rounded(lift_ratio(PACKED, CITED)) == 0.452586


def test_two_places_of_the_position_based_model() -> None:
    log_theta = fitted(PACKED, CITED)
    assert log_theta is not None
    assert _rounded(np.exp(log_theta[1] - log_theta[0])) == 0.816113
    assert _rounded(slope(PACKED, CITED, log_theta)[1][1, 1]) == 6.572604


def test_what_is_comparable_among_three_strata() -> None:
    rows = [
        ("explored", 5, stratum + 1, side, 0, int(PACKED[stratum, side]), int(CITED[stratum, side]))
        for stratum in range(3)
        for side in (0, 1)
    ]
    size = comparability(dense(cells(rows), 1))
    assert size.h == 20
    assert size.h / 80 == 0.25
    assert size.overlap_share == 0.375
    assert size.top_stratum_share == 0.6
    assert (size.middle, size.cited_edge, size.cited_middle) == (80, 29, 9)


def test_five_groups_left_out_in_turn() -> None:
    estimate = log_ratio(GROUP_PACKED, GROUP_CITED)
    assert estimate.leave_one_outs.round(6).tolist() == [
        -0.189242, -0.223144, -0.277632, -0.105361, -0.223144,
    ]  # fmt: skip
    assert estimate.se is not None
    assert _rounded(estimate.se) == 0.113496
    interval = estimate.interval()
    assert interval is not None
    assert np.exp(interval).round(4).tolist() == [0.5953, 1.1180]


def test_three_places() -> None:
    packed = np.array([[10.0, 20, 0], [0, 20, 10]])
    cited = np.array([[5.0, 8, 0], [0, 6, 4]])
    log_theta = fitted(packed, cited)
    assert log_theta is not None
    log_theta = log_theta - log_theta[0]
    assert np.exp(log_theta).round(6).tolist() == [1, 0.8, 1.066667]
    assert stratum_rates(packed, cited, log_theta).round(6).tolist() == [0.5, 0.375]
    assert np.abs(np.linalg.eigvalsh(laplacian(packed))).round(6).tolist() == [0, 6.666667, 20]
    assert components(packed) == (0, 0, 0)


def test_a_place_that_no_stratum_joins_to_the_others() -> None:
    packed = np.array([[10.0, 0, 0], [0, 20, 10]])
    eigenvalues = np.abs(np.linalg.eigvalsh(laplacian(packed)))
    assert eigenvalues.round(6).tolist() == [0, 0, 13.333333]
    assert components(packed) == (0, 1, 1)
    assert effective_sizes(packed, np.array([-1.0, 1, 0])) == 0
    assert effective_sizes(packed, np.array([0.0, 1, -1])) == pytest.approx(20 * 10 / 30)
