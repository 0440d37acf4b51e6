"""`citelog investigate` and `request` of a store of rollups, with requests brought from `--facts`.

What they say is held to what they say of a store that loaded the same logs itself.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import msgspec
import pytest
from loading.records import log, request
from loading.sites import NOW
from oncall_world import BEFORE, RECORDS, SINCE, support

from analyzer import updating
from analyzer.cli import alarms as alerts
from analyzer.cli.main import run as citelog
from analyzer.engine import bringing, published
from analyzer.engine.running import Wanted, run
from analyzer.oncall import comparing
from analyzer.simulate import Incident, Layout, simulate, standard, with_incidents

Captured = pytest.CaptureFixture[str]
Say = Callable[..., tuple[int, str, str]]

FIRST = datetime(2026, 8, 3, tzinfo=UTC)
WEEKS = 9
COPIES = FIRST + timedelta(weeks=WEEKS - 2, days=1, hours=14)
TODAY = (FIRST + timedelta(weeks=WEEKS)).date()
ALARM = "2026-W40-code-near-copies"
METRICS = ("cited-in-middle", "cited-rank", "stray-citations")  # each is told in another way


@dataclass(frozen=True)
class Sides:
    """The same logs in a store (`near`), and as rollups in another (`far`) with facts beside it."""

    near: Path
    far: Path
    facts: Path


def sides(folder: Path, *logs: Path, engine: str = "duckdb") -> Sides:
    """Each of the logs is rolled up by a run of its own."""
    made = Sides(folder / "near.duckdb", folder / "far.duckdb", folder / "facts")
    for each in logs:
        out = folder / "out"
        run(Wanted(engine, [str(each)], out, NOW, 1.0, facts=made.facts, unit_key="00"))
    updating.load_rollups(folder / "out", made.far)
    updating.ingest(logs, made.near, now=NOW, unit_key="00")
    return made


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Sides:
    """Nine weeks of one route, and old copies from the eighth on."""
    folder = tmp_path_factory.mktemp("planted")
    quiet = standard(FIRST, WEEKS, requests=540.0)
    layout = Layout(per="week")
    quiet = msgspec.structs.replace(quiet, routes=quiet.routes[2:], layout=layout)
    copies = Incident(kind="reindex_copies", since=COPIES, routes=("code",))
    simulate(with_incidents(quiet, (copies,)), folder / "logs")
    return sides(folder, folder / "logs")


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Sides:
    """A handful of requests, with a second release beside the first and one without chunks."""
    folder = tmp_path_factory.mktemp("small")
    second = (
        support(f"c{n}", f"{SINCE}T1{n}:00:00Z", f"v{n}", [1, 4], release="r2", copies=[1, 4])
        for n in range(6)
    )
    bare = request("nothing", requested_at=f"{SINCE}T08:00:00Z")
    return sides(folder, log(folder / "a.jsonl", *RECORDS, *second, bare))


@pytest.fixture
def say(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> Say:
    monkeypatch.setattr(alerts, "_today", lambda: TODAY)
    monkeypatch.setattr(comparing, "LEAST_OF_A_RATE", 1)  # so that a handful is told of

    def said(path: Path, *words: str) -> tuple[int, str, str]:
        code = citelog([*words, "--store", str(path)])
        return code, *capsys.readouterr()

    return said


def of_both(say: Say, at: Sides, named: str, *words: str) -> tuple[str, str]:
    """What is said of either store."""
    code, near, _ = say(at.near, *words)
    assert code == 0
    code, far, err = say(at.far, *words, "--facts", str(at.facts), "--engine", named)
    assert (code, err) == (0, "")
    return near, far


def told(text: str) -> list[str]:
    """The lines that are the same wherever the requests are."""
    without = re.sub(r"\nFrom  .*?\n\n", "\n", text, flags=re.DOTALL)
    return [
        line.partition(" --facts ")[0].partition(" --store ")[0] for line in without.splitlines()
    ]


class TestInvestigate:
    def test_an_alarm_is_told_as_of_the_logs(self, planted: Sides, named: str, say: Say) -> None:
        before = hashlib.sha256(planted.far.read_bytes()).digest()
        beside = sorted(planted.far.parent.iterdir())
        near, far = of_both(say, planted, named, "investigate", ALARM)
        assert told(far) == told(near)
        assert "most probably at Tue 22 Sep" in far
        [line] = [line for line in far.splitlines() if line.startswith("From  ")]
        assert f" requests read by {'DuckDB' if named == 'duckdb' else 'Spark'} " in line
        assert hashlib.sha256(planted.far.read_bytes()).digest() == before
        assert sorted(planted.far.parent.iterdir()) == beside

    def test_its_data_are_the_same(self, planted: Sides, named: str, say: Say) -> None:
        both = of_both(say, planted, named, "investigate", ALARM, "--json")
        near, far = map(json.loads, both)
        assert near.pop("requests_from") is None
        assert str(planted.facts) in far.pop("requests_from")
        assert far == near
        assert len(near["requests"]) == 5

    @pytest.mark.parametrize("metric", METRICS)
    def test_every_kind_of_measure_is(self, small: Sides, metric: str, say: Say) -> None:
        words = ("investigate", "--since", SINCE, "--route", "support", "--metric", metric)
        near, far = of_both(say, small, "duckdb", *words)
        assert told(far) == told(near)

    def test_so_is_what_a_cluster_kept(self, tmp_path: Path, spark: str, say: Say) -> None:
        at = sides(tmp_path, log(tmp_path / "a.jsonl", *RECORDS), engine=spark)
        words = ("investigate", "--since", SINCE, "--route", "docs")
        near, far = of_both(say, at, "duckdb", *words)
        assert told(far) == told(near)

    def test_so_are_days_of_several_runs(self, tmp_path: Path, named: str, say: Say) -> None:
        before = [each for each in RECORDS if each["requested_at"].startswith(BEFORE)]
        since = [each for each in RECORDS if each not in before]
        logs = log(tmp_path / "a.jsonl", *before), log(tmp_path / "b.jsonl", *since)
        words = ("investigate", "--since", SINCE, "--route", "support")
        near, far = of_both(say, sides(tmp_path, *logs), named, *words)
        assert told(far) == told(near)
        assert "5 requests read by" in far

    def test_two_releases_are(self, small: Sides, say: Say) -> None:
        words = ("investigate", "--release", "r2", "--against", "r1", "--week", "2026-W45")
        near, far = of_both(say, small, "duckdb", *words)
        assert told(far) == told(near)

    def test_ids_are_pseudonyms_where_they_are_wanted(self, planted: Sides, say: Say) -> None:
        words = ("investigate", ALARM, "--pseudonymise-ids")
        near, far = of_both(say, planted, "duckdb", *words)
        without = [line for line in told(near) if not line.startswith("$ citelog request")]
        assert told(far) == without

    def test_what_it_prints_finds_the_request(self, planted: Sides, named: str, say: Say) -> None:
        words = ("investigate", ALARM, "--json", "--facts", str(planted.facts))
        example = json.loads(say(planted.far, *words)[1])["requests"][0]["request_id"]
        near, far = of_both(say, planted, named, "request", example, "--json")
        assert far == near

    def test_too_many_are_not_brought(
        self, planted: Sides, say: Say, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(bringing, "MOST", 1000)
        code, out, err = say(planted.far, "investigate", ALARM, "--facts", str(planted.facts))
        assert (code, out) == (1, "")
        assert "and 1,000 are brought here at most; name another --route, or fewer days" in err

    def test_days_without_facts_are_told(self, planted: Sides, tmp_path: Path, say: Say) -> None:
        facts = shutil.copytree(planted.facts, tmp_path / "facts")
        (facts / "days" / "2026-09-23.json").unlink()
        words = ("investigate", ALARM, "--facts", str(facts))
        out = " ".join(say(planted.far, *words)[1].split())
        assert "; there are none of 2026-09-23." in out
        for file in (facts / "days").iterdir():
            file.unlink()
        code, out, _ = say(planted.far, *words)
        assert code == 0
        assert "No facts of 2026-09-" in out
        assert "Why " in out

    def test_facts_of_another_time_are_not_taken(
        self, planted: Sides, tmp_path: Path, say: Say
    ) -> None:
        """A day whose manifest names what was counted of another day."""
        facts = shutil.copytree(planted.facts, tmp_path / "facts")
        days = {each.of: each for each in published.manifests(facts, "days")}
        day = date(2026, 9, 22)
        other = days[day - timedelta(days=7)]
        published.announce(facts, msgspec.structs.replace(other, of=day))
        code, out, err = say(planted.far, "investigate", ALARM, "--facts", str(facts))
        assert (code, out) == (1, "")
        assert "2026-09-22 are not those that" in err

    @pytest.mark.parametrize("field", ["time_zone", "unit_key"])
    def test_facts_of_another_zone_or_key_are_not(
        self, planted: Sides, tmp_path: Path, field: str, say: Say
    ) -> None:
        made = published.settings(planted.facts)
        assert made is not None
        other = {"time_zone": "Asia/Kolkata", "unit_key": "01"}[field]
        published.settle(tmp_path, msgspec.structs.replace(made, **{field: other}))
        code, _, err = say(planted.far, "investigate", ALARM, "--facts", str(tmp_path))
        assert code == 1
        assert f"its facts have another {field.replace('_', ' ')} than" in err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--engine", "duckdb"], "--engine reads facts; name their folder with --facts"),
        (["--facts", "s3://b/f"], "s3://b/f: DuckDB reads facts from a folder here"),
        (["--facts", "FACTS", "--engine", "ray"], "engine 'ray' is not known"),
        (["--facts", "nowhere"], "nowhere: holds no facts"),
        (
            ["--facts", "FACTS", "--engine", "sc://127.0.0.1:1/;token=SECRET"],
            "sc://127.0.0.1:1: nobody answers",
        ),
    ],
)
def test_what_cannot_be_is_said_in_a_sentence(
    small: Sides, say: Say, words: list[str], said: str
) -> None:
    given = [str(small.facts) if word == "FACTS" else word for word in words]
    code, out, err = say(small.far, "investigate", "--since", SINCE, *given)
    assert (code, out) == (2 if "SECRET" not in str(words) and "nowhere" not in words else 1, "")
    assert said in err
    assert "SECRET" not in err


def test_a_store_with_requests_needs_none(small: Sides, say: Say) -> None:
    code, _, err = say(small.near, "request", "a1", "--facts", str(small.facts))
    assert code == 2
    assert "holds requests of its own; leave --facts out" in err


class TestRequest:
    def test_one_that_is_not_there_is_told(self, small: Sides, say: Say) -> None:
        code, _, err = say(small.far, "request", "nobody", "--facts", str(small.facts))
        assert code == 5
        assert "is named nobody, nor begins so" in err

    def test_a_beginning_of_several_is_told(self, small: Sides, named: str, say: Say) -> None:
        words = ("request", "b", "--facts", str(small.facts), "--engine", named)
        code, _, err = say(small.far, *words)
        assert code == 2
        assert "begins several ids: b1, b2, b3" in err

    def test_one_without_chunks_is_found(self, small: Sides, named: str, say: Say) -> None:
        near, far = of_both(say, small, named, "request", "nothing")
        assert far == near

    def test_pseudonyms_are_not_looked_for(self, small: Sides, say: Say) -> None:
        words = ("request", "a1", "--facts", str(small.facts), "--pseudonymise-ids")
        code, _, err = say(small.far, *words)
        assert code == 2
        assert "no pseudonym is found in --facts" in err
