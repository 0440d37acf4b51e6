"""The rules of the record, one by one: what is taken, and what is rejected with which words."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from loading.rejections import REJECTIONS, TIME, chunk, chunks, request

from analyzer.record import (
    Chunk,
    Judgement,
    Parser,
    Rejected,
    Request,
    check,
    encode,
    parse,
    record_hash,
    write,
)


def line(value: object) -> bytes:
    return value if isinstance(value, bytes) else json.dumps(value).encode()


def parsed(value: object) -> Request:
    record = parse(line(value))
    assert isinstance(record, Request)
    return record


def rejected(value: object, parser: Parser | None = None) -> str:
    """`path reason` of the rejection."""
    with pytest.raises(Rejected) as caught:
        (parser or Parser()).parse(line(value))
    return f"{caught.value.path} {caught.value.reason}".strip()


@pytest.mark.parametrize(
    ("value", "said"),
    [pytest.param(value, said, id=name) for name, value, said in REJECTIONS],
)
def test_a_line_that_breaks_a_rule_is_rejected_in_words(value: object, said: str) -> None:
    assert rejected(value) == said


def test_no_reason_uses_words_of_a_machine() -> None:
    for _, value, _ in REJECTIONS:
        said = rejected(value).lower()
        assert "invalid" not in said
        assert "failed to" not in said
        assert "\n" not in said


def test_1_0_is_the_integer_1_everywhere() -> None:
    record = parsed(
        request(
            revision=2.0,
            prompt_tokens=100.0,
            citations=[1.0, "a"],
            chunks=[{"chunk_id": "a", "rank": 1.0, "position": 1.0, "tokens": 5.0, "marker": 0.0}],
        )
    )
    only = record.chunks[0]
    assert (record.revision, record.prompt_tokens, record.citations) == (2, 100, [1, "a"])
    assert (only.rank, only.position, only.tokens, only.marker) == (1, 1, 5, 0)
    assert type(only.rank) is int


def test_a_whole_float_stays_a_float_where_a_number_is_meant() -> None:
    record = parsed(chunk(score=2, rerank_score=1.0, rank=1.0, embedding=[1, 0.0]))
    assert (record.chunks[0].score, record.chunks[0].embedding) == (2.0, [1.0, 0.0])


def test_null_is_absent_in_every_optional_field() -> None:
    of_request = dict.fromkeys(Request.__struct_fields__) | {
        "request_id": "r",
        "chunks": [dict.fromkeys(Chunk.__struct_fields__) | {"chunk_id": "a"}],
    }
    assert parsed(of_request) == parsed({"request_id": "r", "chunks": [{"chunk_id": "a"}]})
    assert encode(parsed(of_request)) == b'{"request_id":"r","chunks":[{"chunk_id":"a"}]}'


def test_unknown_fields_are_counted_by_name_and_left_out() -> None:
    parser = Parser()
    odd = request(
        user={"deep": [1]}, chunks=[{"chunk_id": "a", "hue": 1}, {"chunk_id": "b", "hue": None}]
    )
    assert parser.parse(line(odd)) == parse(line(chunks_named("a", "b")))
    parser.parse(line(request(user=1, origins={"shade": "logged"})))
    assert parser.unknown == {"user": 2, "hue": 2, "shade": 1}


def chunks_named(*names: str) -> dict[str, Any]:
    return request(chunks=[{"chunk_id": name} for name in names])


def test_a_thousand_names_of_unknown_fields_are_told_apart() -> None:
    parser = Parser()
    for number in range(1500):
        parser.parse(line(request(**{f"id{number}": 1, "always": 1})))
    assert len(parser.unknown) == 1001
    assert parser.unknown["always"] == 1500
    assert parser.unknown.total() == 3000


def test_a_field_given_twice_counts_as_it_stands_last() -> None:
    twice = b'{"request_id":"r","request_id":"s","chunks":[{"chunk_id":"a"}],"chunks":[]}'
    assert parsed(twice) == Request(request_id="s", chunks=[])
    odd = twice.replace(b'"chunks":[]', b'"hue":1,"chunks":[]')
    assert parsed(odd) == parsed(twice)


def test_one_chunk_may_come_from_several_retrievals() -> None:
    record = parsed(
        request(
            chunks=[
                {"chunk_id": "a", "rank": 1, "retrieval_id": "x", "position": 1},
                {"chunk_id": "a", "rank": 1, "retrieval_id": "y", "position": 2},
                {"chunk_id": "a", "rank": 1},
            ]
        )
    )
    assert len(record.chunks) == 3


def test_empty_texts_are_legal_where_nothing_says_otherwise() -> None:
    record = parsed(
        request(route="", answer="", unit_id="", chunks=[{"chunk_id": "a", "text": ""}])
    )
    assert (record.route, record.answer, record.chunks[0].text) == ("", "", "")


def test_a_hash_has_at_least_16_digits_of_either_case() -> None:
    record = parsed(chunks({"text_hash": "ABCDEF0123456789"}, {"text_hash": "0" * 64}))
    assert record.chunks[0].text_hash == "ABCDEF0123456789"


@pytest.mark.parametrize("size", [1, 200])
def test_a_request_id_has_1_to_200_characters(size: int) -> None:
    assert len(parsed(request(request_id="é" * size)).request_id) == size


def test_1000_chunks_are_legal() -> None:
    assert len(parsed(chunks(*[{}] * 1000)).chunks) == 1000


class TestTimes:
    def test_a_time_is_kept_in_utc(self) -> None:
        record = parsed(request(requested_at="2026-11-05T01:30:00+02:00"))
        assert record.requested_at == datetime(2026, 11, 4, 23, 30, tzinfo=UTC)
        assert b'"requested_at":"2026-11-04T23:30:00Z"' in encode(record)

    def test_one_moment_in_two_offsets_is_one_record(self) -> None:
        one = parsed(request(requested_at="2026-11-05T01:30:00+02:00"))
        other = parsed(request(requested_at="2026-11-04T23:30:00.000Z"))
        assert record_hash(one) == record_hash(other)

    def test_the_first_and_the_last_moment_are_legal(self) -> None:
        assert parsed(request(requested_at="1970-01-01T00:00:00Z")).requested_at
        assert parsed(request(requested_at="2199-12-31T23:59:59.999999Z")).requested_at

    def test_an_offset_is_assumed_only_where_none_is_given(self) -> None:
        parser = Parser(assume_timezone=timezone(timedelta(hours=2)))
        bare, given = (
            parser.parse(line(request(requested_at=time)))
            for time in ("2026-11-05T12:00:00", "2026-11-05T12:00:00Z")
        )
        assert isinstance(bare, Request)
        assert isinstance(given, Request)
        assert bare.requested_at == datetime(2026, 11, 5, 10, tzinfo=UTC)
        assert given.requested_at == datetime(2026, 11, 5, 12, tzinfo=UTC)

    def test_the_assumed_offset_holds_for_labels_and_index_times_too(self) -> None:
        parser = Parser(assume_timezone=UTC)
        label = parser.parse(line({"request_id": "r", "judged_at": "2026-11-05T12:00:00"}))
        indexed = parser.parse(line(chunk(indexed_at="2026-11-05T12:00:00")))
        assert isinstance(label, Judgement)
        assert isinstance(indexed, Request)
        noon = datetime(2026, 11, 5, 12, tzinfo=UTC)
        assert label.judged_at == noon
        assert indexed.chunks[0].indexed_at == noon

    def test_a_request_without_a_time_takes_the_assumed_one_and_says_so(self) -> None:
        noon = datetime(2026, 11, 5, 12, tzinfo=UTC)
        parser = Parser(assumed_time=noon)
        record = parser.parse(line({"request_id": "r", "chunks": []}))
        assert isinstance(record, Request)
        assert record.requested_at == noon
        assert record.origins
        assert record.origins.requested_at == "assumed"

    def test_a_logged_time_is_not_marked_assumed(self) -> None:
        parser = Parser(assumed_time=datetime(2026, 1, 1, tzinfo=UTC))
        record = parser.parse(line(request()))
        assert isinstance(record, Request)
        assert record.origins is None


class TestKinds:
    def test_judged_at_without_chunks_makes_a_judgement(self) -> None:
        label = parse(line({"request_id": "r", "judged_at": TIME, "correct": True, "judge": "me"}))
        assert label == Judgement(
            request_id="r",
            judged_at=datetime(2026, 11, 5, 12, tzinfo=UTC),
            correct=True,
            judge="me",
        )

    def test_null_as_chunks_leaves_a_judgement_one(self) -> None:
        assert isinstance(
            parse(line({"request_id": "r", "judged_at": TIME, "chunks": None})), Judgement
        )

    def test_judged_at_with_chunks_is_a_request_with_an_unknown_field(self) -> None:
        parser = Parser()
        assert isinstance(parser.parse(line(request(judged_at=TIME))), Request)
        assert parser.unknown == {"judged_at": 1}

    def test_null_as_judged_at_leaves_a_request_one(self) -> None:
        assert isinstance(parse(line(request(judged_at=None))), Request)

    def test_a_judgement_may_say_nothing(self) -> None:
        assert isinstance(parse(line({"request_id": "r", "judged_at": TIME})), Judgement)


class TestNesting:
    @pytest.mark.parametrize("depth", [2, 400, 600, 900, 1100, 5000, 100_000])
    @pytest.mark.parametrize("brackets", [(b"[", b"]"), (b'{"a":', b"}")], ids=["list", "object"])
    def test_a_known_field_is_rejected_at_any_depth(
        self, depth: int, brackets: tuple[bytes, bytes]
    ) -> None:
        deep = brackets[0] * depth + b"1" + brackets[1] * depth
        said = rejected(b'{"request_id":"r","chunks":[],"citations":' + deep + b"}")
        assert said in {
            "is nested too deeply to be a record",
            "citations is an object, but citations is a list of positions or chunk ids",
            "citations[0] is a list of 1, but citations is a list of positions or chunk ids",
        }

    def test_an_unknown_field_is_left_out_or_the_line_rejected(self) -> None:
        deep = [
            b'{"request_id":"r","chunks":[],"x":' + b"[" * n + b"]" * n + b"}" for n in (9, 10**5)
        ]
        assert parse(deep[0]) == Request(request_id="r", chunks=[])
        assert rejected(deep[1]) == "is nested too deeply to be a record"

    def test_brackets_without_an_end_are_rejected(self) -> None:
        assert rejected(b"[" * 100_000) == "is nested too deeply to be a record"


class TestQuoting:
    SECRET = "my secret"

    @pytest.mark.parametrize(
        "value",
        [
            request(answer=[SECRET]),
            request(answer={SECRET: SECRET}),
            chunk(text={SECRET: 1}),
            chunk(text=[[SECRET]]),
            chunk(text=4711),
            request(answer=4711),
        ],
    )
    def test_what_stands_in_a_text_field_is_never_shown(self, value: object) -> None:
        said = rejected(value)
        assert self.SECRET not in said
        assert "4711" not in said

    @given(st.text(min_size=25))
    def test_long_values_are_measured_not_shown(self, text: str) -> None:
        said = rejected(request(outcome=text))
        assert said.startswith(f"outcome is a text of {len(text):,} characters, but ")

    def test_a_reason_stays_short(self) -> None:
        for huge in (
            chunk(rank=10**300),
            chunk(rank="9" * 10**6),
            request(citations=[[1] * 10**5]),
        ):
            assert len(rejected(huge)) < 200


class TestApplications:
    def test_a_dict_with_times_is_checked(self) -> None:
        built = check(request(requested_at=datetime(2026, 11, 5, 12, tzinfo=UTC)))
        assert built == parse(line(request()))

    def test_a_struct_is_checked(self) -> None:
        with pytest.raises(Rejected, match="position"):
            check(
                Request(
                    request_id="r",
                    chunks=[Chunk(chunk_id="a", position=1), Chunk(chunk_id="b", position=1)],
                )
            )

    def test_a_time_without_offset_is_rejected(self) -> None:
        naive = datetime(2026, 11, 5, 12)  # noqa: DTZ001  (what an application may well do)
        with pytest.raises(Rejected, match="without an offset"):
            check(request(requested_at=naive))

    @pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
    def test_numbers_that_json_would_write_as_null_are_rejected(self, number: float) -> None:
        with pytest.raises(Rejected) as caught:
            check(chunk(score=number, doc_id=None))
        assert (
            str(caught.value)
            == f"chunks[0].score is {number}, but a number is finite; leave it out"
        )
        with pytest.raises(Rejected, match=r"embedding\[1\]"):
            check(Request(request_id="r", chunks=[Chunk(chunk_id="a", embedding=[0.1, number])]))

    @pytest.mark.parametrize("value", [object(), "\ud800", 1j])
    def test_what_json_cannot_say_is_rejected(self, value: object) -> None:
        with pytest.raises(Rejected, match="holds what JSON cannot say"):
            check(request(route=value))

    def test_written_records_are_lines(self) -> None:
        records = [parse(line(request(request_id=name))) for name in ("a", "b\n")]
        log = write(records)
        assert [parse(each) for each in log.splitlines()] == records

    def test_a_record_is_built_without_anything_heavy(self, repo_root: Path) -> None:
        program = (
            "import sys, analyzer.record as r; r.check({'request_id': 'r', 'chunks': []});"
            "heavy = {'duckdb', 'altair', 'polars', 'pyarrow', 'numpy'} & set(sys.modules);"
            "sys.exit(f'imported {heavy}' if heavy else 0)"
        )
        subprocess.run([sys.executable, "-c", program], check=True, cwd=repo_root)


class TestHash:
    def test_the_order_of_fields_does_not_matter(self) -> None:
        ways = [
            request(route="a", model="b"),
            dict(reversed(request(route="a", model="b").items())),
        ]
        assert len({record_hash(parsed(way)) for way in ways}) == 1

    def test_what_is_left_out_does_not_matter(self) -> None:
        plain = record_hash(parsed(request()))
        assert record_hash(parsed(request(hue=1, route=None))) == plain
        assert record_hash(parsed(request(revision=1))) != plain

    def test_it_is_64_signed_bits(self) -> None:
        hashes = [record_hash(parsed(request(request_id=str(n)))) for n in range(64)]
        assert min(hashes) < 0 < max(hashes)
        assert all(-(2**63) <= each < 2**63 for each in hashes)


@pytest.mark.parametrize(
    ("built", "path", "reason"),
    [
        (
            chunk(positon=1),
            "chunks[0].positon",
            "is no field of the record; did you mean position?",
        ),
        (
            {"requestId": "r1", "chunks": []},
            "requestId",
            "is no field of the record; did you mean request_id?",
        ),
        (
            request(origins={"ranks": "logged"}),
            "origins.ranks",
            "is no field of the record; did you mean rank?",
        ),
        (
            {"request_id": "r1", "judged_at": TIME, "corect": True},
            "corect",
            "is no field of the record; did you mean correct?",
        ),
        (request(hue=None), "hue", "is no field of the record; leave it out"),
    ],
)
def test_an_application_hears_of_a_field_that_the_record_does_not_have(
    built: dict[str, Any], path: str, reason: str
) -> None:
    with pytest.raises(Rejected) as told:
        check(built)
    assert (told.value.path, told.value.reason) == (path, reason)
    assert str(told.value) == f"{path} {reason}"


def test_the_first_of_several_faults_of_an_application_is_the_misspelt_name() -> None:
    """That the id of a chunk is missing follows from its name, and leads nowhere."""
    with pytest.raises(Rejected, match=r"chunks\[0\].chunk_ids is .*did you mean chunk_id\?"):
        check({"request_id": "r1", "chunks": [{"chunk_ids": "a"}]})


def test_a_log_line_may_carry_fields_that_the_record_does_not_have() -> None:
    parser = Parser()
    parser.parse(line(chunk(positon=1)))
    assert parser.unknown == {"positon": 1}


@pytest.mark.parametrize(
    "written",
    [
        {"revision": 0},
        {"outcome": "answered"},
        {"exposure": "packed"},
        {"sample_weight": 1.0},
        {"explored": False},
    ],
)
def test_a_default_written_out_says_the_same_as_none(written: dict[str, object]) -> None:
    plain = {"request_id": "r", "chunks": [{"chunk_id": "c"}]}
    assert record_hash(check(plain | written)) == record_hash(check(plain))


def test_of_an_overlong_label_its_beginning_and_a_hash_are_kept() -> None:
    """A page of text as a route is a slip of the logging; it costs neither request nor memory."""
    page = "route " * 2_000_000
    line = {"request_id": "r", "chunks": [], "route": page, "release": "x" * 200}
    first = check(line)
    assert isinstance(first, Request)
    assert (len(first.route or ""), len(first.release or "")) == (200, 200)
    assert (first.route or "").startswith("route route ")
    second = check(line | {"route": page + "2"})
    assert isinstance(second, Request)
    assert first.route != second.route
    assert check(first) == first  # what is cut once stays so
    assert parse(encode(first)) == first
