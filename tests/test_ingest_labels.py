"""Labels join their request whenever either side arrives; the latest counts, field by field."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from loading.records import label, packed, request
from loading.sites import Site, counters

EARLY, LATE = "2026-11-20T00:00:00Z", "2026-11-21T00:00:00Z"


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


def answer(**fields: Any) -> dict[str, Any]:
    """c1 cited, c2 packed and uncited, c3 cut."""
    chunks = [*packed(1, 2), {"rank": 3}]
    chunks[0]["cited"] = True
    return request("r", *chunks, **fields)


def known(site: Site) -> tuple[Any, ...]:
    """What is known of the answer: correct, labelled chunks, outcome, place."""
    [row] = site.rows(
        "SELECT correct, expected, expected_outcome, expected_place FROM requests "
        "WHERE request_id = 'r'"
    )
    return row


class TestJoining:
    @pytest.mark.parametrize("order", ["first", "last", "first in one file", "last in one file"])
    def test_a_label_joins_in_any_order(self, site: Site, order: str) -> None:
        said = label("r", correct=True, expected_chunk_ids=["c2"])
        both = [said, answer()] if order.startswith("first") else [answer(), said]
        if "file" in order:
            site.load_log("a.jsonl", *both)
        else:
            for number, record in enumerate(both):
                site.load_log(f"{number}.jsonl", record)
        assert known(site) == (True, 1, "uncited", "end")
        flags = site.rows("SELECT chunk_id, expected FROM chunks ORDER BY chunk_id")
        assert flags == [("c1", False), ("c2", True), ("c3", False)]
        assert site.rows("SELECT judged::INT, correct::INT, expected_uncited::INT FROM days") == [
            (1, 1, 1)
        ]

    def test_a_label_without_its_request_waits(self, site: Site) -> None:
        batch = site.load_log("a.jsonl", label("r", correct=True))
        assert counters(batch) == (1, 1, 0, 0, 0)
        assert site.rows("SELECT count(*) FROM judgements") == [(1,)]
        assert site.rows("SELECT count(*) FROM days") == [(0,)]
        site.load_log("b.jsonl", request("other"), request("r"))
        assert site.rows("SELECT request_id, correct FROM requests ORDER BY ALL") == [
            ("other", None),
            ("r", True),
        ]

    def test_a_label_goes_over_to_a_new_revision(self, site: Site) -> None:
        site.load_log("a.jsonl", answer())
        site.load_log("b.jsonl", label("r", correct=False, expected_chunk_ids=["c3"]))
        site.load_log("c.jsonl", answer(revision=1, route="new"))
        assert known(site) == (False, 1, "cut", None)

    def test_without_labels_nothing_is_known(self, site: Site) -> None:
        site.load_log("a.jsonl", answer())
        assert known(site) == (None, None, None, None)
        assert site.rows("SELECT DISTINCT expected FROM chunks") == [(None,)]


class TestLatest:
    def test_the_latest_counts_whichever_came_first(self, site: Site) -> None:
        site.load_log("a.jsonl", label("r", LATE, correct=False), answer())
        site.load_log("b.jsonl", label("r", EARLY, correct=True))
        assert known(site)[0] is False

    def test_field_by_field(self, site: Site) -> None:
        site.load_log(
            "a.jsonl",
            answer(),
            label("r", EARLY, correct=True, expected_chunk_ids=["c1"]),
            label("r", LATE, expected_chunk_ids=["c2"]),
        )
        assert known(site) == (True, 1, "uncited", "end")

    def test_an_empty_list_takes_nothing_back(self, site: Site) -> None:
        site.load_log(
            "a.jsonl",
            answer(),
            label("r", EARLY, expected_chunk_ids=["c1"]),
            label("r", LATE, expected_chunk_ids=[]),
        )
        assert known(site)[1:] == (1, "cited", "start")

    def test_a_label_in_the_record_was_made_when_the_request_was(self, site: Site) -> None:
        site.load_log("a.jsonl", answer(correct=True), label("r", EARLY, correct=False))
        assert known(site)[0] is False

    def test_an_older_judgement_loses_against_the_record(self, site: Site) -> None:
        before = "2026-11-01T00:00:00Z"
        site.load_log("a.jsonl", answer(correct=True), label("r", before, correct=False))
        assert known(site)[0] is True

    @pytest.mark.parametrize("first", [True, False])
    def test_of_two_at_one_moment_the_smallest_hash_counts(self, site: Site, first: bool) -> None:
        for name, correct in enumerate([first, not first]):
            site.load_log(f"{name}.jsonl", label("r", LATE, correct=correct), request(f"x{name}"))
        site.load_log("r.jsonl", answer())
        [(smallest,)] = site.rows("SELECT arg_min(correct, judgement_hash) FROM judgements")
        assert known(site)[0] is smallest

    def test_taking_the_latest_back_brings_the_earlier_to_light(self, site: Site) -> None:
        site.load_log("a.jsonl", answer(), label("r", EARLY, correct=True))
        before = site.contents()
        batch = site.load_log("b.jsonl", label("r", LATE, correct=False, expected_chunk_ids=["c1"]))
        assert known(site) == (False, 1, "cited", "start")
        site.forget(batch)
        assert site.contents() == before


class TestFates:
    """The best fate of the expected chunks, and their place where exactly one is packed."""

    @pytest.mark.parametrize(
        ("expected", "fate"),
        [
            (["c1"], (1, "cited", "start")),
            (["c2"], (1, "uncited", "end")),
            (["c3"], (1, "cut", None)),
            (["c9"], (1, "not_retrieved", None)),
            (["c1", "c2"], (2, "cited", "several")),
            (["c2", "c3"], (2, "uncited", "end")),
            (["c3", "c9"], (2, "cut", None)),
            (["c2", "c2"], (1, "uncited", "end")),
        ],
    )
    def test_fates(self, site: Site, expected: list[str], fate: tuple[Any, ...]) -> None:
        site.load_log("a.jsonl", answer(expected_chunk_ids=expected))
        assert known(site)[1:] == fate

    def test_packed_with_unknown_citations_is_a_fate_of_its_own(self, site: Site) -> None:
        site.load_log("a.jsonl", request("r", *packed(1, 2, 3), expected_chunk_ids=["c2"]))
        assert known(site)[1:] == (1, "unknown_citation", "middle")

    def test_a_list_that_is_not_whole_says_nothing_of_fates(self, site: Site) -> None:
        site.load_log("a.jsonl", answer(expected_chunk_ids=["c1"], exposure="cited_only"))
        assert known(site)[1:] == (1, None, None)


class TestCounting:
    def test_the_same_label_in_two_files_is_counted_once(self, site: Site) -> None:
        one = site.load_log("a.jsonl", label("r", correct=True), label("x"))
        two = site.load_log("b.jsonl", label("r", correct=True), label("r", correct=True))
        rows = dict(site.rows("SELECT batch, (loaded, duplicate) FROM batches"))
        owner = min(one.batch, two.batch)
        assert rows[one.batch] == ((2, 0) if owner == one.batch else (1, 1))
        assert rows[two.batch] == ((0, 2) if owner == one.batch else (1, 1))
