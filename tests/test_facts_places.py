"""Where a chunk stood: positions without holes, ranks among the packed, places, orderings."""

from __future__ import annotations

from typing import Any

import pytest
from loading.records import chunks_of, column, fact_of, packed, request

START, MIDDLE, END = "start", "middle", "end"
# Reference table T1 of the position measures, and the counts of its section 2 (start/middle/end).
PLACES = {
    1: ["only"],
    2: [START, END],
    3: [START, MIDDLE, END],
    6: [START, *[MIDDLE] * 4, END],
    7: [START, START, *[MIDDLE] * 3, END, END],
    11: [START, START, *[MIDDLE] * 7, END, END],
}
COUNTS = {4: (1, 2, 1), 5: (1, 3, 1), 8: (2, 4, 2), 10: (2, 6, 2), 12: (3, 6, 3)}
COUNTS |= {20: (4, 12, 4), 40: (8, 24, 8)}
# Reference table T2: the position of each rank.
EDGES_FIRST = {5: [1, 5, 2, 4, 3], 6: [1, 6, 2, 5, 3, 4]}


def prompt(*positions_by_rank: int) -> list[dict[str, Any]]:
    """Chunks by rank, each with its position."""
    return [{"rank": rank, "position": place} for rank, place in enumerate(positions_by_rank, 1)]


def seen(record: dict[str, Any]) -> set[str]:
    """The orderings that the record agrees with."""
    return set(fact_of(record)["ordering_seen"].split("|"))


class TestPlaces:
    @pytest.mark.parametrize("k", sorted(PLACES))
    def test_places_follow_the_reference_table(self, k: int) -> None:
        rows = chunks_of(request("r", *packed(*range(1, k + 1))))
        assert column(rows, "place") == PLACES[k]
        assert column(rows, "k") == [k] * k

    @pytest.mark.parametrize("k", sorted(COUNTS))
    def test_places_are_as_many_as_the_reference_says(self, k: int) -> None:
        places = column(chunks_of(request("r", *packed(*range(1, k + 1)))), "place")
        assert tuple(places.count(name) for name in (START, MIDDLE, END)) == COUNTS[k]

    def test_depth_of_exactly_a_fifth_is_middle(self) -> None:
        places = column(chunks_of(request("r", *packed(*range(1, 7)))), "place")
        assert places[1] == places[4] == MIDDLE  # (2 - 1) / (6 - 1) = .2 and (5 - 1) / 5 = .8


class TestPositions:
    def test_holes_are_closed_counted_and_the_original_kept_as_marker(self) -> None:
        record = request("r", {"position": 2}, {"position": 5}, {}, {"position": 3})
        rows = chunks_of(record)
        assert column(rows, "position") == [1, 3, None, 2]
        assert column(rows, "marker") == [2, 5, None, 3]
        assert fact_of(record)["holes"] == 2
        assert fact_of(record)["packed"] == 3

    def test_without_holes_nothing_is_kept_as_marker(self) -> None:
        record = request("r", {"position": 2}, {"position": 1})
        assert column(chunks_of(record), "marker") == [None, None]
        assert fact_of(record)["holes"] == 0

    def test_a_logged_marker_wins_over_the_closed_position(self) -> None:
        rows = chunks_of(request("r", {"position": 4, "marker": 0}, {"position": 9, "marker": 2}))
        assert column(rows, "position") == [1, 2]
        assert column(rows, "marker") == [0, None]  # 2 is what its position is called anyway

    def test_a_marker_of_a_chunk_outside_the_prompt_is_kept(self) -> None:
        assert column(chunks_of(request("r", {"marker": 7})), "marker") == [7]

    def test_the_largest_position_is_a_position(self) -> None:
        record = request("r", {"position": 2**31 - 1}, {"position": 1})
        assert column(chunks_of(record), "position") == [2, 1]
        assert fact_of(record)["holes"] == 2**31 - 3


