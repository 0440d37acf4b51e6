"""What nights see: a flood that pages the next morning, its end, reports, retention, backfill."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pytest
from loading.records import Json, label
from nights import Service, days_from, of_day
from receivers import receiving

from analyzer import nightly
from analyzer.cli import alarms, main
from analyzer.nightly.plan import Tell
from analyzer.store import reader
from analyzer.watch.raising import raising

FIRST = date(2026, 8, 17)  # a Monday
WEEKS = 8
MONDAY = FIRST + timedelta(weeks=WEEKS)  # 2026-10-12, opens W42
FLOOD = "2026-W42-support-near-copies"
A_DAY = 20

Captured = pytest.CaptureFixture[str]


def arrive(service: Service, day: date, copies: int = 0) -> None:
    service.log(f"{day}.jsonl", of_day(day, "support", A_DAY, copies=copies))


@pytest.fixture(scope="module")
def quiet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Eight quiet weeks, loaded in the night after the last Sunday."""
    service = Service(tmp_path_factory.mktemp("quiet"))
    every = [one for day in days_from(FIRST, 7 * WEEKS) for one in of_day(day, "support", A_DAY)]
    service.log("old.jsonl", every)
    done = service.night(MONDAY)
    assert done.alerts.alarms == ()
    assert done.alerts.tests > 3
    return service.folder


@pytest.fixture
def service(quiet: Path, tmp_path: Path) -> Service:
    shutil.copytree(quiet, tmp_path / "service")
    return Service(tmp_path / "service", reports=False)


@pytest.fixture
def reporting(service: Service) -> Service:
    """The same, with its weekly reports."""
    return Service(service.folder)


def raised(service: Service) -> list[tuple[str | None, bool]]:
    """Ids of raised alarms, and whether that was at night."""
    return [(one.alarm, raising(one).at_night) for one in service.events() if one.kind == "raised"]


