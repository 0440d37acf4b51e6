"""A planned set: counterbalanced, as long as production, and nothing but the position differs."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.errors import CitelogError
from analyzer.stats.percentiles import LN_GAMMA
from analyzer.swap import lengths, sets
from analyzer.swap.logged import packed_tokens, read_logs
from analyzer.swap.planning import At, Plan, Wanted, plan
from analyzer.swap.questions import Piece, Question, read

WORDS = [f"w{number}" for number in range(400)]


def piece(name: str, tokens: int = 100, text: str = "") -> Piece:
    dice = random.Random(name)
    return Piece(name, text or " ".join(dice.sample(WORDS, 30)), tokens)


def question(name: str, around: int = 4, **fields: Any) -> Question:
    fillers = tuple(piece(f"{name}-{number}") for number in range(around))
    made: dict[str, Any] = {"expected": piece(f"{name}-answer"), "fillers": fillers}
    return Question(**{"question_id": name, "question": f"{name}?", **made, **fields})


def questions(n: int, fillers: int = 4) -> list[Question]:
    return [question(f"q{number}", fillers) for number in range(n)]


def written(path: Path, *lines: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


class TestPlaces:
    def test_start_middle_and_end_of_five(self) -> None:
        [planned] = plan(questions(1), Wanted(seed=1)).planned
        assert sorted(planned.positions) == [1, 3, 5]

    def test_an_even_prompt_has_two_middles_and_questions_take_turns(self) -> None:
        made = plan(questions(4, fillers=5), Wanted(seed=1)).planned
        middles = [sorted(each.positions)[1] for each in made]
        assert middles == [3, 4, 3, 4]

    def test_every_slot(self) -> None:
        [planned] = plan(questions(1), Wanted(seed=1, at=(At.slots,))).planned
        assert sorted(planned.positions) == [1, 2, 3, 4, 5]

    def test_only_the_places_that_are_asked_for(self) -> None:
        [planned] = plan(questions(1), Wanted(seed=1, at=(At.start, At.middle))).planned
        assert planned.positions == (1, 3)

    def test_each_place_is_asked_first_equally_often(self) -> None:
        made = plan(questions(30), Wanted(seed=1)).planned
        assert Counter(each.positions[0] for each in made) == {1: 10, 3: 10, 5: 10}

    @given(st.integers(2, 12), st.integers(1, 3), st.integers(0, 99))
    def test_nothing_but_the_position_differs(self, fillers: int, draws: int, seed: int) -> None:
        made = plan(questions(2, fillers), Wanted(seed=seed, at=(At.slots,), draws=draws)).planned
        for each in made:
            for position in each.positions:
                chunks = each.chunks(position)
                assert chunks[position - 1] == each.expected
                assert tuple(c for c in chunks if c != each.expected) == each.fillers


class TestFillers:
    def test_own_chunks_come_first_and_others_make_up_the_number(self) -> None:
        made = plan(questions(3, fillers=2), Wanted(seed=1, chunks=5)).planned
        for each in made:
            names = [filler.chunk_id for filler in each.fillers]
            assert names[:2] == [f"{each.question_id}-0", f"{each.question_id}-1"]
            assert len(set(names)) == 4
            assert all(not name.startswith(f"{each.question_id}-") for name in names[2:])

    def test_a_chunk_that_holds_the_answer_is_no_filler(self) -> None:
        telling = piece("telling", text="It was Ada Lovelace, of course.")
        asked = question("q", answers=("ada lovelace",), fillers=(telling, *map(piece, "abc")))
        [planned] = plan([asked], Wanted(seed=1)).planned
        assert [filler.chunk_id for filler in planned.fillers] == ["a", "b", "c"]

    def test_a_part_of_a_word_is_no_answer(self) -> None:
        asked = question("q", answers=("5",), fillers=(piece("x", text="in 1950"), piece("y")))
        [planned] = plan([asked], Wanted(seed=1)).planned
        assert len(planned.fillers) == 2

    def test_a_near_copy_of_the_expected_chunk_is_no_filler(self) -> None:
        expected = piece("e")
        copy = piece("copy", text=expected.text + " updated today")
        asked = question("q", expected=expected, fillers=(copy, piece("a"), piece("b")))
        [planned] = plan([asked], Wanted(seed=1)).planned
        assert [filler.chunk_id for filler in planned.fillers] == ["a", "b"]

    def test_further_draws_have_other_orders(self) -> None:
        made = plan(questions(1, fillers=8), Wanted(seed=1, draws=3)).planned
        orders = {tuple(f.chunk_id for f in each.fillers) for each in made}
        assert [each.draw for each in made] == [0, 1, 2]
        assert len(orders) == 3

    def test_two_chunks_have_no_middle_and_are_left_out(self) -> None:
        made = plan([question("q", around=1)], Wanted(seed=1))
        assert not made.planned
        assert made.left_out.total() == 1


class TestLengths:
    def test_prompts_come_near_the_lengths_that_are_drawn(self) -> None:
        wanted = Wanted(seed=1, lengths=lambda n, dice: [300, 550, 1000, 2000][:n])
        made = plan(questions(40, fillers=2)[:4] + questions(40)[4:], wanted_of(wanted, 4))
        assert [each.tokens for each in made.planned] == [300, 600, 1000, 2000]
        assert made.short == 0

    def test_too_few_chunks_are_told(self) -> None:
        made = plan(questions(1, fillers=4), Wanted(seed=1, lengths=lambda n, dice: [5000]))
        assert made.planned[0].tokens == 500
        assert made.short == 1

    def test_one_length_from_each_nth(self) -> None:
        drawn = lengths.drawn(list(range(1000)), 10, random.Random(3))
        assert sorted(length // 100 for length in drawn) == list(range(10))

    def test_bins_give_back_their_percentiles(self) -> None:
        # 30 requests at 1,000 tokens, 70 at 8,000: so are three and seven of ten drawn.
        bins = [(round(6.907755 / LN_GAMMA), 30), (round(8.987197 / LN_GAMMA), 70)]
        drawn = sorted(lengths.drawn_of_bins(bins, 10, random.Random(3)))
        assert [round(length, -2) for length in drawn] == [1000] * 3 + [8000] * 7

    def test_logs_tell_the_lengths_of_their_own_prompts(self, tmp_path: Path) -> None:
        chunks = [{"chunk_id": "a", "position": 1, "tokens": 10}, {"chunk_id": "b", "tokens": 99}]
        log = written(
            tmp_path / "log.jsonl",
            {"request_id": "1", "route": "web", "chunks": chunks},
            {"request_id": "2", "route": "web", "chunks": [*chunks, {**chunks[0], "position": 2}]},
            {"request_id": "3", "route": "chat", "chunks": chunks},
            {"request_id": "4", "route": "web", "chunks": [{"chunk_id": "c", "position": 1}]},
        )
        assert packed_tokens([str(log)], "web") == [10, 20]


def wanted_of(wanted: Wanted, n: int) -> Wanted:
    return Wanted(seed=wanted.seed, questions=n, lengths=wanted.lengths)


class TestSameAgain:
    def test_one_seed_makes_one_set(self, tmp_path: Path) -> None:
        seeds = {"a": 1, "b": 1, "c": 2}
        made = [self.bytes_of(tmp_path / name, seed) for name, seed in seeds.items()]
        assert made[0] == made[1] != made[2]

    def bytes_of(self, path: Path, seed: int) -> bytes:
        made = plan(questions(20), Wanted(seed=seed, chunks=8))
        sets.write(path, sets.Head(seed=seed), made.planned)
        return path.read_bytes()

    def test_a_set_is_read_as_it_was_written(self, tmp_path: Path) -> None:
        made: Plan = plan(questions(3), Wanted(seed=1))
        sets.write(tmp_path / "set", sets.Head(seed=1, route="web"), made.planned)
        read_back = sets.read(tmp_path / "set")
        assert read_back.planned == made.planned
        assert read_back.head.route == "web"

    @pytest.mark.parametrize(
        ("content", "said"),
        [
            ("", "is no set of swapped questions"),
            ('{"request_id": "1"}\n', "is no set of swapped questions"),
            ('{"citelog_swap_set": 1, "seed": 1}\n{"question_id": 3}\n', ":2: is no planned"),
        ],
    )
    def test_another_file_is_refused(self, tmp_path: Path, content: str, said: str) -> None:
        (tmp_path / "set").write_text(content)
        with pytest.raises(CitelogError, match=said):
            sets.read(tmp_path / "set")


LINE: dict[str, Any] = {
    "request_id": "r1",
    "route": "web",
    "question": "Who wrote the first program?",
    "answers": ["Ada Lovelace"],
    "expected_chunk_ids": ["b"],
    "answer": "Ada [2]",
    "chunks": [
        {"chunk_id": "a", "rank": 1, "position": 2, "text": "one", "tokens": 7},
        {"chunk_id": "b", "rank": 2, "position": 1, "text": "Ada Lovelace did", "tokens": 8},
        {"chunk_id": "c", "rank": 3, "text": "three"},
        {"chunk_id": "d", "rank": 4, "position": 3},
    ],
}


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(["", "a", "r1"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["chunk_id", "text", "tokens", "position", "rank"]), inner, max_size=4
        )
    ),
    max_leaves=8,
)


class TestReading:
    @given(st.lists(st.fixed_dictionaries({}, optional=dict.fromkeys(LINE, ANYTHING)), max_size=4))
    def test_no_line_however_wrong_ends_the_reading(
        self, tmp_path_factory: pytest.TempPathFactory, lines: list[dict[str, Any]]
    ) -> None:
        log = written(tmp_path_factory.getbasetemp() / "any.jsonl", *lines, LINE)
        found = read_logs([str(log)])
        assert len(found.questions) + found.left_out.total() <= len(lines) + 1
        assert packed_tokens([str(log)])[-1:] != [None]

    def test_a_labelled_file(self, tmp_path: Path) -> None:
        found = read([str(written(tmp_path / "q.jsonl", LINE))])
        [asked] = found.questions
        assert asked.question_id == "r1"
        assert asked.expected == Piece("b", "Ada Lovelace did", 8)
        assert asked.fillers == (Piece("a", "one", 7), Piece("c", "three", 2))
        assert found.estimated

    def test_questions_of_no_route_may_be_asked_for_any(self, tmp_path: Path) -> None:
        lines = [LINE, {**LINE, "request_id": "r2", "route": "chat"}]
        lines.append({name: LINE[name] for name in LINE if name not in ("route", "request_id")})
        found = read([str(written(tmp_path / "q.jsonl", *lines))], route="chat")
        assert [asked.route for asked in found.questions] == ["chat", None]

    def test_a_chunk_that_came_from_two_retrievals_is_one(self, tmp_path: Path) -> None:
        chunks = [{**chunk, "retrieval_id": side} for side in "xy" for chunk in LINE["chunks"]]
        found = read([str(written(tmp_path / "q.jsonl", {**LINE, "chunks": chunks}))])
        assert [filler.chunk_id for filler in found.questions[0].fillers] == ["a", "c"]

    def test_what_is_left_out_is_counted_by_its_reason(self, tmp_path: Path) -> None:
        bare = {name: value for name, value in LINE.items() if name != "expected_chunk_ids"}
        lines = [LINE, LINE, bare, {**LINE, "question": ""}, {**LINE, "expected_chunk_ids": ["d"]}]
        found = read([str(written(tmp_path / "q.jsonl", *lines, {"request_id": "x"}))])
        assert dict(found.left_out) == {
            "its id came before": 1,
            "it names no expected chunk": 1,
            "it has no question": 2,
            "none of its chunks with a text is the expected one": 1,
        }

    def test_labels_join_their_requests_and_the_latest_counts(self, tmp_path: Path) -> None:
        bare = {k: v for k, v in LINE.items() if k not in ("expected_chunk_ids", "answers")}
        early = {"request_id": "r1", "judged_at": "2026-11-03T00:30:00+02:00"}
        late = {"request_id": "r1", "judged_at": "2026-11-02T23:00:00Z"}
        log = written(
            tmp_path / "log.jsonl",
            {**late, "expected_chunk_ids": ["c"]},
            {**early, "expected_chunk_ids": ["a"]},
            bare,
        )
        labels = written(tmp_path / "labels.jsonl", {"request_id": "r1", "answers": ["three"]})
        [asked] = read_logs([str(log)], [str(labels)]).questions
        assert asked.expected.chunk_id == "c"
        assert asked.answers == ("three",)

    def test_labels_that_are_given_win_over_those_of_the_logs(self, tmp_path: Path) -> None:
        judged = {"request_id": "r1", "judged_at": "2026-11-03T00:00:00Z"}
        log = written(tmp_path / "log.jsonl", LINE, {**judged, "expected_chunk_ids": ["c"]})
        labels = written(tmp_path / "l.jsonl", {"request_id": "r1", "expected_chunk_ids": ["a"]})
        [asked] = read_logs([str(log)], [str(labels)]).questions
        assert asked.expected.chunk_id == "a"

    def test_the_highest_revision_counts_and_refusals_do_not(self, tmp_path: Path) -> None:
        log = written(
            tmp_path / "log.jsonl",
            {**LINE, "revision": 1, "question": "new?"},
            LINE,
            {**LINE, "request_id": "r2", "outcome": "refused"},
            {**LINE, "request_id": "r3", "route": "chat"},
        )
        found = read_logs([str(log)], route="web")
        assert [asked.question for asked in found.questions] == ["new?"]
        assert dict(found.left_out) == {"it was not answered": 1}
