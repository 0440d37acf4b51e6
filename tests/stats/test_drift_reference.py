"""The reference numbers of drift: the weekly rule, discovery, the window test, the start week."""

from __future__ import annotations

import numpy as np
import pytest

from analyzer.stats.arrays import Flags
from analyzer.stats.false_discovery import believed, corrected
from analyzer.stats.panel import Panel, panel_of
from analyzer.stats.pooling import shrunken, spread_between, weighted_mean
from analyzer.stats.settings import DriftSettings
from analyzer.stats.start_week import start_week, steps_of
from analyzer.stats.stretch import stretch
from analyzer.stats.weekly_test import weekly_test
from analyzer.stats.window_test import best_of, window_test

from .weeks import series

SETTINGS = DriftSettings()

BASELINE = np.array([[0.040, 0.043, 0.038, 0.041, 0.046, 0.039, 0.042, 0.044]])
BASELINE_SE = np.array([[0.003, 0.003, 0.004, 0.003, 0.003, 0.004, 0.003, 0.003]])
ALL = np.ones((1, 8), dtype=bool)

DIP = [
    -0.142, -0.171, -0.118, -0.155, -0.163, -0.139, -0.128, -0.170, -0.149, -0.151, -0.133,
    -0.160, -0.144, -0.262, -0.231, -0.248,
]  # fmt: skip
DIP_SE = [
    0.027, 0.025, 0.029, 0.026, 0.028, 0.024, 0.027, 0.026, 0.025, 0.028, 0.027, 0.026, 0.029,
    0.028, 0.027, 0.026,
]  # fmt: skip
COPIES = [
    0.0101, 0.0097, 0.0104, 0.0100, 0.0098, 0.0102, 0.0103, 0.0096, 0.0101, 0.0099, 0.0178, 0.0181,
]  # fmt: skip
COPIES_SE = [
    0.0006, 0.0006, 0.0007, 0.0006, 0.0005, 0.0006, 0.0006, 0.0006, 0.0007, 0.0006, 0.0008, 0.0008,
]  # fmt: skip
TOKENS = [8.41, 8.44, 8.40, 8.61, 8.43, 8.42, 8.39, 8.45, 8.57, 8.60, 8.58]
TOKENS_SE = [0.020, 0.031, 0.022, 0.025, 0.018, 0.040, 0.021, 0.024, 0.026, 0.022, 0.030]
TOKENS_SIZE = [5000, 5100, 4900, 5000, 5000, 2700, 5050, 4950, 5000, 5000, 5100]


def test_the_spread_and_mean_of_eight_weeks() -> None:
    variance = BASELINE_SE**2
    weight = 1 / variance
    fixed, total = weighted_mean(BASELINE, variance, ALL)
    assert fixed[0].round(6) == 0.042009
    q = (weight * (BASELINE - fixed[:, None]) ** 2).sum()
    c = total[0] - (weight**2).sum() / total[0]
    assert (round(float(q), 6), round(float(c), 4)) == (4.451328, 688230.9942)
    raw = spread_between(BASELINE, variance, ALL)
    assert raw[0] == pytest.approx((q - 7) / c)
    assert max(0.0, raw[0]) == 0
    spread = shrunken(
        np.zeros(1), np.array([4e-6]), np.array([8]), SETTINGS.prior_df, np.array([0.002**2])
    )
    assert spread[0] == pytest.approx(4e-6)


def test_one_week_against_eight() -> None:
    panel = panel_of(series([*BASELINE[0], 0.060], [*BASELINE_SE[0], 0.004], size=4000), SETTINGS)
    found = weekly_test(panel, panel.eligible, 8, SETTINGS)
    assert found.tested[0]
    assert found.baseline[0].round(6) == 0.041925
    assert found.delta[0].round(6) == 0.018075
    assert found.se[0].round(6) == 0.004667
    assert (found.delta / found.se)[0].round(6) == 3.873017
    assert found.df[0] == 15
    assert found.p[0] == pytest.approx(1.501670e-03, rel=1e-6)
    reach = 2.131450 * found.se[0]
    assert found.delta[0] - reach == pytest.approx(0.008128, abs=1e-6)
    assert found.delta[0] + reach == pytest.approx(0.028023, abs=1e-6)


@pytest.mark.parametrize(("rate", "kept"), [(0.10, 6), (0.05, 2)])
def test_which_of_ten_tests_to_believe(rate: float, kept: int) -> None:
    p = np.array([0.001, 0.008, 0.039, 0.041, 0.042, 0.059, 0.074, 0.205, 0.212, 0.216])
    assert believed(p, rate).tolist() == [True] * kept + [False] * (10 - kept)
    assert (corrected(p) <= rate).sum() == kept


def test_p_is_corrected_for_how_many_were_tested() -> None:
    """Four tests: .01 x 4 / 1, .03 x 4 / 2 = .06 but .04 x 4 / 3 is less, .5 x 4 / 4."""
    found = corrected(np.array([0.04, 0.01, np.nan, 0.5, 0.03]))
    assert found == pytest.approx([0.16 / 3, 0.04, np.nan, 0.5, 0.16 / 3], nan_ok=True)


def _dip() -> tuple[Panel, Flags]:
    size = [5000.0] * 13 + [5200, 4800, 5000]
    panel = panel_of(series(DIP, DIP_SE, measure="dip", size=size), SETTINGS)
    return panel, panel.eligible


def _copies() -> tuple[Panel, Flags]:
    panel = panel_of(series(COPIES, COPIES_SE, measure="involved_rate", size=48_000), SETTINGS)
    return panel, panel.eligible


