"""What is logged about a request, as columns: days, dimensions, units, weights, lengths, gaps."""

from __future__ import annotations

import math
from datetime import date, datetime
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from loading.records import chunks_of, column, fact_of, facts_of, packed, request

from analyzer.facts.columns import token_bins


def sized(*tokens: int | None, **fields: Any) -> dict[str, Any]:
    """A request whose packed chunks have so many tokens."""
    chunks = packed(*range(1, len(tokens) + 1))
    return request(
        "r", *({**chunk, "tokens": n} for chunk, n in zip(chunks, tokens, strict=True)), **fields
    )


class TestDays:
    # 2026: clocks in Berlin go forward on 29 March (01:00 UTC) and back on 25 October (01:00 UTC).
    @pytest.mark.parametrize(
        ("moment", "zone", "day"),
        [
            ("2026-03-28T22:59:59Z", "Europe/Berlin", "2026-03-28"),
            ("2026-03-28T23:00:00Z", "Europe/Berlin", "2026-03-29"),
            ("2026-03-29T21:59:59Z", "Europe/Berlin", "2026-03-29"),
            ("2026-03-29T22:00:00Z", "Europe/Berlin", "2026-03-30"),
            ("2026-10-24T22:00:00Z", "Europe/Berlin", "2026-10-25"),
            ("2026-10-25T22:59:59Z", "Europe/Berlin", "2026-10-25"),
            ("2026-10-25T23:00:00Z", "Europe/Berlin", "2026-10-26"),
            # Summer time is kept after 2037, where the tables of the zones end.
            ("2040-07-01T21:59:59Z", "Europe/Berlin", "2040-07-01"),
            ("2040-07-01T22:00:00Z", "Europe/Berlin", "2040-07-02"),
            ("2026-11-09T04:59:59Z", "America/New_York", "2026-11-08"),
            ("2026-11-09T05:00:00Z", "America/New_York", "2026-11-09"),
            ("2026-11-08T18:29:59Z", "Asia/Kolkata", "2026-11-08"),
            ("2026-11-08T18:30:00Z", "Asia/Kolkata", "2026-11-09"),
            ("2026-11-08T23:59:59.999999Z", "UTC", "2026-11-08"),
            ("2026-11-09T00:00:00+00:00", "UTC", "2026-11-09"),
            ("2026-11-09T02:30:00+05:30", "UTC", "2026-11-08"),
            ("1970-01-01T00:00:00Z", "America/New_York", "1969-12-31"),
        ],
    )
    def test_a_day_is_cut_in_the_report_time_zone(self, moment: str, zone: str, day: str) -> None:
        row = fact_of(request("r", {}, requested_at=moment), time_zone=zone)
        assert row["day"] == date.fromisoformat(day)
        assert column(chunks_of(request("r", {}, requested_at=moment), time_zone=zone), "day") == [
            date.fromisoformat(day)
        ]

    def test_sunday_midnight_belongs_to_the_old_week(self) -> None:
        last = fact_of(request(requested_at="2026-11-08T22:59:59Z"), time_zone="Europe/Berlin")
        first = fact_of(request(requested_at="2026-11-08T23:00:00Z"), time_zone="Europe/Berlin")
        assert (last["day"].isoweekday(), first["day"].isoweekday()) == (7, 1)

    def test_the_moment_is_stored_in_utc(self) -> None:
        row = fact_of(request(requested_at="2026-11-09T02:30:00+05:30"))
        assert row["requested_at"] == datetime(2026, 11, 8, 21)  # noqa: DTZ001


