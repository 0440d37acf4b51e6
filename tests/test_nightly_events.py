"""What a night says of alarms: kept beside what people say, and read back by the rule."""

from __future__ import annotations

import errno
import os
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from loading.records import packed, request
from loading.sites import Site

from analyzer import updating, watch
from analyzer.cli import main
from analyzer.stats.episodes import Change, Raised
from analyzer.store import reader
from analyzer.watch.alarms import events
from analyzer.watch.naming import week_number
from analyzer.watch.raising import Raising, over, raised, raising, standing, told, untold

MONDAY = date(2026, 11, 16)
AT = datetime(2026, 11, 18, 2, tzinfo=UTC)
CHANGE = Change(0.1, 0.01, 0.08, 0.12, 1e-9, 1, 0.02, 13)
FLOOD = Raising(measure="involved_rate", at_night=True, change=CHANGE)
SILENCE = Raising(measure="silence", sentence="support has no requests", command="citelog x")

Captured = pytest.CaptureFixture[str]


def later(hours: int) -> datetime:
    return AT + timedelta(hours=hours)


def test_an_alarm_of_the_night_comes_back_with_its_numbers() -> None:
    one = raised(AT, "a", "support", MONDAY, FLOOD)
    assert raising(one) == FLOOD
    [event] = events([one, told(later(1), "a", "raised")])
    assert event == Raised(
        week_number(MONDAY), "support", "involved_rate", "a", at_night=True, change=CHANGE
    )


def test_what_was_raised_stands_until_it_is_over() -> None:
    first, second = (raised(later(n), "a", "support", MONDAY, SILENCE) for n in (0, 48))
    assert list(standing([first])) == ["a"]
    assert standing([first, over(later(24), "a")]) == {}
    assert standing([first, over(later(24), "a"), second]) == {"a": second}
    assert standing([first, second]) == {"a": first}


class TestTelling:
    one = raised(AT, "a", "support", MONDAY, SILENCE)
    end = over(later(24), "a")

    def test_what_no_receiver_took_is_told_again(self) -> None:
        assert untold([self.one]) == ([self.one], [])
        assert untold([self.one, told(later(1), "a", "raised")]) == ([], [])

    def test_its_end_is_told_to_those_who_know_of_it(self) -> None:
        known = [self.one, told(later(1), "a", "raised"), self.end]
        assert untold(known) == ([], [self.end])
        assert untold([*known, told(later(25), "a", "over")]) == ([], [])
        assert untold([self.one, self.end]) == ([], [])

    def test_what_comes_again_is_told_again(self) -> None:
        again = raised(later(48), "a", "support", MONDAY, SILENCE)
        known = [self.one, told(later(1), "a", "raised"), self.end, told(later(25), "a", "over")]
        assert untold([*known, again]) == ([again], [])


@pytest.fixture
def site(tmp_path: Path) -> Site:
    """A store of one week that is over and one that is not."""
    made = Site(tmp_path)
    days = [MONDAY - timedelta(days=7 - n) for n in range(9)]
    log = made.log(
        "a.jsonl",
        *(
            request(f"r{day}", *packed(1, 2), route="support", requested_at=f"{day}T12:00:00Z")
            for day in days
        ),
    )
    updating.ingest([log], made.store, now=AT)
    return made


def test_an_alarm_of_silence_is_listed_answered_and_counted(site: Site, capsys: Captured) -> None:
    alerts = ["alerts", "--store", str(site.store)]
    assert main.run([*alerts, "--fail-on", "alarm"]) == 0
    watch.append(site.store, raised(AT, "2026-11-18-support-silent", "support", MONDAY, SILENCE))
    assert main.run([*alerts, "--fail-on", "alarm"]) == 3
    name = "2026-11-18-support-silent"
    assert main.run(["ack", name, "--who", "ada", "--store", str(site.store)]) == 0
    capsys.readouterr()
    assert main.run(alerts) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "; 1 alarm of silence; 0 tests" in lines[0]
    assert lines[2:4] == [f"silence  {name}", "  support has no requests."]
    assert lines[4].startswith("  acknowledged by ada, ")
    assert lines[5] == "  $ citelog x"
    assert main.run([*alerts, "--format", "csv"]) == 0
    assert f"{name},raised,support,silence," in capsys.readouterr().out


def test_a_muted_alarm_does_not_fail_the_job(site: Site, capsys: Captured) -> None:
    name = "2026-11-18-support-silent"
    watch.append(site.store, raised(AT, name, "support", MONDAY, SILENCE))
    assert main.run(["mute", name, "--until", "2100-01-01", "--store", str(site.store)]) == 0
    capsys.readouterr()
    assert main.run(["alerts", "--fail-on", "alarm", "--store", str(site.store)]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "1 alarm muted"


def test_a_week_is_over_by_the_calendar_too(site: Site) -> None:
    with reader(site.store) as con:
        assert watch.closed_week(con) == MONDAY - timedelta(days=7)
        assert watch.closed_week(con, MONDAY + timedelta(days=6)) == MONDAY - timedelta(days=7)
        assert watch.closed_week(con, MONDAY + timedelta(days=7)) == MONDAY


def test_an_event_that_cannot_be_written_whole_leaves_the_log_as_it_was(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = raised(AT, "a", "support", MONDAY, SILENCE)
    watch.append(site.store, first)

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as disk:
        disk.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="No space left"):
            watch.append(site.store, over(later(1), "a"))
    watch.append(site.store, over(later(2), "a"))
    with reader(site.store) as con:
        assert watch.said(con, site.store) == [first, over(later(2), "a")]
