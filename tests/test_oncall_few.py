"""What `citelog compare` and `investigate` say of a handful of requests: how many, and no rate."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from loading.records import Json, request
from loading.sites import Site

from analyzer.cli import main
from analyzer.measures.weekly import WeekEstimate
from analyzer.oncall.compared_table import remarks, told_table
from analyzer.oncall.comparing import called, difference_of
from analyzer.oncall.splitting import Comparison
from analyzer.stats import jackknife
from analyzer.stats.settings import DriftSettings

Captured = pytest.CaptureFixture[str]
Run = Callable[..., tuple[int, str, str]]
W46, W47 = "2026-11-09", "2026-11-16"


@pytest.fixture
def run(capsys: Captured, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    def said(*arguments: str) -> tuple[int, str, str]:
        code = main.run([*arguments, "--store", str(tmp_path / "store.duckdb")])
        return code, *capsys.readouterr()

    return said


def answers(day: str, release: str, many: int, free: int = 0, **fields: Any) -> Iterator[Json]:
    """Requests of a release, each of another unit; the first `free` cite nothing."""
    for n in range(many):
        chunks = ({"rank": k, "position": k, "cited": k == 1 and n >= free} for k in (1, 2, 3))
        usual = {"route": "chat", "unit_id": f"u{n}", "model": "m"}
        at = f"{day}T{n % 24:02}:00:00Z"
        yield request(
            f"{day}-{release}-{n}",
            *chunks,
            **(usual | {"requested_at": at, "release": release} | fields),
        )


def loaded(tmp_path: Path, *records: Iterator[Json]) -> None:
    """A store of these, called store.duckdb."""
    site = Site(tmp_path)
    site.load_log("log.jsonl", *(one for some in records for one in some))
    if site.store != tmp_path / "store.duckdb":
        site.store.rename(tmp_path / "store.duckdb")


class TestRefusal:
    few = (
        "chat has 80 requests with v1 and 3 with canary in 2026-W47, and of fewer than 50 no rate "
        "is told; wait for more of them or name another week, or, where one replaced the other, "
        "compare the weeks before and after\n"
    )

    def test_three_requests_of_a_canary_are_compared_with_nothing(
        self, tmp_path: Path, run: Run
    ) -> None:
        loaded(tmp_path, answers(W47, "v1", 80, free=36), answers(W47, "canary", 3))
        pair = ("--release", "canary", "--against", "v1")
        store = tmp_path / "store.duckdb"
        assert run("compare", *pair) == (5, "", f"{store}: {self.few}")
        assert run("compare", *pair, "--format", "json") == (5, "", f"{store}: {self.few}")
        assert run("investigate", *pair) == (5, "", self.few)
        assert run("investigate", *pair, "--metric", "citation-free") == (5, "", self.few)

    def test_of_weeks_and_since_a_day_too(self, tmp_path: Path, run: Run) -> None:
        loaded(tmp_path, answers(W46, "v1", 49), answers(W47, "v1", 80))
        code, out, err = run("compare", "2026-W46", "2026-W47")
        assert (code, out) == (5, "")
        assert "chat has 49 requests in 2026-W46 and 80 in 2026-W47, and of fewer than 50 " in err
        code, out, err = run("investigate", "--since", "2026-W47")
        assert (code, out) == (5, "")
        assert "chat has 49 requests in the four weeks before 2026-11-16 and 80 since, " in err

    def test_a_route_of_too_few_is_told_once_beside_others(self, tmp_path: Path, run: Run) -> None:
        other = {"route": "docs"}
        loaded(
            tmp_path,
            answers(W46, "v1", 60),
            answers(W46, "v2", 4, **other),
            answers(W47, "v1", 60),
            answers(W47, "v2", 70, **other),
        )
        code, out, _ = run("compare", "2026-W46", "2026-W47")
        told = "docs has 4 requests in 2026-W46 and 70 in 2026-W47; 50 on each side are needed"
        assert code == 0
        assert [line for line in out.splitlines() if "are needed" in line] == [told]
        rows = [re.split(r"  +", line) for line in out.splitlines() if line.startswith("docs  ")]
        assert {row[2] for row in rows} == {"n < 50", "–"}

    def test_one_measure_of_too_few_is_told_with_its_numbers(
        self, tmp_path: Path, run: Run
    ) -> None:
        """Sixty of eighty answers are judged before, thirty of sixty since."""
        loaded(
            tmp_path,
            answers(W46, "v1", 60, correct=True),
            answers(W46, "v2", 20),
            answers(W47, "v1", 30, correct=True),
            answers(W47, "v2", 30),
        )
        code, out, _ = run("compare", "2026-W46", "2026-W47")
        assert code == 0
        lines = out.splitlines()
        assert lines[0].split()[:5] == ["measure", "2026-W46", "n", "2026-W47", "n"]
        [accuracy] = [line for line in lines if line.startswith("accuracy ")]
        cells = ["100.0%", "60", "n < 50", "30", "–", "–", "too few", "–", "–"]
        assert re.split(r"  +", accuracy)[1:] == cells
        assert (
            "chat: accuracy not compared: 60 judged answers in 2026-W46, 30 in 2026-W47; "
            "50 on each side are needed" in lines
        )
        rows = json.loads(run("compare", "2026-W46", "2026-W47", "--format", "json")[1])
        row = next(row for row in rows if row["measure"] == "accuracy")
        assert (row["before"], row["since"], row["too_few"]) == (1.0, None, True)
        assert (row["base_before"], row["base_since"]) == (60, 30)
        assert [row[name] for name in ("change", "low", "p", "chance", "mix")] == [None] * 5
        asked = ("investigate", "--since", "2026-W47", "--metric", "accuracy")
        assert run(*asked)[2].startswith("chat: accuracy not compared: 60 judged answers in ")

    def test_a_release_in_the_place_of_a_week_is_told_how_to_ask(self, run: Run) -> None:
        assert run("compare", "docs-33", "docs-34") == (
            2,
            "",
            "'docs-33' is no week as 2026-W47; of two releases ask "
            "citelog compare --release docs-34 --against docs-33\n",
        )
        assert "'docs-34' is no week" in run("compare", "2026-W46", "docs-34")[2]
        assert "week 2026-11-10 is a Tuesday" in run("compare", "2026-11-10", "2026-W47")[2]


class TestSplit:
    def parts(self, run: Run, *asked: str) -> dict[str, Any]:
        rows = json.loads(run("compare", *asked, "--format", "json")[1])
        row: dict[str, Any] = next(row for row in rows if row["measure"] == "citation_free_rate")
        return row

    def test_the_last_requests_of_a_release_tell_no_behaviour(
        self, tmp_path: Path, run: Run
    ) -> None:
        """10 of 100 cite nothing; then 0 of 4 under the old release and 12 of 100 under the new.

        12 / 104 - .1 = .015385 came with the new one; the four would have told of behaviour
        (1 + 4 / 104) / 2 x (0 - .1) = -.0519, and of as much mix against it.
        """
        loaded(
            tmp_path,
            answers(W46, "old", 100, free=10),
            answers(W47, "old", 4),
            answers(W47, "new", 100, free=12),
        )
        row = self.parts(run, "2026-W46", "2026-W47")
        assert row["change"] == pytest.approx(12 / 104 - 0.1)
        assert row["came_or_went"] == pytest.approx(12 / 104 - 0.1)
        assert (row["behaviour"], row["mix"]) == (0.0, 0.0)
        assert "0.0; new, gone or few +1.5" in run("compare", "2026-W46", "2026-W47")[1]

    def test_many_releases_of_a_few_requests_are_not_split(self, tmp_path: Path, run: Run) -> None:
        loaded(
            tmp_path,
            *(answers(W46, f"r{n}", 20, free=2) for n in range(5)),
            *(answers(W47, f"r{n}", 20, free=3) for n in range(5)),
        )
        row = self.parts(run, "2026-W46", "2026-W47")
        assert row["change"] == pytest.approx(0.05)
        assert [row[name] for name in ("behaviour", "mix", "came_or_went")] == [None] * 3

    def test_labels_of_an_investigation_say_that_they_are_few(
        self, tmp_path: Path, run: Run
    ) -> None:
        loaded(
            tmp_path,
            answers(W46, "old", 200, free=20),
            answers(W47, "old", 4),
            answers(W47, "new", 200, free=120),
        )
        asked = ("investigate", "--since", "2026-W47", "--metric", "citation-free")
        found = json.loads(run(*asked, "--json")[1])["change"]
        [release] = [each for each in found["dimensions"] if each["dimension"] == "release"]
        old = next(label for label in release["labels"] if label["label"] == "old")
        assert (old["presence"], old["behaviour"]) == ("few", 0.0)
        assert (old["n_before"], old["n_since"]) == (200, 4)
        assert release["behaviour"] == 0.0
        assert "All routes" not in run(*asked)[1]  # there is one


def test_what_carries_a_change_of_a_handful_is_not_told(tmp_path: Path, run: Run) -> None:
    """24 answers a day for a week, and forty on the Sunday after it that cite nothing."""
    calm = [one for n in range(9, 15) for one in answers(f"2026-11-{n:02}", "v1", 24)]
    struck = list(answers("2026-11-22", "v1", 40, free=40))
    loaded(tmp_path, iter(calm), answers(W47, "v1", 24), iter(struck))
    asked = ("investigate", "--since", "2026-W47", "--metric", "citation-free")
    change = json.loads(run(*asked, "--json")[1])["change"]
    assert (change["requests_since"], change["too_few"]) == (40, True)
    assert (change["change"], change["dimensions"]) == (None, [])
    assert " and 40 since; 50 on each side are needed." in run(*asked)[1]


def test_nothing_seen_in_sixty_is_no_sure_zero(tmp_path: Path, run: Run) -> None:
    """0 of 120 and 0 of 60: an error of .03454, so 7 points and more either way."""
    loaded(tmp_path, answers(W47, "v1", 120), answers(W47, "canary", 60))
    found = run("compare", "--release", "canary", "--against", "v1", "--format", "json")[1]
    row = next(row for row in json.loads(found) if row["measure"] == "citation_free_rate")
    assert (row["before"], row["since"], row["change"]) == (0.0, 0.0, 0.0)
    assert (row["requests_before"], row["requests_since"]) == (120, 60)
    assert row["high"] == -row["low"] >= 1.96 * 0.03454
    told = run("compare", "--release", "canary", "--against", "v1")[1]
    assert "\nBoth in 2026-W47; n: what the value before it is of " in told


def test_what_the_verdict_rests_on_is_said() -> None:
    """Twenty groups of .30 -+ .04, then the other way round and .044 more: an error of
    sqrt(19 / 20 x 20) x .08 / 19 = .018353, t = 2.397 of 19, p = .0269; of four that is .1076."""
    groups = np.arange(20) % 2 * 2.0 - 1
    found = []
    for measure in ("citation_free_rate", "stray_rate", "accuracy", "largest_document_share"):
        shift = 44.0 if measure == "citation_free_rate" else 0.0
        before = jackknife.rate(300 + 40 * groups, np.full(20, 1000.0))
        since = jackknife.rate(300 + shift - 40 * groups, np.full(20, 1000.0))
        sides = (WeekEstimate("r", measure, one, 20000, 20000, 2e4) for one in (before, since))
        found.append(difference_of("r", measure, *sides, DriftSettings()))
    moved, *still = called(found)
    assert moved.p == pytest.approx(0.0269, abs=5e-4)
    assert moved.p_corrected == pytest.approx(4 * moved.p)
    assert (moved.chance, moved.alone, moved.tests) == (True, True, 4)
    assert [one.alone for one in still] == [False] * 3
    whole = Comparison((moved, *still), {})
    told = told_table(whole, ("a", "b"))
    assert told["chance?"].to_pylist() == ["could be, of 4", "could be", "could be", "could be"]
    assert remarks(whole, ("in a", "in b")) == [
        "could be, of so many: alone its interval excludes 0; corrected for that many it may be "
        "chance."
    ]
