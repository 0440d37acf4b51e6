"""Whatever a line holds, it becomes a record or is rejected; what is written reads the same."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st
from loading.rejections import TIME, chunk, request
from msgspec.structs import replace

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
)


def line(value: object) -> bytes:
    return json.dumps(value).encode()


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(-(10**400), 10**400)
    | st.floats()
    | st.text(max_size=30)
    | st.sampled_from([TIME, "2026-11-05T12:00:00", "a", "x", "answered", "packed", "0" * 16]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from([*Request.__struct_fields__, *Chunk.__struct_fields__, "judged_at"])
            | st.text(max_size=5),
            inner,
            max_size=6,
        )
    ),
    max_leaves=25,
)


def settled(text: bytes) -> Request | Judgement | None:
    """The record, or None where it is rejected; nothing else may happen."""
    try:
        return Parser(assume_timezone=UTC).parse(text)
    except Rejected as fault:
        said = fault.reason
    assert said
    assert "invalid" not in said
    return None


class TestFuzz:
    @given(st.binary(max_size=200))
    @example(b"\xff")
    @example(b'"\\ud800"')
    def test_any_bytes_end_in_a_record_or_a_rejection(self, text: bytes) -> None:
        settled(text)

    @given(JSON)
    def test_any_json_ends_in_a_record_or_a_rejection(self, value: object) -> None:
        settled(json.dumps(value).encode())

    @given(
        st.fixed_dictionaries(
            {"request_id": st.text(max_size=4) | JSON, "chunks": st.lists(JSON, max_size=3) | JSON},
            optional=dict.fromkeys([*Request.__struct_fields__[2:], "judged_at"], JSON),
        )
    )
    def test_any_value_in_any_field_ends_in_a_record_or_a_rejection(self, value: object) -> None:
        settled(json.dumps(value).encode())

    @given(st.data())
    def test_half_a_line_ends_in_a_rejection(self, data: st.DataObject) -> None:
        whole = line(request(answer="[1] ü\n", origins={"rank": "parsed"}, citations=[1, "a"]))
        assert settled(whole[: data.draw(st.integers(0, len(whole) - 1))]) is None

    @given(st.data())
    def test_a_changed_byte_ends_in_a_record_or_a_rejection(self, data: st.DataObject) -> None:
        text = bytearray(line(chunk(rank=1, position=2, score=0.5, cited=True, text_hash="0" * 16)))
        at = data.draw(st.integers(0, len(text) - 1))
        text[at] = data.draw(st.integers(0, 255))
        settled(bytes(text))


def optional(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.none() | strategy


FINITE = st.floats(allow_nan=False, allow_infinity=False)
WORDS = st.text(max_size=8)
TOKENS = st.integers(0, 10**6)
TIMES = st.datetimes(
    datetime(1970, 1, 2),  # noqa: DTZ001
    datetime(2199, 12, 30),  # noqa: DTZ001
    timezones=st.just(UTC),
)
HEX = st.sampled_from("0123456789abcdefABCDEF")


@st.composite
def legal_chunks(draw: st.DrawFn) -> list[Chunk]:
    size = draw(st.integers(0, 4))
    ranks = draw(st.permutations(range(1, size + 1)))
    return [
        Chunk(
            chunk_id=f"{draw(WORDS)}{number}",
            doc_id=draw(optional(WORDS)),
            ordinal=draw(optional(st.integers(-(2**62), 2**62))),
            indexed_at=draw(optional(TIMES)),
            rank=draw(optional(st.just(ranks[number]))),
            position=draw(optional(st.just(number + 1))),
            score=draw(optional(FINITE)),
            tokens=draw(optional(TOKENS)),
            text=draw(optional(WORDS)),
            text_hash=draw(optional(st.text(HEX, min_size=16, max_size=40))),
            embedding=draw(optional(st.lists(FINITE, max_size=3))),
            cited=draw(optional(st.booleans())),
        )
        for number in range(size)
    ]


LEGAL = st.builds(
    Request,
    request_id=st.text(min_size=1, max_size=200),
    chunks=legal_chunks(),
    revision=optional(st.integers(0, 2**62)),
    requested_at=optional(TIMES),
    route=optional(WORDS),
    sample_weight=optional(st.floats(1e-9, 1e5)),
    answer=optional(WORDS),
    citations=optional(st.lists(st.integers() | WORDS, max_size=4)),
    outcome=optional(st.sampled_from(["answered", "refused", "error", "cached"])),
)


DEFAULTS = {
    "revision": 0,
    "outcome": "answered",
    "exposure": "packed",
    "sample_weight": 1,
    "explored": False,
}


def without_defaults(built: Request) -> Request:
    """The same record, defaults that are written out left out."""
    plain = {name: None for name, default in DEFAULTS.items() if getattr(built, name) == default}
    return replace(built, **plain)


@given(LEGAL)
def test_a_checked_record_written_and_read_again_is_the_same(built: Request) -> None:
    record = check(built)
    assert record == without_defaults(built)
    assert check(encode_and_read(record)) == record
    assert record_hash(parse(encode(record))) == record_hash(record)


def encode_and_read(record: Request | Judgement) -> dict[str, Any]:
    read: dict[str, Any] = json.loads(encode(record))
    return read


SENTENCES = st.lists(
    st.sampled_from(["Anna", "Łukasz", "7", "owes", "why", "東京"]), min_size=2
).map(" ".join)
FIELDS = [
    *((name,) for name in Request.__struct_fields__),
    *(("chunks", 0, name) for name in Chunk.__struct_fields__),
    *(("origins", name) for name in ("rank", "cited", "requested_at")),
]


@given(st.sampled_from(FIELDS), SENTENCES, st.sampled_from([lambda s: s, lambda s: [s, s]]))
def test_no_reason_repeats_a_sentence_whatever_field_it_landed_in(
    field: tuple[str | int, ...], sentence: str, shaped: Any
) -> None:
    value: Any = request(chunks=[{"chunk_id": "a"}, {"chunk_id": "a"}], origins={})
    place = value
    for step in field[:-1]:
        place = place[step]
    place[field[-1]] = shaped(sentence)
    said = ""
    try:
        parse(line(value))
    except Rejected as fault:
        said = f"{fault.path} {fault.reason}"
    assert sentence not in said
    assert "Anna" not in said
