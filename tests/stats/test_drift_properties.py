"""What holds for any weeks: no order matters, nothing but numbers comes out, a flood is seen."""

from __future__ import annotations

from dataclasses import astuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analyzer.stats.episodes import Episode
from analyzer.stats.jackknife import rate
from analyzer.stats.night import night_look
from analyzer.stats.panel import WeekEstimate
from analyzer.stats.reach import reaches
from analyzer.stats.settings import DriftSettings
from analyzer.stats.watching import Watched, watch

from .weeks import series


def _name(week: int, route: str, measure: str) -> str:
    return f"{week}-{route}-{measure}"


_odd = st.one_of(
    st.floats(-1, 2),
    st.just(0.0),
    st.sampled_from([None, float("nan"), float("inf"), -float("inf")]),
)


@st.composite
def _week(draw: st.DrawFn) -> WeekEstimate:
    return WeekEstimate(
        draw(st.sampled_from(["support", "billing"])),
        draw(st.sampled_from(["dip", "involved_rate", "position_end"])),
        draw(st.integers(0, 12)),
        draw(_odd),
        draw(_odd),
        draw(st.floats(0, 1e6)),
        draw(st.integers(0, 10_000)),
        draw(st.floats(0, 1e5)),
        draw(st.booleans()),
    )


_any_weeks = st.lists(
    _week(), max_size=70, unique_by=lambda row: (row.route, row.measure, row.week)
)


def _finite(watched: Watched) -> bool:
    for look in watched.looks:
        for changes in (look.weekly, look.window):
            if changes is not None:
                numbers = [changes.delta, changes.se, changes.df, changes.p, changes.baseline]
                if not all(np.isfinite(x[changes.tested]).all() for x in numbers):
                    return False
    return True


@given(_any_weeks)
@settings(max_examples=40, deadline=None)
def test_nothing_but_numbers_enters_a_test(rows: list[WeekEstimate]) -> None:
    watched = watch(rows, (), _name)
    assert _finite(watched)
    assert np.isfinite(watched.panel.value).all()
    assert all(reach.change is None or np.isfinite(reach.change) for reach in reaches(watched))


def _wandering(seed: int) -> list[WeekEstimate]:
    rng = np.random.default_rng(seed)
    rows: list[WeekEstimate] = []
    for route in ("support", "billing", "search"):
        for measure, middle, se in (("dip", -0.1, 0.03), ("involved_rate", 0.01, 0.001)):
            value = middle + rng.normal(0, 2 * se, 30)
            value[20:24] += 5 * se
            rows += series(value.tolist(), se, route=route, measure=measure)
    return rows


def _told(episodes: tuple[Episode, ...]) -> list[object]:
    return [astuple(episode) for episode in episodes]


@given(st.integers(0, 30), st.randoms(use_true_random=False))
@settings(max_examples=5, deadline=None)
def test_estimates_may_come_in_any_order(seed: int, random: object) -> None:
    rows = _wandering(seed)
    other = list(rows)
    random.shuffle(other)  # type: ignore[attr-defined]
    one, two = watch(rows, (), _name), watch(other, (), _name)
    assert _told(one.episodes) == _told(two.episodes)


def test_weeks_to_come_change_nothing_about_weeks_that_are_closed() -> None:
    rows = _wandering(2)
    whole = watch(rows, (), _name)
    for last in (8, 15, 20, 21, 22, 24, 26, 28):
        upto = watch([row for row in rows if row.week <= last], (), _name)
        ended = [e for e in _told(upto.episodes) if e[6] is not None]  # type: ignore[index]
        assert all(episode in _told(whole.episodes) for episode in ended)
        raised = {(e.id, e.raised) for e in upto.episodes if e.raised is not None}
        assert raised <= {(e.id, e.raised) for e in whole.episodes}


def _copies(involved: int, per_group: int = 2000) -> tuple[float, float]:
    """Rate and error of near-copies among 20 groups of that many chunks."""
    estimate = rate(np.full(20, float(involved)), np.full(20, float(per_group)))
    assert estimate.value is not None
    assert estimate.se is not None
    return estimate.value, estimate.se


def _zeros(weeks: int) -> list[WeekEstimate]:
    value, se = _copies(0)
    healthy = series(
        [value] * weeks, se, measure="involved_rate", route="support", size=5000, n=40_000
    )
    rng = np.random.default_rng(1)
    other = (0.03 + rng.normal(0, 0.001, weeks)).tolist()
    return healthy + series(other, 0.001, measure="involved_rate", route="billing", n=40_000)


@pytest.mark.parametrize("involved", [60, 400])
def test_thirteen_weeks_of_zero_then_a_flood_alarms_the_next_night(involved: int) -> None:
    watched = watch(_zeros(13), (), _name)
    assert watched.episodes == ()
    assert _finite(watched)
    value, se = _copies(involved)
    tonight = series(
        [value], se, measure="involved_rate", route="support", size=5000, n=40_000, first=13
    )
    calm = series([0.0305], 0.001, measure="involved_rate", route="billing", n=40_000, first=13)
    alarms = night_look(watched, tonight + calm)
    assert [(alarm.route, alarm.measure) for alarm in alarms] == [("support", "involved_rate")]
    assert alarms[0].change.delta == pytest.approx(value)
    closed = watch([*_zeros(13), *tonight, *calm], (), _name)
    assert [(e.route, e.rule, e.raised) for e in closed.episodes] == [("support", "at once", 13)]
    assert _finite(closed)


def test_the_night_looks_back_past_the_week_that_its_days_reach_into() -> None:
    watched = watch(series([0.08] * 14, 0.002), (), _name)
    tonight = series([0.15], 0.002, first=13)
    assert len(night_look(watched, tonight)) == 1
    assert night_look(watched, series([0.09], 0.002, first=14)) == ()
    assert night_look(watched, series([0.15], 0.002, first=3)) == ()
    assert night_look(watched, []) == ()


def test_what_is_alarmed_does_not_alarm_again_at_night() -> None:
    watched = watch(series([*[0.08] * 13, 0.15], 0.002), (), _name)
    assert night_look(watched, series([0.15], 0.002, first=14)) == ()


def test_what_could_have_been_seen_is_told_as_a_relative_change() -> None:
    rng = np.random.default_rng(5)
    rows = series((-0.11 + rng.normal(0, 0.033, 20)).tolist(), 0.033, measure="dip", size=3100)
    (reach,) = reaches(watch(rows, (), _name))
    assert reach.requests == 3100
    assert reach.change is not None
    assert reach.relative == pytest.approx(1 - np.exp(-reach.change))
    assert 0.05 < reach.relative < 0.2
    (small,) = reaches(watch(series([-0.1] * 20, 0.1, measure="dip", size=300), (), _name))
    assert small.change is None
    assert DriftSettings().least_requests == 500
