"""A packer's promises: what it keeps, what it leaves out, and that the reason it gives is true."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from types import ModuleType, SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.errors import CitelogError
from analyzer.ordering import NAMES, arranged, build_context, edges_first
from analyzer.packing import (
    Likeness,
    Packing,
    Rules,
    by_embedding,
    by_signature,
    by_text,
    diverse,
    pack,
    tiktoken_counter,
    with_neighbours,
)
from analyzer.text import fingerprint


@dataclass(frozen=True)
class Chunk:
    """A candidate: chunks of one `topic` are near-copies of each other."""

    name: int
    document: str
    topic: int
    tokens: int


# Not transitive on purpose: topics 1 and 2 are near, 2 and 3 are near, 1 and 3 are not.
NEAR = Likeness[Chunk](lambda one, other: 1.0 - abs(one.topic - other.topic) / 10, near=0.9)

chunks = st.builds(
    Chunk, st.integers(0, 99), st.sampled_from("abcd"), st.integers(0, 30), st.integers(0, 40)
)
candidates = st.lists(chunks, max_size=14, unique_by=lambda chunk: chunk.name)
limits = st.builds(
    Rules,
    k=st.integers(0, 8),
    budget_tokens=st.none() | st.integers(0, 200),
    overhead_tokens=st.integers(0, 60),
    per_document=st.none() | st.integers(0, 3),
)


def packed(ranked: list[Chunk], rules: Rules) -> Packing[Chunk]:
    return pack(
        ranked,
        rules,
        tokens=lambda chunk: chunk.tokens,
        document=lambda chunk: chunk.document,
        likeness=NEAR,
    )


class TestPromises:
    @given(candidates, limits)
    def test_no_limit_is_passed(self, ranked: list[Chunk], rules: Rules) -> None:
        found = packed(ranked, rules)
        total = sum(chunk.tokens for chunk in found.chunks)
        assert len(found.chunks) <= rules.k
        assert found.tokens == total
        if rules.budget_tokens is not None and found.chunks:
            assert total == 0 or rules.overhead_tokens + total <= rules.budget_tokens
        if rules.per_document is not None:
            documents = Counter(chunk.document for chunk in found.chunks)
            assert max(documents.values(), default=0) <= rules.per_document

    @given(candidates, limits)
    def test_no_two_kept_are_near_copies(self, ranked: list[Chunk], rules: Rules) -> None:
        kept = packed(ranked, rules).chunks
        assert all(
            abs(one.topic - other.topic) > 1
            for number, one in enumerate(kept)
            for other in kept[:number]
        )

    @given(candidates, limits)
    def test_every_candidate_has_one_decision_in_its_order(
        self, ranked: list[Chunk], rules: Rules
    ) -> None:
        found = packed(ranked, rules)
        assert [one.chunk for one in found.decisions] == ranked
        assert [one.rank for one in found.decisions] == list(range(1, len(ranked) + 1))
        assert found.chunks == [one.chunk for one in found.decisions if one.outcome == "kept"]

    @given(candidates, limits)
    def test_what_is_left_out_was_left_out_for_its_stated_reason(
        self, ranked: list[Chunk], rules: Rules
    ) -> None:
        before: list[Chunk] = []
        for one in packed(ranked, rules).decisions:
            copied = [other for other in before if abs(other.topic - one.chunk.topic) <= 1]
            siblings = sum(other.document == one.chunk.document for other in before)
            full = len(before) >= rules.k
            capped = rules.per_document is not None and siblings >= rules.per_document
            left = 1e9
            if rules.budget_tokens is not None:
                left = max(0, rules.budget_tokens - rules.overhead_tokens)
                left -= sum(other.tokens for other in before)
            reasons = {
                "beyond_k": full,
                "near_copy": bool(copied),
                "over_cap": capped,
                "did_not_fit": one.chunk.tokens > left,
            }
            assert one.outcome == next((name for name, holds in reasons.items() if holds), "kept")
            assert one.of is None or one.of == copied[0]
            if one.outcome == "kept":
                before.append(one.chunk)

    @given(candidates, limits, st.sampled_from(NAMES))
    def test_order_is_decided_last_and_changes_no_choice(
        self, ranked: list[Chunk], rules: Rules, name: str
    ) -> None:
        found = packed(ranked, rules)
        prompt = found.ordered(lambda blocks: arranged(blocks, name))
        assert prompt == arranged(found.chunks, name)

    @given(candidates, limits)
    def test_overflow_takes_the_lowest_rank_whatever_the_ordering(
        self, ranked: list[Chunk], rules: Rules
    ) -> None:
        alike = [Chunk(one.name, one.name * "x", 2 * n, 10) for n, one in enumerate(ranked)]
        found = packed(alike, rules)
        assert found.chunks == alike[: len(found.chunks)]


def test_a_walk_by_hand() -> None:
    ranked = [
        Chunk(1, "a", 1, 40),
        Chunk(2, "a", 2, 40),  # a near-copy of the first
        Chunk(3, "a", 9, 90),  # does not fit
        Chunk(4, "a", 9, 30),
        Chunk(5, "a", 20, 5),  # third of its document
        Chunk(6, "b", 20, 20),
        Chunk(7, "c", 30, 1),  # three are in
    ]
    found = packed(ranked, Rules(k=3, budget_tokens=150, overhead_tokens=50, per_document=2))
    outcomes = [one.outcome for one in found.decisions]
    assert outcomes == [
        "kept",
        "near_copy",
        "did_not_fit",
        "kept",
        "over_cap",
        "kept",
        "beyond_k",
    ]
    assert found.decisions[1].of == ranked[0]
    assert found.decisions[2].says == "90 tokens, but 60 are left"
    assert [chunk.name for chunk in found.ordered(edges_first)] == [1, 6, 4]
    assert found.tokens == 90


def test_over_fetching_asks_for_three_times_k() -> None:
    assert Rules(k=8).candidates == 24


def test_a_negative_limit_is_refused() -> None:
    with pytest.raises(ValueError, match="per_document is -1"):
        Rules(per_document=-1)


class TestLikeness:
    TEXT = "The bowl is delivered within three working days, and it can be returned for free. "

    def test_a_near_copy_by_its_text_is_one_by_its_signature(self) -> None:
        one, other = self.TEXT * 3, self.TEXT * 3 + "As of May 2026."
        assert by_text(str).copies(one, other)
        shown = fingerprint(one), fingerprint(other)
        assert by_signature(lambda n: shown[n].signature).copies(0, 1)

    def test_25_of_128_bits_are_near_and_26_are_not(self) -> None:
        for bits, near in ((25, True), (26, False)):
            pair = ("0" * 32, f"{(1 << bits) - 1:032x}")
            assert by_signature(lambda n, pair=pair: pair[n]).copies(0, 1) is near

    def test_the_same_words_in_other_dress_are_the_same(self) -> None:
        assert by_text(str).of("Hello, WORLD!", "hello world") == 1.0

    def test_texts_without_a_word_are_like_none(self) -> None:
        assert not by_text(str).copies("***", "***")

    def test_embeddings_are_near_from_a_cosine_of_95(self) -> None:
        vectors = [(1.0, 0.0), (0.96, 0.28), (0.94, 0.3412), (0.0, 0.0)]
        near = by_embedding(lambda n: vectors[n])
        assert [near.copies(0, n) for n in range(4)] == [True, True, False, False]


class TestDiverse:
    RANKED = (Chunk(0, "a", 1, 0), Chunk(1, "a", 1, 0), Chunk(2, "b", 11, 0))

    def relevance(self, chunk: Chunk) -> float:
        return (0.9, 0.88, 0.5)[chunk.name]

    def test_a_copy_steps_behind_what_is_new(self) -> None:
        order = diverse(self.RANKED, relevance=self.relevance, likeness=NEAR)
        # .7 * .88 - .3 * 1 = .316 against .7 * .5 - .3 * 0 = .35
        assert [chunk.name for chunk in order] == [0, 2, 1]

    def test_relevance_alone_leaves_them_as_they_came(self) -> None:
        order = diverse(self.RANKED, relevance=self.relevance, likeness=NEAR, balance=1.0)
        assert order == list(self.RANKED)

    @given(candidates, st.floats(0.01, 1))
    def test_nothing_is_lost_and_the_most_relevant_is_first(
        self, ranked: list[Chunk], balance: float
    ) -> None:
        order = diverse(
            ranked, relevance=lambda chunk: chunk.tokens / 40, likeness=NEAR, balance=balance
        )
        assert Counter(order) == Counter(ranked)
        if ranked:
            assert order[0].tokens == max(chunk.tokens for chunk in ranked)

    def test_a_balance_is_a_share(self) -> None:
        with pytest.raises(ValueError, match="balance is 2"):
            diverse(self.RANKED, relevance=self.relevance, likeness=NEAR, balance=2)


class TestNeighbours:
    """A document of ten chunks that are numbered by their place."""

    @staticmethod
    def expanded(names: list[int], budget: int | None = None, strong: int = 1) -> Packing[int]:
        found = pack(names, Rules(k=3, budget_tokens=budget), tokens=lambda _: 10)
        return with_neighbours(
            found,
            before=lambda n: n - 1 if n > 0 else None,
            after=lambda n: n + 1 if n < 9 else None,
            identity=int,
            tokens=lambda _: 10,
            strong=strong,
        )

    def test_the_strong_chunk_stands_between_its_neighbours(self) -> None:
        found = self.expanded([5, 9])
        assert found.blocks == ((4, 5, 6), (9,))
        assert [one.outcome for one in found.decisions] == ["kept"] * 2 + ["neighbour"] * 2
        assert [one.rank for one in found.decisions] == [1, 2, None, None]
        assert found.tokens == 40

    def test_what_is_in_already_is_no_neighbour(self) -> None:
        assert self.expanded([5, 6, 0], strong=3).blocks == ((4, 5), (6, 7), (0, 1))

    def test_what_does_not_fit_is_said(self) -> None:
        found = self.expanded([5, 9], budget=35)
        assert found.blocks == ((4, 5), (9,))
        assert found.decisions[-1].says == "10 tokens, but 5 are left"

    def test_neighbours_stay_together_in_any_order(self) -> None:
        assert self.expanded([5, 9, 0]).ordered(edges_first) == [4, 5, 6, 0, 9]

    @given(st.lists(st.integers(0, 9), unique=True, max_size=6), st.integers(0, 60))
    def test_the_budget_holds_with_neighbours_too(self, names: list[int], budget: int) -> None:
        found = self.expanded(names, budget, strong=2)
        assert found.tokens == 10 * len(found.chunks) <= budget
        assert len(set(found.chunks)) == len(found.chunks)


class TestInAnApplication:
    def test_filter_then_pack_then_order_then_number(self) -> None:
        texts = ["one two three four", "one two three four!", "five six", "seven " * 50, "eight"]
        found = pack(
            texts,
            Rules(k=3, budget_tokens=12),
            tokens=lambda text: len(text.split()),
            likeness=by_text(str),
        )
        context = build_context(found.chunks, text=str)
        assert context.text == "[1] one two three four\n\n[2] eight\n\n[3] five six"
        assert [one.outcome for one in found.decisions] == [
            "kept",
            "near_copy",
            "kept",
            "did_not_fit",
            "kept",
        ]

    def test_it_needs_neither_database_nor_charts(self) -> None:
        heavy = "{'duckdb', 'altair', 'polars', 'pyarrow', 'vl_convert'}"
        program = f"import sys, analyzer.packing; sys.exit(bool({heavy} & set(sys.modules)))"
        assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0

    def test_the_adapter_counts_what_the_tokenizer_makes_of_plain_text(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        made = ModuleType("tiktoken")
        made.get_encoding = lambda name: SimpleNamespace(  # type: ignore[attr-defined]
            encode_ordinary=lambda text: [name, *text.split()]
        )
        monkeypatch.setitem(sys.modules, "tiktoken", made)
        assert tiktoken_counter("some-encoding")("three plain words") == 4

    def test_a_missing_tokenizer_says_how_to_get_it(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "tiktoken", None)
        with pytest.raises(CitelogError, match=r"install citelog\[tiktoken\]"):
            tiktoken_counter()
