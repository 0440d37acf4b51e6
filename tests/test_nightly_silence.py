"""What is missing: silent routes, nights without a file, vanished fields, rejected lines."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from analyzer.config import Volume
from analyzer.nightly.calendar import Night
from analyzer.nightly.silence.fields import FIELDS, vanished_fields
from analyzer.nightly.silence.judged import Judged, Standing
from analyzer.nightly.silence.loads import Loaded, no_file, rejected_lines
from analyzer.nightly.silence.routes import silent_routes
from analyzer.watch.raising import Raising

TONIGHT = Night(date(2026, 11, 18), ZoneInfo("UTC"))  # a Wednesday; the last day is a Tuesday
VOLUME = Volume()
NOTHING: Standing = {}


def weekdays(route: str, *counts: int) -> list[dict[str, Any]]:
    """Requests of a route on the last day and the same weekday of the weeks before."""
    return [
        {"route": route, "day": TONIGHT.last_day - timedelta(weeks=n), "requests": requests}
        for n, requests in enumerate(counts)
        if requests
    ]


def routes(rows: list[dict[str, Any]], standing: Standing = NOTHING) -> dict[str | None, Any]:
    return {one.route: one.holds for one in silent_routes(rows, TONIGHT, standing, VOLUME)}


class TestSilentRoutes:
    @pytest.mark.parametrize(
        ("counts", "silent"),
        [
            ((0, 300, 300, 300, 300), True),
            ((0, 20, 20, 20, 20), True),
            ((0, 19, 300, 300, 300), None),  # too few on one of the weekdays before
            ((0, 300, 300, 0, 300), None),
            ((30, 300, 400, 300, 300), True),  # a tenth of the lowest
            ((31, 300, 400, 300, 300), False),
            ((0, 300, 300), True),  # a route of two weeks
            ((0, 300), None),  # one weekday says nothing
            ((500,), None),
        ],
    )
    def test_a_day_is_held_against_the_lowest_of_its_weekday(
        self, counts: tuple[int, ...], silent: bool | None
    ) -> None:
        assert routes(weekdays("support", *counts) + weekdays("docs", 5))["support"] is silent

    def test_a_route_that_is_back_ends_its_alarm_also_after_weeks_of_silence(self) -> None:
        standing = {("support", "silence"): Raising(measure="silence", sentence="x", usual=300)}
        quiet = weekdays("support", 0, 0, 0, 0, 300) + weekdays("docs", 5)
        assert routes(quiet, standing)["support"] is None
        back = weekdays("support", 31, 0, 0, 0, 300)
        assert routes(back, standing)["support"] is False
        assert routes(back)["support"] is None

    def test_nothing_at_all_is_one_alarm(self) -> None:
        rows = weekdays("support", 0, 300, 300) + weekdays("docs", 0, 40, 50)
        assert routes(rows) == {"support": None, "docs": None, None: True}
        [told] = [
            one.raising.sentence
            for one in silent_routes(rows, TONIGHT, NOTHING, VOLUME)
            if one.route is None
        ]
        assert told == (
            "No route had a request on Tuesday 2026-11-17; on the same weekday of the weeks "
            "before there were 340 or more"
        )

    def test_it_says_what_there_was_and_how_to_see_it(self) -> None:
        rows = weekdays("a b", 1, 300, 300) + weekdays("docs", 40, 40, 50)
        [one] = [each for each in silent_routes(rows, TONIGHT, NOTHING, VOLUME) if each.holds]
        assert one.raising.sentence == (
            "a b had 1 request on Tuesday 2026-11-17; on the same weekday of the weeks before "
            "there were 300 or more"
        )
        assert one.raising.command == (
            "citelog query requests_per_day --param first_day=2026-10-20 --param days=29 "
            "--param route='a b'"
        )


class TestFiles:
    def loads(self, *weeks_ago: int) -> dict[date, Loaded]:
        return {TONIGHT.today - timedelta(weeks=n): Loaded(1, 100, 0) for n in weeks_ago}

    @pytest.mark.parametrize(
        ("weeks_ago", "first", "missing"),
        [
            ((1, 2, 3, 4), 9, True),
            ((0, 1, 2, 3, 4), 9, False),
            ((1, 2, 4), 9, None),  # one Wednesday without a file: they do not come every week
            ((1, 2), 2, True),
            ((1,), 1, None),
            ((), 9, None),
            ((0,), 0, False),
        ],
    )
    def test_a_file_is_missed_where_one_came_on_each_of_these_weekdays(
        self, weeks_ago: tuple[int, ...], first: int, missing: bool | None
    ) -> None:
        since = TONIGHT.today - timedelta(weeks=first)
        assert no_file(self.loads(*weeks_ago), since, TONIGHT, VOLUME).holds is missing

    def test_a_store_without_any_file_misses_none(self) -> None:
        assert no_file({}, None, TONIGHT, VOLUME).holds is None

    @pytest.mark.parametrize(
        ("tonight", "before", "jumped"),
        [
            (Loaded(1, 400, 20), Loaded(9, 9000, 0), True),
            (Loaded(1, 380, 19), Loaded(9, 9000, 0), False),  # fewer than twenty lines
            (Loaded(1, 401, 20), Loaded(9, 9000, 0), False),  # less than five points
            (Loaded(1, 400, 80), Loaded(9, 1000, 160), False),  # as much as ever
            (Loaded(1, 400, 40), Loaded(), True),
            (Loaded(), Loaded(9, 9000, 0), None),
        ],
    )
    def test_a_jump_of_the_rejected_share(
        self, tonight: Loaded, before: Loaded, jumped: bool | None
    ) -> None:
        loads = {TONIGHT.today: tonight, TONIGHT.today - timedelta(days=3): before}
        assert rejected_lines(loads, TONIGHT, VOLUME).holds is jumped


def field_day(days_ago: int, total: int, missing: int) -> dict[str, Any]:
    """A day on which `missing` of `total` requests had no unit."""
    counts = dict.fromkeys((name for name, _, _ in FIELDS.values()), 0)
    return {
        "route": "support",
        "day": TONIGHT.last_day - timedelta(days=days_ago),
        "requests": total,
        "answers": total,
        "packed": total,
        **counts,
        "missing_unit": missing,
    }


def unit(rows: list[dict[str, Any]], standing: Standing = NOTHING) -> Judged:
    [one] = [
        each
        for each in vanished_fields(rows, TONIGHT, standing, VOLUME)
        if each.raising.measure == "missing_unit_id"
    ]
    return one


class TestFields:
    @pytest.mark.parametrize(
        ("now", "before", "vanished"),
        [
            ((50, 25), (100, 5), True),
            ((50, 24), (100, 5), False),
            ((50, 50), (100, 6), False),  # it was missing before as well
            ((49, 49), (100, 0), None),
            ((50, 50), (49, 0), None),
        ],
    )
    def test_half_of_a_day_lacks_what_hardly_any_request_lacked(
        self, now: tuple[int, int], before: tuple[int, int], vanished: bool | None
    ) -> None:
        assert unit([field_day(0, *now), field_day(5, *before)]).holds is vanished

    def test_it_stands_until_it_is_back_or_has_been_missing_all_the_time(self) -> None:
        standing = {("support", "missing_unit_id"): Raising(measure="missing_unit_id")}
        assert unit([field_day(0, 50, 40), field_day(5, 100, 30)], standing).holds is None
        assert unit([field_day(0, 50, 20), field_day(5, 100, 30)], standing).holds is False
        assert unit([field_day(0, 50, 50), field_day(5, 100, 90)], standing).holds is False

    def test_it_names_the_weekly_measure_that_tells_the_same(self) -> None:
        found = unit([field_day(0, 50, 50), field_day(5, 100, 0)])
        assert (found.measure, found.what) == ("missing_unit_rate", "no-unit_id")
        assert found.raising.sentence == (
            "support: 100.0% of its requests of Tuesday 2026-11-17 carry no unit_id; "
            "before it was 0.0%"
        )
