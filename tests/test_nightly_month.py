"""A month of nights with all that goes wrong in one, against one clean load of the same files.

Late files, a doubled start, a missed night, a file cut short and then whole, a rotated one, one
delivered again under another name, late labels, a poisoned file, three kills, an acknowledgement
while a night runs; and a reader that asks all the time.
"""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, timedelta
from pathlib import Path

import pytest
from loading.records import Json, label, lines
from loading.sites import FACTS, NOW, ROLLUPS, Site
from nights import ROOT, Service, days_from, of_day

from analyzer import assets, updating
from analyzer.assets import shipped
from analyzer.cli import main
from analyzer.errors import StoreLocked
from analyzer.nightly.alone import alone

FIRST = date(2026, 10, 5)  # a Monday
DAYS = days_from(FIRST, 30)
ROUTES = {"support": 13, "docs": 11, "code": 12}
ELSEWHERE = {(3, "support"), (4, "docs"), (10, "support"), (14, "docs")}  # late, cut, rotated
SILENT_FROM = 21  # the day on which code falls silent
KILLED = (6, 15, 23)
MISSED = 11
ACKED = 25

POLL = """
import sys, time
from pathlib import Path
from analyzer.query import ask
from analyzer.store import reader
path, stop = Path(sys.argv[1]), Path(sys.argv[2])
polls, last = 0, 0
while not stop.exists():
    if path.exists():
        with reader(path) as con:
            [(requests, ids, counted, batches)] = con.execute(
                "SELECT (SELECT count(*) FROM requests), "
                "(SELECT count(DISTINCT request_id) FROM requests), "
                "(SELECT coalesce(sum(requests), 0)::INT FROM days), "
                "(SELECT count(*) FROM batches)"
            ).fetchall()
            [told] = ask(con, "line_counts").to_pylist()
        assert requests == ids == counted, (requests, ids, counted)
        parts = ("loaded", "duplicate", "superseded", "rejected")
        assert told["read"] == sum(told[part] for part in parts), told
        assert batches >= last
        polls, last = polls + 1, batches
    time.sleep(0.2)
print(polls)
"""


@contextmanager
def polling(service: Service) -> Iterator[list[int]]:
    """A reader that is never refused and never sees a request twice; how often it asked."""
    stop, asked = service.folder / "stop", list[int]()
    command = [sys.executable, "-c", POLL, str(service.store), str(stop)]
    reader = subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    yield asked
    stop.touch()
    out, err = reader.communicate(timeout=60)
    assert reader.returncode == 0, err
    asked.append(int(out))


