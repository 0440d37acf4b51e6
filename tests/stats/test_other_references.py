"""Reference numbers of mix, distances and position swaps."""

from __future__ import annotations

import numpy as np
import pytest

from analyzer.stats.distances import (
    jensen_shannon,
    kolmogorov_smirnov,
    population_stability,
    stability_by_chance,
    total_variation,
    wasserstein,
)
from analyzer.stats.mix import kitagawa
from analyzer.stats.position_swap import (
    exact_mcnemar,
    gap,
    questions_needed,
    questions_needed_by_mcnemar,
)


def test_distances_of_three_bins() -> None:
    p, q = np.array([0.25, 0.25, 0.50]), np.array([0.40, 0.30, 0.30])
    assert round(population_stability(p, q), 6) == 0.181782
    assert round(jensen_shannon(p, q), 6) == 0.032466
    assert round(jensen_shannon(p, q) ** 0.5, 6) == 0.180184
    assert round(wasserstein(p, q), 6) == 0.35
    assert round(total_variation(p, q), 6) == 0.2
    assert round(kolmogorov_smirnov(p, q), 6) == 0.2
    assert stability_by_chance(10, 500, 500) == pytest.approx(0.036)


def test_an_empty_bin_keeps_distances_finite() -> None:
    p, q = np.array([0.0, 1.0]), np.array([1.0, 0.0])
    assert np.isfinite(population_stability(p, q))
    assert jensen_shannon(p, q) == 1
    assert total_variation(p, q) == 1


def test_a_change_split_into_mix_and_within() -> None:
    mix, within = kitagawa(
        np.array([0.5, 0.3, 0.2]),
        np.array([0.30, 0.40, 0.50]),
        np.array([0.2, 0.3, 0.5]),
        np.array([0.30, 0.42, 0.50]),
    )
    assert round(float(mix.sum()), 6) == 0.06
    assert round(float(within.sum()), 6) == 0.006
    assert round(float(mix.sum() + within.sum()), 6) == 0.066


def test_ten_swapped_questions() -> None:
    start = np.array([1.0, 1, 1, 1, 1, 0, 1, 1, 0, 1])
    middle = np.array([1.0, 0, 1, 0, 1, 0, 1, 1, 0, 1])
    end = np.array([1.0, 1, 1, 1, 0, 0, 1, 1, 1, 1])
    found = gap(start, middle, end)
    assert found.value == pytest.approx(0.2)
    assert found.se is not None
    assert round(found.se, 6) == 0.152753
    assert round(found.se * 10**0.5, 6) == 0.483046
    interval = found.interval()
    assert interval is not None
    assert np.round(interval, 6).tolist() == [-0.145550, 0.545550]
    assert exact_mcnemar(start, middle) == (2, 0, 0.5)


def test_one_question_has_no_error() -> None:
    assert gap(np.ones(1), np.zeros(1), np.ones(1)).se is None
    assert gap(np.zeros(0), np.zeros(0), np.zeros(0)).value is None


@pytest.mark.parametrize(("power", "questions", "by_mcnemar"), [(0.8, 471, 610), (0.9, 630, 815)])
def test_questions_that_show_a_gap_of_five_points(
    power: float, questions: int, by_mcnemar: int
) -> None:
    assert questions_needed(0.05, 0.387, power) == questions
    assert questions_needed_by_mcnemar(0.05, 0.1948, power) == pytest.approx(by_mcnemar, abs=2)
