"""A clock that is ahead: its line is kept and told of, and takes no default over."""

from __future__ import annotations

import json
import shutil
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from analyzer import watch, weeks
from analyzer.cli import main
from analyzer.errors import NothingThere
from analyzer.store import reader, writer
from analyzer.swap.production import length_bins

Captured = pytest.CaptureFixture[str]

MONDAY = date(2024, 11, 18)  # 2024-W47, over whatever the clock of the machine says
NEXT = MONDAY + timedelta(weeks=1)
AHEAD = date(2199, 1, 3)


def asked(number: int, day: date, place: int) -> str:
    """A request with four packed chunks, in one of four orders."""
    chunks = [
        {
            "chunk_id": f"c{rank}",
            "rank": rank,
            "position": (rank + place) % 4 + 1,
            "tokens": 100,
            "cited": rank == 1,
        }
        for rank in range(1, 5)
    ]
    fields = {"request_id": f"r{number}", "requested_at": f"{day}T09:00:00Z", "model": "m-1"}
    return json.dumps(fields | {"route": "support", "chunks": chunks})


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a log, and a store of it that is copied, as to load it takes long."""
    folder = tmp_path_factory.mktemp("ahead")
    lines = [asked(number, MONDAY + timedelta(days=number % 7), number) for number in range(60)]
    (folder / "log.jsonl").write_text("\n".join([*lines, asked(60, AHEAD, 0)]))
    assert main.run(["ingest", str(folder / "log.jsonl"), "--store", str(folder / "s.duckdb")]) == 0
    return folder


@pytest.fixture
def store(loaded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Sixty requests of 2024-W47, and one of a host whose clock is ahead."""
    monkeypatch.chdir(tmp_path)
    for name in ("log.jsonl", "s.duckdb"):
        shutil.copy(loaded / name, name)
    return Path("s.duckdb")


def test_a_load_says_how_many_requests_lie_in_the_future(store: Path, capsys: Captured) -> None:
    store.unlink()
    assert main.run(["ingest", "log.jsonl", "--store", "s.duckdb"]) == 0
    assert capsys.readouterr().err == (
        "log.jsonl: 1 request lies in the future, r60 at 2199-01-03 09:00 UTC; a clock is wrong: "
        "set it and log the right time under a higher `revision`, or take it out with "
        "citelog erase --request r60 --store s.duckdb\n"
    )


def test_of_several_the_first_is_named(store: Path, capsys: Captured) -> None:
    Path("more.jsonl").write_text(
        "\n".join([asked(72, AHEAD + timedelta(days=1), 0), asked(71, AHEAD, 0)])
    )
    assert main.run(["ingest", "more.jsonl", "--store", "s.duckdb"]) == 0
    assert capsys.readouterr().err.startswith(
        "more.jsonl: 2 requests lie in the future, the first is r71 at 2199-01-03 09:00 UTC; "
    )


def test_within_a_day_of_now_nothing_is_said(store: Path, capsys: Captured) -> None:
    soon = datetime.now(UTC) + timedelta(hours=23)
    Path("soon.jsonl").write_text(
        json.dumps({"request_id": "soon", "requested_at": soon.isoformat(), "chunks": []})
    )
    assert main.run(["ingest", "soon.jsonl", "--store", "s.duckdb"]) == 0
    assert capsys.readouterr().err == ""


def test_a_report_straight_from_files_names_no_command_for_its_passing_store(
    store: Path, capsys: Captured
) -> None:
    assert main.run(["report", "log.jsonl", "-o", "r.json"]) == 0
    told = capsys.readouterr().err
    assert "log the right time under a higher `revision`\n" in told
    assert "citelog erase" not in told
    assert json.loads(Path("r.json").read_text())["week"] == "2024-W47"


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("effect", "position effect from 2024-11-18 to 2024-11-24"),
        ("orderings", "2024-11-18"),
        ("what-if --top-k 2", "from 2024-11-18 to 2024-11-24"),
        ("swap coverage", "week of 18 November"),
        ("alerts", "2024-W47: "),
    ],
)
def test_by_default_the_newest_week_that_is_over_is_taken(
    command: str, said: str, store: Path, capsys: Captured
) -> None:
    assert main.run([*command.split(), "--store", "s.duckdb"]) == 0
    out = capsys.readouterr().out
    assert said in out
    assert "2199" not in out