class TestDimensions:
    def test_absent_null_and_empty_read_unknown(self) -> None:
        for fields in ({}, {"route": None}, {"route": ""}):
            assert fact_of(request(**fields))["route"] == "unknown"

    def test_they_stand_on_every_chunk(self) -> None:
        names = ("route", "model", "release", "index_version")
        record = request("r", {}, {}, **{name: name.upper() for name in names})
        for row in chunks_of(record):
            assert [row[name] for name in names] == [name.upper() for name in names]

    def test_the_default_outcome_is_answered(self) -> None:
        assert fact_of(request())["outcome"] == "answered"

    def test_origins_default_to_logged(self) -> None:
        names = ("rank", "position", "tokens", "cited", "requested_at")
        said = {"rank": "derived", "position": "parsed", "tokens": "counted"}
        said |= {"cited": "estimated", "requested_at": "assumed"}
        plain, told = fact_of(request()), fact_of(request(origins=said))
        assert [plain[f"{name}_origin"] for name in names] == ["logged"] * 5
        assert [told[f"{name}_origin"] for name in names] == list(said.values())

    def test_an_empty_document_is_none(self) -> None:
        record = request("r", {"position": 1, "doc_id": ""}, {"position": 2, "doc_id": ""})
        assert column(chunks_of(record), "doc_id") == [None, None]
        row = fact_of(record)
        assert (row["missing_document"], row["documented"], row["largest_document"]) == (
            2,
            None,
            None,
        )


class TestUnits:
    def test_the_group_depends_on_the_unit_alone(self) -> None:
        rows, _ = facts_of(*(request(f"r{n}", unit_id="ada") for n in range(9)), unit_key=b"k")
        assert len({row["unit_group"] for row in rows}) == 1
        assert len({row["unit_hash"] for row in rows}) == 1
        assert all(row["unit_logged"] for row in rows)

    def test_the_key_changes_the_hash_and_not_the_group(self) -> None:
        one, other = (fact_of(request(unit_id="ada"), unit_key=key) for key in (b"1", b"2"))
        assert one["unit_group"] == other["unit_group"]
        assert one["unit_hash"] != other["unit_hash"]

    @pytest.mark.parametrize("absent", [{}, {"unit_id": None}, {"unit_id": ""}])
    def test_without_a_unit_it_is_the_request(self, absent: dict[str, Any]) -> None:
        row = fact_of(request("r", **absent))
        named = fact_of(request("x", unit_id="r"))
        assert not row["unit_logged"]
        assert (row["unit_group"], row["unit_hash"]) == (named["unit_group"], named["unit_hash"])

    def test_twenty_groups_are_about_even(self) -> None:
        rows, _ = facts_of(*(request(f"r{n}") for n in range(2000)))
        sizes = np.bincount(column(rows, "unit_group"), minlength=20)
        assert len(sizes) == 20
        assert 60 <= sizes.min() <= sizes.max() <= 140


class TestWeights:
    @pytest.mark.parametrize(
        ("weight", "thousandths"),
        [(None, 1000), (1, 1000), (2.5, 2500), (0.0004, 1), (1 / 3, 333), (10.0, 10_000)],
    )
    def test_a_weight_is_whole_thousandths_and_never_nothing(
        self, weight: float | None, thousandths: int
    ) -> None:
        assert fact_of(request(sample_weight=weight))["weight"] == thousandths