class Month:
    """What arrives on which night; the archive keeps every version of every file."""

    def __init__(self, service: Service, archive: Path) -> None:
        self.service, self.archive = service, archive
        self.counted: Counter[tuple[date, str]] = Counter()  # what must be in the end
        archive.mkdir()

    def day(self, number: int, route: str) -> list[Json]:
        return list(of_day(DAYS[number], route, ROUTES[route]))

    def put(self, name: str, records: list[Json]) -> None:
        self.keep(self.service.log(name, records))

    def keep(self, file: Path) -> None:
        """Remember this version of a file."""
        copy = self.archive / f"{len(list(self.archive.iterdir())):03d}-{file.name}"
        copy.write_bytes(file.read_bytes())

    def arrives(self, number: int) -> None:
        """What lies there when the night after a day begins."""
        routes = [route for route in ROUTES if route != "code" or number < SILENT_FROM]
        self.counted.update({(DAYS[number], route): ROUTES[route] for route in routes})
        there = [route for route in routes if (number, route) not in ELSEWHERE]
        ending = ".gz" if number % 3 == 0 else ""
        records = [one for route in there for one in self.day(number, route)]
        self.put(f"{DAYS[number]}.jsonl{ending}", records)
        special = getattr(self, f"after_{number}", None)
        if special:
            special()

    def after_7(self) -> None:
        """Delivered again under another name, and with a few lines of another day."""
        self.put("again.jsonl", self.day(5, "support"))
        self.put("overlap.jsonl", [*self.day(6, "docs")[:5], *self.day(7, "docs")[3:]])

    def after_8(self) -> None:
        """A late file of the same week, and a poisoned one."""
        self.put("docs-late.jsonl", self.day(4, "docs"))
        poisoned = self.service.logs / "poisoned.jsonl"
        poisoned.write_text(lines(of_day(DAYS[8], "docs", 9, prompt_tokens=-1)) + "no record\n")
        self.keep(poisoned)

    def after_10(self) -> None:
        """The first half of a packed file."""
        whole = self.service.log("support-cut.jsonl.gz", self.day(10, "support"))
        whole.write_bytes(whole.read_bytes()[:-120])
        self.keep(whole)

    def after_12(self) -> None:
        """The whole of it, under the same name."""
        self.put("support-cut.jsonl.gz", self.day(10, "support"))

    def after_14(self) -> None:
        """A file that is still being written."""
        self.put("docs.log.jsonl", self.day(14, "docs")[:6])

    def after_15(self) -> None:
        """It was rotated, and a new one began under its name."""
        self.put("docs.log.1.jsonl", self.day(14, "docs"))
        (self.service.logs / "docs.log.jsonl").unlink()
        self.put("docs.log.jsonl", self.day(15, "docs")[:4])

    def after_17(self) -> None:
        """Two weeks late, into a week whose report was made; and revisions of an early day."""
        self.put("support-late.jsonl", self.day(3, "support"))
        self.put("revised.jsonl", [{**one, "revision": 1} for one in self.day(2, "support")[:6]])

    def after_19(self) -> None:
        """Labels of old requests, some of requests that nobody knows."""
        asked = [one["request_id"] for day in (1, 9, 16) for one in self.day(day, "docs")]
        self.put(
            "labels.jsonl",
            [
                label(name, at="2026-10-25T08:00:00Z", correct=n % 3 > 0)
                for n, name in enumerate([*asked, "nobody"])
            ],
        )


def run_month(service: Service, month: Month) -> None:
    """Thirty nights."""
    dice = random.Random(4)
    for number, day in enumerate(DAYS):
        month.arrives(number)
        night = day + timedelta(days=1)
        if number in KILLED:
            kill(service, night, dice, loading=number != KILLED[-1])
        if number == ACKED:
            acknowledge_meanwhile(service, night)
        elif number == 5:
            start_twice(service, night)
        elif number != MISSED:
            service.night(night, missed=[night - timedelta(days=1)] if number == MISSED + 1 else [])


def kill(service: Service, night: date, dice: random.Random, *, loading: bool) -> None:
    """Kill the night while it writes the store, or at any moment after."""
    process = service.apart(night)
    draft = service.folder / ".store.duckdb.draft"
    while process.poll() is None and not draft.exists():
        time.sleep(0.002)
    while not loading and process.poll() is None and draft.exists():
        time.sleep(0.002)
    time.sleep(dice.uniform(0, 0.15))
    process.kill()
    assert process.wait() == -signal.SIGKILL, "the night was over before it was killed"


def start_twice(service: Service, night: date) -> None:
    """Two at once: both may be asked, one works at a time, and a third is sent away."""
    with alone(service.store), pytest.raises(StoreLocked):
        service.night(night)
    first, second = service.apart(night), service.apart(night)
    codes = {first.wait(), second.wait()}
    assert 0 in codes


def acknowledge_meanwhile(service: Service, night: date) -> None:
    """Somebody answers the alarm while the night writes."""
    name = f"{DAYS[SILENT_FROM] + timedelta(days=1)}-code-silent"
    process = service.apart(night)
    draft = service.folder / ".store.duckdb.draft"
    while process.poll() is None and not draft.exists():
        time.sleep(0.002)
    assert main.run(["ack", name, "--who", "ada", "--store", str(service.store)]) == 0
    assert process.wait() == 0


