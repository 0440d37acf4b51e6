"""Evaluations in the store, what the weekly report shows of them, and what they do not cover."""

from __future__ import annotations

import json
import random
import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from duckdb import DuckDBPyConnection as Connection
from loading.records import request
from loading.sites import Site
from model_servers import secret, serving
from swapped import planned_set

from analyzer import store, swap
from analyzer.cli import main, progress
from analyzer.errors import UsageError
from analyzer.store import reader
from analyzer.swap import keeping
from analyzer.swap.covering import held_by
from analyzer.swap.outcomes import Outcome, Run, tokens_range
from analyzer.swap.tables import GATE, PROFILES

Captured = pytest.CaptureFixture[str]

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
WEEK = date(2026, 11, 16)


def run(questions: int = 6, wrong: int = 0, tokens: int = 2000, **fields: Any) -> Run:
    """A run of five chunks, wrong in the middle for the first questions."""
    outcomes = [
        Outcome(f"q{n:03}", 0, position, 5, position != 3 or n >= wrong, tokens)
        for n in range(questions)
        for position in (1, 3, 5)
    ]
    made: dict[str, Any] = {"model": "m-1", "outcomes": outcomes, "asked_on": date(2026, 11, 18)}
    return Run(**(made | fields))


@pytest.fixture
def con() -> Iterator[Connection]:
    """A store in memory, without requests."""
    with duckdb.connect(":memory:") as con:
        for part in ("store/schema", "store/swap", "store/erased"):
            con.execute(store.statement(part))
        made = {"schema_version": store.SCHEMA_VERSION, "time_zone": "UTC", "unit_key": "00"}
        con.execute(store.statement("store/settle_settings"), made)
        yield con


def keep(con: Connection, *runs: Run) -> list[str]:
    return [keeping.keep(con, each, NOW) for each in runs]


def kept(con: Connection) -> dict[str, Run]:
    return {name: keeping.whole(con, name, each) for name, each in keeping.kept(con).items()}


class TestKeeping:
    def test_a_run_comes_back_as_it_was(self, con: Connection) -> None:
        one = run(wrong=2, route="web", question_set="s", judge="span", source="r.jsonl")
        [name] = keep(con, one)
        assert kept(con) == {name: replace(one, outcomes=sorted(one.outcomes))}

    def test_how_long_its_prompts_were_needs_no_reading_of_it(self, con: Connection) -> None:
        dice = random.Random(3)
        for n in range(1, 45):
            lengths = [dice.choice([None, dice.randrange(100, 9000)]) for _ in range(n)]
            outcomes = [
                Outcome(f"q{at}", 0, 1, 5, True, tokens) for at, tokens in enumerate(lengths)
            ]
            keep(con, run(outcomes=outcomes, model=f"m-{n}"))
        told = {name: tokens_range(each.outcomes) for name, each in kept(con).items()}
        assert len(told) == 44
        assert keeping.token_ranges(con) == {n: found for n, found in told.items() if found}

    def test_an_unanswered_question_stays_unanswered(self, con: Connection) -> None:
        outcomes = [Outcome("q", 0, 1, 5, None), Outcome("q", 0, 5, 5, True)]
        one = Run("m", outcomes, asked_on=date(2026, 11, 18))
        keep(con, one)
        assert list(kept(con).values()) == [one]

    def test_without_a_judged_answer_there_is_nothing_to_keep(self, con: Connection) -> None:
        one = Run("m", [Outcome("q", 0, 1, 5, None)], source="r.jsonl")
        with pytest.raises(UsageError, match=r"r\.jsonl: no answer in it is judged"):
            keep(con, one)
        assert not kept(con)

    def test_kept_twice_it_is_kept_once_whatever_the_order(self, con: Connection) -> None:
        one = run()
        other = replace(one, outcomes=random.Random(1).sample(one.outcomes, len(one.outcomes)))
        names = keep(con, one, other)
        assert names[0] == names[1]
        assert len(kept(con)) == 1

    def test_a_run_that_goes_on_takes_the_place_of_its_beginning(self, con: Connection) -> None:
        done = run(question_set="s")
        begun = replace(done, outcomes=done.outcomes[:7])
        troubled = [each._replace(correct=None) for each in done.outcomes[7:9]]
        names = keep(con, replace(begun, outcomes=begun.outcomes + troubled), done)
        assert list(kept(con)) == [names[1]]

    @pytest.mark.parametrize(
        "other",
        [
            run(question_set="s", wrong=1),
            run(question_set="s", model="m-2"),
            run(question_set="s", judge="cited"),
            run(question_set="t", wrong=0, questions=7),
            run(question_set="s", route="web"),
        ],
        ids=["other outcomes", "other model", "other judge", "other set", "other route"],
    )
    def test_another_run_stands_beside_it(self, con: Connection, other: Run) -> None:
        keep(con, run(question_set="s"), other)
        assert len(kept(con)) == 2

    def test_a_run_can_be_forgotten(self, con: Connection) -> None:
        one, other = keep(con, run(), run(wrong=1))
        keeping.forget(con, one)
        assert list(kept(con)) == [other]
        with pytest.raises(UsageError, match="there is no run"):
            keeping.forget(con, one)

    def test_a_store_from_before_there_were_runs_has_none(self, con: Connection) -> None:
        keep(con, run())
        con.execute("UPDATE settings SET schema_version = 1")
        assert swap.panel(con, WEEK).num_rows == 0

    def test_no_text_is_in_the_store(self, con: Connection) -> None:
        keep(con, run())
        columns = store.statement("store/swap")
        assert "question VARCHAR" not in columns
        assert "answer VARCHAR" not in columns


