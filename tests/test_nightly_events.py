"""What a night says of alarms: kept beside what people say, and read back by the rule."""

from __future__ import annotations

import errno
import os
import re
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
from analyzer.watch.events import log_beside, muted
from analyzer.watch.naming import alarm_id, silence_id, week_number
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
    assert lines[5] == f"  $ citelog x --store {site.store}"
    assert main.run([*alerts, "--format", "csv"]) == 0
    assert f"{name},raised,support,silence," in capsys.readouterr().out


def test_a_muted_alarm_does_not_fail_the_job(site: Site, capsys: Captured) -> None:
    name = "2026-11-18-support-silent"
    watch.append(site.store, raised(AT, name, "support", MONDAY, SILENCE))
    assert main.run(["mute", name, "--until", "2100-01-01", "--store", str(site.store)]) == 0
    capsys.readouterr()
    assert main.run(["alerts", "--fail-on", "alarm", "--store", str(site.store)]) == 0
    assert capsys.readouterr().out.splitlines()[-2:] == [
        f"1 alarm muted: {name}, until 2100-01-01",
        f"  $ citelog mute {name} --undo --store {site.store}",
    ]


ALARM = "2026-11-18-support-silent"


@pytest.fixture
def alarmed(site: Site, monkeypatch: pytest.MonkeyPatch) -> Site:
    """The same with an alarm; commands ask its store."""
    monkeypatch.setenv("CITELOG_STORE", str(site.store))
    watch.append(site.store, raised(AT, ALARM, "support", MONDAY, SILENCE))
    return site


def stands(capsys: Captured) -> bool:
    code = main.run(["alerts", "--fail-on", "alarm"])
    capsys.readouterr()
    return code == 3


def test_of_several_mutes_the_last_one_holds(alarmed: Site, capsys: Captured) -> None:
    assert main.run(["mute", ALARM, "--until", "2100-01-01"]) == 0
    assert not stands(capsys)
    over_now = date(2026, 1, 1)
    last = watch.Said(said_at=datetime.now(UTC), kind="mute", alarm=ALARM, until=over_now)
    watch.append(alarmed.store, last)
    assert stands(capsys)
    mutes = [said for said in alarmed_events(alarmed) if said.until]
    assert muted(mutes, date(2026, 1, 1)) == {ALARM: date(2026, 1, 1)}
    assert muted(mutes[:1], date(2026, 1, 2)) == {ALARM: date(2100, 1, 1)}
    assert muted(mutes, date(2026, 1, 2)) == {}


def test_a_mute_that_is_over_is_not_told_beside_the_alarm(alarmed: Site, capsys: Captured) -> None:
    over = watch.Said(
        said_at=datetime.now(UTC), kind="mute", alarm=ALARM, until=date(2026, 1, 1), who="ada"
    )
    watch.append(alarmed.store, over)
    assert main.run(["alerts", "--store", str(alarmed.store)]) == 0
    assert "muted" not in capsys.readouterr().out


def test_nothing_is_muted_into_the_past(alarmed: Site, capsys: Captured) -> None:
    today = datetime.now(UTC).date()
    yesterday = today - timedelta(days=1)
    assert main.run(["mute", ALARM, "--until", str(yesterday)]) == 2
    assert capsys.readouterr().err == (
        f"--until {yesterday} is past, so it would mute nothing; name {today} or a later day, "
        "or --undo to let the alarm stand again\n"
    )
    assert alarmed_events(alarmed)[1:] == []
    assert main.run(["mute", ALARM, "--until", str(today)]) == 0


def test_an_investigation_names_a_mute_where_it_holds(alarmed: Site, capsys: Captured) -> None:
    def head() -> str:
        capsys.readouterr()
        assert main.run(["investigate", ALARM]) == 0
        return capsys.readouterr().out.splitlines()[0]

    def mute(hours: int, until: str) -> None:
        day = date.fromisoformat(until)
        said = watch.Said(said_at=later(hours), kind="mute", alarm=ALARM, until=day, who="ada")
        watch.append(alarmed.store, said)

    mute(1, "2100-01-01")
    assert head() == f"{ALARM}; muted until 2100-01-01 by ada, 2026-11-18 03:00 UTC"
    mute(2, "2026-11-19")  # what was said last holds, and that is over
    assert head() == ALARM
    mute(3, "2100-01-01")
    assert main.run(["mute", ALARM, "--undo", "--who", "ada"]) == 0
    assert head().startswith(f"{ALARM}; no longer muted by ada, ")
    assert "until" not in head()


def alarmed_events(site: Site) -> list[watch.Said]:
    with reader(site.store) as con:
        return watch.said(con, site.store)


def test_a_mute_is_taken_back(alarmed: Site, capsys: Captured) -> None:
    assert main.run(["mute", ALARM, "--until", "2100-01-01"]) == 0
    assert main.run(["mute", ALARM, "--undo", "--who", "ada"]) == 0
    assert f"{ALARM}: no longer muted\n" in capsys.readouterr().out
    assert stands(capsys)
    main.run(["alerts"])
    assert "  no longer muted by ada, " in capsys.readouterr().out
    assert main.run(["mute", ALARM, "--undo"]) == 2
    assert "is not muted; there is nothing to take back" in capsys.readouterr().err
    for wrong in ([], ["--undo", "--until", "2100-01-01"]):
        assert main.run(["mute", ALARM, *wrong]) == 2
        assert "give --until with the last day of silence, or --undo" in capsys.readouterr().err


