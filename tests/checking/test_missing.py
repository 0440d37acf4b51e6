"""Fields that are missing: each is found with its count, and none in a log that has all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from loading.records import label, lines, log, packed, request

from checking.clean import REQUESTS, Json, K, checked, found, planted


def without(name: str) -> Any:
    def change(number: int, record: Json) -> None:
        record.pop(name)

    return change


def chunks_without(*names: str) -> Any:
    def change(number: int, record: Json) -> None:
        for chunk in record["chunks"]:
            for name in names:
                chunk.pop(name)

    return change


def test_a_log_that_has_everything_has_no_finding(tmp_path: Path) -> None:
    made = checked(planted(tmp_path))
    assert made.findings == ()
    assert made.unchecked == ()
    assert (made.files, made.lines, made.requests, made.rejected) == (1, REQUESTS, REQUESTS, 0)


@pytest.mark.parametrize(
    "name",
    [
        *("requested_at", "unit_id", "route", "model", "release", "index_version"),
        *("prompt_version", "prompt_tokens", "budget_tokens"),
    ],
)
def test_a_field_of_requests(name: str, tmp_path: Path) -> None:
    [(named, finding)] = found(planted(tmp_path, without(name))).items()
    assert (named, finding.count, finding.of) == (name, REQUESTS, REQUESTS)
    assert finding.at == tuple(f"{tmp_path}/log.jsonl:{line}" for line in (1, 2, 3))


def test_what_a_missing_unit_costs(tmp_path: Path) -> None:
    finding = found(planted(tmp_path, without("unit_id")))["unit_id"]
    assert finding.costs.startswith("intervals assume the ordering is drawn per request")
    assert finding.level == "warning"


@pytest.mark.parametrize(
    ("name", "field"), [("rank", "rank"), ("tokens", "tokens"), ("doc_id", "doc_id")]
)
def test_a_field_of_packed_chunks(name: str, field: str, tmp_path: Path) -> None:
    finding = found(planted(tmp_path, chunks_without(field)))[name]
    assert (finding.count, finding.of) == (K * REQUESTS, K * REQUESTS)


def test_a_chunk_needs_a_text_or_a_fingerprint_of_one(tmp_path: Path) -> None:
    def change(number: int, record: Json) -> None:
        for chunk in record["chunks"]:
            del chunk["text"]
            if number > 0:
                chunk["text_hash"] = "0" * 16

    finding = found(planted(tmp_path, change))["text"]
    assert (finding.count, finding.of, finding.at) == (
        K,
        K * REQUESTS,
        (f"{tmp_path}/log.jsonl:1",),
    )


def test_answers_that_do_not_say_what_they_cite_are_an_error(tmp_path: Path) -> None:
    finding = found(planted(tmp_path, without("answer")))["cited"]
    assert (finding.level, finding.count, finding.of) == ("error", REQUESTS, REQUESTS)


def test_answers_whose_chunks_have_no_position(tmp_path: Path) -> None:
    finding = found(planted(tmp_path, chunks_without("position")))["position"]
    assert (finding.level, finding.count) == ("error", REQUESTS)


def test_a_fault_of_few_lines_is_worth_one_level_less(tmp_path: Path) -> None:
    def change(number: int, record: Json) -> None:
        if number == 7:
            del record["answer"]

    finding = found(planted(tmp_path, change))["cited"]
    assert (finding.level, finding.count) == ("warning", 1)
    assert finding.at == (f"{tmp_path}/log.jsonl:8",)


def test_only_packed_chunks_are_listed(tmp_path: Path) -> None:
    def change(number: int, record: Json) -> None:
        record["chunks"].pop()

    assert found(planted(tmp_path, change))["retrieved"].count == REQUESTS


def test_one_request_that_lists_a_cut_chunk_shows_that_all_do(tmp_path: Path) -> None:
    def change(number: int, record: Json) -> None:
        if number:
            record["chunks"].pop()

    assert "retrieved" not in found(planted(tmp_path, change))


def test_lists_that_do_not_hold_all_packed_chunks(tmp_path: Path) -> None:
    def change(number: int, record: Json) -> None:
        record["exposure"] = "cited_only"

    assert found(planted(tmp_path, change))["exposure"].level == "error"


def test_stray_citations_of_a_list_that_counts_from_zero(tmp_path: Path) -> None:
    def change(number: int, record: Json) -> None:
        del record["answer"]
        record["citations"] = [0, 1]

    finding = found(planted(tmp_path, change))["stray"]
    assert (finding.count, finding.of, finding.base) == (REQUESTS, 2 * REQUESTS, "citations")


def test_labels_are_missed_only_where_there_is_none_at_all(tmp_path: Path) -> None:
    file = planted(tmp_path, without("correct"))
    assert found(file)["labels"].level == "note"
    file.write_text(file.read_text() + lines([label("r0")]))
    assert "labels" not in found(file)


def test_what_costs_most_comes_first(tmp_path: Path) -> None:
    file = log(tmp_path / "bare.jsonl", *(request(f"r{n}", *packed(1, 2)) for n in range(30)))
    made = checked(file)
    levels = [finding.level for finding in made.findings]
    assert levels == sorted(levels, key=["error", "warning", "note"].index)
    assert made.findings[0].name == "cited"
    assert made.findings[-1].level == "note"


@pytest.mark.parametrize(("name", "origin"), [("rank", "derived"), ("position", "assumed")])
def test_what_was_worked_out(name: str, origin: str, tmp_path: Path) -> None:
    def change(number: int, record: Json) -> None:
        record["origins"] = {name: origin, "cited": "parsed"}

    assert set(found(planted(tmp_path, change))) == {f"{name}_origin"}
