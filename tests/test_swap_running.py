"""Asking a model that fails: every question gets its answer, and none is asked again for it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
from model_servers import (
    DRIP,
    EDGE,
    GARBAGE,
    HANG_UP,
    MIDDLE,
    NO_TEXT,
    STALL,
    Model,
    is_right,
    serving,
)
from msgspec import structs
from swapped import planned_set

from analyzer.cli import main, say
from analyzer.cli.swap_progress import NowAndThen, Prices
from analyzer.errors import CitelogError, UsageError
from analyzer.swap.asking import Prompt, Reply
from analyzer.swap.endpoint import LONGEST_WAIT, Endpoint, seconds_of
from analyzer.swap.evaluating import Progress
from analyzer.swap.loading import Told, load
from analyzer.swap.pace import Pace, pause
from analyzer.swap.results import Growing, Head, Line, growing, read
from analyzer.swap.scoring import score

Captured = pytest.CaptureFixture[str]

ROOT = Path(__file__).parent.parent
CITELOG = [sys.executable, "-c", "from analyzer.cli.main import main; main()"]
FINE = (None, None, None)
MARK = {"question_id", "draw", "position", "k", "tokens", "asked_at"}  # that it is asked, no more
KEY = "sk-very-secret-0123456789"


@pytest.fixture
def model() -> Iterator[Model]:
    with serving() as model:
        yield model


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


def words(model: Model, folder: Path, *more: str) -> list[str]:
    quick = ["--first-pause", "0.01", "--timeout", "20"]
    named = ["--model", "m-1", "--endpoint", model.url, "-o", str(folder / "results.jsonl")]
    return ["swap", "run", str(folder / "set.jsonl"), *named, *quick, *more]


def lines(folder: Path) -> list[dict[str, Any]]:
    text = (folder / "results.jsonl").read_text()
    return [json.loads(line) for line in text.splitlines()][1:]


def keys(folder: Path) -> Counter[tuple[str, int]]:
    found = (line for line in lines(folder) if "answer" in line)
    return Counter((line["question_id"], line["position"]) for line in found)


class TestPlantedDip:
    def test_it_is_found_within_its_interval_whatever_fails(
        self, model: Model, tmp_path: Path
    ) -> None:
        planned_set(tmp_path / "set.jsonl", 150)
        passing: list[int | str | None] = [429, 500, GARBAGE, HANG_UP, NO_TEXT, 503]
        # Seldom enough that no question meets so many as to be given up.
        model.faults = [STALL, DRIP, *(fault for each in passing * 6 for fault in (each, *FINE))]
        assert main.run(words(model, tmp_path, "--at-once", "8", "--timeout", "1")) == 0
        found = score(load(tmp_path / "results.jsonl", Told()).outcomes)
        assert found.gap is not None
        assert found.low is not None
        assert found.high is not None
        assert found.low < EDGE - MIDDLE < found.high
        assert found.low > 0

    def test_every_answer_is_the_one_that_the_model_gave(
        self, model: Model, tmp_path: Path
    ) -> None:
        planned_set(tmp_path / "set.jsonl", 20)
        main.run(words(model, tmp_path))
        for outcome in load(tmp_path / "results.jsonl", Told()).outcomes:
            assert outcome.correct == is_right(outcome.question_id, outcome.position, 5)
        assert set(model.answered.values()) == {1}

    def test_what_fails_is_asked_again_and_what_is_answered_is_not(
        self, model: Model, tmp_path: Path
    ) -> None:
        planned_set(tmp_path / "set.jsonl", 10)
        model.faults = [429, 500, STALL, GARBAGE, HANG_UP, NO_TEXT, DRIP]
        assert main.run(words(model, tmp_path, "--timeout", "1")) == 0
        assert set(keys(tmp_path).values()) == {1}
        assert keys(tmp_path).keys() == model.answered.keys()
        assert model.heard.total() >= 30 + 7  # more where a busy machine took a second to answer


class TestResume:
    @staticmethod
    def start(model: Model, folder: Path, answers: int, *more: str) -> subprocess.Popen[bytes]:
        """A run in a process of its own, as it is after so many answers."""
        before = model.answered.total()
        process = subprocess.Popen(
            [*CITELOG, *words(model, folder, "--at-once", "4", *more)],
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        while model.answered.total() < before + answers and process.poll() is None:
            time.sleep(0.002)
        return process

    @staticmethod
    def killed(process: subprocess.Popen[bytes]) -> None:
        process.kill()
        assert process.wait() == -signal.SIGKILL
        time.sleep(0.05)  # what was under way at the server comes to its end

    def test_killed_again_and_again_it_asks_nothing_twice(
        self, model: Model, tmp_path: Path, capsys: Captured
    ) -> None:
        planned_set(tmp_path / "set.jsonl", 50)
        model.delay = 0.01
        moments = (1, 17, 40, 30)
        for answers in moments:
            self.killed(self.start(model, tmp_path, answers))
        assert main.run(words(model, tmp_path)) == 1
        assert set(model.heard.values()) == {1}
        unknown = 150 - keys(tmp_path).total()
        assert 0 < unknown <= 4 * len(moments)
        assert f"{unknown} prompts were under way when a run was killed" in capsys.readouterr().err
        assert main.run(words(model, tmp_path)) == 1
        assert set(model.heard.values()) == {1}

    def test_asked_again_it_is_complete(self, model: Model, tmp_path: Path) -> None:
        planned_set(tmp_path / "set.jsonl", 20)
        model.delay = 0.01
        self.killed(self.start(model, tmp_path, 25))
        assert main.run(words(model, tmp_path)) == 1
        known, heard, names = keys(tmp_path), Counter(model.heard), dict(model.names)
        assert main.run(words(model, tmp_path, "--ask-again")) == 0
        again = model.heard - heard
        assert set(again.values()) == {1}
        assert again.keys() == keys(tmp_path).keys() - known.keys()
        assert set(keys(tmp_path).values()) == {1}
        assert keys(tmp_path).total() == 60
        assert names.items() <= model.names.items()

    def test_what_stands_at_a_server_that_stalls_is_not_known(
        self, model: Model, tmp_path: Path
    ) -> None:
        planned_set(tmp_path / "set.jsonl", 4)
        model.faults = [STALL] * 4
        process = self.start(model, tmp_path, 0)
        while model.heard.total() < 4:
            time.sleep(0.002)
        self.killed(process)
        assert main.run(words(model, tmp_path)) == 1
        assert set(model.heard.values()) == {1}
        assert keys(tmp_path).total() == 8

    def test_what_was_refused_before_the_kill_is_known_and_asked(
        self, model: Model, tmp_path: Path
    ) -> None:
        planned_set(tmp_path / "set.jsonl", 2)
        model.faults = [500] * 4
        process = self.start(model, tmp_path, 0, "--first-pause", "60")
        results = tmp_path / "results.jsonl"
        while not results.exists() or results.read_text().count('"trouble"') < 4:
            time.sleep(0.002)
        self.killed(process)
        assert main.run(words(model, tmp_path)) == 0
        assert set(model.answered.values()) == {1}
        assert keys(tmp_path).total() == 6

    def test_that_it_is_asked_is_on_the_disk_before_it_is_sent(
        self, model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        planned_set(tmp_path / "set.jsonl", 1)
        seen: list[tuple[int, bool]] = []
        synced = []
        monkeypatch.setattr(os, "fsync", synced.append)

        def look(self: Endpoint, prompt: Prompt) -> Reply:
            marks = [line for line in lines(tmp_path) if line.keys() <= MARK]
            seen.append((len(marks), len(synced) == len(marks)))
            return Reply("yes")

        monkeypatch.setattr(Endpoint, "__call__", look)
        assert main.run(words(model, tmp_path, "--at-once", "1")) == 0
        assert seen == [(1, True), (2, True), (3, True)]

    def test_a_question_with_an_open_end_is_not_scored_and_that_is_said(
        self, model: Model, tmp_path: Path, capsys: Captured
    ) -> None:
        planned_set(tmp_path / "set.jsonl", 3)
        assert main.run(words(model, tmp_path)) == 0
        results = tmp_path / "results.jsonl"
        head, *held = results.read_text().splitlines()
        first = json.loads(held[-1])
        without = [line for line in held if line != held[-1]]  # killed as its answer came
        results.write_text("\n".join([head, *without]) + "\n")
        run = load(results, Told())
        assert {each.question_id for each in run.outcomes} == {"q0", "q1", "q2"} - {
            first["question_id"]
        }
        assert (len(run.outcomes), run.not_known, run.unpaired) == (6, 1, 2)
        found = score(run.outcomes)
        assert [at.answered for at in found.places] == [2, 2, 2]
        capsys.readouterr()
        assert main.run(["swap", "score", str(results)]) == 0
        said = capsys.readouterr()
        assert said.err == (
            f"{results}: 1 prompt is under way, or was when the run was killed, and whether "
            "answers came is not known; not scored, nor 2 of the same questions; "
            "after a kill swap run --ask-again asks once more\n"
        )
        assert said.out.startswith("m-1, 2 questions, 6 prompts")

    def test_nothing_but_open_ends_is_no_score(
        self, model: Model, tmp_path: Path, capsys: Captured
    ) -> None:
        planned_set(tmp_path / "set.jsonl", 1)
        main.run(words(model, tmp_path))
        results = tmp_path / "results.jsonl"
        results.write_text("".join(results.read_text().splitlines(keepends=True)[:2]))
        assert main.run(["swap", "score", str(results)]) == 5
        assert "--ask-again asks once more what was under way" in capsys.readouterr().err

    def test_told_to_end_it_keeps_what_is_under_way(self, model: Model, tmp_path: Path) -> None:
        planned_set(tmp_path / "set.jsonl", 20)
        model.delay = 0.02
        process = self.start(model, tmp_path, 10)
        process.send_signal(signal.SIGTERM)
        assert process.wait() == 130
        assert process.stderr is not None
        said = process.stderr.read().decode()
        results = tmp_path / "results.jsonl"
        assert said == f"stopped; the answers so far stand in {results}, run again to go on\n"
        assert keys(tmp_path) == model.answered
        assert main.run(words(model, tmp_path)) == 0
        assert set(model.answered.values()) == {1}
        assert model.answered.total() == 60

    def test_a_finished_run_asks_nothing(self, model: Model, tmp_path: Path) -> None:
        planned_set(tmp_path / "set.jsonl", 3)
        for _ in range(2):
            assert main.run(words(model, tmp_path)) == 0
        assert model.heard.total() == 9

    def test_a_torn_last_line_is_cut_off_and_its_question_asked_where_that_is_wanted(
        self, model: Model, tmp_path: Path
    ) -> None:
        planned_set(tmp_path / "set.jsonl", 3)
        main.run(words(model, tmp_path))
        whole = (tmp_path / "results.jsonl").read_bytes()
        (tmp_path / "results.jsonl").write_bytes(whole[:-20])
        assert main.run(words(model, tmp_path)) == 1
        assert model.heard.total() == 9
        assert main.run(words(model, tmp_path, "--ask-again")) == 0
        assert keys(tmp_path).total() == 9
        assert model.heard.total() == 10

    def test_the_same_question_has_the_same_name_again(self, model: Model, tmp_path: Path) -> None:
        planned_set(tmp_path / "set.jsonl", 2)
        main.run(words(model, tmp_path))
        first = dict(model.names)
        (tmp_path / "results.jsonl").unlink()
        main.run(words(model, tmp_path))
        assert model.names == first
        assert len(set(first.values())) == 6
        (tmp_path / "results.jsonl").unlink()
        main.run(words(model, tmp_path, "--model", "m-2"))
        assert not {*model.names.values()} & {*first.values()}  # or it would get m-1's answers

    def test_another_model_needs_another_file(
        self, model: Model, tmp_path: Path, capsys: Captured
    ) -> None:
        planned_set(tmp_path / "set.jsonl", 2)
        main.run(words(model, tmp_path))
        assert main.run(words(model, tmp_path, "--model", "m-2")) == 2
        assert "was begun with model 'm-1', and now it is 'm-2'" in capsys.readouterr().err

    def test_two_runs_never_write_to_one_file(
        self, model: Model, tmp_path: Path, capsys: Captured
    ) -> None:
        planned_set(tmp_path / "set.jsonl", 10)
        model.delay = 0.05
        process = self.start(model, tmp_path, 1)
        assert main.run(words(model, tmp_path)) == 6
        assert "another run writes to it" in capsys.readouterr().err
        process.kill()
        process.wait()


class TestTrouble:
    def test_what_never_answers_is_kept_as_unanswered_and_asked_the_next_time(
        self, model: Model, tmp_path: Path, capsys: Captured
    ) -> None:
        planned_set(tmp_path / "set.jsonl", 3)
        model.faults = [500, 500]
        asked = words(model, tmp_path, "--attempts", "2", "--at-once", "1")
        assert main.run(asked) == 1
        assert "1 prompt got no answer" in capsys.readouterr().err
        assert [line["trouble"] for line in lines(tmp_path) if "trouble" in line] == [
            "127.0.0.1 answered 500 (not now)"
        ] * 2
        found = score(load(tmp_path / "results.jsonl", Told()).outcomes)
        assert (found.asked, found.answered, found.questions, found.incomplete) == (9, 8, 2, 1)
        assert main.run(asked) == 0
        assert keys(tmp_path).total() == 9

    def test_ten_in_a_row_end_the_run(self, model: Model, tmp_path: Path, capsys: Captured) -> None:
        planned_set(tmp_path / "set.jsonl", 30)
        model.faults = [400] * 100
        assert main.run(words(model, tmp_path, "--at-once", "1")) == 1
        assert "10 in a row got no answer" in capsys.readouterr().err
        assert model.heard.total() == 10

    def test_questions_that_are_refused_for_good_hold_up_no_others(
        self, model: Model, tmp_path: Path
    ) -> None:
        planned_set(tmp_path / "set.jsonl", 10)
        model.faults = [400] * 10
        one_by_one = words(model, tmp_path, "--at-once", "1")
        assert main.run(one_by_one) == 1
        model.faults = [*FINE * 6, *FINE[:2], *[400] * 10]
        assert main.run(one_by_one) == 1
        assert keys(tmp_path).total() == 20

    @pytest.mark.parametrize("status", [401, 403, 404, 302])
    def test_a_refusal_ends_the_run_at_once_and_the_key_stays_secret(
        self, status: int, model: Model, tmp_path: Path, capsys: Captured
    ) -> None:
        planned_set(tmp_path / "set.jsonl", 30)
        model.forbidden = status
        assert main.run(words(model, tmp_path, "--at-once", "2")) == 1
        said = capsys.readouterr()
        assert f"127.0.0.1 answered {status} (wrong key Bearer ***" in said.err
        assert said.err.count("\n") == 1
        assert model.heard.total() <= 4
        assert KEY not in said.out + said.err + (tmp_path / "results.jsonl").read_text()
        assert model.keys == {f"Bearer {KEY}"}

    def test_no_key_no_header(
        self, model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        planned_set(tmp_path / "set.jsonl", 1)
        monkeypatch.delenv("OPENAI_API_KEY")
        main.run(words(model, tmp_path))
        assert model.keys == {None}

    @pytest.mark.parametrize(
        ("more", "said"),
        [
            (["--endpoint", "ftp://x"], "--endpoint is no http(s) address"),
            (["--endpoint", "http://[::1"], "--endpoint is no http(s) address"),
            (["--endpoint", "http://x:99999/v1"], "--endpoint is no http(s) address"),
            (["--endpoint", "http://me:pw@x/v1"], "give a key in a variable"),
            (["--command", "cat"], "name whom to ask with --endpoint or with --command"),
            (["--body", "[1]"], "--body is no JSON object"),
            (["--prompt", "{folder}/set.jsonl"], "the prompt has no {chunks} and no {question}"),
        ],
    )
    def test_wrong_usage_is_said_before_anything_is_asked(
        self, more: list[str], said: str, model: Model, tmp_path: Path, capsys: Captured
    ) -> None:
        planned_set(tmp_path / "set.jsonl", 1)
        more = [word.replace("{folder}", str(tmp_path)) for word in more]
        assert main.run(words(model, tmp_path, *more)) == 2
        assert said in capsys.readouterr().err
        assert not model.heard

    def test_a_prompt_that_is_no_text(self, model: Model, tmp_path: Path, capsys: Captured) -> None:
        planned_set(tmp_path / "set.jsonl", 1)
        (tmp_path / "prompt").write_bytes(b"\xff\xfe{chunks}")
        assert main.run(words(model, tmp_path, "--prompt", str(tmp_path / "prompt"))) == 2
        assert "prompt: is no UTF-8 text" in capsys.readouterr().err

    def test_a_key_that_no_header_can_carry_is_not_repeated(
        self, model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
    ) -> None:
        planned_set(tmp_path / "set.jsonl", 1)
        monkeypatch.setenv("OPENAI_API_KEY", "abc\ndef")
        assert main.run(words(model, tmp_path)) == 2
        assert "abc" not in capsys.readouterr().err


class TestWhatIsSaid:
    def test_cost_and_tokens_add_up_over_runs(
        self, model: Model, tmp_path: Path, capsys: Captured
    ) -> None:
        planned_set(tmp_path / "set.jsonl", 2)
        priced = words(model, tmp_path, "--price-in", "1000", "--price-out", "100000")
        for _ in range(2):
            assert main.run(priced) == 0
        first, second = capsys.readouterr().out.splitlines()
        assert first == second
        tokens = sum(line.get("prompt_tokens", 0) for line in lines(tmp_path))
        spent = tokens / 1000 + 18 * 0.1
        assert f"6 of 6 answered, {tokens:,} prompt tokens and 18 answer tokens" in first
        assert f"{spent:,.2f} spent" in first

    def test_a_terminal_shows_how_far_it_is(
        self, model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
    ) -> None:
        planned_set(tmp_path / "set.jsonl", 2)
        monkeypatch.setattr(say, "to_terminal", lambda stream: True)
        assert main.run(words(model, tmp_path, "--price-in", "1000")) == 0
        shown = capsys.readouterr().err
        assert "6/6" in shown
        assert "spent" in shown

    def test_the_first_failure_is_said_at_once_and_only_that(
        self, model: Model, tmp_path: Path, capsys: Captured
    ) -> None:
        planned_set(tmp_path / "set.jsonl", 2)
        model.faults = [500, 503, 429]
        assert main.run(words(model, tmp_path, "--at-once", "1")) == 0
        assert capsys.readouterr().err == (
            "no answer at first: 127.0.0.1 answered 500; it is asked again\n"
        )

    def test_without_a_terminal_a_line_comes_now_and_then(self, capsys: Captured) -> None:
        clock = Clock()
        tell = NowAndThen(Prices(0.0, 0.0), clock)
        said = {}
        for seconds, done in ((0, 12), (4, 20), (6, 20), (8, 29), (20, 39), (36, 39), (66, 39)):
            clock.now = seconds
            tell(Progress(100, answered=done))
            said[seconds] = capsys.readouterr().err
        assert [seconds for seconds, line in said.items() if line] == [6, 20, 66]
        assert said[6] == "20 of 100 done, 0 prompt tokens\n"

    def test_a_dry_run_asks_nothing(self, model: Model, tmp_path: Path, capsys: Captured) -> None:
        planned_set(tmp_path / "set.jsonl", 2)
        assert main.run(words(model, tmp_path, "--dry-run", "--price-in", "1000")) == 0
        assert capsys.readouterr().out == (
            "127.0.0.1: 6 prompts, 1,500 context tokens, about 1.50 for the prompts\n"
        )
        assert not model.heard
        assert not (tmp_path / "results.jsonl").exists()

    def test_the_body_can_be_changed(self, model: Model, tmp_path: Path) -> None:
        planned_set(tmp_path / "set.jsonl", 1)
        main.run(words(model, tmp_path, "--body", '{"max_tokens": null, "top_p": 0.5}'))
        body = model.bodies[0]
        assert {n: v for n, v in body.items() if n != "messages"} == {
            "model": "m-1",
            "temperature": 0,
            "top_p": 0.5,
        }


PROGRAM = """
import json, pathlib, sys, time
given = json.load(sys.stdin)
assert set(given) == {"messages", "question", "chunks"}, given
tries = pathlib.Path(sys.argv[1]) / (given["question"][:-1] + given["chunks"][0]["chunk_id"])
seen = tries.exists()
tries.touch()
how = "" if seen else sys.argv[2]
if how == "crash": sys.exit("no such luck")
if how == "hang": time.sleep(60)
if how == "garbage": print("{")
elif how == "list": print("[]")
else: print(json.dumps({"answer": given["chunks"][0]["text"], "prompt_tokens": 7}))
"""


ONCE = """
import pathlib, sys
asked = pathlib.Path(sys.argv[1])
print("no more" if asked.read_text() else '{"answer": "yes"}')
asked.write_text("once")
"""


class TestCommand:
    @staticmethod
    def words(folder: Path, command: str) -> list[str]:
        named = ["--model", "app", "-o", str(folder / "results.jsonl"), "--command", command]
        return ["swap", "run", str(folder / "set.jsonl"), *named, "--first-pause", "0.01"]

    def program(self, folder: Path, how: str) -> str:
        (folder / "ask.py").write_text(PROGRAM)
        (folder / "tries").mkdir()
        return f"{sys.executable} -S -E '{folder / 'ask.py'}' '{folder / 'tries'}' {how or 'fine'}"

    @pytest.mark.parametrize("how", ["", "crash", "garbage", "list", "hang"])
    def test_a_program_that_reads_only_the_first_chunk(self, how: str, tmp_path: Path) -> None:
        planned_set(tmp_path / "set.jsonl", 1)
        asked = [*self.words(tmp_path, self.program(tmp_path, how)), "--timeout", "1"]
        assert main.run(asked) == 0
        found = score(load(tmp_path / "results.jsonl", Told()).outcomes)
        assert [(at.place, at.correct) for at in found.places] == [
            ("start", 1),
            ("middle", 0),
            ("end", 0),
        ]

    @pytest.mark.parametrize(
        ("code", "reason", "words"),
        [
            ("import sys; sys.exit('secret text')", " left with 1", ": secret text"),
            ("print('hello')", "the reply is no JSON", ""),
            ("print('{}')", "the reply holds no answer", ""),
        ],
    )
    def test_a_program_that_never_answers_ends_the_run_after_few_attempts(
        self, code: str, reason: str, words: str, tmp_path: Path, capsys: Captured
    ) -> None:
        planned_set(tmp_path / "set.jsonl", 10)
        asked = self.words(tmp_path, f'{sys.executable} -S -E -c "{code}"')
        assert main.run([*asked, "--at-once", "1"]) == 1
        first, last = capsys.readouterr().err.splitlines()
        assert first.startswith("no answer at first: ")
        assert first.endswith(f"{reason}; it is asked again")
        assert "secret" not in first
        assert last.startswith("3 in a row got no answer, the last one because ")
        assert f"{reason}{words}; what was answered is kept" in last
        troubled = Counter(line["question_id"] for line in lines(tmp_path) if "trouble" in line)
        assert troubled.total() == 3 * 3

    def test_a_program_that_has_answered_is_asked_as_often_as_ever(self, tmp_path: Path) -> None:
        planned_set(tmp_path / "set.jsonl", 2)
        (tmp_path / "asked").write_text("")
        (tmp_path / "ask.py").write_text(ONCE)
        command = f"{sys.executable} -S -E {tmp_path / 'ask.py'} {tmp_path / 'asked'}"
        asked = [*self.words(tmp_path, command), "--at-once", "1", "--attempts", "4"]
        assert main.run(asked) == 1
        troubled = Counter(
            (line["question_id"], line["position"]) for line in lines(tmp_path) if "trouble" in line
        )
        assert list(troubled.values()) == [4] * 5

    def test_a_program_that_is_not_there(self, tmp_path: Path, capsys: Captured) -> None:
        planned_set(tmp_path / "set.jsonl", 1)
        assert main.run(self.words(tmp_path, "/no/such/program")) == 1
        assert "/no/such/program: No such file" in capsys.readouterr().err


class Clock:
    """Time that passes only while somebody waits."""

    def __init__(self) -> None:
        self.now = 0.0
        self.stopped = False

    def __call__(self) -> float:
        return self.now

    def wait(self, seconds: float) -> bool:
        self.now += seconds
        return self.stopped

    def is_set(self) -> bool:
        return self.stopped


class TestPace:
    def test_turns_come_at_the_rate(self) -> None:
        clock = Clock()
        pace = Pace(120, clock, clock)  # type: ignore[arg-type]
        times = [clock.now for _ in range(4) if pace.turn()]
        assert times == [0.0, 0.5, 1.0, 1.5]

    def test_a_busy_server_holds_everybody(self) -> None:
        clock = Clock()
        pace = Pace(None, clock, clock)  # type: ignore[arg-type]
        pace.hold(7)
        assert pace.turn()
        assert clock.now == 7.0

    def test_a_stopped_run_has_no_more_turns(self) -> None:
        clock = Clock()
        clock.stopped = True
        assert not Pace(1, clock, clock).turn()  # type: ignore[arg-type]

    def test_pauses_double_up_to_a_minute(self) -> None:
        for attempt, seconds in ((1, 1), (2, 2), (5, 16), (9, 60)):
            assert 0.75 * seconds <= pause(attempt, 1.0) <= 1.25 * seconds


def test_the_key_is_in_no_traceback_either(model: Model) -> None:
    assert KEY not in repr(Endpoint(model.url, "m", KEY))
    assert os.environ["OPENAI_API_KEY"] == KEY


class TestResultsFile:
    HEAD = Head(question_set="s", model="m", prompt_version="p", prompt="d", asked="host")

    @staticmethod
    def line(number: int, **fields: Any) -> Line:
        answer = None if "trouble" in fields else f"no. {number} – ü"
        named = {"question_id": f"q{number}", "draw": 0, "position": 1, "k": 3, "tokens": 9}
        return Line(**{**named, "question": "?", "answer": answer, **fields})

    def filled(self, path: Path, *lines: Line) -> bytes:
        with growing(path, self.HEAD, Line) as file:
            for line in lines:
                file.add(line)
        return path.read_bytes()

    def test_cut_off_anywhere_it_goes_on_with_what_is_whole(self, tmp_path: Path) -> None:
        path = tmp_path / "r.jsonl"
        whole = self.filled(path, *map(self.line, range(3)))
        for cut in range(len(whole) + 1):
            path.write_bytes(whole[:cut])
            with growing(path, self.HEAD, Line) as file:
                kept = [line.question_id for line in file.lines]
                file.add(self.line(9))
            assert kept == [f"q{n}" for n in range(max(0, whole[:cut].count(b"\n") - 1))]
            _, lines = read(path, path.read_bytes())
            assert [line.question_id for line in lines] == [*kept, "q9"]

    def test_an_answer_stands_whatever_trouble_came_before_or_after(self, tmp_path: Path) -> None:
        path = tmp_path / "r.jsonl"
        trouble = self.line(1, trouble="500")
        content = self.filled(path, trouble, self.line(1), trouble, self.line(2, trouble="429"))
        _, lines = read(path, content)
        assert [(line.question_id, line.answer is None) for line in lines] == [
            ("q1", False),
            ("q2", True),
        ]

    def test_a_line_of_something_else_is_named(self, tmp_path: Path) -> None:
        path = tmp_path / "r.jsonl"
        path.write_bytes(self.filled(path, self.line(1)) + b'{"x": 1}\n')
        with pytest.raises(CitelogError, match=r"r\.jsonl:3: is no line of what"):
            read(path, path.read_bytes())

    @pytest.mark.parametrize("content", [b"my notes", b"my notes\nand their end", b"\x00\n\xff"])
    def test_a_file_of_something_else_is_left_as_it_is(
        self, content: bytes, tmp_path: Path
    ) -> None:
        path = tmp_path / "notes.txt"
        path.write_bytes(content)
        with pytest.raises(CitelogError, match=r"notes\.txt:?1?: is no"), self.opened(path):
            pass
        assert path.read_bytes() == content

    def test_of_another_run_not_even_a_torn_line_is_cut_off(self, tmp_path: Path) -> None:
        path = tmp_path / "r.jsonl"
        torn = self.filled(path, self.line(1))[:-5]
        path.write_bytes(torn)
        with pytest.raises(UsageError, match="begun with model"), self.opened(path, model="m-2"):
            pass
        assert path.read_bytes() == torn

    def test_a_device_is_no_results_file(self) -> None:
        with (
            pytest.raises(UsageError, match="is a pipe or a device"),
            self.opened(Path("/dev/null")),
        ):
            pass

    def opened(self, path: Path, **head: Any) -> AbstractContextManager[Growing[Head, Line]]:
        return growing(path, structs.replace(self.HEAD, **head), Line)

    @pytest.mark.parametrize("content", [b"", b'{"citelog_swap_results":1'])
    def test_a_file_without_a_whole_line_is_refused(self, content: bytes, tmp_path: Path) -> None:
        with pytest.raises(CitelogError, match=r"r\.jsonl:1: is no line"):
            read(tmp_path / "r.jsonl", content)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (None, 0.0),
        ("7", 7.0),
        ("-3", 0.0),
        ("soon", 0.0),
        ("nan", 0.0),
        ("86400", LONGEST_WAIT),
        ("Wed, 21 Oct 2015 07:28:00 GMT", 0.0),
    ],
)
def test_a_server_says_how_long_to_wait(header: str | None, seconds: float) -> None:
    assert seconds_of(header) == seconds
