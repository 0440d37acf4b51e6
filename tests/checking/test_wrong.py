"""Values that are there and wrong: each fault is planted, found, and absent without it."""

from __future__ import annotations

import gzip
import os
from datetime import timedelta
from pathlib import Path

import pytest
from loading.records import label, lines

from analyzer.checking.reading import Block
from analyzer.checking.repeats import Repeats
from analyzer.errors import CitelogError, UsageError
from analyzer.record import check as checked_record
from checking.clean import FIRST, NOW, REQUESTS, Change, Json, K, checked, found, planted


def renumbered(shift: int) -> Change:
    """Answers whose markers are `shift` more than the positions of what they speak of."""

    def change(number: int, record: Json) -> None:
        for n in range(K, 0, -1) if shift > 0 else range(1, K + 1):
            record["answer"] = record["answer"].replace(f"[{n}]", f"[{n + shift}]")

    return change


def by_rank(number: int, record: Json) -> None:
    """Answers whose markers are the ranks of what they speak of."""
    ranks = {chunk["position"]: chunk["rank"] for chunk in record["chunks"]}
    for n in range(1, K + 1):
        record["answer"] = record["answer"].replace(f"[{n}]", f"<{ranks[n]}>")
    record["answer"] = record["answer"].replace("<", "[").replace(">", "]")


class TestMarkers:
    @pytest.mark.parametrize(("shift", "says"), [(-1, "after"), (1, "before")])
    def test_off_by_one(self, shift: int, says: str, tmp_path: Path) -> None:
        finding = found(planted(tmp_path, renumbered(shift)), marker_base=1)["markers_off_by_one"]
        assert f"the chunk {says} it" in finding.says
        assert finding.level == "error"
        assert finding.count > 0.9 * finding.of > 25

    def test_markers_that_count_from_zero_are_no_fault_where_that_is_known(
        self, tmp_path: Path
    ) -> None:
        file = planted(tmp_path, renumbered(-1))
        assert "markers_off_by_one" not in found(file)  # found out, as a load does
        assert "markers_off_by_one" not in found(file, marker_base=0)

    def test_numbered_before_reordering(self, tmp_path: Path) -> None:
        finding = found(planted(tmp_path, by_rank))["numbered_before_reordering"]
        assert (finding.level, finding.base) == ("error", "answers that fit one better")

    def test_a_logged_marker_makes_it_right(self, tmp_path: Path) -> None:
        def change(number: int, record: Json) -> None:
            by_rank(number, record)
            for chunk in record["chunks"]:
                chunk["marker"] = chunk["rank"]

        findings = found(planted(tmp_path, change))
        assert set(findings) == {"numbered_by_rank"}
        assert findings["numbered_by_rank"].level == "note"

    def test_too_few_answers_are_no_verdict(self, tmp_path: Path) -> None:
        def change(number: int, record: Json) -> None:
            renumbered(1)(number, record)
            if number >= 10:
                record["answer"] = "Nothing is cited."

        made = checked(planted(tmp_path, change), marker_base=1)
        assert "markers_off_by_one" not in {finding.name for finding in made.findings}
        [unchecked] = made.unchecked
        assert unchecked.why.endswith("of their chunks, and 20 are needed")

    def test_a_list_of_sources_speaks_after_its_markers(self, tmp_path: Path) -> None:
        def change(number: int, record: Json) -> None:
            by_place = {chunk["position"]: chunk["doc_id"] for chunk in record["chunks"]}
            record["answer"] = "\n".join(
                f"[{n}] {by_place[n]}desk, {by_place[n]}papers, {by_place[n]}men" for n in (1, 2, 3)
            )

        made = checked(planted(tmp_path, change))
        assert [unchecked.name for unchecked in made.unchecked] == ["markers"]
        assert made.findings == ()

    def test_two_chunks_that_are_called_the_same(self, tmp_path: Path) -> None:
        def change(number: int, record: Json) -> None:
            first = min(record["chunks"][:K], key=lambda chunk: chunk["position"])
            first["marker"] = 2

        assert found(planted(tmp_path, change))["marker_twice"].count == REQUESTS


