"""Facts are a function of one record alone: the records beside it in a block change nothing."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from loading.records import facts_of
from logs import requests

from analyzer.facts import columns, doubts
from analyzer.record import Chunk, Rejected, Request, check_chunks


@given(st.lists(requests("r"), min_size=1, max_size=6), st.integers(0, 1))
@settings(max_examples=60, deadline=None)
def test_a_record_has_the_same_facts_alone_and_in_any_block(
    records: list[dict[str, Any]], base: int
) -> None:
    together, beside = facts_of(*records, marker_base=base)
    alone = [facts_of(record, marker_base=base) for record in records]
    assert [{**row, "line": 1} for row in together] == [row for [row], _ in alone]
    assert beside == [row for _, rows in alone for row in rows]


ANY_CHUNK = st.builds(
    Chunk,
    chunk_id=st.sampled_from("abc"),
    rank=st.none() | st.integers(1, 3),
    position=st.none() | st.integers(1, 3),
    retrieval_id=st.sampled_from([None, None, "", "x", "y"]),
    text_hash=st.sampled_from([None, None, "0" * 16, "0" * 20, "0" * 15, "0 " * 8, "é" * 8]),
    signature=st.sampled_from([None, None, "f" * 32, "F" * 31, "0 " * 16]),
)


@given(st.lists(st.lists(ANY_CHUNK, max_size=4), min_size=1, max_size=5))
@settings(max_examples=300)
def test_whatever_breaks_a_rule_is_doubted(requests: list[list[Chunk]]) -> None:
    records = [Request(request_id="r", chunks=chunks) for chunks in requests]
    faulty = {number for number, chunks in enumerate(requests) if breaks_a_rule(chunks)}
    assert faulty <= doubts.doubted(columns.block(records))


def breaks_a_rule(chunks: list[Chunk]) -> bool:
    try:
        check_chunks(chunks)
    except Rejected:
        return True
    return False
