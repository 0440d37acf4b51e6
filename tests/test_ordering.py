"""Orderings by hand, their inverses, and what recognition calls them."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from operator import itemgetter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from loading.records import fact_of, request

from analyzer import ordering
from analyzer.simulate.orderings import ranks_in_order

BY_HAND = {
    "best_first": [1, 2, 3, 4, 5, 6],
    "best_last": [6, 5, 4, 3, 2, 1],
    "edges_first": [1, 3, 5, 6, 4, 2],
    "edges_first_reversed": [2, 4, 6, 5, 3, 1],
    "middle_first": [6, 4, 2, 1, 3, 5],
    "middle_first_reversed": [5, 3, 1, 2, 4, 6],
    "long_context_reorder": [2, 4, 6, 5, 3, 1],
    "lost_in_the_middle": [1, 3, 5, 6, 4, 2],
}
names = st.sampled_from(ordering.NAMES)
lengths = st.integers(0, 60)


class TestByRank:
    @pytest.mark.parametrize("name", ordering.NAMES)
    def test_six_chunks_are_laid_as_by_hand(self, name: str) -> None:
        assert ordering.ranks(name, 6) == BY_HAND[name]
        assert getattr(ordering, name)([1, 2, 3, 4, 5, 6]) == BY_HAND[name]

    def test_edges_first_of_few(self) -> None:
        few = [ordering.ranks("edges_first", k) for k in range(6)]
        assert few == [[], [1], [1, 2], [1, 3, 2], [1, 3, 4, 2], [1, 3, 5, 4, 2]]

    def test_the_library_reorderer_turns_with_even_counts(self) -> None:
        assert ordering.ranks("long_context_reorder", 5) == [1, 3, 5, 4, 2]
        assert ordering.ranks("long_context_reorder", 4) == [2, 4, 3, 1]

    @given(names, lengths)
    def test_every_ordering_is_a_permutation(self, name: str, k: int) -> None:
        assert sorted(ordering.ranks(name, k)) == list(range(1, k + 1))

    @given(names, st.lists(st.text(max_size=3), max_size=30))
    def test_the_inverse_gives_back_the_ranks(self, name: str, chunks: list[str]) -> None:
        prompt = ordering.arranged(chunks, name)
        assert Counter(prompt) == Counter(chunks)
        assert ordering.ranked_again(prompt, name) == chunks

    @given(names, st.integers(1, 60), st.data())
    def test_position_and_rank_are_inverses(self, name: str, k: int, data: st.DataObject) -> None:
        rank = data.draw(st.integers(1, k))
        place = ordering.position(name, rank, k)
        assert ordering.ranks(name, k)[place - 1] == rank
        assert ordering.rank_at(name, place, k) == rank

    def test_edges_first_puts_each_rank_no_deeper_than_the_next(self) -> None:
        for k in range(1, 41):
            from_edge = [
                min(place, k + 1 - place)
                for place in (ordering.position("edges_first", rank, k) for rank in range(1, k + 1))
            ]
            assert from_edge == sorted(from_edge)

    def test_the_table_takes_arrays_as_it_takes_numbers(self) -> None:
        k = np.repeat(np.arange(1, 41), 40)
        rank = np.minimum(np.tile(np.arange(1, 41), 40), k)
        for name, places in ordering.positions(rank, k).items():
            pairs = zip(rank.tolist(), k.tolist(), strict=True)
            assert places.tolist() == [ordering.position(name, r, n) for r, n in pairs]

    def test_what_is_no_ordering_or_no_rank_is_said(self) -> None:
        with pytest.raises(ValueError, match="ordering is 'best'; those by rank are best_first"):
            ordering.ranks("best", 3)
        with pytest.raises(ValueError, match="rank is 4, but the ranks of 3 chunks are 1 to 3"):
            ordering.position("best_first", 4, 3)
        with pytest.raises(ValueError, match="position is 0"):
            ordering.rank_at("best_first", 0, 3)


class TestByContent:
    CHUNKS = (("b", 2), ("a", 9), ("b", 1), ("c", 5), ("a", 3))

    def test_documents_stand_together_by_their_best_chunk(self) -> None:
        told = ordering.by_document(self.CHUNKS, document=itemgetter(0), ordinal=itemgetter(1))
        assert told == [("b", 1), ("b", 2), ("a", 3), ("a", 9), ("c", 5)]

    def test_source_order_does_not_look_at_ranks(self) -> None:
        told = ordering.source_order(self.CHUNKS, document=itemgetter(0), ordinal=itemgetter(1))
        assert told == [("a", 3), ("a", 9), ("b", 1), ("b", 2), ("c", 5)]

    @given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 9)), max_size=12, unique=True))
    def test_both_keep_every_chunk(self, chunks: list[tuple[str, int]]) -> None:
        keys: dict[str, Any] = {"document": itemgetter(0), "ordinal": itemgetter(1)}
        together = ordering.by_document(chunks, **keys)
        assert Counter(together) == Counter(chunks)
        assert ordering.source_order(reversed(together), **keys) == sorted(chunks)
        seen = [document for document, _ in together]
        assert seen == sorted(seen, key=[document for document, _ in chunks].index)

    @given(st.lists(st.integers(), max_size=12), st.text(max_size=5))
    def test_shuffling_is_repeatable(self, chunks: list[int], unit: str) -> None:
        order = ordering.shuffled(chunks, unit=unit)
        assert Counter(order) == Counter(chunks)
        assert ordering.shuffled(chunks, unit=unit) == order


class TestContext:
    def test_markers_are_numbered_after_reordering(self) -> None:
        context = ordering.build_context(["best", "second", "third"], text=str.upper)
        assert context.text == "[1] BEST\n\n[2] THIRD\n\n[3] SECOND"
        assert context.chunks == {1: "best", 2: "third", 3: "second"}
        assert context.cited([3, 1, 3, 7]) == ["second", "best"]

    @given(st.lists(st.integers(), max_size=12), names)
    def test_the_map_is_the_prompt(self, chunks: list[int], name: str) -> None:
        context = ordering.build_context(
            chunks, text=str, ordering=getattr(ordering, name), form="<{marker}>{text}", between="|"
        )
        told = "|".join(f"<{marker}>{chunk}" for marker, chunk in context.chunks.items())
        assert context.text == told
        assert list(context.chunks) == list(range(1, len(chunks) + 1))
        assert list(context.chunks.values()) == ordering.arranged(chunks, name)

    def test_braces_in_a_text_stay(self) -> None:
        assert ordering.build_context(["{marker}"], text=str).text == "[1] {marker}"

    def test_an_ordering_that_loses_chunks_is_refused(self) -> None:
        with pytest.raises(ValueError, match="made 1 chunks of 2"):
            ordering.build_context("ab", text=str, ordering=lambda chunks: list(chunks[:1]))


class TestRecognition:
    @pytest.mark.parametrize("name", ordering.NAMES)
    def test_what_is_laid_here_is_called_so_there(self, name: str) -> None:
        for k in range(3, 41):
            assert ordering.recognised_as(name, k) in self.recognised(name, k)

    def test_below_three_chunks_no_ordering_is_named(self) -> None:
        for k in (0, 1, 2):
            assert self.recognised("edges_first", k) == {"short"}

    def test_simulated_traffic_lays_the_same_orders_from_a_table_of_its_own(self) -> None:
        for name in ("best_first", "best_last", "edges_first", "edges_first_reversed"):
            for k in range(1, 41):
                assert ranks_in_order(name, k) == ordering.ranks(name, k)
        for k in range(1, 41):
            library = ordering.ranks("long_context_reorder", k)
            assert ranks_in_order("long_context_reorder", k) == library

    @staticmethod
    def recognised(name: str, k: int) -> set[str]:
        prompt = [
            {"rank": rank, "position": place}
            for place, rank in enumerate(ordering.ranks(name, k), 1)
        ]
        return set(fact_of(request("r", *prompt))["ordering_seen"].split("|"))


def test_it_brings_nothing_heavy_into_an_application() -> None:
    heavy = "{'duckdb', 'altair', 'numpy', 'polars', 'pyarrow', 'vl_convert'}"
    program = f"import sys, analyzer.ordering; sys.exit(bool({heavy} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