class TestRanks:
    def test_packed_ranks_have_no_gaps(self) -> None:
        record = request(
            "r",
            {"rank": 7, "position": 1},
            {"rank": 1},
            {"rank": 2, "position": 2},
            {"rank": 9, "position": 3},
        )
        assert column(chunks_of(record), "packed_rank") == [2, None, 1, 3]
        assert fact_of(record)["ranked"] == 3

    def test_a_chunk_without_rank_counts_in_k_and_has_no_packed_rank(self) -> None:
        record = request("r", *packed(2, None, 1))
        rows, row = chunks_of(record), fact_of(record)
        assert column(rows, "packed_rank") == [2, None, 1]
        assert column(rows, "position") == [1, 2, 3]
        assert (row["packed"], row["ranked"], row["missing_rank"]) == (3, 2, 1)
        assert row["ordering_seen"] == "unranked"

    def test_ranks_of_several_retrievals_do_not_compare(self) -> None:
        chunks = packed(1, 2, 1)
        for chunk, retrieval in zip(chunks, ("a", "a", "b"), strict=True):
            chunk["retrieval_id"] = retrieval
        record = request("r", *chunks)
        assert column(chunks_of(record), "packed_rank") == [None, None, None]
        assert column(chunks_of(record), "rank") == [1, 2, 1]
        assert fact_of(record)["ranked"] == 0

    def test_a_second_retrieval_of_which_nothing_is_packed_does_not_matter(self) -> None:
        record = request(
            "r",
            {"rank": 3, "position": 1, "retrieval_id": "a"},
            {"rank": 1, "position": 2, "retrieval_id": "a"},
            {"rank": 2, "retrieval_id": "b"},
        )
        assert column(chunks_of(record), "packed_rank") == [2, 1, None]

    def test_one_named_and_one_unnamed_retrieval_are_two(self) -> None:
        record = request(
            "r",
            {"rank": 1, "position": 1, "retrieval_id": "a"},
            *packed(2)[:0],
            {"rank": 2, "position": 2},
        )
        assert column(chunks_of(record), "packed_rank") == [None, None]

    def test_an_empty_retrieval_is_none(self) -> None:
        record = request(
            "r", {"rank": 1, "position": 1, "retrieval_id": ""}, {"rank": 2, "position": 2}
        )
        assert column(chunks_of(record), "packed_rank") == [1, 2]


class TestExposures:
    @pytest.mark.parametrize("exposure", ["cited_only", "pruned"])
    def test_a_list_without_all_packed_chunks_has_no_positions(self, exposure: str) -> None:
        chunks = [{**chunk, "tokens": 5, "doc_id": "d", "cited": True} for chunk in packed(1, 2, 3)]
        record = request("r", *chunks, exposure=exposure)
        row, rows = fact_of(record), chunks_of(record)
        for name in ("packed", "ranked", "cited", "citations", "stray", "context_tokens"):
            assert row[name] is None, name
        for name in ("context_bin", "compared", "documented", "largest_document"):
            assert row[name] is None, name
        assert (row["retrieved"], row["ordering_seen"]) == (3, "unranked")
        for name in ("k", "position", "packed_rank", "place", "cited", "copies"):
            assert column(rows, name) == [None] * 3, name
        assert column(rows, "marker") == [1, 2, 3]  # what the list said is not lost
        assert column(rows, "rank") == [1, 2, 3]

    def test_the_default_exposure_is_packed(self) -> None:
        assert fact_of(request("r", *packed(1)))["exposure"] == "packed"


class TestOrderings:
    @pytest.mark.parametrize("k", sorted(EDGES_FIRST))
    def test_edges_first_is_the_reference_order(self, k: int) -> None:
        assert "edges_first" in seen(request("r", *prompt(*EDGES_FIRST[k])))
        reversed_ = [k + 1 - place for place in EDGES_FIRST[k]]
        assert "edges_first_reversed" in seen(request("r", *prompt(*reversed_)))

    @pytest.mark.parametrize("k", [3, 4, 5, 6, 40])
    def test_best_first_and_best_last(self, k: int) -> None:
        order = range(1, k + 1)
        assert "best_first" in seen(request("r", *packed(*order)))
        assert "best_last" in seen(request("r", *packed(*reversed(order))))

    def test_gaps_in_ranks_do_not_hide_an_ordering(self) -> None:
        assert "best_first" in seen(request("r", *packed(2, 5, 9)))

    def test_what_agrees_with_nothing_is_other(self) -> None:
        assert seen(request("r", *packed(2, 5, 1, 4, 3))) == {"other"}

    @pytest.mark.parametrize("k", [0, 1, 2])
    def test_fewer_than_three_chunks_are_short(self, k: int) -> None:
        assert seen(request("r", *packed(*range(1, k + 1)))) == {"short"}

    def test_explored_stands_over_all(self) -> None:
        assert seen(request("r", *packed(1, 2, 3), explored=True)) == {"explored"}
        assert seen(request("r", explored=True)) == {"explored"}

    def test_what_is_declared_is_kept_and_not_believed(self) -> None:
        row = fact_of(request("r", *packed(3, 2, 1), ordering="best_first"))
        assert row["ordering"] == "best_first"
        assert "best_first" not in row["ordering_seen"].split("|")


@pytest.mark.parametrize("origin", ["rank", "position"])
def test_where_one_was_assumed_from_the_other_nothing_is_told_of_an_ordering(origin: str) -> None:
    record = request("r", *packed(1, 2, 3), origins={origin: "assumed"})
    assert column(chunks_of(record), "packed_rank") == [None, None, None]
    assert column(chunks_of(record), "position") == [1, 2, 3]
    assert fact_of(record)["ordering_seen"] == "unranked"
    assert (fact_of(record)["ranked"], fact_of(record)["packed"]) == (0, 3)
