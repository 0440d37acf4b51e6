"""The words of alarms: one finding a cause, honest counts of routes, and what could be seen."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, date, datetime

import numpy as np
import pytest

from analyzer.stats.episodes import Change, Episode
from analyzer.stats.settings import DriftSettings
from analyzer.telling import standing
from analyzer.telling.findings import Screen, screen
from analyzer.telling.listing import listing
from analyzer.telling.sentences import completed, what
from analyzer.telling.spans import Span, joined, plain
from analyzer.telling.standing import Standing
from analyzer.telling.volumes import counted
from analyzer.telling.words import Unit, bounds, size, value, words
from analyzer.watch.alarms import Alarms, alarms
from analyzer.watch.events import Said
from analyzer.watch.naming import monday_of, week_number

MONDAY = date(2026, 11, 16)
WEEK = week_number(MONDAY)
CHANGE = Change(0.28, 0.01, 0.262, 0.298, 1e-9, 1, 0.017, 13)


def episode(**fields: object) -> Episode:
    """An alarm on near-copies, raised this week."""
    made = Episode(
        id="2026-W47-support-near-copies", route="support", measure="involved_rate",
        state="raised", opened=WEEK, raised=WEEK, ended=None, rule="at once", ending=None,
        at_first=CHANGE, latest=CHANGE, began=None,
    )  # fmt: skip
    return replace(made, **fields)


def states(**of: str) -> list[Standing]:
    return [Standing(route, state, 5) for route, state in of.items()]  # type: ignore[arg-type]


class TestSentences:
    def test_a_new_alarm_says_value_change_interval_and_baseline(self) -> None:
        assert plain(what(episode(), WEEK)) == (
            "support: 29.7% of its packed chunks have a near-copy beside them, up 28.0 points "
            "(95% interval 26.2 to 29.8) from 1.7%."
        )

    def test_an_older_one_says_when_it_was_found_and_this_weeks_change(self) -> None:
        now = replace(CHANGE, delta=0.1, low=0.08, high=0.12)
        told = plain(what(episode(raised=WEEK - 1, latest=now), WEEK))
        assert "at the time of the alarm in 2026-W46." in told
        assert told.endswith("This week: up 10.0 points (95% interval 8.0 to 12.0).")

    def test_a_dip_is_relative_and_never_in_points(self) -> None:
        fall = Change(np.log(0.9), 0.01, np.log(0.85), np.log(0.95), 1e-6, 1, 0.0, 13)
        told = plain(what(episode(measure="dip", at_first=fall, latest=fall), WEEK))
        assert re.search(r"10% \w+ than before \(95% interval 5 to 15%\)", told)
        assert "points" not in told

    def test_a_name_from_a_log_stays_a_span_of_its_own(self) -> None:
        assert what(episode(route="<b>"), WEEK)[0] == Span("<b>", "name")

    @pytest.mark.parametrize(
        ("unit", "ends"),
        [("points", "10.0 20.0"), ("ratio", "10 22"), ("tokens", "10 22"), ("ranks", "7 15")],
    )
    def test_an_interval_with_both_signs_tells_them_apart(self, unit: Unit, ends: str) -> None:
        told = bounds(unit, -0.1, 0.2)
        assert re.findall(r"[\d.]+", told) == ends.split()
        assert ("−" in told and "+" in told) or ("lower" in told and "higher" in told)

    def test_numbers_are_written_in_one_style(self) -> None:
        assert value("points", 0.298) == "29.8%"
        assert value("points", 0.0001) == "<0.1%"
        assert size("ratio", float(np.log(0.83))) == "17%"

    def test_every_watched_measure_has_words(self) -> None:
        assert {one.name for one in DriftSettings().measures} <= set(words())
        assert all("{size}" in one.shift and "{now}" in one.says for one in words().values())

    def test_a_command_can_be_pasted(self) -> None:
        assert completed("citelog query funnel", "a b", WEEK) == (
            "citelog query funnel --param week=2026-W47 --param 'route=a b'"
        )
        assert completed("citelog effect", "docs", WEEK) == (
            "citelog effect --week 2026-W47 --route docs"
        )

    def test_a_route_that_cannot_be_typed_is_left_out_of_it(self) -> None:
        assert completed("citelog effect", "a\nb", WEEK) == "citelog effect --week 2026-W47"


class TestVerdict:
    @pytest.mark.parametrize(
        ("of", "said"),
        [
            ({"a": "drifted", "b": "quiet", "c": "quiet"}, "1 of 3 routes drifted: a"),
            ({"a": "drifted", "b": "still off"}, "1 of 2 routes drifted: a; still off: b"),
            ({"a": "quiet", "b": "quiet"}, "No drift on 2 routes"),
            ({"a": "quiet", "b": "not checked"}, "No drift on 1 of 2 routes; 1 not checked"),
            ({"a": "quiet", "b": "muted"}, "No drift on 1 of 2 routes; 1 muted"),
            ({"a": "still off", "b": "quiet"}, "No new drift on 2 routes; still off: a"),
            ({"a": "not checked"}, "The only route could not be checked for drift"),
            (
                dict.fromkeys("ab", "not checked"),
                "None of 2 routes could be checked for drift",
            ),
        ],
    )
    def test_the_title_counts_routes(self, of: dict[str, str], said: str) -> None:
        assert plain(standing.title(states(**of))) == said

    def test_alarms_of_silence_are_counted(self) -> None:
        assert plain(standing.title(states(a="quiet"), silent=1)) == (
            "No drift on 1 route; 1 alarm of silence"
        )

    def test_a_list_names_three_and_counts_the_rest(self) -> None:
        names = [(Span(name),) for name in "abc"]
        assert plain(joined(names, "2 more")) == "a, b, c and 2 more"


def of_nothing(said: tuple[Said, ...] = ()) -> Alarms:
    """A store without a single estimate."""

    class Empty:
        def execute(self, *_: object) -> Empty:
            return self

        def fetchall(self) -> list[object]:
            return []

    return alarms(Empty(), MONDAY, said)  # type: ignore[arg-type]


class TestScreen:
    def shown(self, requests: dict[str, int], said: tuple[Said, ...] = ()) -> Screen:
        return screen(of_nothing(said), {}, requests, MONDAY)

    def test_no_estimates_is_not_checked_and_never_quiet(self) -> None:
        told = self.shown({"a": 9000})
        assert [one.state for one in told.standings] == ["not checked"]
        assert told.tests == 0
        assert "citelog ingest makes them" in told.standings[0].why

    def test_the_listing_says_why(self) -> None:
        lines = list(listing(self.shown({"a": 9000}), MONDAY))
        assert lines[0].startswith("2026-W47: The only route could not be checked for drift")
        assert lines[-1].startswith("a: not checked, ")

    def test_an_event_of_somebody_is_told_with_who_and_when(self) -> None:
        event = Said(
            said_at=datetime(2026, 11, 24, 9, tzinfo=UTC), kind="ack", alarm="x", who="ana",
            note="old copies",
        )  # fmt: skip
        from analyzer.telling.findings import _remarks

        assert _remarks(["x"], [event]) == (
            "acknowledged by ana, 2026-11-24 09:00 UTC: old copies",
        )
        assert _remarks(["y"], [event]) == ()


def test_a_route_that_fell_silent_counts_for_four_weeks() -> None:
    days = [
        {"day": MONDAY, "route": "a", "requests": 5},
        {"day": monday_of(WEEK - 4), "route": "gone", "requests": 7},
        {"day": monday_of(WEEK - 5), "route": "long gone", "requests": 7},
    ]
    assert counted(days, MONDAY) == {"a": 5, "gone": 0}
