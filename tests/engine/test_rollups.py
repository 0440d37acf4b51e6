"""What `citelog rollup` publishes, and the store that `citelog load-rollups` makes of it."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from datetime import date
from pathlib import Path

import msgspec
import pyarrow.parquet as pq
import pytest
from loading.records import label, lines, log, packed, request
from loading.sites import NOW

from analyzer import assets, store, updating
from analyzer.cli.main import run as citelog
from analyzer.engine import published, rolling
from analyzer.engine.rolling import Rolled, Span
from analyzer.engine.running import Wanted, run
from analyzer.errors import CitelogError, UsageError
from engine import dirty
from engine.sides import cells, settled

Roll = Callable[..., Rolled]
DAYS = (*rolling.BESIDE, "cells", "cells_by_position", "ranks", "units", "days", "lengths")


@pytest.fixture
def roll(tmp_path: Path) -> Roll:
    """Roll up logs of this folder to its `out`."""

    def rolled(*inputs: Path, engine: str = "duckdb", **asked: object) -> Rolled:
        fields = {"now": NOW, "max_rejected": 1.0, "unit_key": "00", **asked}
        named = [str(each) for each in inputs]
        return run(Wanted(engine, named, tmp_path / "out", **fields))  # type: ignore[arg-type]

    return rolled


def day_of(name: str, day: int, **fields: object) -> dict[str, object]:
    return request(name, *packed(1, 2, 3), requested_at=f"2026-11-{day:02}T12:00:00Z", **fields)


def everything(folder: Path) -> dict[str, bytes]:
    return {str(file): file.read_bytes() for file in folder.rglob("*.json")}


def test_both_engines_publish_the_same_to_the_byte(roll: Roll, tmp_path: Path, spark: str) -> None:
    files = dirty.write(tmp_path / "logs")
    here = roll(*files)
    assert here.written
    assert not here.same
    there = roll(*files, engine=spark)
    assert there.written == []
    assert there.same == here.written
    assert there.batches == here.batches


def test_a_run_again_changes_no_day(roll: Roll, tmp_path: Path) -> None:
    file = log(tmp_path / "a.jsonl", day_of("a", 3), day_of("b", 4))
    roll(file)
    before = everything(tmp_path / "out" / "days") | everything(tmp_path / "out" / "weeks")
    assert roll(file).same == [date(2026, 11, 3), date(2026, 11, 4)]
    assert everything(tmp_path / "out" / "days") | everything(tmp_path / "out" / "weeks") == before


def test_a_day_that_would_shrink_is_left_unless_it_is_named(roll: Roll, tmp_path: Path) -> None:
    whole = log(tmp_path / "a.jsonl", day_of("a", 3), day_of("b", 3), day_of("c", 4))
    part = log(tmp_path / "b.jsonl", day_of("a", 3), day_of("c", 4), day_of("d", 4))
    roll(whole)
    second = roll(part)
    assert (second.written, second.left) == ([date(2026, 11, 4)], [date(2026, 11, 3)])
    asked = Span(date(2026, 11, 3), date(2026, 11, 3))
    assert roll(part, span=asked).written == [date(2026, 11, 3)]


def test_a_named_day_does_not_shrink_where_a_file_is_left_out(roll: Roll, tmp_path: Path) -> None:
    first = log(tmp_path / "a.jsonl", day_of("a", 3))
    second = log(tmp_path / "b.jsonl", day_of("b", 3), day_of("c", 4))
    roll(first, second)
    second.write_bytes(b"\0" * 100)
    again = roll(first, second, span=Span(date(2026, 11, 1), date(2026, 11, 30)))
    assert (again.written, again.left) == ([], [date(2026, 11, 3), date(2026, 11, 4)])
    assert [each.requests for each in published.manifests(tmp_path / "out", "days")] == [2, 1]


def test_nothing_is_fixed_by_a_run_that_finds_no_file(roll: Roll, tmp_path: Path) -> None:
    with pytest.raises(CitelogError, match="no such file"):
        roll(tmp_path / "a.jsonl")
    assert published.settings(tmp_path / "out") is None


def test_a_request_that_moves_takes_its_day_along(roll: Roll, tmp_path: Path) -> None:
    first = log(tmp_path / "a.jsonl", day_of("a", 3))
    roll(first)
    second = log(tmp_path / "b.jsonl", day_of("a", 5, revision=1))
    roll(first, second, span=Span(date(2026, 11, 1), date(2026, 11, 30)))
    days = {each.of.day: each.requests for each in published.manifests(tmp_path / "out", "days")}
    assert days == {3: 0, 5: 1}


def test_what_no_manifest_names_is_not_there(roll: Roll, tmp_path: Path) -> None:
    """A run that died between its data and its manifests, or in the middle of writing one."""
    file = log(tmp_path / "a.jsonl", day_of("a", 3), day_of("b", 4))
    roll(file)
    out = tmp_path / "out"
    store_of(out, tmp_path / "before.duckdb")
    [manifest] = [m for m in published.manifests(out, "days") if m.of.day == 4]
    for name, place in manifest.tables.items():
        half = out / "data" / "dead" / name / "2026-11-04.parquet"
        half.parent.mkdir(parents=True)
        half.write_bytes((out / place).read_bytes()[:40])
    (out / "days" / ".2026-11-04.json.part").write_text('{"of": "2026')
    store_of(out, tmp_path / "after.duckdb")
    assert held(tmp_path / "before.duckdb") == held(tmp_path / "after.duckdb")


def test_a_lost_file_of_a_manifest_is_told(roll: Roll, tmp_path: Path) -> None:
    roll(log(tmp_path / "a.jsonl", day_of("a", 3)))
    shutil.rmtree(tmp_path / "out" / "data")
    with pytest.raises(CitelogError, match="named by a manifest, but is not there; run citelog"):
        store_of(tmp_path / "out", tmp_path / "s.duckdb")
    assert not (tmp_path / "s.duckdb").exists()


def test_rejected_lines_are_kept_with_file_line_path_and_reason(roll: Roll, tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text(lines([day_of("a", 3), request("b", {"rank": 0})]) + "{\n", encoding="utf-8")
    roll(file)
    [manifest] = published.manifests(tmp_path / "out", "runs")
    rows = published.table(tmp_path / "out", manifest, "rejected_lines").to_pylist()
    told = [(row["file"], row["line"], row["path"]) for row in rows]
    assert told == [(str(file), 2, "chunks[0].rank"), (str(file), 3, "")]
    assert rows[0]["reason"] == "is 0, but ranks are whole numbers from 1"


def test_facts_are_kept_by_day_where_they_are_asked_for(
    roll: Roll, tmp_path: Path, named: str
) -> None:
    file = log(tmp_path / "a.jsonl", day_of("a", 3), day_of("b", 4))
    roll(file, engine=named, facts=tmp_path / "facts")
    manifests = published.manifests(tmp_path / "facts", "days")
    assert [(each.of.day, each.requests) for each in manifests] == [(3, 1), (4, 1)]
    for name, rows in (("requests", 1), ("chunks", 3)):
        folder = tmp_path / "facts" / manifests[0].tables[name]
        assert sum(pq.read_metadata(part).num_rows for part in folder.glob("*.parquet")) == rows


def test_names_are_those_that_were_given(roll: Roll, tmp_path: Path, named: str) -> None:
    file = log(tmp_path / "ä b.jsonl", day_of("a", 3))
    assert [batch["file"] for batch in roll(file, engine=named).batches] == [str(file)]


def test_a_file_that_the_cluster_does_not_find_is_told(tmp_path: Path, spark: str) -> None:
    files = [log(tmp_path / "a.jsonl", day_of("a", 3)), tmp_path / "gone.jsonl"]
    with pytest.raises(CitelogError), settled(spark, tmp_path, files):
        pass


class TestCommand:
    def run(self, tmp_path: Path, *words: str) -> int:
        return citelog(["rollup", "--output", str(tmp_path / "out"), *words])

    def test_a_file_that_is_left_out_is_told(
        self, tmp_path: Path, repo_root: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        good = log(tmp_path / "a.jsonl", day_of("a", 3))
        foreign = repo_root / "sample_logs" / "formats" / "cohere.jsonl"
        (tmp_path / "bad.jsonl").write_text("{\n" * 3, encoding="utf-8")
        files = [str(good), str(foreign), str(tmp_path / "bad.jsonl")]
        assert self.run(tmp_path, *(word for each in files for word in ("--input", each))) == 4
        said = capsys.readouterr()
        assert "is a log of the format cohere, which is read on one machine alone" in said.err
        assert (
            "bad.jsonl: more of its 3 lines were rejected than --max-rejected allows; set aside, "
            f"nothing of it is counted; citelog check {tmp_path / 'bad.jsonl'} says why, and a "
            "larger --max-rejected counts its other lines\n"
        ) in said.err
        assert "1 day published, 0 as they were" in said.out

    def test_days_are_named_as_days_or_weeks(self, tmp_path: Path) -> None:
        file = log(tmp_path / "a.jsonl", *(day_of(f"d{day}", day) for day in (1, 2, 8, 9)))
        assert self.run(tmp_path, "--input", str(file), "--days", "2026-W45..2026-W45") == 0
        days = [each.of.day for each in published.manifests(tmp_path / "out", "days")]
        assert days == [2, 8]

    @pytest.mark.parametrize(
        ("words", "said"),
        [
            (["--days", "2026-11-09..2026-11-02"], "2026-11-02 lies before 2026-11-09"),
            (["--days", "soon"], "--days 'soon' is no day"),
            (["--days", "2026-11-02.."], "--days '' is no day"),
            (["--engine", "ray"], "engine 'ray' is not known; name duckdb, or a Spark Connect"),
            (["--time-zone", "Mars"], "time zone 'Mars' is not known"),
            (["--input", "-"], "stdin cannot be read by workers"),
            (["--facts", "s3://b/f"], "s3://b/f: DuckDB keeps facts in a folder here"),
            (["--engine", "sc://127.0.0.1:1/;token=SECRET"], "sc://127.0.0.1:1: nobody answers"),
        ],
    )
    def test_what_cannot_be_is_said_in_a_sentence(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], said: str
    ) -> None:
        file = log(tmp_path / "a.jsonl", day_of("a", 3))
        assert self.run(tmp_path, "--input", str(file), *words) in (1, 2)
        told = capsys.readouterr().err
        assert said in told
        assert "SECRET" not in told


def test_zone_and_key_are_fixed_by_the_first_run(roll: Roll, tmp_path: Path) -> None:
    file = log(tmp_path / "a.jsonl", day_of("a", 3))
    roll(file, time_zone="Europe/Berlin")
    for asked in ({"time_zone": "UTC"}, {"unit_key": "01"}):
        with pytest.raises(UsageError, match=r"is fixed and is another"):
            roll(file, **asked)


def store_of(out: Path, path: Path) -> list[date]:
    return updating.load_rollups(out, path).days


def held(path: Path) -> dict[str, list[str]]:
    tables = (*DAYS, "documents", "batches", "rejected_lines", "judgements", "week_estimates")
    with store.reader(path) as con:
        return {name: cells(con.sql(f"FROM {name}").to_arrow_table()) for name in tables}


class TestStore:
    @pytest.fixture
    def out(self, roll: Roll, tmp_path: Path) -> Path:
        first = log(tmp_path / "a.jsonl", day_of("a", 3), day_of("b", 4), label("x", correct=True))
        roll(first)
        return tmp_path / "out"

    def test_loading_again_changes_nothing(self, out: Path, tmp_path: Path) -> None:
        path = tmp_path / "s.duckdb"
        assert store_of(out, path) == [date(2026, 11, 3), date(2026, 11, 4)]
        before = held(path)
        assert store_of(out, path) == []
        assert held(path) == before

    def test_a_newer_day_replaces_the_day(self, out: Path, roll: Roll, tmp_path: Path) -> None:
        path = tmp_path / "s.duckdb"
        store_of(out, path)
        more = log(tmp_path / "b.jsonl", day_of("c", 4))
        roll(tmp_path / "a.jsonl", more)
        assert store_of(out, path) == [date(2026, 11, 4)]
        store_of(out, tmp_path / "fresh.duckdb")
        assert held(path) == held(tmp_path / "fresh.duckdb")

    def test_of_a_week_without_documents_nothing_is_said(
        self, out: Path, roll: Roll, tmp_path: Path
    ) -> None:
        roll(tmp_path / "a.jsonl", log(tmp_path / "b.jsonl", day_of("c", 4)))
        assert updating.load_rollups(out, tmp_path / "s.duckdb").remarks == []

    def test_an_older_day_does_not(self, out: Path, roll: Roll, tmp_path: Path) -> None:
        path, old = tmp_path / "s.duckdb", tmp_path / "old"
        shutil.copytree(out, old)
        more = log(tmp_path / "b.jsonl", day_of("c", 4))
        roll(tmp_path / "a.jsonl", more, now=NOW.replace(hour=3))
        store_of(out, path)
        assert store_of(old, path) == []

    def test_a_sealed_day_stays_and_that_is_told(
        self, out: Path, roll: Roll, tmp_path: Path
    ) -> None:
        path = tmp_path / "s.duckdb"
        store_of(out, path)
        store.seal(path, date(2026, 11, 9), NOW.date())
        roll(tmp_path / "a.jsonl", log(tmp_path / "b.jsonl", day_of("c", 4), day_of("d", 10)))
        loaded = updating.load_rollups(out, path)
        assert (loaded.days, loaded.same) == ([date(2026, 11, 10)], 2)
        assert [remark[:24] for remark in loaded.remarks] == ["2026-11-04: sealed since"]

    @pytest.mark.parametrize("field", ["time_zone", "unit_key"])
    def test_another_zone_or_key_is_an_error(self, out: Path, tmp_path: Path, field: str) -> None:
        path = tmp_path / "s.duckdb"
        store_of(out, path)
        other = {"time_zone": "Asia/Kolkata", "unit_key": "01"}[field]
        made = published.settings(out)
        assert made is not None
        published.settle(out, msgspec.structs.replace(made, **{field: other}))
        with pytest.raises(CitelogError, match=f"another {field.replace('_', ' ')} than"):
            store_of(out, path)

    def test_logs_and_rollups_do_not_mix(self, out: Path, tmp_path: Path) -> None:
        path, own = tmp_path / "s.duckdb", tmp_path / "own.duckdb"
        store_of(out, path)
        before = held(path)
        file = log(tmp_path / "b.jsonl", day_of("c", 4))
        with pytest.raises(CitelogError, match="its counts were made by DuckDB"):
            updating.ingest([file], path, now=NOW)
        assert held(path) == before
        updating.ingest([file], own, now=NOW, unit_key="00")
        with pytest.raises(CitelogError, match="holds logs of its own"):
            store_of(out, own)

    def test_it_says_where_requests_are(
        self, out: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        path = tmp_path / "s.duckdb"
        store_of(out, path)
        assert citelog(["request", "a", "--store", str(path)]) == 5
        assert "the requests are elsewhere: their counts were made by" in capsys.readouterr().err

    def test_every_night_takes_what_was_published(
        self, out: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        config = tmp_path / "citelog.toml"
        config.write_text('store = "s.duckdb"\n[inputs]\nrollups = "out"\n', encoding="utf-8")
        night = ["nightly", "--config", str(config), "--fail-on", "empty"]
        assert [citelog(night), citelog(night)] == [0, 5]
        first, second = (line for line in capsys.readouterr().out.splitlines() if "days of" in line)
        assert first.endswith("days of rollups 2 new")
        assert second.endswith("days of rollups 2 known")
        store_of(out, tmp_path / "fresh.duckdb")
        assert held(tmp_path / "s.duckdb") == held(tmp_path / "fresh.duckdb")

    def test_a_night_loads_logs_or_rollups(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        config = tmp_path / "citelog.toml"
        config.write_text('[inputs]\nrollups = "out"\npaths = ["logs"]\n', encoding="utf-8")
        assert citelog(["nightly", "--config", str(config)]) == 2
        assert "are both set" in capsys.readouterr().err

    def test_a_folder_without_rollups_is_told(self, tmp_path: Path) -> None:
        with pytest.raises(CitelogError, match="holds no rollups"):
            store_of(tmp_path, tmp_path / "s.duckdb")


def test_the_report_is_the_same_to_the_byte(
    tmp_path: Path, repo_root: Path, spark: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Apart from the line that names the engine, and from the panel that replays requests."""
    logs = [str(repo_root / "sample_logs" / f"2026-W{week}.jsonl.zst") for week in (47,)]
    monkeypatch.chdir(tmp_path)
    roll = ["rollup", "--engine", spark, "--output", "out", "--unit-key", "00"]
    assert citelog([*roll, *(word for each in logs for word in ("--input", each))]) == 0
    assert citelog(["load-rollups", "out", "--store", "far.duckdb"]) == 0
    updating.ingest(logs, Path("near.duckdb"), now=NOW, unit_key="00")
    without_replays(Path("pages"))
    near, far = report("near"), report("far")
    apart = [(a, b) for a, b in zip(near, far, strict=True) if a != b]
    [(_, named)] = apart
    assert "Counted by Spark" in named
    assert [re.sub(r" Counted by [^<]*", "", line) for line in far] == near


def without_replays(folder: Path) -> None:
    folder.mkdir()
    plan = (assets.shipped("dashboards") / "weekly.toml").read_text(encoding="utf-8")
    panels = plan.split("\n[[panel]]\n")
    kept = [each for each in panels if 'made = "what_if"' not in each]
    assert len(kept) == len(panels) - 1
    (folder / "weekly.toml").write_text("\n[[panel]]\n".join(kept), encoding="utf-8")


def report(name: str) -> list[str]:
    folder = Path(name)
    folder.mkdir()
    page = folder / "report.html"
    words = ["report", "--week", "2026-W47", "--store", f"{name}.duckdb", "-o", str(page)]
    assert citelog(["--dashboards", "pages", *words]) == 0
    return page.read_text(encoding="utf-8").replace(f"{name}.duckdb", "").splitlines()


def test_manifests_say_what_is_fixed(roll: Roll, tmp_path: Path) -> None:
    roll(log(tmp_path / "a.jsonl", day_of("a", 3)), time_zone="Asia/Kolkata")
    made = json.loads((tmp_path / "out" / "settings.json").read_text())
    assert made == {"time_zone": "Asia/Kolkata", "unit_key": "00", "format": 1}
