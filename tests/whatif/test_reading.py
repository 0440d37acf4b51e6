"""The curve from depth and length: held to the profile of places, to planted truth, to refusals."""

from __future__ import annotations

import numpy as np
import pytest

from analyzer.stats.profile import fitted as profile
from analyzer.stats.reading import Rows, design, fitted

GROUPS = 20


def drawn(seed: int, strata: int = 40, each: int = 400) -> tuple[np.random.Generator, Rows]:
    """Chunks of strata with a rate each, at three places."""
    rng = np.random.default_rng(seed)
    stratum = np.repeat(np.arange(strata), each)
    place = rng.integers(0, 3, len(stratum))
    rate = rng.uniform(0.1, 0.6, strata)[stratum]
    cited = rng.random(len(stratum)) < rate * np.array([1.0, 0.7, 0.9])[place]
    columns = np.stack([place == 1, place == 2], axis=-1).astype(np.float64)
    return rng, Rows(columns, stratum, cited, rng.integers(0, GROUPS, len(stratum)))


def test_with_a_column_for_each_place_it_is_the_profile() -> None:
    _, rows = drawn(1)
    place = (rows.design @ np.array([1, 2])).astype(int)
    key = rows.stratum * 3 + place
    packed, cited = (
        np.bincount(key, weights, 40 * 3).reshape(40, 3)
        for weights in (np.ones(len(key)), rows.cited.astype(float))
    )
    log_theta = profile(packed, cited)
    found = fitted(rows, GROUPS)
    assert found is not None
    assert log_theta is not None
    assert found.coefficients == pytest.approx(log_theta[1:] - log_theta[0], abs=1e-8)


def test_one_step_without_a_group_is_close_to_fitting_without_it() -> None:
    _, rows = drawn(2)
    found = fitted(rows, GROUPS)
    kept = rows.group != 7
    again = fitted(
        Rows(rows.design[kept], rows.stratum[kept], rows.cited[kept], rows.group[kept]), GROUPS
    )
    assert found is not None
    assert again is not None
    assert found.others[7] == pytest.approx(again.coefficients, abs=1e-3)


def test_a_planted_curve_is_found_at_every_depth_and_length() -> None:
    rng = np.random.default_rng(3)
    n = 200_000
    depth, length = rng.random(n), np.exp(rng.normal(np.log(4000), 0.5, n))
    planted = np.array([-0.1, -0.2, 0.05, -0.05, -0.1, 0.0])
    stratum = rng.integers(0, 30, n)
    chance = rng.uniform(0.2, 0.7, 30)[stratum] * np.exp(design(depth, length) @ planted)
    rows = Rows(design(depth, length), stratum, rng.random(n) < chance, rng.integers(0, GROUPS, n))
    found = fitted(rows, GROUPS)
    assert found is not None
    grid = design(np.array([0.1, 0.5, 0.9]), np.array([2000.0, 4000.0, 8000.0]))
    edge = design(np.zeros(3), np.array([2000.0, 4000.0, 8000.0]))
    told, true = (grid - edge) @ found.coefficients, (grid - edge) @ planted
    assert told == pytest.approx(true, abs=0.03)


def test_where_chunks_never_vary_nothing_is_known() -> None:
    depth = np.repeat([0.0, 0.25, 0.5, 0.75, 1.0], 200)
    rows = Rows(
        design(depth, np.full(1000, 4000.0)),
        np.repeat(np.arange(5), 200),  # a rank always at its place
        np.arange(1000) % 3 == 0,
        np.arange(1000) % GROUPS,
    )
    found = fitted(rows, GROUPS)
    assert found is not None
    assert not found.knows(
        design(np.array([0.5]), np.array([4000.0])) - design(np.array([0.0]), np.array([4000.0]))
    )
    assert found.knows(np.zeros((1, 6)))


def test_the_curve_knows_prompt_lengths_only_where_they_differ() -> None:
    rng = np.random.default_rng(5)
    depth = rng.random(4000)
    rows = Rows(
        design(depth, np.full(4000, 4000.0)),
        rng.integers(0, 4, 4000),
        rng.random(4000) < 0.3,
        rng.integers(0, GROUPS, 4000),
    )
    found = fitted(rows, GROUPS)
    assert found is not None
    length = np.array([4000.0])
    assert found.knows(design(np.array([0.5]), length) - design(np.array([0.1]), length))
    assert not found.knows(design(np.array([0.5]), length / 2) - design(np.array([0.1]), length))
