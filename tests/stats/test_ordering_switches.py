"""Shares of orderings: a switch alarms at once, chance does not, and no other test pays for it."""

from __future__ import annotations

import numpy as np
import pytest

from analyzer.stats.episodes import Episode
from analyzer.stats.night import night_look
from analyzer.stats.panel import WeekEstimate
from analyzer.stats.settings import DriftSettings
from analyzer.stats.watching import Watched, watch

from .weeks import series


def share(
    week: int, ordering: str, value: float, n: int = 300, spread: float = 1.0, route: str = "code"
) -> WeekEstimate:
    """The share of an ordering among n requests, with the floor of its standard error."""
    se = max(spread * (value * (1 - value) / n) ** 0.5, 1 / n)
    return WeekEstimate(route, f"ordering_{ordering}", week, value, se, n, n, float(n))


def judged(estimates: list[WeekEstimate]) -> Watched:
    return watch(estimates, [], lambda week, route, measure: f"{week}-{route}-{measure}")


def raised(watched: Watched) -> dict[str, Episode]:
    return {one.measure: one for one in watched.episodes if one.raised is not None}


def test_a_switch_alarms_in_its_week_though_the_new_ordering_was_never_seen_before() -> None:
    weeks = [share(week, "best_first", 1.0) for week in range(8)]
    found = raised(judged([*weeks, share(8, "by_document", 1.0)]))
    assert {name: (one.raised, one.rule) for name, one in found.items()} == {
        "ordering_best_first": (8, "at once"),
        "ordering_by_document": (8, "at once"),
    }
    changes = {name: one.at_first.delta for name, one in found.items() if one.at_first}
    assert changes == pytest.approx({"ordering_best_first": -1.0, "ordering_by_document": 1.0})


def test_a_hundred_requests_a_week_are_enough_and_fewer_are_not() -> None:
    for n, alarmed in ((100, True), (99, False)):
        weeks = [share(week, "best_first", 1.0, n) for week in range(8)]
        assert bool(raised(judged([*weeks, share(8, "best_last", 1.0, n)]))) is alarmed


def test_the_night_sees_that_the_old_ordering_is_gone() -> None:
    watched = judged([share(week, "best_first", 1.0) for week in range(8)])
    [told] = night_look(watched, [share(8, "best_last", 1.0)])
    assert (told.route, told.measure) == ("code", "ordering_best_first")


def test_a_week_that_shows_no_ordering_says_nothing() -> None:
    weeks = [share(week, "best_first", 1.0) for week in range(8)]
    other = series([0.1] * 10, 0.01, route="code")
    assert raised(judged([*weeks, *other])) == {}


def test_orderings_drawn_by_chance_never_alarm() -> None:
    """A year of ten routes, six times; orderings by user, so that errors are twice as large."""
    draw = np.random.default_rng(7)
    for _ in range(6):
        weeks = [
            share(week, name, value, n, spread=2.0, route=f"r{route}")
            for route, n in enumerate(np.geomspace(100, 15_000, 10).astype(int).tolist())
            for week in range(52)
            for name, value in zip(
                ("best_first", "edges_first", "best_last"),
                (draw.multinomial(n / 4, (0.3, 0.5, 0.2)) / (n // 4)).tolist(),
                strict=True,
            )
        ]
        assert raised(judged(weeks)) == {}


def test_the_limits_of_other_measures_are_as_without_orderings() -> None:
    draw = np.random.default_rng(3)
    others = [
        estimate
        for route in ("a", "b", "c")
        for estimate in series(0.1 + 0.01 * draw.standard_normal(20), 0.01, route=route)
    ]
    orderings = [share(week, "best_first", 1.0, route=name) for week in range(20) for name in "abc"]
    alone, beside = judged(others), judged([*others, *orderings])
    for without, with_them in zip(alone.looks, beside.looks, strict=True):
        assert without.beside.max(initial=0) == with_them.beside[:3].max(initial=0)
        assert without.candidate.tolist() == with_them.candidate[:3].tolist()
        assert without.lasting.tolist() == with_them.lasting[:3].tolist()
    assert beside.looks[-1].tests == 6


def test_its_minimum_effect_and_its_least_requests_can_be_set() -> None:
    weeks = [share(week, "best_first", 1.0) for week in range(8)]
    weeks += [share(8, "best_first", 0.6), share(8, "best_last", 0.4)]
    assert raised(judged(weeks))
    for settings in (DriftSettings(ordering_effect=0.45), DriftSettings(ordering_requests=301)):
        assert not raised(watch(weeks, [], lambda *_: "", settings))


def test_the_interval_of_a_share_ends_where_shares_do() -> None:
    weeks = [share(week, "best_first", 1.0) for week in range(8)]
    weeks += [share(8, "best_first", 0.02), share(8, "best_last", 0.98)]
    found = raised(judged(weeks))
    gone, come = (found[f"ordering_{name}"].at_first for name in ("best_first", "best_last"))
    assert gone is not None
    assert come is not None
    assert (gone.low, come.high) == (-1.0, 1.0)
    assert gone.low < gone.delta < gone.high < 0 < come.low < come.delta < come.high