class TestOrders:
    def test_ranks_of_the_first_stage(self, tmp_path: Path) -> None:
        def change(number: int, record: Json) -> None:
            scores = sorted((chunk["score"] for chunk in record["chunks"]), reverse=True)
            reranked = [0.2, 0.9, 0.5, 0.7, 0.1, 0.3]
            for chunk, score, last in zip(record["chunks"], scores, reranked, strict=True):
                chunk |= {"score": score, "rerank_score": last}

        finding = found(planted(tmp_path, change))["rank_by_first_score"]
        assert (finding.level, finding.count, finding.of) == ("error", REQUESTS, REQUESTS)

    def test_a_prompt_sorted_by_the_first_score(self, tmp_path: Path) -> None:
        def change(number: int, record: Json) -> None:
            shown = sorted(record["chunks"][:K], key=lambda chunk: -chunk["score"])
            for place, chunk in enumerate(shown, start=1):
                chunk["position"] = place

        finding = found(planted(tmp_path, change), marker_base=1)["packed_by_first_score"]
        assert finding.level == "error"
        assert finding.count > 50  # but for those whose scores agree

    def test_one_order_for_all_prompts(self, tmp_path: Path) -> None:
        def change(number: int, record: Json) -> None:
            for chunk in record["chunks"][:K]:
                chunk["position"] = chunk["rank"]

        finding = found(planted(tmp_path, change))["one_ordering"]
        assert finding.says == "every prompt is packed best first"
        assert "analyzer.ordering.explore" in finding.do

    def test_prompts_that_were_shuffled_on_purpose_make_it_right(self, tmp_path: Path) -> None:
        def change(number: int, record: Json) -> None:
            if number % 10 == 0:
                record["explored"] = True
                return
            for chunk in record["chunks"][:K]:
                chunk["position"] = chunk["rank"]

        assert "one_ordering" not in found(planted(tmp_path, change))

    def test_one_packed_chunk_has_no_position_to_compare(self, tmp_path: Path) -> None:
        def change(number: int, record: Json) -> None:
            for chunk in record["chunks"]:
                if chunk["position"] != 1:
                    del chunk["position"]

        assert found(planted(tmp_path, change))["one_position"].count == REQUESTS


class TestLengths:
    def test_prompts_shorter_than_their_chunks(self, tmp_path: Path) -> None:
        def change(number: int, record: Json) -> None:
            record["prompt_tokens"] = 100 if number < 30 else 5000

        finding = found(planted(tmp_path, change))["prompt_tokens_below_chunks"]
        assert (finding.count, finding.of) == (30, REQUESTS)

    def test_round_numbers(self, tmp_path: Path) -> None:
        def change(number: int, record: Json) -> None:
            for chunk in record["chunks"]:
                chunk["tokens"] = chunk["tokens"] // 10 * 10

        assert set(found(planted(tmp_path, change))) == {"tokens_round"}

    def test_chunks_of_one_size_are_no_estimate(self, tmp_path: Path) -> None:
        def change(number: int, record: Json) -> None:
            for chunk in record["chunks"]:
                chunk["tokens"] = 250

        assert found(planted(tmp_path, change)) == {}

    def test_a_quarter_of_the_characters(self, tmp_path: Path) -> None:
        def change(number: int, record: Json) -> None:
            for chunk in record["chunks"]:
                chunk["tokens"] = len(chunk["text"]) // 4

        assert set(found(planted(tmp_path, change))) == {"tokens_from_characters"}

    def test_the_number_of_words(self, tmp_path: Path) -> None:
        def change(number: int, record: Json) -> None:
            for chunk in record["chunks"]:
                chunk["text"] += " so it is" * (number % 5)
                chunk["tokens"] = len(chunk["text"].split())

        assert "tokens_from_words" in found(planted(tmp_path, change))

    def test_an_origin_that_says_so(self, tmp_path: Path) -> None:
        def change(number: int, record: Json) -> None:
            record["origins"] = {"tokens": "estimated"}

        assert set(found(planted(tmp_path, change))) == {"tokens_estimated"}


class TestClocks:
    def test_requests_of_the_future(self, tmp_path: Path) -> None:
        file = planted(tmp_path)
        finding = found(file, now=FIRST + timedelta(minutes=30))["requested_in_the_future"]
        assert finding.count == 24  # those of minutes 36 to 59: five minutes are let pass
        assert "requested_in_the_future" not in found(file, now=FIRST + timedelta(minutes=54))

    def test_requests_later_than_their_file(self, tmp_path: Path) -> None:
        file = planted(tmp_path)
        moment = (FIRST + timedelta(minutes=30)).timestamp()
        os.utime(file, (moment, moment))
        assert found(file)["requested_after_writing"].count == 24

    def test_times_that_go_back(self, tmp_path: Path) -> None:
        def change(number: int, record: Json) -> None:
            if number == 40:
                record["requested_at"] = (FIRST - timedelta(minutes=30)).isoformat()

        finding = found(planted(tmp_path, change))["times_go_back"]
        assert (finding.count, finding.at) == (1, (f"{tmp_path}/log.jsonl:41",))

    def test_chunks_indexed_after_their_request(self, tmp_path: Path) -> None:
        def change(number: int, record: Json) -> None:
            if number < 6:
                record["chunks"][2]["indexed_at"] = "2026-11-17T00:00:00Z"

        finding = found(planted(tmp_path, change))["indexed_after_asking"]
        assert (finding.count, finding.of) == (6, REQUESTS)

    def test_judged_before_asked(self, tmp_path: Path) -> None:
        early = label("r5", at="2026-11-15T00:00:00Z", correct=True)
        late = label("r6", at="2026-11-19T00:00:00Z", correct=True)
        finding = found(planted(tmp_path, None, early, late))["judged_before_asked"]
        assert (finding.count, finding.of, finding.at) == (1, 2, (f"{tmp_path}/log.jsonl:61",))