def test_a_flood_on_tuesday_pages_on_wednesday_and_keeps_its_name(
    service: Service, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    arrive(service, MONDAY)
    assert service.night(MONDAY + timedelta(days=1)).alerts.alarms == ()
    arrive(service, MONDAY + timedelta(days=1), copies=A_DAY)
    wednesday = service.night(MONDAY + timedelta(days=2))
    assert [one["alarm"] for one in wednesday.alerts.new] == [FLOOD]
    [alarm] = wednesday.alerts.alarms
    assert (alarm["rule"], alarm["state"], alarm["raised"]) == ("night", "raised", MONDAY)
    assert alarm["sentence"].startswith("support: ")
    assert (alarm["baseline"], alarm["cause"] != "") == (0.0, True)
    again = service.night(MONDAY + timedelta(days=2))  # run once more, it says the same
    assert [one["alarm"] for one in again.alerts.new] == [FLOOD]
    monkeypatch.setattr(alarms, "_today", lambda: MONDAY + timedelta(days=2))
    assert main.run(["alerts", "--store", str(service.store), "--fail-on", "alarm"]) == 3
    out = capsys.readouterr().out
    assert f"new  {FLOOD}" in out
    assert "--param week=2026-W42" in out
    for day in days_from(MONDAY + timedelta(days=2), 5):
        arrive(service, day, copies=A_DAY)
    closed = service.night(MONDAY + timedelta(days=7))
    assert [(one["alarm"], one["new"]) for one in closed.alerts.alarms] == [(FLOOD, False)]
    assert raised(service) == [(FLOOD, True)]


class Killed(BaseException):
    """Nothing in the program catches it, as nothing catches a kill."""


@pytest.mark.parametrize("step", ["file", "raised", "webhook", "report", "sealed"])
def test_broken_off_at_any_step_and_run_again_it_ends_the_same(
    reporting: Service, tmp_path: Path, step: str
) -> None:
    service = reporting
    for day in days_from(MONDAY, 7):
        arrive(service, day, copies=A_DAY)
    other = tmp_path / "other" / "service"
    shutil.copytree(service.folder, other)
    night = MONDAY + timedelta(days=7)
    with receiving() as receiver:
        settings = (f"webhook.url={receiver.url}", "retention.facts_weeks=3")
        with pytest.raises(Killed):
            nightly.run(replace(service.plan(night, *settings), tell=killed_at(step)))
        service.night(night, *settings)
        told = len(receiver.got)
        Service(other).night(night, *settings)
        assert told in (1, 2)  # twice where nobody could write down that it was told
        assert receiver.got[0] == receiver.got[-1]
    assert left_behind(service) == left_behind(Service(other))


def killed_at(step: str) -> Tell:
    def tell(name: str, said: dict[str, object]) -> None:
        if name == step:
            raise Killed

    return tell


def left_behind(service: Service) -> dict[str, object]:
    """All that a night leaves, the store's own folder aside."""
    files = ["alerts.json", "reports/.made.json"]
    report = (service.folder / "reports/2026-W42.json").read_text()
    with reader(service.store) as con:
        facts = con.execute("SELECT count(*), min(day) FROM chunks").fetchall()
        estimates = con.execute("FROM week_estimates ORDER BY ALL").fetchall()
    return {
        **{name: (service.folder / name).read_text() for name in files},
        "report": report.replace(str(service.folder), ""),
        "events": [(one.kind, one.alarm, one.note) for one in service.events()],
        "store": (facts, estimates),
    }


def test_two_quiet_weeks_end_it_once(service: Service) -> None:
    for day in days_from(MONDAY, 21):
        arrive(service, day, copies=A_DAY if day < MONDAY + timedelta(days=7) else 0)
    assert raised(service) == []
    done = service.night(MONDAY + timedelta(days=7))
    assert [one["alarm"] for one in done.alerts.new] == [FLOOD]
    assert service.night(MONDAY + timedelta(days=14)).alerts.over == ()
    assert service.night(MONDAY + timedelta(days=21)).alerts.over == (FLOOD,)
    assert service.night(MONDAY + timedelta(days=22)).alerts.over == ()


def test_a_week_that_is_not_over_is_never_judged_as_a_week(service: Service) -> None:
    for day in days_from(MONDAY, 7):
        arrive(service, day, copies=A_DAY)
    sunday = service.night(MONDAY + timedelta(days=6))
    assert sunday.alerts.week == MONDAY - timedelta(days=7)
    monday = service.night(MONDAY + timedelta(days=7))
    assert monday.alerts.week == MONDAY


def test_a_missed_night_is_looked_at_with_the_days_before_it(service: Service) -> None:
    """Copies on Sunday and Monday: no calendar week has enough of them."""
    rule = ("minimum_effects.involved_rate=0.05", "drift.at_once=1")
    sunday = MONDAY + timedelta(days=6)
    for day in days_from(MONDAY, 16):
        arrive(service, day, copies=10 if day in (sunday, sunday + timedelta(days=1)) else 0)
    late = sunday + timedelta(days=10)
    assert service.night(late, *rule).alerts.new == ()
    assert raised(service) == []
    made_up = service.night(late, *rule, missed=[sunday + timedelta(days=2)])
    name = "2026-W43-support-near-copies"
    assert raised(service) == [(name, True)]
    assert [one["alarm"] for one in made_up.alerts.new] == [name]


class TestReports:
    def made(self, service: Service) -> dict[str, int]:
        reports = service.folder / "reports"
        return {file.name: file.stat().st_mtime_ns for file in reports.glob("2*.json")}

    def test_the_first_night_makes_the_newest_and_later_ones_what_is_due(
        self, reporting: Service
    ) -> None:
        service = reporting
        first = self.made(service)
        assert list(first) == ["2026-W41.json"]
        for day in days_from(MONDAY, 15):
            arrive(service, day)
        assert [one.week for one in service.night(MONDAY + timedelta(days=3)).reports] == []
        done = service.night(MONDAY + timedelta(days=15))  # nine nights were missed
        assert [f"{one.week:%G-W%V}" for one in done.reports] == ["2026-W42", "2026-W43"]
        assert self.made(service)["2026-W41.json"] == first["2026-W41.json"]
        assert service.night(MONDAY + timedelta(days=15)).reports == ()

    def test_labels_and_late_files_remake_the_weeks_that_they_touch(
        self, reporting: Service
    ) -> None:
        service = reporting
        for day in days_from(MONDAY, 7):
            arrive(service, day)
        service.night(MONDAY + timedelta(days=7))
        before = self.made(service)
        last = MONDAY - timedelta(days=1)
        service.log(
            "labels.jsonl", [label(f"support-{last}-0", at=f"{MONDAY}T08:00:00Z", correct=True)]
        )
        service.log("late.jsonl", of_day(FIRST, "docs", 3))  # of a week that was never reported
        done = service.night(MONDAY + timedelta(days=8))
        assert [(f"{one.week:%G-W%V}", one.again) for one in done.reports] == [("2026-W41", True)]
        after = self.made(service)
        assert [name for name in after if after[name] != before[name]] == ["2026-W41.json"]

    def test_a_report_knows_nothing_of_alarms_of_later_weeks(self, reporting: Service) -> None:
        service = reporting
        arrive(service, MONDAY, copies=A_DAY)
        assert len(service.night(MONDAY + timedelta(days=1)).alerts.new) == 1
        last = MONDAY - timedelta(days=1)
        service.log("late.jsonl", of_day(last, "docs", 3))
        assert len(service.night(MONDAY + timedelta(days=1)).reports) == 1
        assert "support-near-copies" not in (service.folder / "reports/2026-W41.json").read_text()

    def test_made_again_from_the_same_store_it_is_the_same(self, reporting: Service) -> None:
        service = reporting
        reports = service.folder / "reports"
        texts = []
        for _ in range(2):
            (reports / ".made.json").unlink()
            assert len(service.night(MONDAY).reports) == 1
            texts.append((reports / "2026-W41.json").read_text())
        assert texts[0] == texts[1]


class TestRetention:
    def test_old_facts_are_sealed_and_the_night_goes_on(self, service: Service) -> None:
        done = service.night(MONDAY, "retention.facts_weeks=3", "retention.rollup_weeks=5")
        assert done.held.sealed_before == done.held.facts_from == MONDAY - timedelta(weeks=3)
        assert done.held.counts_from == MONDAY - timedelta(weeks=5)
        assert done.summary()[3].endswith("facts from 2026-09-21, sealed before 2026-09-21")
        service.log("late.jsonl", of_day(FIRST, "docs", 3))
        again = service.night(MONDAY, "retention.facts_weeks=3", "retention.rollup_weeks=5")
        assert again.files["set_aside"] == 1  # every line of it is of a sealed day
        assert [said["before"] for said in service.told("sealed")] == ["2026-09-21"]

    def test_alarms_do_not_change_with_it(self, service: Service) -> None:
        for day in days_from(MONDAY, 7):
            arrive(service, day, copies=A_DAY)
        night = MONDAY + timedelta(days=7)
        kept = ("retention.facts_weeks=2", "retention.rollup_weeks=2")
        service.night(MONDAY, *kept)
        done = service.night(night, *kept)
        assert [one["alarm"] for one in done.alerts.alarms] == [FLOOD]
        assert service.night(night + timedelta(days=1), *kept).alerts.over == ()


def test_thresholds_of_the_configuration_decide(service: Service) -> None:
    for day in days_from(MONDAY, 7):
        arrive(service, day, copies=A_DAY)
    night = MONDAY + timedelta(days=7)
    deaf = service.night(night, "minimum_effects.involved_rate=0.9")
    assert deaf.alerts.alarms == ()
    assert [one["alarm"] for one in service.night(night).alerts.new] == [FLOOD]


def test_estimates_are_made_again_when_asked(tmp_path: Path) -> None:
    service = Service(tmp_path)
    service.log("shuffled.jsonl", shuffled(FIRST))
    service.night(FIRST)
    assert verdict(service) == "FEW_UNITS"
    few = ("effect.least_units=3", "effect.largest_group=1")
    service.night(FIRST, *few)
    assert verdict(service) == "FEW_UNITS"
    service.night(FIRST, *few, estimate_again=True)
    assert verdict(service) != "FEW_UNITS"


def shuffled(day: date) -> Iterator[Json]:
    """A day's prompts whose order was drawn by chance."""
    for number, one in enumerate(of_day(day, "support", 120, explored=True)):
        ranks = [(1, 2, 3), (2, 1, 3), (3, 1, 2), (2, 3, 1)][number % 4]
        for chunk, rank in zip(one["chunks"], ranks, strict=True):
            chunk["rank"] = rank
        yield one


def verdict(service: Service) -> str:
    with reader(service.store) as con:
        sql = "SELECT verdict FROM week_estimates WHERE measure = 'dip'"
        [(found,)] = con.execute(sql).fetchall()
    return str(found)


def test_the_file_of_alerts_is_documented_json(service: Service) -> None:
    arrive(service, MONDAY, copies=A_DAY)
    service.night(MONDAY + timedelta(days=1))
    held = json.loads((service.folder / "alerts.json").read_text())
    assert {"night", "made_at", "week", "tests", "alarms", "over"} == set(held)
    [alarm] = held["alarms"]
    assert {"new", "muted", "acknowledged_by", "cause", "command"} <= set(alarm)
    assert alarm["raised"] == "2026-10-12"