@pytest.fixture(scope="module")
def short_reports(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Reports of one panel: when they are made matters here, and not what is drawn in them."""
    page, _, rest = (shipped("dashboards") / "weekly.toml").read_text().partition("[keys]")
    folder = tmp_path_factory.mktemp("dashboards")
    one = "[[panel]]".join(page.split("[[panel]]")[:2])
    (folder / "weekly.toml").write_text(f"{one}[keys]{rest}")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(assets._own, "dashboards", folder)
        yield


@pytest.fixture(scope="module")
def month(short_reports: None, tmp_path_factory: pytest.TempPathFactory) -> Month:
    service = Service(tmp_path_factory.mktemp("service"))
    made = Month(service, service.folder / "archive")
    with polling(service) as asked:
        run_month(service, made)
    assert asked[0] > 30
    return made


def clean(files: list[Path], folder: Path) -> Site:
    """One load of all files into a new store."""
    folder.mkdir()
    site = Site(folder)
    updating.ingest(files, site.store, now=NOW, unit_key="00")
    return site


def site_of(month: Month) -> Site:
    site = Site(month.service.folder)
    assert site.store == month.service.store
    return site


CONTENT = (*FACTS, *ROLLUPS, "week_estimates", "judgements")


def test_the_end_state_equals_one_clean_load_of_all_files(month: Month, tmp_path: Path) -> None:
    files = sorted(month.service.logs.iterdir())
    fresh = clean(files, tmp_path / "fresh")
    facts = [table for table in CONTENT if table != "judgements"]
    assert site_of(month).contents(facts) == fresh.contents(facts)


def test_the_books_equal_one_load_of_everything_that_ever_lay_there(
    month: Month, tmp_path: Path
) -> None:
    everything = clean(sorted(month.archive.iterdir()), tmp_path / "everything")
    books = [*CONTENT, "memberships", "rejected_lines"]
    assert site_of(month).contents(books) == everything.contents(books)
    counts = "SELECT batch, state, read, loaded, duplicate, superseded, rejected, judgements "
    assert site_of(month).rows(f"{counts} FROM batches ORDER BY batch") == everything.rows(
        f"{counts} FROM batches ORDER BY batch"
    )


def test_no_day_counts_twice_and_none_is_missing(month: Month) -> None:
    counted = site_of(month).rows("SELECT day, route, sum(requests)::INT FROM days GROUP BY ALL")
    assert {(day, route): n for day, route, n in counted} == dict(month.counted)


def test_what_was_poisoned_is_set_aside_and_tried_no_more(month: Month) -> None:
    states = site_of(month).rows("SELECT parse_filename(file), state FROM batches")
    assert ("poisoned.jsonl", "set_aside") in states
    tried = [said for said in month.service.told("file") if "poisoned" in str(said["file"])]
    assert len(tried) == 1


def test_every_closed_week_has_its_report_and_a_late_file_remakes_its_own(month: Month) -> None:
    reports = sorted(file.name for file in (month.service.folder / "reports").glob("2*"))
    assert reports == [f"2026-W{week}.json" for week in (41, 42, 43, 44)]
    again = [said["week"] for said in month.service.told("report") if said["again"]]
    assert set(again) == {"2026-W41", "2026-W42"}


def test_every_alarm_is_raised_once_and_the_answer_is_kept(month: Month) -> None:
    said = month.service.events()
    raised = [one.alarm for one in said if one.kind == "raised"]
    name = f"{DAYS[SILENT_FROM] + timedelta(days=1)}-code-silent"
    assert name in raised
    assert len(raised) == len(set(raised))
    assert [(one.alarm, one.who) for one in said if one.kind == "ack"] == [(name, "ada")]


def test_nothing_of_a_killed_night_is_left(month: Month) -> None:
    left = {file.name for file in month.service.folder.glob(".store*")}
    assert left <= {
        ".store.duckdb.lock",
        ".store.duckdb.night.lock",
        ".store.duckdb.events.lock",
    }
