"""Profile, gap and gate: worked by hand, and from sweeps in the forms that others publish."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.cli import main
from analyzer.errors import CitelogError, UsageError
from analyzer.stats.swap_gate import changed, gate
from analyzer.swap.gating import compare
from analyzer.swap.judging import Judge, judge
from analyzer.swap.loading import Told, load
from analyzer.swap.outcomes import Outcome, Run, place_of
from analyzer.swap.scoring import Score, by_bucket, score
from analyzer.swap.telling import gate_lines

Captured = pytest.CaptureFixture[str]

# T11 of the reference numbers: ten questions, right (1) or wrong at start, middle and end.
START = [1, 1, 1, 1, 1, 0, 1, 1, 0, 1]
MIDDLE = [1, 0, 1, 0, 1, 0, 1, 1, 0, 1]
END = [1, 1, 1, 1, 0, 0, 1, 1, 1, 1]


def outcomes(*places: list[int | None], k: int = 5, draw: int = 0) -> list[Outcome]:
    """One list a place: start, middle, end."""
    positions = (1, (k + 1) // 2, k)
    return [
        Outcome(f"q{n:03}", draw, position, k, None if right is None else bool(right))
        for position, rights in zip(positions, places, strict=True)
        for n, right in enumerate(rights)
    ]


def reference() -> list[Outcome]:
    return outcomes(START, MIDDLE, END)


def run(*places: list[int | None], **fields: Any) -> Run:
    return Run(**{"model": "m", "source": "x.jsonl", "outcomes": outcomes(*places), **fields})


class TestByHand:
    def test_the_reference_example(self) -> None:
        found = score(reference())
        assert found.gap == pytest.approx(0.2)
        assert (found.low, found.high) == pytest.approx((-0.145550, 0.545550), abs=1e-6)
        assert found.mcnemar is not None
        assert (found.mcnemar.only_start, found.mcnemar.only_middle) == (2, 0)
        assert found.mcnemar.p == pytest.approx(0.5)
        assert [(at.place, at.correct, at.answered) for at in found.places] == [
            ("start", 8, 10),
            ("middle", 6, 10),
            ("end", 8, 10),
        ]

    def test_questions_needed_follow_the_spread_of_d(self) -> None:
        # sd(d) = .483046: (1.959964 + .841621)^2 * sd^2 / .05^2 = 732.6, and with 1.281552 980.6
        found = score(reference())
        assert (found.needed_80, found.needed_90) == (733, 981)

    @given(st.randoms(use_true_random=False))
    def test_the_order_of_outcomes_changes_nothing(self, dice: random.Random) -> None:
        shuffled = reference()
        dice.shuffle(shuffled)
        assert score(shuffled) == score(reference())

    def test_draws_are_averaged_inside_a_question(self) -> None:
        # q000: d = 1 in one draw and 0 in the other; q001: 0 in both. Gap (.5 + 0) / 2.
        both = outcomes([1, 1], [0, 1], [1, 1]) + outcomes([1, 1], [1, 1], [1, 1], draw=1)
        found = score(both)
        assert found.gap == pytest.approx(0.25)
        assert found.questions == 2

    def test_positions_of_one_place_are_averaged(self) -> None:
        rights = {1: True, 4: False, 6: True, 11: True}
        found = score([Outcome("q", 0, at, 11, right) for at, right in rights.items()])
        assert found.gap == pytest.approx(0.5)
        assert [slot.position for slot in found.slots] == [1, 4, 6, 11]

    def test_questions_that_were_not_answered_everywhere_are_left_out_of_the_gap(self) -> None:
        found = score(outcomes([1, 1, 1], [0, 1, None], [1, 1, 1]))
        assert (found.questions, found.incomplete) == (2, 1)
        assert found.gap == pytest.approx(0.5)
        assert [at.answered for at in found.places] == [3, 2, 3]

    def test_without_a_middle_there_is_no_gap(self) -> None:
        found = score([Outcome("q", 0, at, 2, True) for at in (1, 2)])
        assert found.gap is None
        assert [at.place for at in found.places] == ["start", "end"]
        assert found.mcnemar is None

    def test_nothing_asked_is_no_error(self) -> None:
        found = score([])
        assert (found.asked, found.gap, found.places) == (0, None, [])

    def test_all_alike_is_not_all_sure(self) -> None:
        found = score(outcomes([1] * 20, [1] * 20, [1] * 20))
        assert found.gap == 0
        assert found.low is not None
        assert found.low < -0.05
        assert found.places[0].low == pytest.approx(1 - 2.093024 / 20)

    def test_places_are_those_of_production(self) -> None:
        said = {k: [place_of(at, k) for at in range(1, k + 1)] for k in (2, 3, 6, 11)}
        start, middle, end = "start", "middle", "end"
        assert said == {
            2: [start, end],
            3: [start, middle, end],
            6: [start, *[middle] * 4, end],
            11: [start, start, *[middle] * 7, end, end],
        }
        assert place_of(1, 1) is None

    def test_prompts_of_several_lengths_are_kept_apart(self) -> None:
        of_length = [Outcome("q", 0, 1, 5, True, tokens) for tokens in (1499, 1500, 12000, None)]
        assert {b: len(mine) for b, mine in by_bucket(of_length).items()} == {
            None: 1,
            0: 1,
            1500: 1,
            12000: 1,
        }


class TestGate:
    def test_bounds_by_hand(self) -> None:
        # D = 1 0 0 0 0 0 0 0 0 1: mean .2, sd .421637, se .133333, t(.95, 9) = 1.833113.
        old = np.zeros(10)
        found = gate(old, np.array([1.0, *[0.0] * 8, 1.0]))
        assert found.deeper == pytest.approx(0.2)
        assert (found.low, found.high) == pytest.approx((-0.044415, 0.444415), abs=1e-6)
        assert found.decision == "inconclusive"

    @pytest.mark.parametrize(
        ("middle", "decision"), [(0, "fail"), (1, "pass")], ids=["deeper", "the same"]
    )
    def test_a_deeper_dip_fails_and_the_same_one_passes(self, middle: int, decision: str) -> None:
        right: list[int | None] = [1] * 100
        old = run(right, right, right)
        new = run(right, [1] * 80 + [middle] * 20, right)
        assert compare(old, new).decision == decision

    def test_without_a_margin_only_a_smaller_gap_passes(self) -> None:
        found = gate(np.zeros(10), np.zeros(10), margin=0.0)
        assert (found.decision, found.needed) == ("inconclusive", None)
        assert gate(np.full(100, 0.5), np.zeros(100), margin=0.0).decision == "pass"

    @pytest.mark.parametrize(
        ("new", "said"),
        [
            ({"model": "n"}, "pass: n against m"),
            ({"prompt_version": "p2"}, "pass: m, prompt p2 against m, prompt unknown"),
        ],
    )
    def test_what_differs_is_named(self, new: dict[str, str], said: str) -> None:
        right: list[int | None] = [1] * 100
        one, other = run(right, right, right), run(right, right, right, **new)
        first, *_ = gate_lines(compare(one, other), one, other, 0.05)
        assert first == said

    def test_few_questions_decide_nothing(self) -> None:
        assert compare(run([1], [1], [1]), run([1], [1], [1])).decision == "inconclusive"
        ten: list[int | None] = [1] * 10
        assert compare(run(ten, ten, ten), run(ten, ten, ten)).decision == "inconclusive"

    def test_a_shallower_dip_passes(self) -> None:
        right: list[int | None] = [1] * 100
        assert compare(run(right, [0] * 100, right), run(right, right, right)).decision == "pass"

    def test_only_questions_that_both_answered_everywhere_count(self) -> None:
        old = run([1, 1, 1], [1, None, 1], [1, 1, 1])
        new = run([1, 1], [1, 1], [1, 1])
        assert compare(old, new).questions == 1

    def test_other_questions_and_other_sets_are_refused(self) -> None:
        one = run([1, 1], [1, 1], [1, 1])
        other = Run(model="m", source="y", outcomes=[Outcome("z", 0, 1, 5, True)])
        with pytest.raises(UsageError, match="share no question"):
            compare(one, other)
        with pytest.raises(UsageError, match="come from different sets"):
            compare(run([1], [1], [1], question_set="a"), run([1], [1], [1], question_set="b"))
        with pytest.raises(UsageError, match=r"is judged by span and .* by cited"):
            compare(run([1], [1], [1], judge="span"), run([1], [1], [1], judge="cited"))

    @pytest.mark.parametrize(
        ("wrong", "code", "said"), [(0, 0, "pass"), (30, 7, "fail"), (7, 8, "inconclusive")]
    )
    def test_the_command_says_it_by_its_exit_code(
        self, wrong: int, code: int, said: str, tmp_path: Path, capsys: Captured
    ) -> None:
        right: list[int | None] = [1] * 150
        # Some change to the better too, so that 7 of 150 could be chance.
        mixed: list[int | None] = [0] * wrong + [1] * (150 - wrong)
        before: list[int | None] = [*[1] * 145, *[0] * 5] if said == "inconclusive" else right
        sweep(tmp_path / "old.json", outcomes(right, before, right))
        sweep(tmp_path / "new.json", outcomes(right, mixed, right))
        asked = ["swap", "gate", str(tmp_path / "old.json"), str(tmp_path / "new.json")]
        assert main.run([*asked, "--chunks", "5"]) == code
        assert capsys.readouterr().out.startswith(f"{said}: new.json against old.json\n")

    def test_a_place_that_fell_is_warned_of_though_the_gap_is_smaller(
        self, tmp_path: Path, capsys: Captured
    ) -> None:
        right: list[int | None] = [1] * 100
        sweep(tmp_path / "old.json", outcomes(right, right, right))
        sweep(tmp_path / "new.json", outcomes(right, right, [1] * 60 + [0] * 40))
        asked = ["swap", "gate", str(tmp_path / "old.json"), str(tmp_path / "new.json")]
        assert main.run([*asked, "--chunks", "5"]) == 0
        said = capsys.readouterr().out
        assert "  start   100.0% to 100.0%, 0.0 points, interval" in said
        assert "  end     100.0% to  60.0%, −40.0 points, interval" in said
        assert "warning: new.json answers clearly worse with the chunk at the end; the gate" in said
        assert main.run([*asked, "--chunks", "5", "--format", "json"]) == 0
        out, err = capsys.readouterr()
        assert err.startswith("warning: new.json answers clearly worse")
        gap, start, middle, end = json.loads(out)
        assert (gap["of"], gap["change"], gap["gate"]) == ("gap", pytest.approx(-0.2), "pass")
        assert [row["fell"] for row in (gap, start, middle, end)] == [None, False, False, True]
        assert (end["old"], end["new"], end["questions"]) == (1.0, 0.6, 100)

    def test_a_place_falls_by_the_margin_and_surely_or_nothing_is_said(self) -> None:
        # sd of the differences is .2, so 1,000 questions tell 4 points, and 10 do not tell 30.
        small = changed(np.ones(1000), np.array([0.0] * 40 + [1.0] * 960), 0.05)
        assert (small.high is not None and small.high < 0, small.fell) == (True, False)
        assert changed(np.ones(1000), np.array([0.0] * 60 + [1.0] * 940), 0.05).fell
        assert not changed(np.ones(10), np.array([0.0] * 3 + [1.0] * 7), 0.05).fell
        # Three places at 95 % are one at 98.33 %: t(9) = 2.933, sd = .483046, n = 10.
        few = changed(np.ones(10), np.array([0.0] * 3 + [1.0] * 7))
        assert (few.low, few.high) == pytest.approx((-0.748, 0.148), abs=5e-4)


class TestJudging:
    @pytest.mark.parametrize(
        ("how", "answer", "right"),
        [
            (Judge.exact, "The Ada Lovelace. [2]", True),
            (Judge.exact, "Lovelace", False),
            (Judge.alias, "lovelace", True),
            (Judge.alias, "It was Lovelace", False),
            (Judge.span, "It was Lovelace, of course", True),
            (Judge.span, "It was Babbage", False),
            (Judge.span, "", False),
            (Judge.cited, "It was Babbage [1, 3]", True),
            (Judge.cited, "It was Lovelace [2]", False),
        ],
    )
    def test_one_answer(self, how: Judge, answer: str, right: bool) -> None:
        assert judge(how, answer, ["Ada Lovelace", "Lovelace"], 3) is right

    def test_a_marker_is_no_part_of_an_answer(self) -> None:
        assert judge(Judge.span, "I do not know [3]", ["3"], 1) is False

    def test_without_a_known_answer_there_is_no_judgement(self) -> None:
        assert judge(Judge.span, "Ada", [], 1) is None
        assert judge(Judge.span, "Ada", ["the"], 1) is None


def sweep(path: Path, found: list[Outcome], **more: Any) -> Path:
    """Outcomes as others publish them."""
    records = [
        {"q_idx": each.question_id, "position": each.position - 1, "match": each.correct} | more
        for each in found
    ]
    path.write_text(json.dumps(records))
    return path


class TestSweeps:
    @pytest.mark.parametrize("base", [0, 1])
    def test_positions_from_0_or_from_1(self, base: int, tmp_path: Path) -> None:
        records = [
            {"question_id": "q", "position": at + base, "correct": True, "k": 5} for at in (0, 2, 4)
        ]
        (tmp_path / "s.jsonl").write_text("\n".join(map(json.dumps, records)))
        found = load(tmp_path / "s.jsonl", Told(model="m"))
        assert [each.position for each in found.outcomes] == [1, 3, 5]

    def test_a_question_that_is_only_a_text_is_not_repeated(self, tmp_path: Path) -> None:
        records = [{"question": "who was it", "position": 0, "correct": 1, "k": 3}]
        (tmp_path / "s.json").write_text(json.dumps(records))
        [found] = load(tmp_path / "s.json", Told(model="m")).outcomes
        assert "who" not in found.question_id

    @pytest.mark.parametrize(
        ("record", "told", "said"),
        [
            ({"position": 0, "match": True}, Told(model="m", chunks=3), "has none of question_id"),
            ({"q_idx": 1, "position": 0, "match": True}, Told(model="m"), "add --chunks"),
            ({"q_idx": 1, "position": 0, "match": True}, Told(chunks=3), "add --model"),
            ({"q_idx": 1, "position": 9, "match": True}, Told("m", chunks=3), "position 9 of 3"),
            ({"q_idx": 1, "position": 0, "match": "y"}, Told("m", chunks=3), "neither right nor"),
            ({"q_idx": 1, "position": "a", "match": 1}, Told("m", chunks=3), "no whole number"),
        ],
    )
    def test_what_does_not_say_enough_is_refused(
        self, record: dict[str, Any], told: Told, said: str, tmp_path: Path
    ) -> None:
        (tmp_path / "s.json").write_text(json.dumps([record]))
        with pytest.raises(CitelogError, match=said):
            load(tmp_path / "s.json", told)

    @pytest.mark.parametrize("content", [b"", b"[]", b"x", b"\x1f\x8bxx", b"[1]", b'{"a": 1'])
    def test_another_file_is_refused_in_a_sentence(self, content: bytes, tmp_path: Path) -> None:
        (tmp_path / "s.json").write_bytes(content)
        with pytest.raises(CitelogError, match=r"s\.json: "):
            load(tmp_path / "s.json", Told(model="m", chunks=3))


class TestTelling:
    def test_a_score_as_people_read_it(self, tmp_path: Path, capsys: Captured) -> None:
        file = sweep(tmp_path / "s.json", reference(), k=5)
        assert main.run(["swap", "score", str(file), "--model", "m-1"]) == 0
        assert capsys.readouterr().out.splitlines() == [
            "m-1, 10 questions, 30 prompts, judgements as given",
            "  start    80.0%  (8 of 10), 95% interval 49.8 to 100.0%",
            "  middle   60.0%  (6 of 10), 95% interval 23.1 to 96.9%",
            "  end      80.0%  (8 of 10), 95% interval 49.8 to 100.0%",
            "  gap +20.0 points, 95% interval −14.6 to +54.6 points, of 10 questions "
            "answered everywhere",
            "  McNemar, start against middle: 2 right at the start only, 0 in the middle only, "
            "p = 0.5000",
            "  so many questions show a gap of 42.8 points in 8 of 10 cases; 5 points need 733 "
            "(981 in 9 of 10)",
        ]

    def test_a_score_as_programs_read_it(self, tmp_path: Path, capsys: Captured) -> None:
        file = sweep(tmp_path / "s.json", reference(), k=5)
        asked = ["swap", "score", str(file), "--model", "m-1", "--format", "json"]
        assert main.run(asked) == 0
        [row] = json.loads(capsys.readouterr().out)
        assert (row["questions"], row["middle_correct"], row["middle"]) == (10, 6, 0.6)
        assert row["gap"] == pytest.approx(0.2)
        assert main.run([*asked, "--by", "position"]) == 0
        rows = json.loads(capsys.readouterr().out)
        assert [(row["position"], row["correct"]) for row in rows] == [(1, 8), (3, 6), (5, 8)]


def test_a_score_holds_no_place_that_was_not_asked() -> None:
    found: Score = score(outcomes([1], [1], [1]))
    assert found.at("middle") is not None
    assert score([]).at("middle") is None
