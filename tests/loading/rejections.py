"""Lines that break one rule of the record each, and what is said about them."""

from __future__ import annotations

from typing import Any

TIME = "2026-11-05T12:00:00Z"
A_TIME = "a time is RFC 3339 with an offset, as 2026-11-05T12:00:00Z"


def request(**fields: Any) -> dict[str, Any]:
    return {"request_id": "r", "requested_at": TIME, "chunks": [{"chunk_id": "a"}], **fields}


def chunk(**fields: Any) -> dict[str, Any]:
    return request(chunks=[{"chunk_id": "a", **fields}])


def chunks(*each: dict[str, Any]) -> dict[str, Any]:
    return request(chunks=[{"chunk_id": f"c{n}", **fields} for n, fields in enumerate(each)])


REJECTIONS: list[tuple[str, object, str]] = [
    ("no id", {"chunks": []}, "request_id is missing, but every record has it"),
    ("no chunks", {"request_id": "r"}, "chunks is missing, but every record has it"),
    ("no chunk id", request(chunks=[{}]), "chunks[0].chunk_id is missing, but every chunk has it"),
    (
        "empty id",
        request(request_id=""),
        "request_id is an empty text, but a request id is a string of 1 to 200 characters",
    ),
    (
        "long id",
        request(request_id="x" * 201),
        "request_id is a text of 201 characters, "
        "but a request id is a string of 1 to 200 characters",
    ),
    (
        "number as id",
        request(request_id=7),
        "request_id is 7, but a request id is a string of 1 to 200 characters",
    ),
    (
        "empty chunk id",
        chunk(chunk_id=""),
        "chunks[0].chunk_id is an empty text, but a chunk id is a string of 1 to 2,000 characters",
    ),
    (
        "a page as chunk id",
        request(chunks=[{"chunk_id": "x" * 2001}]),
        "chunks[0].chunk_id is a text of 2,001 characters, "
        "but a chunk id is a string of 1 to 2,000 characters",
    ),
    (
        "a page as document",
        chunk(doc_id="x" * 2001),
        "chunks[0].doc_id is a text of 2,001 characters, "
        "but it is a string of at most 2,000 characters",
    ),
    ("1.7 as rank", chunk(rank=1.7), "chunks[0].rank is 1.7, but ranks are whole numbers from 1"),
    (
        "text as rank",
        chunk(rank="12"),
        'chunks[0].rank is the text "12", but ranks are whole numbers from 1',
    ),
    (
        "true as rank",
        chunk(rank=True),
        "chunks[0].rank is true, but ranks are whole numbers from 1",
    ),
    ("rank 0", chunk(rank=0), "chunks[0].rank is 0, but ranks are whole numbers from 1"),
    ("rank -1", chunk(rank=-1), "chunks[0].rank is -1, but ranks are whole numbers from 1"),
    (
        "rank of 32 bits",
        chunk(rank=2**31),
        "chunks[0].rank is 2147483648, but the most that is taken is 2,147,483,647",
    ),
    (
        "rank 1e300",
        b'{"request_id":"r","chunks":[{"chunk_id":"a","rank":1e300}]}',
        "chunks[0].rank is a number, but the most that is taken is 2,147,483,647",
    ),
    (
        "position 0",
        chunk(position=0),
        "chunks[0].position is 0, but positions are whole numbers that start at 1",
    ),
    (
        "position 2.5",
        chunk(position=2.5),
        "chunks[0].position is 2.5, but positions are whole numbers that start at 1",
    ),
    (
        "marker",
        chunk(marker="[1]"),
        'chunks[0].marker is the text "[1]", but markers are whole numbers',
    ),
    ("ordinal", chunk(ordinal=0.5), "chunks[0].ordinal is 0.5, but an ordinal is a whole number"),
    (
        "score",
        chunk(score="0.1"),
        'chunks[0].score is the text "0.1", but a score is a finite number',
    ),
    (
        "score that is no number",
        chunk(rerank_score=False),
        "chunks[0].rerank_score is false, but a score is a finite number",
    ),
    (
        "negative tokens",
        chunk(tokens=-1),
        "chunks[0].tokens is -1, but token counts are whole numbers from 0",
    ),
    (
        "more tokens than a prompt can have",
        chunk(tokens=2**32 - 1),
        "chunks[0].tokens is 4294967295, but the most that is taken is 10,000,000",
    ),
    (
        "a weight beyond all sampling",
        request(sample_weight=1e6),
        "sample_weight is 1000000.0, but the most that is taken is 100,000",
    ),
    (
        "negative prompt tokens",
        request(prompt_tokens=-5),
        "prompt_tokens is -5, but token counts are whole numbers from 0",
    ),
    ("1 as boolean", chunk(cited=1), "chunks[0].cited is 1, but cited is true, false or null"),
    ("0 as boolean", request(correct=0), "correct is 0, but correct is true, false or null"),
    (
        "yes as boolean",
        request(explored="yes"),
        'explored is the text "yes", but explored is true, false or null',
    ),
    ("number as route", request(route=5), "route is 5, but it is a string"),
    ("list as text", chunk(text=["secret"]), "chunks[0].text is a list of 1, but it is a string"),
    (
        "short hash",
        chunk(text_hash="0123456789abcde"),
        "chunks[0].text_hash is not a hash of at least 16 hexadecimal digits",
    ),
    (
        "hash with a space",
        chunk(text_hash="01234567 89abcdef"),
        "chunks[0].text_hash is not a hash of at least 16 hexadecimal digits",
    ),
    (
        "hash in other digits",
        chunk(text_hash="\N{ARABIC-INDIC DIGIT ONE}" * 16),
        "chunks[0].text_hash is not a hash of at least 16 hexadecimal digits",
    ),
    (
        "empty hash",
        chunk(text_hash=""),
        "chunks[0].text_hash is not a hash of at least 16 hexadecimal digits",
    ),
    (
        "long signature",
        chunks({}, {"signature": "0" * 33}),
        "chunks[1].signature is not a signature of 32 hexadecimal digits",
    ),
    (
        "embedding",
        chunk(embedding=[0.5, None]),
        "chunks[0].embedding[1] is null, but an embedding is a list of finite numbers",
    ),
    (
        "1001 chunks",
        chunks(*[{}] * 1001),
        "chunks is a list of 1,001, but chunks is a list of 0 to 1000 retrieved chunks",
    ),
    (
        "null as chunks",
        request(chunks=None),
        "chunks is null, but chunks is a list of 0 to 1000 retrieved chunks",
    ),
    (
        "null as chunk",
        request(chunks=[None]),
        "chunks[0] is null, but chunks is a list of 0 to 1000 retrieved chunks",
    ),
    (
        "position twice",
        chunks({"position": 2}, {}, {"position": 1}, {"position": 2}),
        "chunks[3].position is 2 a second time, but every packed chunk has its own",
    ),
    (
        "all positions equal",
        chunks({"position": 1}, {"position": 1}),
        "chunks[1].position is 1 a second time, but every packed chunk has its own",
    ),
    (
        "rank twice",
        chunks({"rank": 1}, {"rank": 1}),
        "chunks[1].rank is 1 a second time, but a rank is given once in a retrieval",
    ),
    (
        "rank twice in the second retrieval",
        chunks(
            {"rank": 1, "retrieval_id": "x"},
            {"rank": 1, "retrieval_id": "y"},
            {"rank": 2, "retrieval_id": "x"},
            {"rank": 1, "retrieval_id": "y"},
        ),
        "chunks[3].rank is 1 a second time, but a rank is given once in a retrieval",
    ),
    (
        "chunk twice",
        request(chunks=[{"chunk_id": "a"}, {"chunk_id": "b"}, {"chunk_id": "a"}]),
        'chunks[2].chunk_id is the text "a" a second time, but a chunk stands once in a retrieval',
    ),
    (
        "chunk twice in an empty and in no retrieval",
        request(chunks=[{"chunk_id": "a", "retrieval_id": ""}, {"chunk_id": "a"}]),
        'chunks[1].chunk_id is the text "a" a second time, but a chunk stands once in a retrieval',
    ),
    (
        "long chunk id twice",
        request(chunks=[{"chunk_id": "a" * 99}, {"chunk_id": "a" * 99}]),
        "chunks[1].chunk_id is a text of 99 characters a second time, "
        "but a chunk stands once in a retrieval",
    ),
    (
        "negative revision",
        request(revision=-1),
        "revision is -1, but revisions are whole numbers from 0",
    ),
    (
        "half revision",
        request(revision=1.5),
        "revision is 1.5, but revisions are whole numbers from 0",
    ),
    (
        "weight 0",
        request(sample_weight=0),
        "sample_weight is 0, but a sample weight is a number above 0",
    ),
    (
        "negative weight",
        request(sample_weight=-0.5),
        "sample_weight is -0.5, but a sample weight is a number above 0",
    ),
    (
        "other outcome",
        request(outcome="ok"),
        'outcome is the text "ok", but an outcome is answered, refused, error or cached',
    ),
    (
        "other exposure",
        request(exposure="all"),
        'exposure is the text "all", but an exposure is packed, cited_only or pruned',
    ),
    (
        "other origin",
        request(origins={"rank": "guessed"}),
        'origins.rank is the text "guessed", but origins is an object of logged, parsed, counted, '
        "derived, estimated or assumed",
    ),
    (
        "origin that is no object",
        request(origins="logged"),
        'origins is the text "logged", but origins is an object of logged, parsed, counted, '
        "derived, estimated or assumed",
    ),
    (
        "half citation",
        request(citations=[1, 1.5]),
        "citations[1] is 1.5, but citations is a list of positions or chunk ids",
    ),
    (
        "true as citation",
        request(citations=[True]),
        "citations[0] is true, but citations is a list of positions or chunk ids",
    ),
    (
        "number as expected chunk",
        request(expected_chunk_ids=["a", 1]),
        "expected_chunk_ids[1] is 1, but it is a list of chunk ids",
    ),
    (
        "time without offset",
        request(requested_at="2026-11-05T12:00:00"),
        "requested_at is 2026-11-05T12:00:00 without an offset; log it as RFC 3339 with one",
    ),
    (
        "indexed without offset",
        chunks({"indexed_at": TIME}, {"indexed_at": "2026-11-05T12:00:00"}),
        "chunks[1].indexed_at is 2026-11-05T12:00:00 without an offset; "
        "log it as RFC 3339 with one",
    ),
    (
        "date",
        request(requested_at="2026-11-05"),
        f'requested_at is the text "2026-11-05", but {A_TIME}',
    ),
    ("seconds", request(requested_at=1793880000), f"requested_at is 1793880000, but {A_TIME}"),
    ("empty time", request(requested_at=""), f"requested_at is an empty text, but {A_TIME}"),
    (
        "offset 25",
        request(requested_at="2026-11-05T12:00:00+25:00"),
        f'requested_at is the text "2026-11-05T12:00:00+25:00", but {A_TIME}',
    ),
    (
        "a question as time",
        request(requested_at="who is Ann Lee"),
        f"requested_at is a text of 14 characters, but {A_TIME}",
    ),
    (
        "a name as rank",
        chunk(rank="Ann Lee"),
        "chunks[0].rank is a text of 7 characters, but ranks are whole numbers from 1",
    ),
    (
        "a name as flag",
        chunk(cited="Ann"),
        "chunks[0].cited is a text of 3 characters, but cited is true, false or null",
    ),
    (
        "two words as outcome",
        request(outcome="Ann Lee"),
        "outcome is a text of 7 characters, but an outcome is answered, refused, error or cached",
    ),
    (
        "a name as chunks",
        request(chunks="Ann"),
        "chunks is a text of 3 characters, but chunks is a list of 0 to 1000 retrieved chunks",
    ),
    (
        "a name as citations",
        request(citations="Ann"),
        "citations is a text of 3 characters, but citations is a list of positions or chunk ids",
    ),
    ("a number as unit", request(unit_id=4915112), "unit_id is a number, but it is a string"),
    ("a number as answer", request(answer=4915112), "answer is a number, but it is a string"),
    (
        "a sentence as chunk id",
        request(chunks=[{"chunk_id": "Ann Lee"}, {"chunk_id": "Ann Lee"}]),
        "chunks[1].chunk_id is a text of 7 characters a second time, "
        "but a chunk stands once in a retrieval",
    ),
    (
        "second 60",
        request(requested_at="2026-11-05T12:00:60Z"),
        f'requested_at is the text "2026-11-05T12:00:60Z", but {A_TIME}',
    ),
    (
        "1969",
        request(requested_at="1970-01-01T00:59:59+01:00"),
        "requested_at is 1969-12-31T23:59:59+00:00, outside the years 1970 to 2200",
    ),
    (
        "2200",
        request(requested_at="2200-01-01T00:00:00Z"),
        "requested_at is 2200-01-01T00:00:00+00:00, outside the years 1970 to 2200",
    ),
    (
        "year 0",
        request(requested_at="0001-01-01T00:00:00+05:00"),
        "requested_at is outside the years 1970 to 2200",
    ),
    (
        "year 10000",
        request(requested_at="9999-12-31T23:59:59-01:00"),
        "requested_at is outside the years 1970 to 2200",
    ),
    ("array", b"[]", "is JSON, but a record is an object with request_id and chunks"),
    ("null", b"null", "is JSON, but a record is an object with request_id and chunks"),
    ("half a line", b'{"request_id":"r","chunks":[', "is not JSON: it ends too early"),
    (
        "two values",
        b'{"request_id":"r","chunks":[]} x',
        "is not JSON: trailing characters (byte 32)",
    ),
    ("trailing comma", b'{"request_id":"r",}', "is not JSON: trailing comma in object (byte 18)"),
    ("mark inside", b'\xef\xbb\xbf{"request_id":"r"}', "is not JSON: wrong character (byte 0)"),
    ("bad UTF-8", b'{"request_id":"r","chunks":[],"answer":"\xff"}', "is not UTF-8 text"),
    ("UTF-8 surrogate", b'{"request_id":"\xed\xa0\x80","chunks":[]}', "is not UTF-8 text"),
    (
        "lone surrogate",
        b'{"request_id":"\\ud800","chunks":[]}',
        "is not JSON: unexpected end of escaped utf-16 surrogate pair (byte 21)",
    ),
    (
        "NaN",
        b'{"request_id":"r","chunks":[{"chunk_id":"a","score":NaN}]}',
        "is not JSON: NaN and infinities are no JSON numbers; write null",
    ),
    (
        "minus infinity",
        b'{"request_id":"r","chunks":[{"chunk_id":"a","score":-Infinity}]}',
        "is not JSON: NaN and infinities are no JSON numbers; write null",
    ),
    (
        "NaN in an unknown field",
        b'{"request_id":"r","chunks":[],"extra":NaN}',
        "is not JSON: NaN and infinities are no JSON numbers; write null",
    ),
    (
        "the word NaN beside another fault",
        b'{"request_id":"NaN","chunks":[],}',
        "is not JSON: trailing comma in object (byte 32)",
    ),
    (
        "1e999",
        b'{"request_id":"r","chunks":[{"chunk_id":"a","score":1e999}]}',
        "is not JSON: it holds a number that is out of range",
    ),
    (
        "5000 digits",
        b'{"request_id":"r","chunks":[],"revision":' + b"1" * 5000 + b"}",
        "is not JSON: it holds a number that is out of range",
    ),
    (
        "400 digits as score",
        b'{"request_id":"r","chunks":[{"chunk_id":"a","score":' + b"1" * 400 + b"}]}",
        "chunks[0].score is a number, but a score is a finite number",
    ),
    (
        "judged without offset",
        {"request_id": "r", "judged_at": "2026-11-05T12:00:00"},
        "judged_at is 2026-11-05T12:00:00 without an offset; log it as RFC 3339 with one",
    ),
    (
        "judgement with 1 as boolean",
        {"request_id": "r", "judged_at": TIME, "correct": 1},
        "correct is 1, but correct is true, false or null",
    ),
    (
        "judgement without id",
        {"judged_at": TIME, "correct": True},
        "request_id is missing, but every record has it",
    ),
]