class TestPanel:
    @staticmethod
    def rows(con: Connection, week: date = WEEK) -> list[dict[str, Any]]:
        found: pa.Table = swap.panel(con, week)
        assert found.schema == pa.schema([*PROFILES, *GATE])
        return found.to_pylist()

    def test_the_last_run_of_each_model_prompt_and_route(self, con: Connection) -> None:
        first, last = run(asked_on=date(2026, 11, 16)), run(wrong=3, asked_on=date(2026, 11, 22))
        _, name, other = keep(con, first, last, run(model="m-2", wrong=1))
        assert [(row["model"], row["run"], row["gap"]) for row in self.rows(con)] == [
            ("m-1", name, 0.5),
            ("m-2", other, pytest.approx(1 / 6)),
        ]

    def test_what_was_asked_after_the_week_is_not_shown(self, con: Connection) -> None:
        keep(con, run(asked_on=date(2026, 11, 23)))
        assert self.rows(con) == []
        assert len(self.rows(con, date(2026, 11, 23))) == 1

    def test_every_number_has_its_denominator(self, con: Connection) -> None:
        keep(con, run(wrong=3, tokens=2400))
        [row] = self.rows(con)
        assert (row["middle_correct"], row["middle_answered"], row["middle"]) == (3, 6, 0.5)
        assert (row["questions"], row["incomplete"], row["median_tokens"]) == (6, 0, 2400)
        assert row["prompt_bucket"] is None

    def test_lengths_are_told_apart_where_there_are_several(self, con: Connection) -> None:
        short, long = run(60, wrong=0, tokens=1000), run(60, wrong=30, tokens=9000)
        both = [*short.outcomes, *(o._replace(question_id="z" + o[0]) for o in long.outcomes)]
        keep(con, replace(short, outcomes=both))
        assert [(row["prompt_bucket"], row["questions"], row["gap"]) for row in self.rows(con)] == [
            (None, 120, 0.25),
            (0, 60, 0.0),
            (6000, 60, 0.5),
        ]

    def test_the_gate_holds_a_model_against_the_one_before_on_the_same_set(
        self, con: Connection
    ) -> None:
        old = run(100, question_set="s", asked_on=date(2026, 11, 10))
        new = run(100, wrong=20, question_set="s", model="m-2")
        cited = replace(old, judge="cited", asked_on=date(2026, 11, 11))
        keep(con, old, cited, new, run(100, question_set="t", model="m-3"))
        rows = {row["model"]: row for row in self.rows(con)}
        assert (rows["m-2"]["gate"], rows["m-2"]["against"]) == ("fail", "m-1, prompt unknown")
        assert rows["m-2"]["deeper"] == pytest.approx(0.2)
        assert rows["m-1"]["gate"] is None
        assert rows["m-3"]["gate"] is None