def _tokens() -> tuple[Panel, Flags]:
    panel = panel_of(
        series(TOKENS, TOKENS_SE, measure="ln_p95_context_tokens", size=TOKENS_SIZE), SETTINGS
    )
    usable = panel.eligible.copy()
    usable[0, 3] = False
    return panel, usable


EXAMPLES = {"dip": (_dip, None), "copies": (_copies, None), "tokens": (_tokens, 4e-4)}


@pytest.mark.parametrize(
    ("example", "m", "k", "v1", "raw", "tau2", "delta", "se", "df", "t", "p", "effect"),
    [
        ("dip", 2, 13, 3.5844, 5.653900e-04, 5.653900e-04, -0.082267, 0.035438, 44.439268,
         -2.321428, 2.490992e-02, True),
        ("dip", 3, 13, 3.588188, -4.593939e-04, 2.500000e-05, -0.099476, 0.018179, 311.923687,
         -5.472156, 9.142543e-08, True),
        ("dip", 4, 12, 3.588188, -4.374330e-04, 2.500000e-05, -0.073299, 0.016568, 296.959803,
         -4.424246, 1.360203e-05, True),
        ("dip", 6, 10, 3.588188, -4.164819e-04, 2.500000e-05, -0.047932, 0.015022, 268.488494,
         -3.190712, 1.587802e-03, False),
        ("copies", 2, 10, 0.02012, -3.515000e-07, 1.000000e-06, 0.00794, 0.001285, 23.597397,
         6.177626, 2.373744e-06, False),
        ("copies", 3, 9, 0.02012, -3.447222e-07, 1.000000e-06, 0.005244, 0.001244, 20.653349,
         4.216305, 3.994933e-04, False),
        ("copies", 4, 8, 0.02012, -3.350595e-07, 1.000000e-06, 0.003963, 0.001223, 18.713892,
         3.240377, 4.369808e-03, False),
        ("copies", 6, 6, 0.02012, -3.525000e-07, 1.000000e-06, 0.0026, 0.001209, 15.883169,
         2.150549, 4.726154e-02, False),
        ("tokens", 2, 8, 3.068095, 2.740474e-03, 1.492221e-03, 0.150735, 0.048194, 21.515567,
         3.127683, 4.986851e-03, True),
        ("tokens", 3, 7, 3.068095, -1.580759e-04, 2.285714e-04, 0.163295, 0.024286, 52.851179,
         6.72391, 1.269991e-08, True),
        ("tokens", 4, 6, 3.068095, -2.865134e-04, 2.461538e-04, 0.135551, 0.024157, 41.37121,
         5.611192, 1.502793e-06, True),
    ],
)  # fmt: skip
def test_the_window_test(
    example: str, m: int, k: int, v1: float, raw: float, tau2: float, delta: float, se: float,
    df: float, t: float, p: float, effect: bool,
) -> None:  # fmt: skip
    made, pool = EXAMPLES[example]
    panel, usable = made()
    window = window_test(panel, usable, np.zeros(1, int), m, panel.weeks - 1, SETTINGS, pool)
    assert window is not None
    found = window.changes
    assert found.tested[0]
    assert (int(found.weeks[0]), int(found.baseline_weeks[0])) == (m, k)
    assert window.unit_variance[0].round(6) == v1
    assert window.own_spread[0] == pytest.approx(raw, rel=5e-7)
    assert window.spread[0] == pytest.approx(tau2, rel=5e-7)
    assert found.delta[0] == pytest.approx(delta, abs=5.1e-7)
    assert found.se[0].round(6) == se
    assert found.df[0].round(6) == df
    assert (found.delta / found.se)[0].round(6) == t
    assert found.p[0] == pytest.approx(p, rel=5e-7)
    assert bool(abs(found.delta[0]) >= panel.minimum[0]) == effect


@pytest.mark.parametrize(
    ("example", "tests", "weeks"), [("dip", 64, 3), ("copies", 64, None), ("tokens", 40, 3)]
)
def test_which_window_alarms(example: str, tests: int, weeks: int | None) -> None:
    made, pool = EXAMPLES[example]
    panel, usable = made()
    found = [
        window_test(panel, usable, np.zeros(1, int), m, panel.weeks - 1, SETTINGS, pool)
        for m in SETTINGS.windows
    ]
    best = best_of([window.changes for window in found if window is not None], panel.minimum)
    assert best is not None
    raised = best.p[0] <= SETTINGS.window_level / tests
    assert (int(best.weeks[0]) if raised else None) == weeks


def test_six_weeks_leave_too_short_a_baseline() -> None:
    panel, usable = _tokens()
    assert window_test(panel, usable, np.zeros(1, int), 6, 10, SETTINGS, 4e-4) is None


def test_the_start_of_the_dip() -> None:
    panel, usable = _dip()
    read = stretch(panel, usable, 8, 15, SETTINGS)
    assert read.week[read.base[0]].tolist() == list(range(8))
    steps, z, _ = steps_of(read, panel.minimum, 0, SETTINGS)
    assert steps.tolist() == list(range(8, 16))
    assert z.round(4).tolist() == [
        7.2344, 9.2170, 11.6012, 17.8255, 21.7036, 32.4785, 16.0811, 9.5230,
    ]  # fmt: skip
    start = start_week(panel, usable, 0, 15, SETTINGS)
    assert start is not None
    assert (start.week, start.earliest, start.latest) == (13, 13, 13)
    assert round(start.shift, 6) == -0.099476