@pytest.mark.parametrize(
    ("command", "code", "said"),
    [
        (
            "query funnel",
            2,
            "query funnel needs week (Monday that opens the week); the store's last week that is "
            "over is --param week=2024-W47\n",
        ),
        (
            "query funnel --param week=2024-W30",
            5,
            "s.duckdb has no requests in 2024-W30; its last week that is over is 2024-W47\n",
        ),
        (
            "report --week 2024-W30",
            5,
            "s.duckdb has no requests in 2024-W30; its last week that is over is 2024-W47\n",
        ),
        (
            "effect --since 2024-W48",
            2,
            "--since 2024-11-25 is after 2024-11-18, the last week that is taken; "
            "name a later one with --week\n",
        ),
    ],
)
def test_what_is_suggested_is_the_newest_week_that_is_over(
    command: str, code: int, said: str, store: Path, capsys: Captured
) -> None:
    assert main.run([*command.split(), "--store", "s.duckdb"]) == code
    assert capsys.readouterr().err == said


def test_prompts_of_an_evaluation_are_as_long_as_those_of_weeks_that_are_over(store: Path) -> None:
    bins = length_bins(store, "support", AHEAD)
    assert sum(requests for _, requests in bins) == 60
    going_on = length_bins(store, "support", MONDAY)
    assert sum(requests for _, requests in going_on) == 60, "no week is over: the one that goes on"


@pytest.mark.parametrize(
    ("today", "over", "newest", "name"),
    [
        (date(2024, 11, 10), None, NEXT, "last week"),  # before both
        (date(2024, 11, 24), None, MONDAY, "last week"),  # a Sunday: the first week goes on
        (NEXT, MONDAY, MONDAY, "last week that is over"),
        (date(2024, 12, 2), NEXT, NEXT, "last week"),
    ],
)
def test_a_week_is_over_on_the_monday_after_it(
    today: date, over: date | None, newest: date, name: str, tmp_path: Path
) -> None:
    log, held = tmp_path / "log.jsonl", tmp_path / "two.duckdb"
    log.write_text("\n".join([asked(1, MONDAY, 0), asked(2, NEXT, 0)]))
    assert main.run(["ingest", str(log), "--store", str(held)]) == 0
    with reader(held) as con:
        assert weeks.newest_over(con, today) == over
        assert weeks.newest(con, today) == newest
        assert weeks.last(con, today) == (name, newest)


def test_an_empty_store_has_no_newest_week(tmp_path: Path) -> None:
    with writer(tmp_path / "empty.duckdb"):
        pass
    with reader(tmp_path / "empty.duckdb") as con:
        assert weeks.newest_over(con, MONDAY) is None
        assert weeks.last(con, MONDAY) is None
        with pytest.raises(NothingThere, match="the store has no requests yet; citelog ingest"):
            weeks.newest(con, MONDAY)


def test_a_line_of_the_future_closes_no_week_that_goes_on(store: Path) -> None:
    with reader(store) as con:
        assert watch.closed_week(con, NEXT) == MONDAY
        assert watch.closed_week(con, AHEAD) == MONDAY
    Path("next.jsonl").write_text(asked(99, NEXT, 0))
    assert main.run(["ingest", "next.jsonl", "--store", str(store)]) == 0
    with reader(store) as con:
        assert watch.closed_week(con, NEXT + timedelta(days=2)) == MONDAY
        assert watch.closed_week(con, NEXT + timedelta(days=7)) == NEXT


def test_while_no_week_is_over_the_one_that_goes_on_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    """A first day's log, with one line of a clock that is ahead."""
    monkeypatch.chdir(tmp_path)
    today = datetime.now(UTC).date()
    lines = [asked(0, today, 0), asked(1, AHEAD, 0)]
    Path("first.jsonl").write_text("\n".join(lines))
    assert main.run(["ingest", "first.jsonl", "--store", "s.duckdb"]) == 0
    monday = today - timedelta(days=today.weekday())
    with reader(Path("s.duckdb")) as con:
        assert weeks.newest(con, today) == monday
        with pytest.raises(NothingThere, match="holds no week that is over"):
            watch.closed_week(con, today)
