"""`citelog investigate`, `request` and `compare` as commands, on stores with a planted change."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from loading.records import request
from loading.sites import Site
from oncall_world import world
from validation.investigated import Held

from analyzer.cli import alarms as alerts
from analyzer.cli import main
from analyzer.oncall.grids import Grid
from analyzer.oncall.told import Section, Told
from analyzer.report.investigated import page
from analyzer.simulate import Incident, standard, with_incidents
from analyzer.telling.spans import Span
from analyzer.watch import append
from analyzer.watch.raising import Raising, raised

Captured = pytest.CaptureFixture[str]
Run = Callable[..., tuple[int, str, str]]

FIRST = datetime(2026, 8, 3, tzinfo=UTC)
WEEKS = 9
STRUCK = FIRST + timedelta(weeks=WEEKS - 2)
COPIES = STRUCK + timedelta(days=1, hours=14)  # Tuesday
MODEL = STRUCK + timedelta(days=3, hours=6)  # Thursday, so that its week has both releases
ORDERING = STRUCK + timedelta(days=2, hours=20)
ALARM = "2026-W39-support-near-copies"
EXPECTED, END = "the expected chunk", "at position 2 of 2 (end)"
TODAY = (FIRST + timedelta(weeks=WEEKS)).date()


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Old copies on `support`, a new model and release on `docs`, another ordering on `code`."""
    quiet = standard(FIRST, WEEKS, requests=540.0)
    incidents = (
        Incident(kind="reindex_copies", since=COPIES, routes=("support",)),
        Incident(kind="dip_deepens", since=MODEL, routes=("docs",), parameters={"factor": 5.0}),
        Incident(kind="ordering_switched", since=ORDERING, routes=("code",)),
    )
    held = Held(with_incidents(quiet, incidents), STRUCK - timedelta(weeks=2))
    return held.save(tmp_path_factory.mktemp("planted") / "store.duckdb")


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return world(tmp_path_factory.mktemp("world"))


