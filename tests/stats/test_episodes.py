"""The life of alarms: what raises, keeps, clears and re-baselines them, and what leaves them be."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from analyzer.stats.episodes import Episode, Event, Excluded, Raised
from analyzer.stats.panel import ALL_ROUTES, WeekEstimate
from analyzer.stats.settings import DriftSettings, Measure
from analyzer.stats.watching import Watched, watch

from .weeks import series

# Sixteen quiet weeks: they wander by less than their error, around 8 %.
QUIET = [0.080, 0.081, 0.079, 0.080, 0.082, 0.078, 0.080, 0.081] * 2
SE = 0.0015


def _name(week: int, route: str, measure: str) -> str:
    return f"{week}-{route}-{measure}"


def _watched(value: list[float], events: tuple[Event, ...] = (), others: int = 0) -> Watched:
    rows = series(value, SE)
    for other in range(others):
        rows += series([0.08] * len(value), SE, route=f"other {other}")
    return watch(rows, events, _name)


def _only(watched: Watched) -> Episode:
    assert len(watched.episodes) == 1
    return watched.episodes[0]


def test_quiet_weeks_raise_nothing() -> None:
    watched = _watched(QUIET * 3)
    assert watched.episodes == ()
    assert [look.tests for look in watched.looks[:7]] == [0] * 6 + [1]


def test_a_jump_far_beyond_the_minimum_effect_alarms_at_once() -> None:
    episode = _only(_watched([*QUIET, 0.15]))
    assert (episode.state, episode.rule, episode.raised) == ("raised", "at once", 16)
    assert episode.id == "16-support-citation_free_rate"
    assert episode.at_first is not None
    assert episode.at_first.delta == pytest.approx(0.07, abs=0.002)
    assert episode.at_first.low < 0.07 < episode.at_first.high
    assert episode.began is not None
    assert (episode.began.week, episode.began.earliest, episode.began.latest) == (16, 16, 16)


def test_the_second_candidate_of_three_weeks_alarms() -> None:
    watched = _watched([*QUIET, 0.103, 0.080])
    assert _only(watched).state == "watch"
    episode = _only(_watched([*QUIET, 0.103, 0.080, 0.103]))
    assert (episode.rule, episode.opened, episode.raised) == ("two weeks of three", 16, 18)
    assert episode.id == "16-support-citation_free_rate"


def test_a_watch_without_a_second_week_fades() -> None:
    first, second = _watched([*QUIET, 0.103, 0.080, 0.080, 0.103]).episodes
    assert (first.state, first.ending, first.raised) == ("cleared", "faded", None)
    assert (first.opened, first.ended) == (16, 18)
    assert (second.state, second.opened) == ("watch", 19)


def test_candidates_of_different_sign_do_not_add_up() -> None:
    watched = _watched([*QUIET, 0.103, 0.057])
    assert [(e.state, e.opened) for e in watched.episodes] == [("cleared", 16), ("watch", 17)]


def test_a_change_too_small_to_matter_is_never_a_candidate() -> None:
    assert _watched([*QUIET, *[0.098] * 8]).episodes == ()


def test_a_lasting_change_too_small_for_one_week_alarms_by_its_window() -> None:
    noise = np.random.default_rng(3).normal(0, 1, (63, 24))
    rows = series([-0.15] * 20 + [-0.225] * 4, 0.03, measure="dip")
    for other, wander in enumerate(noise):
        rows += series((0.08 + SE * wander).tolist(), SE, route=f"other {other:02}")
    episode = _only(watch(rows, (), _name))
    assert (episode.rule, episode.route) == ("window", "support")
    assert episode.at_first is not None
    assert episode.at_first.weeks in (3, 4)
    assert episode.began is not None
    assert episode.began.week == 20


def test_two_quiet_weeks_clear_an_alarm_and_its_weeks_never_return() -> None:
    incident = [*QUIET, 0.15, 0.15, 0.15, 0.080, 0.081]
    watched = _watched(incident)
    episode = _only(watched)
    assert (episode.state, episode.ending) == ("cleared", "quiet")
    assert (episode.raised, episode.ended) == (16, 20)
    assert watched.usable[0].tolist() == [True] * 16 + [False] * 3 + [True] * 2
    assert len(_watched([*incident, *QUIET[:8]]).episodes) == 1


def test_six_weeks_make_a_new_level() -> None:
    watched = _watched([*QUIET, *[0.15] * 6])
    episode = _only(watched)
    assert (episode.state, episode.ending, episode.ended) == ("re-baselined", "new level", 21)
    assert watched.usable[0].tolist() == [False] * 16 + [True] * 6
    later = _watched([*QUIET, *[0.15] * 14])
    assert len(later.episodes) == 1
    back = _watched([*QUIET, *[0.15] * 14, 0.08])
    assert [e.raised for e in back.episodes] == [16, 30]


def test_an_alarm_lasts_with_one_id_and_one_start() -> None:
    episode = _only(_watched([*QUIET, 0.15, 0.151, 0.149]))
    assert (episode.state, episode.raised) == ("persistent", 16)
    assert episode.id == "16-support-citation_free_rate"
    assert episode.began is not None
    assert episode.began.week == 16
    assert episode.latest is not None
    assert episode.latest.delta == pytest.approx(0.069, abs=0.001)


def test_a_week_left_out_by_hand_is_no_baseline_from_then_on() -> None:
    wide = [*QUIET]
    wide[12] = 0.098
    assert _only(_watched([*wide, 0.103, 0.103])).raised == 17
    known = Excluded(week=12, since=16, route="support")
    watched = _watched([*wide, 0.103, 0.103], events=(known,))
    assert (
        watched.looks[16].weekly.baseline[0] < _watched([*wide, 0.103]).looks[16].weekly.baseline[0]
    )
    assert not watched.usable[0, 12]
    assert watched.looks[15].usable[0, 12]
    elsewhere = _watched([*wide, 0.103, 0.103], events=(replace(known, route="billing"),))
    assert elsewhere.usable[0, 12]


def test_an_alarm_of_the_night_stays_although_the_week_closed_calmer() -> None:
    sent = Raised(16, "support", "citation_free_rate", "sent at night", at_night=True)
    episode = _only(_watched([*QUIET, 0.095], events=(sent,)))
    assert (episode.id, episode.state, episode.rule) == ("sent at night", "raised", "night")
    assert episode.at_first is not None
    cleared = _only(_watched([*QUIET, 0.080, 0.080], events=(sent,)))
    assert (cleared.state, cleared.ended) == ("cleared", 17)


def test_an_alarm_of_a_week_that_is_not_closed_yet_is_open() -> None:
    sent = Raised(17, "support", "citation_free_rate", "sent at night", at_night=True)
    watched = _watched([*QUIET, 0.080], events=(sent,))
    assert (_only(watched).state, _only(watched).raised) == ("raised", 17)
    assert watched.alarmed.tolist() == [True]


def test_an_id_that_was_sent_outlives_a_late_file() -> None:
    sent = Raised(17, "support", "citation_free_rate", "17-sent")
    episode = _only(_watched([*QUIET, 0.15, 0.15], events=(sent,)))
    assert (episode.id, episode.raised) == ("17-sent", 16)
    unrelated = replace(sent, route="billing")
    assert _only(_watched([*QUIET, 0.15], events=(unrelated,))).id.startswith("16-support")


def test_an_alarm_that_can_no_longer_be_seen_ends() -> None:
    rows = series([*QUIET, 0.15], SE) + series([0.08] * 23, SE, route="billing")
    watched = watch(rows, (), _name)
    assert (_only(watched).ending, _only(watched).ended) == ("unmonitored", 22)


def test_small_routes_and_unsound_weeks_are_not_tested() -> None:
    assert watch(series([*QUIET, 0.15], SE, size=499), (), _name).episodes == ()
    rows = [replace(row, sound=row.week != 16) for row in series([*QUIET, 0.15], SE)]
    assert watch(rows, (), _name).episodes == ()


def test_a_rate_needs_ten_expected_events() -> None:
    assert watch(series([*QUIET, 0.15], SE, n=60), (), _name).episodes == ()
    assert len(watch(series([*QUIET, 0.15], SE, n=70), (), _name).episodes) == 1


def test_measures_that_say_the_same_share_their_p() -> None:
    value = [*QUIET, 0.088]
    alone, family = Measure("alone", 0.03), Measure("family", 0.03, tests=3)
    settings = DriftSettings(measures=(alone, family))
    rows = series(value, SE, measure="alone") + series(value, SE, measure="family")
    p = watch(rows, (), _name, settings).looks[16].weekly.p
    assert p[1] == pytest.approx(3 * p[0])


def _dips(shift: float, routes: int = 10) -> list[WeekEstimate]:
    rng = np.random.default_rng(11)
    rows: list[WeekEstimate] = []
    for route in range(routes):
        value = -0.11 + rng.normal(0, 0.028, 22)
        value[18:] += shift
        rows += series(value.tolist(), 0.028, measure="dip", route=f"route {route}", size=5000)
    return rows


def test_a_dip_on_all_routes_shows_in_their_common_row() -> None:
    watched = watch(_dips(-0.05), (), _name)
    common = [e for e in watched.episodes if e.route == ALL_ROUTES]
    assert len(common) == 1
    change = common[0].at_first
    assert change is not None
    assert change.se < 0.02
    assert (change.moved, change.taken) == (10, 10)
    assert common[0].began is not None
    assert common[0].began.week == 18


def test_a_change_of_mix_cannot_move_the_common_row() -> None:
    rows = []
    for week in range(20):
        small, large = (5000, 20_000) if week < 16 else (20_000, 5000)
        rows += series([-0.05], 0.02, measure="dip", route="flat", size=small, first=week)
        rows += series([-0.45], 0.02, measure="dip", route="deep", size=large, first=week)
    watched = watch(rows, (), _name)
    assert watched.episodes == ()
    row = watched.panel.all_routes
    assert row is not None
    assert watched.looks[16].weekly.tested[row]
    assert watched.looks[16].weekly.baseline[row] == pytest.approx(-0.05 * 0.2 - 0.45 * 0.8)
    assert watched.looks[16].weekly.delta[row] == pytest.approx(0)


def test_a_route_that_is_not_sound_throughout_leaves_the_common_row() -> None:
    rows = [replace(row, sound=row.route != "route 3" or row.week != 20) for row in _dips(-0.05)]
    watched = watch(rows, (), _name)
    row = watched.panel.all_routes
    assert row is not None
    assert watched.looks[19].weekly.taken[row] == 10
    assert watched.looks[20].weekly.taken[row] == 9


def test_a_common_row_of_one_sound_route_is_not_tested() -> None:
    rows = [replace(row, sound=row.route == "route 0" or row.week != 20) for row in _dips(0, 3)]
    watched = watch(rows, (), _name)
    row = watched.panel.all_routes
    assert row is not None
    assert watched.looks[19].weekly.tested[row]
    assert not watched.looks[20].weekly.tested[row]


def test_one_route_has_no_common_row() -> None:
    assert watch(series(QUIET, 0.02, measure="dip"), (), _name).panel.all_routes is None


def test_no_estimates_no_episodes() -> None:
    assert watch([], (), _name).episodes == ()
