"""When a change began, which alarms began together, and which days are compared."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from analyzer.stats.episodes import Began, Change, Episode
from analyzer.stats.panel import WeekEstimate
from analyzer.stats.settings import DriftSettings
from analyzer.stats.watching import Watched, watch
from analyzer.watch.alarms import Alarms
from analyzer.watch.events import Said
from analyzer.watch.naming import alarm_id, monday_of
from analyzer.watch.starts import Begun, begun, beyond, clearest, piled
from analyzer.watch.windows import around


def alarm(route: str, measure: str, week: int, delta: float) -> Episode:
    change = Change(delta, 0.001, 0, 0, 0.0, 1, 0.0, 13)
    return Episode(
        id=f"{week}-{route}-{measure}", route=route, measure=measure, state="raised",
        opened=week, raised=week, ended=None, rule="at once", ending=None, at_first=change,
        latest=None, began=None,
    )  # fmt: skip


class TestTogether:
    def test_starts_beside_each_other_are_one(self) -> None:
        assert Begun(10, 10, 10).beside(Begun(11, 11, 11))
        assert not Begun(10, 10, 10).beside(Begun(12, 12, 12))
        assert Begun(14, 10, 14).beside(Begun(9, 9, 9))  # it may have begun in 10
        assert clearest([Begun(14, 10, 14), Begun(12, 12, 12)]).week == 12

    def test_the_worst_leads_its_pile(self) -> None:
        told = [
            alarm("a", "stray_rate", 1, 0.02), alarm("a", "involved_rate", 1, 0.3),
            alarm("b", "stray_rate", 1, 0.04),
        ]  # fmt: skip
        found = piled(told, lambda one, worst: one.route == worst.route, DriftSettings())
        assert [[each.id for each in pile] for pile in found] == [
            ["1-a-involved_rate", "1-a-stray_rate"], ["1-b-stray_rate"],
        ]  # fmt: skip
        assert beyond(told[0], DriftSettings()) == pytest.approx(2.0)


class TestWindows:
    def alarms(self, *episodes: Episode, said: tuple[Said, ...] = ()) -> Alarms:
        week = max(one.opened for one in episodes) + 3
        watched = watch([estimate(one, week) for one in episodes], [], alarm_id)
        return Alarms(monday_of(week), replace(watched, episodes=episodes), (), said)

    def test_thirteen_weeks_before_and_all_since(self) -> None:
        one = alarm("a", "stray_rate", 2900, 0.02)
        span = around([one], Begun(2900, 2900, 2900), self.alarms(one))
        assert (span.first_day, span.start) == (monday_of(2887), monday_of(2900))
        assert span.next_day == monday_of(2904)
        assert (span.labelled_from, span.labelled_to) == (monday_of(2899), monday_of(2901))

    def test_neither_side_reaches_beyond_another_change(self) -> None:
        first = alarm("a", "involved_rate", 2894, 0.3)
        one = alarm("a", "stray_rate", 2900, 0.02)
        elsewhere = alarm("b", "stray_rate", 2898, 0.02)
        found = self.alarms(first, one, elsewhere)
        assert around([one], Begun(2900, 2900, 2900), found).first_day == monday_of(2894)
        assert around([first], Begun(2894, 2894, 2894), found).next_day == monday_of(2900)

    def test_a_week_that_was_left_out_is_not_before(self) -> None:
        one = alarm("a", "stray_rate", 2900, 0.02)
        left_out = Said(
            said_at=datetime(2026, 1, 1, tzinfo=UTC), kind="exclude", week=monday_of(2892)
        )
        found = self.alarms(one, said=(left_out,))
        assert around([one], Begun(2900, 2900, 2900), found).first_day == monday_of(2893)

    def test_an_alarm_of_this_night_looks_at_the_days_there_are(self) -> None:
        one = alarm("a", "stray_rate", 2900, 0.02)
        found = replace(self.alarms(one), week=monday_of(2899))
        span = around([one], Begun(2900, 2900, 2900), found)
        assert (span.start, span.next_day) == (monday_of(2900), monday_of(2901))


def estimate(one: Episode, week: int) -> WeekEstimate:
    """A week of the alarm's series, so that it is known."""
    return WeekEstimate(one.route, one.measure, week, 0.1, 0.01, 1000.0, 1000, 1000.0)


class TestStarts:
    def series(self, values: list[float], step: int, shift: float) -> tuple[Episode, Watched]:
        """Weekly stray rates of a route, and its alarm as dated to one of them."""
        weeks = [
            WeekEstimate("a", "stray_rate", 100 + week, value, 0.001, 9999.0, 9999, 9999.0)
            for week, value in enumerate(values)
        ]
        dated = Began(100 + step, 100 + step, 100 + step, shift)
        one = replace(alarm("a", "stray_rate", 100 + step, shift), began=dated)
        return one, watch(weeks, [], alarm_id)

    def test_a_week_that_moved_part_of_the_way_is_the_first(self) -> None:
        one, watched = self.series([0.1] * 9 + [0.12, 0.15, 0.15], step=10, shift=0.05)
        assert begun(one, watched) == Begun(109, 109, 109)

    def test_a_week_that_moved_by_chance_is_not(self) -> None:
        one, watched = self.series([0.1] * 9 + [0.102, 0.15, 0.15], step=10, shift=0.05)
        assert begun(one, watched) == Begun(110, 110, 110)
        one, watched = self.series([0.1] * 9 + [0.08, 0.15, 0.15], step=10, shift=0.05)
        assert begun(one, watched) == Begun(110, 110, 110)

    def test_it_may_have_begun_in_weeks_that_could_not_be_tested(self) -> None:
        one, watched = self.series([0.1] * 7 + [0.1, 0.1, 0.15, 0.15], step=9, shift=0.05)
        assert begun(one, watched).earliest == 109
        for column in (7, 8):
            watched.panel.eligible[0, column] = False
        assert begun(one, watched) == Begun(109, 107, 109)