@pytest.fixture
def run(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setattr(alerts, "_today", lambda: TODAY)

    def said(store: Path, *arguments: str) -> tuple[int, str, str]:
        code = main.run([*arguments, "--store", str(store)])
        out, err = capsys.readouterr()
        return code, out, err

    return said


class TestInvestigate:
    def test_an_alarm_is_told_on_one_screen(self, planted: Path, run: Run) -> None:
        code, out, err = run(planted, "investigate", ALARM)
        assert (code, err) == (0, "")
        lines = out.splitlines()
        assert len(lines) <= 45
        assert max(len(line) for line in lines if not line.startswith("$ ")) <= 100
        titles = [line.split("  ")[0] for line in lines if re.match(r"[A-Z][a-z]+", line)]
        assert titles == ["When", "Carried by", "Why", "Requests"]
        assert "re-indexing left old copies" in out
        assert "index-1-reindexed" in out
        assert out.count("$ citelog ") == 2
        assert not re.search(r"^ +route ", out, re.MULTILINE)  # theirs is another change
        assert re.search(r"All routes together: \+\d+\.\d over whole days, of it support \+", out)

    def test_its_commands_ask_the_same_store(
        self, planted: Path, run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        _, out, _ = run(planted, "investigate", ALARM)
        commands = [shlex.split(line[2:]) for line in out.splitlines() if line.startswith("$ ")]
        assert [one[-2:] for one in commands] == 2 * [["--store", str(planted)]]
        for command in commands:
            assert main.run(command[1:]) == 0
        run(planted, "investigate", ALARM, "--html", str(tmp_path / "page.html"))
        assert "--store" not in (tmp_path / "page.html").read_text()
        monkeypatch.setenv("CITELOG_STORE", str(planted))
        assert "--store" not in run(planted, "investigate", ALARM)[1]

    def test_the_commands_of_alerts_do_too(self, planted: Path, run: Run) -> None:
        _, out, _ = run(planted, "alerts")
        commands = [line for line in out.splitlines() if line.startswith("  $ ")]
        assert commands
        assert all(line.endswith(f" --store {shlex.quote(str(planted))}") for line in commands)
        assert "--store" not in run(planted, "alerts", "--format", "json")[1]

    def test_its_hour_and_its_label_are_the_planted_ones(self, planted: Path, run: Run) -> None:
        code, out, _ = run(planted, "investigate", ALARM, "--json")
        found = json.loads(out)
        assert code == 0
        after, before = (
            datetime.fromisoformat(found[name]) for name in ("began_after", "began_before")
        )
        assert after <= COPIES <= before
        assert before - after <= timedelta(hours=6)
        assert (found["route"], found["cause"]["cause"]) == ("support", "old_copies")
        leading = found["change"]["leading"]
        assert (leading["dimension"], leading["label"]) == ("index_version", "index-1-reindexed")
        assert len({each["request_id"] for each in found["requests"]}) == 5

    def test_a_switched_ordering_is_told_to_the_hour(self, planted: Path, run: Run) -> None:
        alarm = "2026-W39-code-ordering-best-first"
        found = json.loads(run(planted, "investigate", alarm, "--json")[1])
        after, before = (
            datetime.fromisoformat(found[name]) for name in ("began_after", "began_before")
        )
        assert after <= ORDERING <= before
        assert before - after <= timedelta(hours=6)
        assert found["cause"]["cause"] == "ordering"
        [ordering] = [
            each for each in found["change"]["dimensions"] if each["dimension"] == "ordering"
        ]
        parts = {one["label"]: one["total"] for one in ordering["labels"]}
        assert parts["edges_first"] == pytest.approx(-1.0)  # it took the place of best first

    @pytest.mark.parametrize("metric", ["near-copies", "cited-in-middle", "cited-rank"])
    def test_every_dimension_adds_up(self, planted: Path, run: Run, metric: str) -> None:
        since = ("--since", str(STRUCK.date()), "--route", "docs", "--metric", metric)
        found = json.loads(run(planted, "investigate", *since, "--json")[1])
        change = found["change"]
        assert {each["dimension"] for each in change["dimensions"]} == {
            "route", "index_version", "model", "release", "prompt_version", "ordering", "document",
        }  # fmt: skip
        for each in change["dimensions"]:
            total = sum(label["total"] for label in each["labels"])
            split = sum(label["behaviour"] + label["mix"] for label in each["labels"])
            assert total == pytest.approx(each["change"], abs=1e-9)
            assert split == pytest.approx(each["change"], abs=1e-9)
            if each["dimension"] not in ("route", "document"):  # of whole days
                assert each["change"] == pytest.approx(change["change"], abs=1e-9)

    def test_since_a_day_finds_the_route_and_the_measure_by_itself(
        self, planted: Path, run: Run
    ) -> None:
        found = json.loads(run(planted, "investigate", "--since", "2026-W39", "--json")[1])
        assert (found["route"], found["measure"]) == ("support", "involved_rate")
        assert found["cause"]["cause"] == "old_copies"

    def test_two_releases_of_a_week_stand_side_by_side(self, planted: Path, run: Run) -> None:
        pair = ("--release", "r1-model-b", "--against", "r1")
        code, out, _ = run(planted, "investigate", *pair, "--metric", "cited-in-middle", "--json")
        found = json.loads(out)
        assert code == 0
        assert (found["route"], found["release"], found["began"]) == ("docs", "r1-model-b", None)
        assert found["change"]["change"] < 0
        assert found["cause"]["cause"] == "model"
        hidden = run(planted, "investigate", *pair, "--pseudonymise-ids", "--json")
        assert hidden[0] == 0
        assert "docs-" not in str(json.loads(hidden[1])["requests"])

    def test_its_commands_know_pseudonyms(self, planted: Path, run: Run) -> None:
        _, out, _ = run(planted, "investigate", ALARM, "--pseudonymise-ids")
        first, second = [line for line in out.splitlines() if line.startswith("$ ")]
        assert "--pseudonymise-ids" in second
        _, *again = shlex.split(first.removeprefix("$ "))
        assert run(planted, *again)[0] == 0
        _, out, _ = run(planted, "investigate", ALARM, "--pseudonym-key", "ours")
        assert "$ citelog request" not in out

    def test_what_may_be_chance_has_no_cause(self, planted: Path, run: Run) -> None:
        since = ("--since", "2026-09-14", "--until", "2026-09-20", "--route", "docs")
        code, out, _ = run(planted, "investigate", *since, "--metric", "near-copies")
        assert code == 0
        assert "This could be chance." in out
        assert "\nWhy" not in out

    def test_a_page_stands_alone(self, planted: Path, run: Run, tmp_path: Path) -> None:
        html = tmp_path / "page.html"
        code, out, _ = run(planted, "investigate", ALARM, "--html", str(html))
        assert (code, out) == (0, "")
        text = html.read_text(encoding="utf-8")
        assert "default-src 'none'; script-src 'none'" in unescape(text)
        assert "<script" not in text
        assert "http" not in text.replace("http-equiv", "")

    def test_facts_that_are_gone_are_said_to_be(
        self, planted: Path, run: Run, tmp_path: Path
    ) -> None:
        from analyzer.store import seal

        store = tmp_path / "sealed.duckdb"
        store.write_bytes(planted.read_bytes())
        seal(store, (STRUCK + timedelta(weeks=1)).date(), TODAY)
        code, out, _ = run(store, "investigate", ALARM)
        assert code == 0
        assert "are gone since" in out
        assert "re-indexing left old copies" in out

    def test_an_alarm_on_what_is_missing_is_told_in_its_words(
        self, planted: Path, run: Run, tmp_path: Path
    ) -> None:
        store = tmp_path / "silent.duckdb"
        store.write_bytes(planted.read_bytes())
        told = Raising(
            measure="silent",
            sentence="code: no request on 4 October",
            command="citelog query requests_per_day",
        )
        night = datetime(2026, 10, 5, 2, tzinfo=UTC)
        alarm = "2026-10-04-code-silent"
        append(store, raised(night, alarm, "code", date(2026, 9, 28), told))
        code, out, _ = run(store, "investigate", alarm)
        assert code == 0
        assert out == (
            f"{alarm}\ncode: no request on 4 October.\n\n"
            f"$ citelog query requests_per_day --store {store}\n"
        )

    @pytest.mark.parametrize(
        ("arguments", "code", "said"),
        [
            (["2026-W39-support-near-copes"], 2, f"the nearest is {ALARM}"),
            ([], 2, "name an alarm, or --since a day"),
            ([ALARM, "--since", "2026-W39"], 2, "name an alarm, or --since a day"),
            (["--release", "r1"], 2, "--release and --against belong together"),
            (["--since", "yesterday"], 2, "'yesterday' is no day"),
            (["--since", "2026-W39", "--metric", "near-copis"], 2, "the nearest is near-copies"),
            (["--since", "2030-W01"], 5, "no route has requests"),
            (["--release", "r1", "--against", "r9"], 5, "no week has requests of both r1 and r9"),
        ],
    )
    def test_what_cannot_be_asked_is_one_sentence(
        self, planted: Path, run: Run, arguments: list[str], code: int, said: str
    ) -> None:
        ended, out, err = run(planted, "investigate", *arguments)
        assert (ended, out) == (code, "")
        assert said in err
        assert err.count("\n") == 1


def test_names_on_a_page_are_text() -> None:
    hostile = "<script>alert(1)</script>"
    grid = Grid(("by", "label"), ((hostile, hostile),), 2)
    section = Section("Why", ((Span(hostile, "name"),),), grid, (hostile,))
    told = Told(hostile, (hostile,), (Span(hostile),), ((Span(hostile),),), (section,), (hostile,))
    assert hostile not in page(told)
    assert page(told).count("&lt;script&gt;") == 10


class TestRequest:
    def test_chunks_stand_in_prompt_order_with_their_fate(self, small: Path, run: Run) -> None:
        code, out, _ = run(small, "request", "b3")
        assert code == 0
        lines = out.splitlines()
        assert lines[0] == "b3"
        assert "5 retrieved, 4 packed, 1 cited, 1 stray; 1,000 context tokens" in lines
        cut = "Cut: the expected chunk b3-5, rank 5 was retrieved and not packed; look at packing."
        assert cut in lines
        assert "Stray: 1 citation points to something that was not packed." in lines
        rows = [line.split() for line in lines if line.startswith("  ") and "b3-" in line]
        assert [row[0] for row in rows] == ["1", "2", "3", "4", "-"]
        assert [fate for row in rows for fate in row if fate in ("cited", "uncited", "cut")] == [
            "cited", "uncited", "uncited", "uncited", "cut",
        ]  # fmt: skip
        assert "not packed" in lines

    def test_the_whole_of_it_as_json(self, small: Path, run: Run) -> None:
        found = json.loads(run(small, "request", "b1", "--json")[1])
        assert [chunk["fate"] for chunk in found["chunks"]] == [
            "uncited", "cited", "cited", "uncited", "cut",
        ]  # fmt: skip
        assert [chunk["copy_of"] for chunk in found["chunks"]] == [None, 1, None, 1, None]
        assert found["requested_at"] == "2026-11-03T09:00:00"

    @pytest.mark.parametrize(
        ("name", "code", "said"),
        [
            ("b", 2, "b begins several ids: b1, b2, b3; write more of it"),
            ("zzz", 5, "no request is named zzz, nor begins so; ids are those of the log"),
        ],
    )
    def test_an_id_that_is_none_is_one_sentence(
        self, small: Path, run: Run, name: str, code: int, said: str
    ) -> None:
        assert run(small, "request", name) == (code, "", f"{said}\n")

    def test_a_beginning_is_enough_where_it_is_the_only_one(self, run: Run, tmp_path: Path) -> None:
        site = Site(tmp_path)
        site.load_log("log.jsonl", request("7f3a-1"), request("7f3b-1"), request("7f3b"))
        assert run(site.store, "request", "7f3a…")[1].startswith("7f3a-1\n")
        assert run(site.store, "request", "7f3b")[1].startswith("7f3b\n")

    def test_a_sealed_request_is_said_to_be(self, run: Run, tmp_path: Path) -> None:
        site = Site(tmp_path)
        site.load_log("log.jsonl", request("gone"))
        site.seal("2026-11-09", "2026-12-01")
        code, _, err = run(site.store, "request", "gone")
        assert code == 5
        assert err.startswith("request gone is gone since 2026-12-01, when its day was sealed")
        code, _, err = run(site.store, "request", "go")
        assert (code, err) == (
            5,
            "no request is named go, nor begins so; ids are those of the log; of the days before "
            "2026-11-09, which are sealed, only counts are held\n",
        )

    def test_control_characters_are_shown_and_not_sent(self, run: Run, tmp_path: Path) -> None:
        site = Site(tmp_path)
        chunk = {"rank": 1, "position": 1, "cited": True, "chunk_id": "c\x1b[2J"}
        site.load_log("log.jsonl", request("r\x1b[31m", chunk, route="s\x07", model="m\u202e"))
        for name in ("r", "nothing\x1b"):
            _, out, err = run(site.store, "request", name)
            assert not set("\x1b\x07\u202e") & set(out + err)
        _, out, _ = run(site.store, "request", "r")
        assert "\\u001b[2J" in out

    @pytest.mark.parametrize(
        ("fields", "said"),
        [
            ({"expected_chunk_ids": ["other"]}, "Not retrieved: no chunk known to hold the answer"),
            ({"expected_chunk_ids": ["c2"]}, f"Packed but uncited: {EXPECTED} c2, rank 2, {END}"),
            ({"expected_chunk_ids": ["c1"]}, f"Cited: {EXPECTED} c1, rank 1, at position 1 of 2"),
            ({"outcome": "refused"}, "Not answered (refused), so nothing can be cited."),
            ({"prompt_tokens": 10}, "The prompt was cut: 10 tokens, and its chunks hold 200."),
        ],
    )  # fmt: skip
    def test_triage_says_where_evidence_was_lost(
        self, run: Run, tmp_path: Path, fields: dict[str, Any], said: str
    ) -> None:
        site = Site(tmp_path)
        chunks = [
            {"rank": 1, "position": 1, "tokens": 100, "cited": True},
            {"rank": 2, "position": 2, "tokens": 100, "cited": False},
        ]
        site.load_log("log.jsonl", request("r", *chunks, **fields))
        assert said in run(site.store, "request", "r")[1]


class TestCompare:
    def test_what_changed_is_told_apart_from_chance(self, planted: Path, run: Run) -> None:
        code, out, _ = run(planted, "compare", "2026-W38", "2026-W40", "--route", "support")
        assert code == 0
        rows = {line.split("  ")[0]: line for line in out.splitlines()}
        assert re.search(r"\+\d+\.\d points .* no  ", rows["near-copies"])
        assert "could be" in rows["stray citations"]

    def test_parts_add_up_over_routes_and_releases(self, planted: Path, run: Run) -> None:
        out = run(planted, "compare", "2026-W38", "2026-W40", "--format", "json")[1]
        found = json.loads(out)
        split = [row for row in found if row["mix"] is not None and row["change"] is not None]
        assert {row["route"] for row in split} == {"all routes", "code", "docs", "support"}
        for row in split:
            total = row["behaviour"] + row["mix"] + row["came_or_went"]
            assert total == pytest.approx(row["change"], abs=1e-9), (row["route"], row["measure"])

    def test_two_releases_are_compared_in_their_last_common_week(
        self, planted: Path, run: Run
    ) -> None:
        pair = ("--release", "r1-model-b", "--against", "r1")
        found = json.loads(run(planted, "compare", *pair, "--format", "json")[1])
        assert {row["route"] for row in found} == {"docs"}
        middle = next(row for row in found if row["measure"] == "position_middle")
        assert middle["change"] < 0
        assert middle["came_or_went"] == pytest.approx(middle["change"])  # the model is new too

    @pytest.mark.parametrize(
        ("arguments", "code", "said"),
        [
            (["2026-W40", "2026-W38"], 2, "name the earlier week first"),
            (["2026-W40"], 2, "name two weeks"),
            (["2026-W38", "2026-W40", "--release", "r1"], 2, "name two weeks"),
            (["2026-W38", "2030-W01"], 5, "no route has requests in both 2026-W38 and 2030-W01"),
        ],
    )
    def test_what_cannot_be_compared_is_one_sentence(
        self, planted: Path, run: Run, arguments: list[str], code: int, said: str
    ) -> None:
        ended, out, err = run(planted, "compare", *arguments)
        assert (ended, out) == (code, "")
        assert said in err
