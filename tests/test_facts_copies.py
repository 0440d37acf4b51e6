"""Copies among the packed chunks of a request, as columns; fingerprints in place of texts."""

from __future__ import annotations

import json
from typing import Any

from loading.records import chunks_of, column, fact_of, packed, request

from analyzer import facts
from analyzer.record import Request, fingerprint, parse

ONE, TWO = "0" * 16, "1" * 16
NEAR, FAR = f"{2**25 - 1:032x}", f"{2**26 - 1:032x}"  # 25 and 26 bits from all zeros


def prompt(*prints: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """Packed chunks by rank, all of ten tokens."""
    chunks = packed(*range(1, len(prints) + 1))
    both = zip(chunks, prints, strict=True)
    return request("r", *({**chunk, **text, "tokens": 10} for chunk, text in both), **fields)


def counts(record: dict[str, Any]) -> tuple[int | None, ...]:
    row = fact_of(record)
    names = ("compared", "involved", "redundant", "redundant_exact", "redundant_tokens")
    return tuple(row[name] for name in names)


def texts_of(record: dict[str, Any]) -> list[dict[str, Any]]:
    parsed = parse(json.dumps(record).encode())
    assert isinstance(parsed, Request)
    rows: list[dict[str, Any]] = facts.build([parsed], [1], facts.Settings()).texts.to_pylist()
    return rows


def test_equal_hashes_are_exact_copies_of_the_best_ranked() -> None:
    record = prompt({"text_hash": ONE}, {"text_hash": TWO}, {"text_hash": ONE})
    assert counts(record) == (3, 2, 1, 1, 10)
    rows = chunks_of(record)
    assert column(rows, "copies") == [2, 1, 2]
    assert column(rows, "copy_of") == [None, None, 1]
    assert column(rows, "exact_copy_of") == [None, None, 1]


def test_the_best_ranked_chunk_stays_wherever_it_stands() -> None:
    record = request(
        "r",
        {"rank": 3, "position": 1, "text_hash": ONE},
        {"rank": 1, "position": 2, "text_hash": ONE},
    )
    assert column(chunks_of(record), "copy_of") == [2, None]


def test_without_ranks_the_first_in_the_prompt_stays() -> None:
    record = request("r", *({"position": n, "text_hash": ONE} for n in (2, 1)))
    assert column(chunks_of(record), "copy_of") == [1, None]


def test_signatures_are_near_up_to_25_bits() -> None:
    assert counts(prompt({"signature": "0" * 32}, {"signature": NEAR})) == (2, 2, 1, 0, 10)
    assert counts(prompt({"signature": "0" * 32}, {"signature": FAR})) == (2, 0, 0, 0, 0)


def test_groups_of_the_reference_example() -> None:
    # Pairs (1,3), (3,5), (2,6) of 8: groups {1,3,5} and {2,6}; 5/8 involved, 3/8 redundant.
    bits = {1: 0, 3: 2**25 - 1, 5: 2**50 - 1, 2: 2**100 - 2**60, 6: 2**100 - 2**61}
    # The three others differ from all of them, and from each other, in 32 bits and more.
    others = {4: 0xFFFFFFFF << 96, 7: (2**64 - 1) << 64, 8: (2**128 - 1) ^ (0xFFFF << 50)}
    prints = [{"signature": f"{(bits | others)[n]:032x}"} for n in range(1, 9)]
    row = fact_of(prompt(*prints))
    assert (row["compared"], row["involved"], row["redundant"]) == (8, 5, 3)


def test_a_request_is_compared_only_where_every_packed_chunk_can_be() -> None:
    record = prompt({"text_hash": ONE}, {"text_hash": ONE}, {})
    assert counts(record) == (None,) * 5
    assert fact_of(record)["missing_text"] == 1
    assert column(chunks_of(record), "copies") == [None] * 3


def test_a_chunk_outside_the_prompt_is_not_compared() -> None:
    record = request("r", {"position": 1, "text_hash": ONE}, {"text_hash": ONE})
    assert counts(record) == (1, 0, 0, 0, 0)
    assert column(chunks_of(record), "copies") == [1, None]


def test_one_packed_chunk_is_compared_without_a_text() -> None:
    assert counts(prompt({})) == (1, 0, 0, 0, 0)


def test_nothing_packed_is_not_compared() -> None:
    assert counts(request("r", {"text_hash": ONE}))[1:] in {(None,) * 4, (0, 0, 0, 0)}
    assert not counts(request("r", {"text_hash": ONE}))[0]


def test_embeddings_are_compared_where_there_is_nothing_else() -> None:
    record = prompt({"embedding": [1, 0]}, {"embedding": [0, 1]}, {"embedding": [1, 0.1]})
    assert counts(record) == (3, 2, 1, 0, 10)
    assert column(chunks_of(record), "fingerprint") == [None] * 3
    assert counts(prompt({"embedding": [1]}, {"embedding": [1, 0]})) == (None,) * 5


def test_an_application_may_send_fingerprints_for_texts() -> None:
    said = "The same passage, said once as a text and once as fingerprints of it."
    made = fingerprint(said)
    prints = {"text_hash": made.text_hash, "signature": made.signature}
    sent, told = prompt({"text": said}), prompt(prints)
    assert column(chunks_of(sent), "fingerprint") == column(chunks_of(told), "fingerprint")
    assert texts_of(sent) == texts_of(told)
    assert counts(prompt({"text": said}, prints)) == (2, 2, 1, 1, 10)


def test_a_hash_counts_by_its_first_64_bits_in_either_case() -> None:
    long, short = "ABCDEF0123456789" + "7" * 48, "abcdef0123456789"
    assert counts(prompt({"text_hash": long}, {"text_hash": short})) == (2, 2, 1, 1, 10)


def test_texts_are_listed_once_with_what_is_known_of_them() -> None:
    record = prompt(
        {"text_hash": ONE},
        {"text_hash": ONE},
        {"signature": FAR},
        {"text_hash": ONE, "signature": FAR},
        {},
    )
    rows = texts_of(record)
    assert len(rows) == 3
    assert sorted((row["text_hash"] is None, row["s0"] is None) for row in rows) == [
        (False, False),
        (False, True),
        (True, False),
    ]


def test_a_text_without_a_word_is_no_text() -> None:
    record = prompt({"text": "?!"}, {"text": ""})
    assert column(chunks_of(record), "fingerprint") == [None, None]
    assert fact_of(record)["missing_text"] == 2
