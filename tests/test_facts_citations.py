"""Which packed chunks an answer cites: by flags, else by the list, else by markers."""

from __future__ import annotations

from typing import Any

import pytest
from loading.records import chunks_of, column, fact_of, packed, request

UNKNOWN = (None, None, None)


def counts(record: dict[str, Any], **settings: Any) -> tuple[int | None, ...]:
    """Cited chunks, citations made, stray ones."""
    row = fact_of(record, **settings)
    return row["cited"], row["citations"], row["stray"]


def cited(record: dict[str, Any], **settings: Any) -> list[bool | None]:
    return column(chunks_of(record, **settings), "cited")


def three(**fields: Any) -> dict[str, Any]:
    """Two packed chunks, c1 and c2, and c3, which was cut."""
    return request("r", *packed(1, 2), {"rank": 3}, **fields)


def flagged(*flags: bool | None) -> dict[str, Any]:
    chunks = packed(*range(1, len(flags) + 1))
    return request(
        "r", *({**chunk, "cited": flag} for chunk, flag in zip(chunks, flags, strict=True))
    )


class TestSaying:
    def test_flags_win_over_list_and_markers(self) -> None:
        record = flagged(True, False) | {"citations": [2], "answer": "[2]"}
        assert cited(record) == [True, False]
        assert counts(record) == (1, 1, 0)

    def test_the_list_wins_over_markers(self) -> None:
        record = three(citations=[1], answer="[2]")
        assert cited(record) == [True, False, None]
        assert fact_of(record)["cited_origin"] == "logged"

    def test_markers_are_read_where_nothing_else_is_said(self) -> None:
        record = three(answer="So it is [2].")
        assert cited(record) == [False, True, None]
        assert fact_of(record)["cited_origin"] == "parsed"

    def test_without_any_of_them_citations_are_unknown_not_none(self) -> None:
        assert counts(three()) == UNKNOWN
        assert cited(three()) == [None, None, None]
        assert column(chunks_of(three()), "citations_known") == [False] * 3

    @pytest.mark.parametrize("free", [{"citations": []}, {"answer": "So it is."}, {"answer": ""}])
    def test_an_answer_that_cites_nothing_is_citation_free(self, free: dict[str, Any]) -> None:
        assert counts(three(**free)) == (0, 0, 0)
        assert column(chunks_of(three(**free)), "citations_known") == [True] * 3

    def test_flags_that_are_all_false_are_citation_free(self) -> None:
        assert counts(flagged(False, False)) == (0, 0, 0)

    def test_one_flag_makes_the_missing_ones_false(self) -> None:
        assert cited(flagged(None, True, None)) == [False, True, False]
        assert cited(flagged(None, False)) == [False, False]

    def test_flags_that_are_all_null_say_nothing(self) -> None:
        assert counts(flagged(None, None)) == UNKNOWN


class TestStray:
    def test_a_flagged_chunk_outside_the_prompt_is_stray(self) -> None:
        record = request("r", {"position": 1, "cited": True}, {"cited": True})
        assert cited(record) == [True, None]
        assert counts(record) == (1, 2, 1)

    def test_zero_and_numbers_beyond_are_stray(self) -> None:
        assert counts(three(citations=[0, 3, 1, -1, 10**30])) == (1, 5, 4)
        assert counts(three(answer="[0][1][3]")) == (1, 3, 2)

    def test_an_id_that_was_cut_or_never_there_is_stray(self) -> None:
        assert counts(three(citations=["c3", "nowhere", "c2"])) == (1, 3, 2)

    def test_repeats_are_one_cited_chunk_and_all_are_counted(self) -> None:
        assert counts(three(citations=[1, 1, "c1", 7, 7])) == (1, 5, 2)
        assert counts(three(answer="[1][1] [9], [9]")) == (1, 4, 2)

    def test_numbers_and_ids_may_be_mixed(self) -> None:
        record = three(citations=[2, "c1"])
        assert cited(record) == [True, True, None]

    def test_a_text_is_an_id_even_if_it_looks_like_a_number(self) -> None:
        record = request("r", {"chunk_id": "2", "position": 1}, {"position": 2}, citations=["2"])
        assert cited(record) == [True, False]


class TestCalling:
    """A number is what the prompt called the chunk."""

    def test_the_marker_field_where_given(self) -> None:
        record = request("r", {"position": 1, "marker": 11}, {"position": 2, "marker": 12})
        assert cited(record | {"citations": [12, 1]}) == [False, True]
        assert counts(record | {"answer": "[11][2]"}) == (1, 2, 1)

    def test_else_the_logged_position_before_holes_are_closed(self) -> None:
        record = request("r", {"position": 2}, {"position": 5}, citations=[5, 1])
        assert cited(record) == [False, True]
        assert counts(record) == (1, 2, 1)

    def test_markers_that_count_from_zero(self) -> None:
        record = three(answer="[0] and [2]")
        assert cited(record, marker_base=0) == [True, False, None]
        assert counts(record, marker_base=0) == (1, 2, 1)

    def test_a_list_counts_positions_from_one_whatever_markers_do(self) -> None:
        assert cited(three(citations=[1]), marker_base=0) == [True, False, None]

    def test_ranges_and_groups_are_spelt_out(self) -> None:
        record = request("r", *packed(1, 2, 3, 4), answer="[1, 3-4]")
        assert cited(record) == [True, False, True, True]

    def test_one_chunk_packed_out_of_two_retrievals_is_cited_once_by_its_id(self) -> None:
        record = request(
            "r",
            {"chunk_id": "a", "position": 1, "retrieval_id": "x"},
            {"chunk_id": "a", "position": 2, "retrieval_id": "y"},
            citations=["a"],
        )
        assert counts(record) == (1, 1, 0)


class TestUnanswered:
    @pytest.mark.parametrize("outcome", ["refused", "error", "cached"])
    def test_only_answered_requests_have_citations(self, outcome: str) -> None:
        record = flagged(True, False) | {"outcome": outcome}
        assert counts(record) == UNKNOWN
        assert cited(record) == [None, None]
        row = fact_of(record)
        assert (row["packed"], row["outcome"]) == (2, outcome)  # they count for length and K

    def test_an_answer_without_context_is_outside_every_citation_rate(self) -> None:
        for record in (request("r", citations=[1]), request("r", {"rank": 1, "cited": True})):
            assert counts(record) == UNKNOWN
            assert fact_of(record)["packed"] == 0