class TestLines:
    def test_rejected_lines_by_reason_with_what_to_do(self, tmp_path: Path) -> None:
        def change(number: int, record: Json) -> None:
            if number % 2:
                record["chunks"][number % K]["position"] = 0
            elif number % 3 == 0:
                record["chunks"][1]["position"] = record["chunks"][0]["position"]

        made = checked(planted(tmp_path, change))
        several, zero = sorted(
            (one for one in made.findings if one.name == "rejected"), key=lambda one: one.count
        )
        assert (zero.count, zero.of, zero.do) == (30, REQUESTS, "positions start at 1: add 1")
        assert several.count == 10
        assert several.do.startswith("write the place in the prompt")
        assert made.rejected == 40
        assert made.lines == made.requests + made.judgements + made.rejected

    def test_unknown_fields_with_the_nearest_name(self, tmp_path: Path) -> None:
        def change(number: int, record: Json) -> None:
            record["promptTokens"] = record.pop("prompt_tokens")

        finding = found(planted(tmp_path, change))["unknown_field"]
        assert finding.says == "the record has no field promptTokens"
        assert finding.do.startswith("call it prompt_tokens")

    def test_a_misspelt_field_is_not_lost_among_fields_of_ones_own(self, tmp_path: Path) -> None:
        def change(number: int, record: Json) -> None:
            record |= {f"own_{letter}": 1 for letter in "abcdefghij"}
            if not number:
                record["positon"] = 1

        made = checked(planted(tmp_path, change))
        told = [one for one in made.findings if one.name == "unknown_field"]
        assert len(told) == 9
        assert "the record has no field positon" in [one.says for one in told]
        [more] = [one for one in told if one.base == "names"]
        assert more.says == "more fields that the record does not have"
        assert (more.count, more.of) == (3, 11)

    def test_one_record_twice_and_another_under_its_id(self, tmp_path: Path) -> None:
        file = planted(tmp_path)
        first, second = file.read_text().splitlines()[:2]
        changed = second.replace('"route": "support"', '"route": "web"')
        revised = changed.replace('"route"', '"revision": 1, "route"')
        file.write_text(file.read_text() + first + "\n" + changed + "\n")
        findings = found(file)
        assert findings["duplicate"].at == (f"{file}:61",)
        assert findings["same_id_other_content"].at == (f"{file}:62",)
        file.write_text(file.read_text().replace(changed, revised))
        assert "same_id_other_content" not in found(file)

    def test_a_file_that_is_cut_and_one_that_is_no_log(self, tmp_path: Path) -> None:
        whole = gzip.compress(planted(tmp_path).read_bytes())
        (tmp_path / "cut.jsonl.gz").write_bytes(whole[: len(whole) // 2])
        (tmp_path / "other.jsonl").write_bytes(b"PK\x03\x04")
        findings = found(
            tmp_path / "log.jsonl", tmp_path / "cut.jsonl.gz", tmp_path / "other.jsonl"
        )
        assert findings["cut"].at == (f"{tmp_path}/cut.jsonl.gz",)
        assert "zip archive" in findings["unreadable"].says

    def test_nothing_to_read_is_said_as_a_load_says_it(self, tmp_path: Path) -> None:
        with pytest.raises(CitelogError, match="there is no such file"):
            checked(tmp_path / "gone.jsonl")
        (tmp_path / "other.jsonl").write_bytes(b"PK\x03\x04")
        with pytest.raises(CitelogError, match="zip archive"):
            checked(tmp_path / "other.jsonl")
        with pytest.raises(UsageError, match="no files are named"):
            checked()


def test_many_ids_are_looked_at_in_part_and_shares_stay_right() -> None:
    repeats = Repeats(most=500)
    for start in range(0, 8000, 1000):
        block = Block("a.jsonl", NOW)
        for number in range(start, start + 1000):
            record = checked_record({"request_id": f"r{number // 2}", "chunks": []})
            block.requests.append(record)  # type: ignore[arg-type]
            block.lines.append(number)
        repeats.see(block)
        assert len(repeats._requests) <= 500
    [finding] = repeats.findings()
    assert finding.name == "duplicate"
    assert "looked at" in finding.base
    assert 0.4 < finding.count / finding.of < 0.6


def test_texts_are_not_shown(tmp_path: Path) -> None:
    def change(number: int, record: Json) -> None:
        record["answer"] += " The secret of ada."
        record["chunks"][0]["text"] += " The secret of ada."
        if number == 3:
            record["chunks"][0]["text"] = 5

    file = planted(tmp_path, change)
    file.write_text(file.read_text() + "The secret of ada\n" + lines([{"answer": "ada"}]))
    assert "ada" not in repr(checked(file)).replace(str(tmp_path), "")