class TestCoverage:
    @pytest.fixture(scope="class")
    @classmethod
    def traffic(cls, tmp_path_factory: pytest.TempPathFactory) -> Path:
        """60 requests of m-1 with prompt p-2, of 2,000 tokens; 10 of m-2."""
        site = Site(tmp_path_factory.mktemp("traffic"))

        def asked(name: str, day: int, **fields: Any) -> dict[str, Any]:
            chunks = [{"rank": n, "position": n, "tokens": 500} for n in (1, 2, 3, 4)]
            at = f"2026-11-{day:02}T12:00:00Z"
            return request(name, *chunks, requested_at=at, route="web", **fields)

        site.load_log(
            "log.jsonl",
            asked("old", 3, model="m-1", prompt_version="p-2"),
            *(asked(f"a{n}", 17, model="m-1", prompt_version="p-2") for n in range(60)),
            *(asked(f"b{n}", 17, model="m-2", prompt_version="p-2") for n in range(10)),
        )
        return site.store

    @pytest.fixture
    def site(self, traffic: Path, tmp_path: Path) -> Iterator[Connection]:
        copied = tmp_path / "copied.duckdb"
        copied.write_bytes(traffic.read_bytes())
        with duckdb.connect(str(copied)) as con:
            yield con

    @staticmethod
    def row(site: Connection, *runs: Run, before: date | None = None) -> dict[str, Any]:
        keep(site, *runs)
        [row] = swap.coverage(site, WEEK, before).to_pylist()
        return dict(row)

    def test_a_model_that_was_never_evaluated(self, site: Connection) -> None:
        row = self.row(site, run(model="m-2", prompt_version="p-2"))
        assert (row["route"], row["model"], row["requests"]) == ("web", "m-1", 60)
        assert row["since"] == date(2026, 11, 3)
        assert (row["covered"], row["why"]) == (False, "this model was never evaluated")

    def test_a_prompt_that_has_changed_since(self, site: Connection) -> None:
        row = self.row(site, run(prompt_version="p-1"))
        assert row["why"] == "prompt version p-2 was never evaluated with this model"

    def test_a_prompt_that_has_grown_since(self, site: Connection) -> None:
        row = self.row(site, run(prompt_version="p-2", tokens=1000))
        assert row["why"] == (
            "a typical prompt has about 2,010 context tokens, and 1,000 to 1,000 were evaluated"
        )

    @pytest.mark.parametrize("version", ["p-2", "unknown"])
    def test_an_evaluation_as_it_answers_now(self, site: Connection, version: str) -> None:
        row = self.row(site, run(prompt_version="p-1"), run(prompt_version=version, tokens=1700))
        assert (row["covered"], row["why"]) == (True, None)

    def test_an_evaluation_after_a_day_does_not_count_before_it(self, site: Connection) -> None:
        one = run(prompt_version="p-2", asked_on=date(2026, 11, 24))
        assert not self.row(site, one, before=date(2026, 11, 23))["covered"]

    def test_traffic_that_names_no_model_cannot_be_covered(self) -> None:
        found = held_by({"r": run(model="unknown")}, {}, "unknown", "unknown", None)
        assert not found["covered"]
        assert found["why"] == "requests do not say which model answered; log `model`"

    def test_the_command_names_what_is_missing(self, traffic: Path, capsys: Captured) -> None:
        assert main.run(["swap", "coverage", "--store", str(traffic)]) == 0
        assert capsys.readouterr().out.splitlines() == [
            "week of 16 November: 0 of 1 evaluated as they answer",
            "  web: m-1, prompt p-2, 60 requests, since 3 November: this model was never evaluated",
        ]
        assert main.run(["swap", "coverage", "--week", "2026-W40", "--store", str(traffic)]) == 5


def log_line(number: int) -> dict[str, Any]:
    """A request as an application logs it that keeps its questions and texts."""
    name = f"q{number}"
    texts = [f"The secret of {name} is {secret(name)}.", *(f"Text {n} of {name}" for n in range(4))]
    chunks = [
        {"chunk_id": f"{name}-{n}", "rank": n + 1, "position": n + 1, "tokens": 100, "text": text}
        for n, text in enumerate(texts)
    ]
    chunks.append({"chunk_id": f"{name}-x", "rank": 6, "tokens": 100, "text": f"More of {name}"})
    return request(name, *chunks, route="web", question=f"{name}?")


def labelled(number: int) -> dict[str, Any]:
    name = f"q{number}"
    return {"request_id": name, "answers": [secret(name)], "expected_chunk_ids": [f"{name}-0"]}


