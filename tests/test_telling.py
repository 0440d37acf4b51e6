"""The words of alarms: one finding a cause, honest counts of routes, and what could be seen."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from analyzer.stats.episodes import Change, Ending, Episode
from analyzer.stats.settings import DriftSettings
from analyzer.telling import standing
from analyzer.telling.findings import Screen, next_command, screen
from analyzer.telling.listing import listing
from analyzer.telling.sentences import briefly, completed, what
from analyzer.telling.spans import Span, joined, plain
from analyzer.telling.standing import Standing
from analyzer.telling.volumes import counted
from analyzer.telling.words import Unit, bounds, level, size, value, words
from analyzer.watch.alarms import Alarms, alarms
from analyzer.watch.causes import Explanation
from analyzer.watch.events import Said
from analyzer.watch.naming import monday_of, week_number
from analyzer.watch.starts import Begun
from analyzer.watch.weighing import UNKNOWN, Candidate

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
    return [
        Standing(route, state, 5, muted=state == "muted")  # type: ignore[arg-type]
        for route, state in of.items()
    ]


class TestSentences:
    def test_a_new_alarm_says_value_change_interval_and_baseline(self) -> None:
        assert plain(what(episode(), WEEK)) == (
            "support: 29.7% of its packed chunks have a near-copy beside them, up 28.0 points "
            "(95% interval +26.2 to +29.8) from 1.7%."
        )

    def test_an_older_one_goes_from_before_to_the_alarm_to_this_week(self) -> None:
        now = replace(CHANGE, delta=0.1, low=0.08, high=0.12)
        assert plain(what(episode(raised=WEEK - 1, latest=now), WEEK)) == (
            "support, near-copies: 1.7% before, 29.7% at the alarm in 2026-W46, 11.7% this week; "
            "from before to this week up 10.0 points (95% interval +8.0 to +12.0)."
        )

    def test_an_older_dip_is_told_on_one_scale(self) -> None:
        first = Change(np.log(0.8), 0.01, np.log(0.7), np.log(0.9), 1e-6, 2, np.log(0.9), 13)
        now = replace(first, delta=np.log(0.9), low=np.log(0.8), high=np.log(1.01), weeks=1)
        told = episode(measure="dip", raised=WEEK - 2, at_first=first, latest=now)
        assert plain(what(told, WEEK)) == (
            "support, cited rate of the middle against the edge: 10% lower before, 28% lower at "
            "the alarm in 2026-W45 over 2 weeks, 19% lower this week; from before to this week "
            "9.0 points worse (95% interval −18.0 to +0.9); this week alone is not certain."
        )  # 0.9 x 0.9 = 0.81; ends 0.9 x 0.8 = 0.72 and 0.9 x 1.01 = 0.909

    def test_one_that_was_not_measured_since_says_when_it_was(self) -> None:
        told = episode(raised=WEEK - 1, measured=WEEK - 1)
        assert plain(what(told, WEEK)) == (
            "support, near-copies: 1.7% before, 29.7% at the alarm in 2026-W46, when it was last "
            "measured; from before to then up 28.0 points (95% interval +26.2 to +29.8)."
        )
        now = replace(CHANGE, delta=0.1, low=-0.08, high=0.12)
        told = replace(told, raised=WEEK - 2, latest=now)
        assert plain(what(told, WEEK)) == (
            "support, near-copies: 1.7% before, 29.7% at the alarm in 2026-W45, 11.7% when last "
            "measured, in 2026-W46; from before to then up 10.0 points (95% interval −8.0 to "
            "+12.0); that week alone is not certain."
        )

    def test_the_next_command_asks_of_the_week_that_has_an_answer(self) -> None:
        cause = Candidate("old_copies", "", 9, (), (), "citelog query near_copy_documents")
        asked = next_command(episode(measured=WEEK - 1), cause, WEEK)
        assert asked.split(" --param ")[1] == "week=2026-W46"
        unknown = replace(cause, code=UNKNOWN)
        assert "week=2026-W46" in next_command(episode(measured=WEEK - 1), unknown, WEEK)
        assert "week=2026-W47" in next_command(episode(measured=WEEK), cause, WEEK)

    def test_an_older_one_without_an_estimate_says_so(self) -> None:
        told = plain(what(episode(raised=WEEK - 1, latest=None), WEEK))
        assert told.endswith("29.7% at the alarm in 2026-W46; this week cannot be told.")

    def test_what_is_as_before_is_no_change(self) -> None:
        now = replace(CHANGE, delta=-0.0001, low=-0.01, high=0.01)
        told = plain(what(episode(raised=WEEK - 1, latest=now), WEEK))
        assert told.endswith("no change (95% interval −1.0 to +1.0).")

    def test_a_new_dip_is_told_in_points_of_what_is_told_of_it(self) -> None:
        fall = Change(np.log(0.8), 0.01, np.log(0.7), np.log(0.9), 1e-6, 1, np.log(0.9), 13)
        assert plain(what(episode(measure="dip", at_first=fall, latest=fall), WEEK)) == (
            "support: chunks in the middle are cited 28% less often than chunks of the same rank "
            "at an edge, 18.0 points worse (95% interval −27.0 to −9.0) than before (10% "
            "less often)."
        )

    def test_a_dip_told_without_its_values_is_relative(self) -> None:
        fall = Change(np.log(0.9), 0.01, np.log(0.85), np.log(0.95), 1e-6, 1, 0.0, 13)
        told = plain(briefly(episode(measure="dip", at_first=fall, latest=fall), with_route=False))
        assert told.endswith(" 10% lower than before (95% interval −15 to −5%)")

    def test_a_name_from_a_log_stays_a_span_of_its_own(self) -> None:
        assert what(episode(route="<b>"), WEEK)[0] == Span("<b>", "name")

    @pytest.mark.parametrize(
        ("unit", "ends"),
        [
            ("points", "−10.0 to +20.0"),
            ("ratio", "−10 to +22%"),
            ("tokens", "−10 to +22%"),
            ("ranks", "−7 to +15%"),
        ],
    )
    def test_an_interval_goes_from_low_to_high_with_signs(self, unit: Unit, ends: str) -> None:
        assert bounds(unit, -0.1, 0.2) == ends

    def test_an_interval_of_a_fall_begins_with_the_deepest(self) -> None:
        assert bounds("points", -0.2, -0.1) == "−20.0 to −10.0"

    def test_numbers_are_written_in_one_style(self) -> None:
        assert value("points", 0.298) == "29.8%"
        assert value("points", 0.0001) == "<0.1%"
        assert size("ratio", float(np.log(0.83))) == "17%"

    @pytest.mark.parametrize(
        ("unit", "number", "said"),
        [
            ("points", 0.298, "29.8%"),
            ("ratio", float(np.log(0.86)), "14% lower"),
            ("ratio", float(np.log(1.05)), "5% higher"),
            ("ratio", 0.0, "the same"),
            ("tokens", float(np.log(4940)), "4,940"),
            ("ranks", 1.0, "2.0"),
        ],
    )
    def test_a_value_stands_beside_others_of_its_measure(
        self, unit: Unit, number: float, said: str
    ) -> None:
        assert level(unit, number) == said

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

    def test_a_route_with_an_alarm_that_is_not_told_is_none_without_drift(self) -> None:
        off = Standing("a", "still off", 5, muted=True)
        assert plain(standing.title([off, *states(b="quiet")])) == (
            "No new drift on 1 of 2 routes; 1 muted; still off: a"
        )

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
        from analyzer.telling.findings import remarks

        assert remarks(["x"], [event]) == ("acknowledged by ana, 2026-11-24 09:00 UTC: old copies",)
        assert remarks(["y"], [event]) == ()

    def test_a_mute_says_until_when(self) -> None:
        from analyzer.telling.findings import remarks

        event = Said(
            said_at=datetime(2026, 11, 24, 9, tzinfo=UTC), kind="mute", alarm="x", who="ana",
            until=date(2026, 12, 14),
        )  # fmt: skip
        assert remarks(["x"], [event]) == ("muted until 2026-12-14 by ana, 2026-11-24 09:00 UTC",)


def unexplained(one: Episode) -> Explanation:
    """As much of an explanation as the words of an alarm that ended need."""
    cause = Candidate(UNKNOWN, "", 0, (), (), "citelog alerts")
    begun = Begun(one.opened, one.opened, one.opened)
    return cast("Explanation", SimpleNamespace(cause=cause, begun=begun))


class TestEnded:
    def shown(self, *endings: Ending) -> Screen:
        """A week in which alarms ended, each in its own way."""
        over = [
            episode(
                id=f"x{at}", state="cleared", raised=WEEK - 7, ended=WEEK, ending=ending,
                latest=replace(CHANGE, delta=0.001, low=-0.01, high=0.012),
            )
            for at, ending in enumerate(endings)
        ]  # fmt: skip
        nothing = of_nothing()
        found = replace(nothing, watched=replace(nothing.watched, episodes=tuple(over)))
        return screen(found, {one.id: unexplained(one) for one in over}, {}, MONDAY)

    def test_each_has_its_sentence_and_its_name(self) -> None:
        told = self.shown("new level", "quiet", "unmonitored")
        assert [one.label for one in told.ended] == ["Cleared", "Cleared", "Re-baselined"]
        assert told.ended_as == "Cleared and re-baselined"
        assert [plain(one.text).split(". ")[-1] for one in told.ended] == [
            "It is quiet again.",
            "Too little of it is left to be watched.",
            "It has lasted so long that the weeks to come are held against this level.",
        ]

    def test_the_heading_names_no_kind_that_is_not_there(self) -> None:
        assert self.shown("new level").ended_as == "Re-baselined"
        assert self.shown("quiet").ended_as == "Cleared"

    def test_the_listing_tells_what_ended(self) -> None:
        lines = list(listing(self.shown("quiet"), MONDAY))
        assert "cleared  x0" in lines
        (told,) = [line for line in lines if "29.7% at the alarm in 2026-W40" in line]
        assert told.startswith("  support, near-copies: 1.7% before")
        assert told.endswith("It is quiet again.")
        assert "not certain" not in told


def test_a_route_that_fell_silent_counts_for_four_weeks() -> None:
    days = [
        {"day": MONDAY, "route": "a", "requests": 5},
        {"day": monday_of(WEEK - 4), "route": "gone", "requests": 7},
        {"day": monday_of(WEEK - 5), "route": "long gone", "requests": 7},
    ]
    assert counted(days, MONDAY) == {"a": 5, "gone": 0}