def test_a_mute_that_was_taken_back_holds_on_no_day(alarmed: Site) -> None:
    assert main.run(["mute", ALARM, "--until", "2100-01-01"]) == 0
    assert main.run(["mute", ALARM, "--undo"]) == 0
    said = alarmed_events(alarmed)
    assert muted(said, date(1990, 1, 1)) == {}  # not even on one that is over
    assert muted(said[:-1], date(1990, 1, 1)) == {ALARM: date(2100, 1, 1)}


def test_a_week_that_is_taken_in_again_was_never_left_out(alarmed: Site, capsys: Captured) -> None:
    week = "2026-W46"
    assert main.run(["exclude", week]) == 0
    assert main.run(["exclude", week, "--route", "support"]) == 0
    assert capsys.readouterr().out == (
        "2026-W46: left out of baselines\n2026-W46: left out of baselines of support\n"
    )
    assert len(events(alarmed_events(alarmed))) == 3
    assert main.run(["exclude", week, "--undo"]) == 0
    assert capsys.readouterr().out == "2026-W46: taken into baselines again\n"
    [left, _] = events(alarmed_events(alarmed))
    assert (left.week, left.route) == (week_number(date(2026, 11, 9)), "support")
    assert main.run(["exclude", week, "--undo"]) == 2
    assert capsys.readouterr().err == (
        f"{alarmed.store}: 2026-W46 is not left out of baselines; "
        "left out are 2026-W46 of support\n"
    )
    assert main.run(["exclude", week]) == 0
    assert len(events(alarmed_events(alarmed))) == 3


def test_routes_that_are_typed_alike_keep_their_alarms_apart() -> None:
    routes = ["a b", "a-b", "A b", "a/b", "a_b", "", "-", "\ud800", "東京"]
    names = [alarm_id(2965, route, "involved_rate") for route in routes]
    assert len(set(names)) == len(routes)
    assert names[1] == "2026-W45-a-b-near-copies"  # it types itself, so nothing is added
    assert names[4] == "2026-W45-a_b-near-copies"
    assert names[8] == "2026-W45-東京-near-copies"
    for name in (*names[:1], *names[2:4]):
        assert re.fullmatch(r"2026-W45-a-b-[0-9a-f]{4}-near-copies", name)
    assert re.fullmatch(r"2026-W45-route-[0-9a-f]{4}-near-copies", names[5])
    silent = {silence_id(MONDAY, route, "silent") for route in routes}
    assert len(silent) == len(routes)


class TestABrokenLine:
    """Of the log beside the store: it stops nobody, and is told of until somebody looks."""

    def spoil(self, site: Site) -> Path:
        log = log_beside(site.store)
        with log.open("ab") as file:
            file.write(b'{"said_at": "2026-11-18T02:00:00", "kind": "ack"}\n')  # no offset
            file.write(b"\xff\xfe\n\n" + b"[" * 5000 + b'\n{"said_at": "2026-')
        return log

    def test_it_stops_no_reader(self, alarmed: Site, capsys: Captured) -> None:
        log = self.spoil(alarmed)
        assert main.run(["alerts", "--fail-on", "alarm"]) == 3
        assert capsys.readouterr().err == (f"{log}: 4 lines are no events {SAY_AGAIN}\n")

    def test_what_is_said_after_it_stands_on_a_line_of_its_own(self, alarmed: Site) -> None:
        self.spoil(alarmed)
        assert main.run(["ack", ALARM, "--who", "ada"]) == 0
        assert [one.who for one in alarmed_events(alarmed) if one.kind == "ack"] == ["ada"]

    def test_the_next_load_puts_it_aside_and_says_so(self, alarmed: Site, capsys: Captured) -> None:
        log = self.spoil(alarmed)
        more = alarmed.log("b.jsonl", request("b", *packed(1), requested_at=f"{MONDAY}T12:00:00Z"))
        assert main.run(["ingest", str(more)]) == 0
        aside = log.with_suffix(".broken")
        assert aside.read_bytes().count(b"\n") == 4
        assert log.read_bytes() == b""
        assert capsys.readouterr().err == f"{aside}: 4 lines are no events {SAY_AGAIN}\n"
        assert [one.alarm for one in alarmed_events(alarmed)] == [ALARM]
        assert main.run(["ingest", str(more)]) == 0
        assert aside.read_bytes().count(b"\n") == 4
        aside.unlink()
        capsys.readouterr()
        assert main.run(["alerts"]) == 0
        assert capsys.readouterr().err == ""


SAY_AGAIN = "and count for nothing; say again what they said, and remove them"


def test_whoever_has_no_name_is_a_number(alarmed: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    def nameless() -> str:
        raise KeyError("getpwuid(): uid not found: 1000670000")

    monkeypatch.setattr("getpass.getuser", nameless)
    assert main.run(["ack", ALARM]) == 0
    assert [one.who for one in alarmed_events(alarmed) if one.kind == "ack"] == [
        f"user {os.getuid()}"
    ]


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