JUDGE = """
import json, pathlib, sys
given = json.load(sys.stdin)
assert set(given) == {"question", "answers", "answer"}, given
with pathlib.Path(sys.argv[1]).open("a") as log: log.write(given["question"] + chr(10))
print(json.dumps({"correct": given["answers"][0] in given["answer"]}))
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Logs, the set that is planned from them, and the answers of two models to it."""
    folder = tmp_path_factory.mktemp("swap")
    write(folder / "log.jsonl", map(log_line, range(45)))
    write(folder / "labels.jsonl", map(labelled, range(40)))
    logs = ["--logs", str(folder / "log.jsonl"), "--labels", str(folder / "labels.jsonl")]
    assert main.run(["swap", "plan", *logs, "-o", str(folder / "set.jsonl")]) == 0
    with serving() as model:
        for name, middle in (("m-1", 0.9), ("m-2", 0.2)):
            model.middle = middle
            named = ["--endpoint", model.url, "--model", name, "--at-once", "8"]
            results = str(folder / f"{name}.jsonl")
            assert main.run(["swap", "run", str(folder / "set.jsonl"), *named, "-o", results]) == 0
    return folder


def write(path: Path, lines: Any) -> None:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


class TestFromLogsToTheStore:
    def test_prompts_are_as_long_as_those_of_the_logs(self, folder: Path) -> None:
        _, *planned = [json.loads(line) for line in (folder / "set.jsonl").open()]
        assert len(planned) == 40
        assert {len(line["fillers"]) for line in planned} == {4}

    def test_the_deeper_dip_fails_the_gate(self, folder: Path, capsys: Captured) -> None:
        asked = [str(folder / "m-1.jsonl"), str(folder / "m-2.jsonl")]
        assert main.run(["swap", "gate", *asked]) == 7
        assert capsys.readouterr().out.startswith("fail: m-2 against m-1\n")

    def test_it_is_kept_and_listed(self, folder: Path, capsys: Captured) -> None:
        store = ["--store", str(folder / "s.duckdb")]
        for name in ("m-1", "m-2", "m-2"):
            assert main.run(["swap", "score", str(folder / f"{name}.jsonl"), "--keep", *store]) == 0
        capsys.readouterr()
        assert main.run(["swap", "runs", *store, "--format", "json"]) == 0
        rows = json.loads(capsys.readouterr().out)
        assert sorted(row["model"] for row in rows) == ["m-1", "m-2"]
        assert {row["judge"] for row in rows} == {"span"}
        assert list(rows[0]) == PROFILES.names
        assert main.run(["swap", "runs", *store]) == 0
        names, *shown = capsys.readouterr().out.splitlines()
        assert re.split(r"  +", names) == [
            *("run", "asked on", "model", "prompt", "route", "questions"),
            *("gap", "95% interval", "start", "middle", "end"),
        ]
        assert [rows[0]["run"], rows[0]["model"]] == [re.split(r"  +", shown[0])[n] for n in (0, 2)]
        assert re.search(r"  40  [−+][\d.]+ points  [−+][\d.]+ to [−+][\d.]+  [\d.]+%  ", shown[0])
        assert main.run(["swap", "forget", rows[0]["run"], *store]) == 0

    def test_where_it_is_kept_stands_in_the_settings(
        self, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        (tmp_path / "citelog.toml").write_text('store = "mine.duckdb"\n')
        assert main.run(["swap", "score", str(folder / "m-1.jsonl"), "--keep"]) == 0
        with reader(tmp_path / "mine.duckdb") as con:
            assert len(kept(con)) == 1

    def test_a_judge_is_asked_once_for_each_answer(
        self, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
    ) -> None:
        head, *held = (folder / "m-1.jsonl").read_text().splitlines(keepends=True)
        lines = [line for line in held if '"answer":' in line]
        (tmp_path / "r.jsonl").write_text(head + "".join(lines[:9]))
        (tmp_path / "judge.py").write_text(JUDGE)
        asked = f"{sys.executable} -S -E {tmp_path / 'judge.py'} {tmp_path / 'asked'}"
        told: list[tuple[int, int]] = []
        heard = nullcontext(lambda done, total: told.append((done, total)))
        monkeypatch.setattr(progress, "counting", lambda what: heard)
        for _ in range(2):
            command = ["swap", "score", str(tmp_path / "r.jsonl"), "--judge-command", asked]
            assert main.run([*command, "--format", "json"]) == 0
        out = capsys.readouterr().out
        assert '"judge": "command"' in out
        assert len((tmp_path / "asked").read_text().splitlines()) == 9
        assert told == [(done, 9) for done in range(1, 10)]
        right = [
            secret(json.loads(line)["question_id"]) in line.split("answer")[2] for line in lines[:9]
        ]
        rows = json.loads(out[: out.index("]") + 1])
        assert sum(rows[0][f"{at}_correct"] for at in ("start", "middle", "end")) == sum(right)

    def test_a_judge_that_gives_no_verdict_ends_it(
        self, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
    ) -> None:
        copied = shutil.copy(folder / "m-1.jsonl", tmp_path)
        monkeypatch.setattr("analyzer.swap.running.pause", lambda *_: 0.0)
        assert main.run(["swap", "score", str(copied), "--judge-command", "echo no"]) == 1
        assert "3 in a row got no answer" in capsys.readouterr().err

    def test_a_model_that_cites_is_judged_by_that(self, folder: Path, capsys: Captured) -> None:
        """The model of the tests always cites the first chunk."""
        asked = ["swap", "score", str(folder / "m-1.jsonl"), "--judge", "cited"]
        assert main.run(asked) == 0
        said = capsys.readouterr().out
        assert "start   100.0%  (40 of 40)" in said
        assert "middle    0.0%  (0 of 40)" in said


class TestPlanCommand:
    def test_lengths_come_from_the_routes_of_a_store(
        self, folder: Path, tmp_path: Path, capsys: Captured
    ) -> None:
        site = Site(tmp_path)
        site.load(folder / "log.jsonl")
        logs = ["--logs", str(folder / "log.jsonl"), "--labels", str(folder / "labels.jsonl")]
        asked = ["swap", "plan", *logs, "-o", str(tmp_path / "set.jsonl"), "--questions", "5"]
        assert main.run([*asked, "--lengths-of", str(site.store), "--route", "web"]) == 0
        assert "5 questions, 15 prompts of 500 to 500 context tokens" in capsys.readouterr().out
        assert main.run([*asked, "--lengths-of", str(site.store), "--route", "chat"]) == 5

    @pytest.mark.parametrize(
        ("more", "said"),
        [
            (["--chunks", "5", "--tokens", "9"], "--chunks and --tokens are both given"),
            (["--at", "edge"], "--at 'edge' is none of places, slots, start, middle, end"),
            (["--labels", "{folder}/labels.jsonl"], "--labels are for logs"),
            (["-o", "{folder}/log.jsonl"], "log.jsonl: is one of the files to read; name another"),
        ],
    )
    def test_wrong_usage(
        self, more: list[str], said: str, folder: Path, tmp_path: Path, capsys: Captured
    ) -> None:
        more = [word.replace("{folder}", str(folder)) for word in more]
        asked = ["swap", "plan", str(folder / "log.jsonl"), "-o", str(tmp_path / "x"), *more]
        assert main.run(asked) == 2
        assert said in capsys.readouterr().err

    def test_logs_without_labels_have_nothing_to_ask(
        self, folder: Path, tmp_path: Path, capsys: Captured
    ) -> None:
        asked = ["swap", "plan", "--logs", str(folder / "log.jsonl"), "-o", str(tmp_path / "x")]
        assert main.run(asked) == 5
        assert "45 lines: it names no expected chunk" in capsys.readouterr().err

    def test_logs_of_several_routes_need_one(
        self, folder: Path, tmp_path: Path, capsys: Captured
    ) -> None:
        lines = [log_line(1) | labelled(1), log_line(2) | labelled(2) | {"route": "chat"}]
        write(tmp_path / "log.jsonl", lines)
        asked = ["swap", "plan", "--logs", str(tmp_path / "log.jsonl"), "-o", str(tmp_path / "x")]
        assert main.run(asked) == 2
        assert "questions of routes chat, web; name one with --route" in capsys.readouterr().err


def test_a_set_for_tests_is_what_it_says(tmp_path: Path) -> None:
    made = planned_set(tmp_path / "set.jsonl", 2)
    assert {each.k for each in made.planned} == {5}