class TestLengths:
    def test_context_tokens_are_those_of_the_packed_chunks(self) -> None:
        record = request(
            "r", {"position": 1, "tokens": 10}, {"tokens": 99}, {"position": 2, "tokens": 5}
        )
        row = fact_of(record)
        assert (row["context_tokens"], row["missing_tokens"]) == (15, 0)

    def test_one_chunk_without_tokens_makes_the_length_unknown(self) -> None:
        row = fact_of(sized(10, None, budget_tokens=5, prompt_tokens=5))
        assert (row["context_tokens"], row["context_bin"], row["missing_tokens"]) == (None, None, 1)
        assert (row["at_budget"], row["prompt_cut"]) == (None, None)

    def test_nothing_packed_is_a_length_of_zero(self) -> None:
        row = fact_of(request("r", {"tokens": 5}))
        assert (row["context_tokens"], row["context_bin"]) == (0, -1)

    @pytest.mark.parametrize(
        ("tokens", "at_budget"), [(94, False), (95, True), (100, True), (101, True)]
    )
    def test_at_budget_from_95_percent(self, tokens: int, at_budget: bool) -> None:
        assert fact_of(sized(tokens, budget_tokens=100))["at_budget"] is at_budget

    def test_without_a_budget_nothing_is_at_it(self) -> None:
        assert fact_of(sized(5))["at_budget"] is None

    @pytest.mark.parametrize(
        ("prompt", "cut"), [(None, None), (14, True), (15, False), (900, False)]
    )
    def test_a_prompt_shorter_than_its_chunks_was_cut(
        self, prompt: int | None, cut: bool | None
    ) -> None:
        assert fact_of(sized(10, 5, prompt_tokens=prompt))["prompt_cut"] is cut

    @pytest.mark.parametrize(
        ("prompt", "edge"),
        [
            (None, -1),
            *[(0, 0), (1499, 0), (1500, 1500), (2999, 1500), (3000, 3000), (5999, 3000)],
            *[(6000, 6000), (11_999, 6000), (12_000, 12_000), (10**9, 12_000)],
        ],
    )
    def test_prompts_are_put_into_buckets_by_their_lower_edge(
        self, prompt: int | None, edge: int
    ) -> None:
        record = request("r", {}, prompt_tokens=prompt)
        assert fact_of(record)["prompt_bucket"] == edge
        assert column(chunks_of(record), "prompt_bucket") == [edge]


class TestBins:
    """DDSketch: bin = ceil(ln v / ln gamma), gamma = 1.005 / 0.995; zero has a bin of its own."""

    def test_small_counts_worked_out_by_hand(self) -> None:
        # ln gamma = 0.0100000833...; ln 2 = 0.693147 -> 69.3 -> 70; ln 1000 = 6.907755 -> 691
        assert token_bins(np.array([0, 1, 2, 1000])).tolist() == [-1, 0, 70, 691]

    @given(st.lists(st.integers(1, 2**50), min_size=1, max_size=20))
    def test_the_middle_of_a_bin_is_within_half_a_percent(self, tokens: list[int]) -> None:
        gamma = 1.005 / 0.995
        for count, found in zip(tokens, token_bins(np.array(tokens)).tolist(), strict=True):
            middle = 2 * gamma**found / (1 + gamma)
            assert abs(middle - count) <= 0.005 * count * 1.000001

    @given(st.integers(0, 2**20 - 1), st.integers(2**20, 2**40))
    def test_a_bin_does_not_depend_on_the_counts_beside_it(self, small: int, large: int) -> None:
        alone = token_bins(np.array([small])).tolist() + token_bins(np.array([large])).tolist()
        assert token_bins(np.array([small, large])).tolist() == alone

    def test_bins_grow_with_counts(self) -> None:
        bins = token_bins(np.arange(5000))
        assert (np.diff(bins) >= 0).all()
        assert bins[4999] == math.ceil(math.log(4999) / math.log(1.005 / 0.995))


class TestMissing:
    def test_what_packed_chunks_leave_out_is_counted(self) -> None:
        whole = {"rank": 1, "tokens": 5, "doc_id": "d", "text_hash": "0" * 16}
        row = fact_of(request("r", {"position": 1, **whole}, {"position": 2}, {"position": 3}, {}))
        assert [row[f"missing_{name}"] for name in ("rank", "tokens", "document", "text")] == [
            2
        ] * 4

    def test_the_largest_document(self) -> None:
        chunks = [{"position": n, "doc_id": name} for n, name in enumerate("abcbb", 1)]
        row = fact_of(request("r", *chunks, {"doc_id": "b"}))
        assert (row["documented"], row["largest_document"]) == (5, 3)

    def test_one_chunk_without_a_document_makes_it_unknown(self) -> None:
        row = fact_of(request("r", {"position": 1, "doc_id": "a"}, {"position": 2}))
        assert (row["documented"], row["largest_document"], row["missing_document"]) == (
            None,
            None,
            1,
        )
