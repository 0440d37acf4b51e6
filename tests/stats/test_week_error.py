"""What units show alike in every week is no error of a change; what differs between weeks is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from analyzer.stats import jackknife
from analyzer.stats.arrays import Flags, Floats
from analyzer.stats.panel import WeekEstimate, panel_of
from analyzer.stats.settings import DriftSettings
from analyzer.stats.stretch import stretch
from analyzer.stats.week_error import deviations, error_beside
from analyzer.stats.window_test import window_test

GROUPS, SETTINGS = 20, DriftSettings()


def weeks(
    rng: np.random.Generator, rate: Floats, requests: int = 5000, route: str = "support"
) -> list[WeekEstimate]:
    """A week for each row of rates by unit group."""
    found = []
    for week, of_group in enumerate(rate):
        base = rng.multinomial(requests, np.full(GROUPS, 1 / GROUPS))
        part = rng.binomial(base, of_group)
        one = jackknife.rate(part.astype(np.float64), base.astype(np.float64))
        without = tuple(one.leave_one_outs.tolist())
        found.append(
            WeekEstimate(
                route, "citation_free_rate", week, one.value, one.se, float(requests),
                requests, float(requests), without=without,
            )
        )  # fmt: skip
    return found


def beside(rows: list[WeekEstimate]) -> tuple[Floats, Floats]:
    """The jackknife errors of the weeks, and their errors beside each other."""
    panel = panel_of(rows, SETTINGS)
    read = stretch(panel, panel.eligible, 13, 15, SETTINGS)
    return panel.se[0, read.week], read.se[0]


def rates(rng: np.random.Generator, shape: tuple[int, int]) -> Floats:
    return np.broadcast_to(np.clip(rng.normal(0.1, 0.05, shape), 0.01, 1), (16, GROUPS))


def test_deviations_add_up_to_the_variance_of_the_jackknife() -> None:
    rng = np.random.default_rng(1)
    for _ in range(20):
        base = rng.integers(0, 4, GROUPS).astype(np.float64) * 10
        one = jackknife.ratio(base * rng.random(GROUPS), base)  # some groups are empty
        apart = deviations(np.array([one.value]), one.leave_one_outs[None])
        assert (apart**2).sum() == pytest.approx((one.se or 0) ** 2, rel=1e-12)


def test_a_group_that_is_always_apart_adds_nothing() -> None:
    # Without the first group both weeks are .01 lower, without the second .01 higher.
    value = np.array([0.10, 0.14])
    without = value[:, None] + np.array([-0.01, 0.01])
    apart = deviations(value, without)[None]
    whole = np.ones((1, 2), np.bool_)
    se, least = np.full((1, 2), 0.01), np.full((1, 2), 0.002)
    assert error_beside(se, least, apart, whole, whole) == pytest.approx(least)


def test_groups_that_change_sides_are_twice_as_far_from_their_mean_as_one_week_tells() -> None:
    value = np.array([0.10, 0.14])
    without = value[:, None] + np.array([[-0.01, 0.01], [0.01, -0.01]])
    apart = deviations(value, without)[None]
    whole = np.ones((1, 2), np.bool_)
    # Their mean is 0: 2 x .01^2 x (2 - 1)/2 in a week, and two weeks leave one degree of freedom.
    expected = np.full((1, 2), (0.01**2 * 2) ** 0.5)
    none = np.zeros((1, 2))
    assert error_beside(none, none, apart, whole, whole) == pytest.approx(expected)


def test_error_is_that_of_a_recount_group_by_group() -> None:
    rng = np.random.default_rng(2)
    apart, se = rng.normal(size=(3, 9, GROUPS)), rng.random((3, 9))
    used, known = rng.random((3, 9)) < 0.7, rng.random((3, 9)) < 0.9
    apart = np.where(known[..., None], apart, 0.0)
    found = error_beside(se, np.zeros_like(se), apart, known, used)
    assert found == pytest.approx(recounted(se, apart, known, used), rel=1e-9)


def recounted(se: Floats, apart: Floats, known: Flags, used: Flags) -> Floats:
    expected = se.copy()
    for series, week in np.argwhere(known):
        mates = np.flatnonzero(known[series] & used[series])
        if len(mates) < 2:
            continue
        alike = [np.mean([apart[series, mate, group] for mate in mates]) for group in range(GROUPS)]
        left = sum((apart[series, week, g] - alike[g]) ** 2 for g in range(GROUPS))
        k = len(mates)
        expected[series, week] = (left * k / (k - 1 if week in mates else k + 1)) ** 0.5
    return expected


def test_units_that_stay_as_they_are_leave_the_error_of_their_requests() -> None:
    rng = np.random.default_rng(3)
    found = [weeks(rng, rates(rng, (1, GROUPS))) for _ in range(12)]
    between = np.mean([np.var([one.value or 0 for one in rows], ddof=1) for rows in found])
    told = [beside(rows) for rows in found]
    alone, together = (np.mean([errors[i] ** 2 for errors in told]) for i in (0, 1))
    assert together == pytest.approx(between, rel=0.25)
    assert alone > 3 * between


def test_units_that_are_others_every_week_leave_the_error_of_the_jackknife() -> None:
    rng = np.random.default_rng(4)
    told = [beside(weeks(rng, rates(rng, (16, GROUPS)))) for _ in range(12)]
    alone, together = (np.mean([errors[i] ** 2 for errors in told]) for i in (0, 1))
    assert together == pytest.approx(alone, rel=0.1)


def test_wandering_weeks_are_seen_beside_units_that_differ() -> None:
    rng, wander = np.random.default_rng(6), 0.008
    rows: list[WeekEstimate] = []
    for route in range(30):
        away = rng.normal(0, wander, (16, 1))
        rows += weeks(rng, np.clip(rates(rng, (1, GROUPS)) + away, 0, 1), 50_000, f"r{route}")
    seen, hidden = (spread_of(made) for made in (rows, [replace(one, without=()) for one in rows]))
    assert seen == pytest.approx(wander, rel=0.15)
    assert hidden < wander / 2


def spread_of(rows: list[WeekEstimate]) -> float:
    """tau as the window test takes it, over all routes."""
    panel = panel_of(rows, SETTINGS)
    from_start = np.zeros(len(panel.routes), np.int64)
    found = window_test(panel, panel.eligible, from_start, 3, 15, SETTINGS)
    assert found is not None
    return float(np.sqrt(found.spread.mean()))


def test_without_the_values_of_groups_the_error_is_the_one_given() -> None:
    rng = np.random.default_rng(5)
    rows = weeks(rng, rates(rng, (1, GROUPS)))
    bare = [replace(one, without=()) for one in rows]
    for mixed in (bare, [*rows[:-1], bare[-1]]):
        alone, together = beside(mixed)
        assert together[-1] == alone[-1]


def test_an_ordering_that_a_week_did_not_show_has_no_group_apart() -> None:
    asked = WeekEstimate("a", "ordering_best_first", 0, 0.4, 0.02, 900, 900, 900.0)
    other = WeekEstimate("a", "ordering_best_last", 1, 1.0, 0.01, 900, 900, 900.0)
    asked, other = replace(asked, without=(0.3, 0.5)), replace(other, without=(1.0, 1.0))
    panel = panel_of([asked, other], SETTINGS)
    assert panel.known_apart.all()
    named = [measure.name for measure in panel.measures]
    assert (panel.apart[named.index("ordering_best_last"), 0] == 0).all()
    assert (panel.apart[named.index("ordering_best_first"), 0] != 0).all()
