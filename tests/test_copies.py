"""Copies within a request, against a naive search with union-find."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer import copies
from analyzer.copies import Copies, Packed

MASK = (1 << 64) - 1


@dataclass(frozen=True)
class Chunk:
    text_hash: int | None
    signature: int | None  # 128 bits
    order: int


def signed(bits: int) -> int:
    bits &= MASK
    return bits - (1 << 64) if bits >> 63 else bits


def packed(requests: list[list[Chunk]]) -> Packed:
    rows = [
        (number, position, chunk)
        for number, chunks in enumerate(requests)
        for position, chunk in enumerate(chunks, 1)
    ]

    def integers(values: list[int]) -> np.ndarray:
        return np.array(values, dtype=np.int64)

    return Packed(
        request=integers([10 * number for number, _, _ in rows]),
        position=integers([position for _, position, _ in rows]),
        order=integers([chunk.order for _, _, chunk in rows]),
        text_hash=integers([chunk.text_hash or 0 for _, _, chunk in rows]),
        hashed=np.array([chunk.text_hash is not None for _, _, chunk in rows], dtype=bool),
        s0=integers([signed((chunk.signature or 0) >> 64) for _, _, chunk in rows]),
        s1=integers([signed(chunk.signature or 0) for _, _, chunk in rows]),
        signed=np.array([chunk.signature is not None for _, _, chunk in rows], dtype=bool),
    )


def found(requests: list[list[Chunk]]) -> list[tuple[int, int, int]]:
    return as_rows(copies.find(packed(requests)))


def as_rows(result: Copies) -> list[tuple[int, int, int]]:
    arrays = (result.copies, result.copy_of, result.exact_copy_of)
    return list(zip(*(array.tolist() for array in arrays), strict=True))


def is_exact(one: Chunk, other: Chunk) -> bool:
    return one.text_hash is not None and one.text_hash == other.text_hash


def is_near(one: Chunk, other: Chunk) -> bool:
    if is_exact(one, other):
        return True
    if one.signature is None or other.signature is None:
        return False
    return (one.signature ^ other.signature).bit_count() <= 25


def naive_groups(chunks: list[Chunk], alike) -> list[list[int]]:
    groups = [[at] for at in range(len(chunks))]
    for at in range(len(chunks)):
        for other in range(at):
            mine = next(group for group in groups if at in group)
            its = next(group for group in groups if other in group)
            if mine is not its and alike(chunks[at], chunks[other]):
                groups.remove(its)
                mine.extend(its)
    return groups


def naive(chunks: list[Chunk]) -> list[tuple[int, int, int]]:
    hashed = all(chunk.text_hash is not None for chunk in chunks)
    signed_all = all(chunk.signature is not None for chunk in chunks)
    if len(chunks) > 1 and not hashed and not signed_all:
        return [(0, 0, 0)] * len(chunks)
    size, best, exact_best = ({}, {}, {})
    for group in naive_groups(chunks, is_near):
        for at in group:
            size[at], best[at] = len(group), min(group, key=lambda row: (chunks[row].order, row))
    for group in naive_groups(chunks, is_exact):
        for at in group:
            exact_best[at] = min(group, key=lambda row: (chunks[row].order, row))
    return [
        (
            size[at],
            0 if best[at] == at else best[at] + 1,
            0 if exact_best[at] == at else exact_best[at] + 1,
        )
        for at in range(len(chunks))
    ]


@st.composite
def signatures(draw: st.DrawFn) -> int:
    # Three far-apart texts and edits of them: near each other, at the limit, or beyond it.
    base = draw(st.sampled_from([0, (1 << 128) - 1, (1 << 64) - 1]))
    flips = draw(st.sampled_from([0, 1, 12, 13, 25, 26, 40]))
    return base ^ (((1 << flips) - 1) << draw(st.integers(0, 128 - flips)))


chunks = st.builds(
    Chunk,
    text_hash=st.none() | st.integers(-2, 2),
    signature=st.none() | signatures(),
    order=st.integers(1, 6),
)
whole_chunks = st.builds(
    Chunk, text_hash=st.integers(-3, 3), signature=signatures(), order=st.integers(1, 9)
)
requests = st.lists(st.lists(chunks, min_size=1, max_size=5), max_size=4)
whole_requests = st.lists(st.lists(whole_chunks, min_size=1, max_size=9), max_size=4)


@given(whole_requests | requests)
def test_copies_equal_a_naive_search(asked: list[list[Chunk]]) -> None:
    assert found(asked) == [row for chunks in asked for row in naive(chunks)]


@given(whole_requests, st.integers(1, 5))
def test_the_size_of_a_piece_of_work_changes_nothing(
    asked: list[list[Chunk]], pairs_at_once: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(copies, "PAIRS_AT_ONCE", pairs_at_once)
        in_pieces = found(asked)
    assert in_pieces == found(asked)


def test_a_request_does_not_depend_on_those_beside_it() -> None:
    twice = [Chunk(7, 0, 1), Chunk(7, 0, 2)]
    assert found([twice, twice, twice]) == found([twice]) * 3


def test_the_reference_request_has_five_chunks_involved_and_three_redundant() -> None:
    # Pairs (1,3), (3,5), (2,6) of eight chunks: 20 bits apart in a chain, all others far.
    rng = np.random.default_rng(1)
    first, second, *others = (int.from_bytes(rng.bytes(16), "big") for _ in range(5))
    third = first ^ ((1 << 20) - 1)
    fifth = third ^ (((1 << 20) - 1) << 64)
    sixth = second ^ (((1 << 20) - 1) << 100)
    texts = [first, second, third, others[0], fifth, sixth, others[1], others[2]]
    result = copies.find(packed([[Chunk(at, text, at) for at, text in enumerate(texts)]]))
    assert result.copies.tolist() == [3, 2, 3, 1, 3, 2, 1, 1]
    assert result.copy_of.tolist() == [0, 0, 1, 0, 1, 2, 0, 0]
    assert np.mean(result.copies > 1) == 0.625
    assert np.mean(result.copy_of > 0) == 0.375
    assert not result.exact_copy_of.any()


@pytest.mark.parametrize(("flips", "near"), [(25, True), (26, False)])
@pytest.mark.parametrize("lowest", [0, 40, 64, 100])
def test_twenty_five_bits_apart_is_near_and_twenty_six_is_not(
    flips: int, near: bool, lowest: int
) -> None:
    edited = ((1 << flips) - 1) << lowest
    assert found([[Chunk(1, 0, 1), Chunk(2, edited, 2)]])[1] == ((2, 1, 0) if near else (1, 0, 0))


def test_the_best_ranked_chunk_stays_wherever_it_stands() -> None:
    assert found([[Chunk(7, 0, 3), Chunk(7, 0, 1), Chunk(7, 0, 2)]]) == [
        (3, 2, 2),
        (3, 0, 0),
        (3, 2, 2),
    ]


def test_equal_ranks_are_decided_by_position() -> None:
    assert found([[Chunk(7, 0, 1), Chunk(7, 0, 1)]]) == [(2, 0, 0), (2, 1, 1)]


def test_equal_texts_are_copies_without_any_signature() -> None:
    assert found([[Chunk(7, None, 1), Chunk(7, None, 2), Chunk(8, None, 3)]]) == [
        (2, 0, 0),
        (2, 1, 1),
        (1, 0, 0),
    ]


def test_signatures_alone_show_near_copies_but_no_exact_ones() -> None:
    assert found([[Chunk(None, 0, 1), Chunk(None, 0, 2)]]) == [(2, 0, 0), (2, 1, 0)]


def test_one_chunk_without_fingerprint_leaves_its_whole_request_uncompared() -> None:
    bare = Chunk(None, None, 3)
    assert found([[Chunk(7, 0, 1), Chunk(7, 0, 2), bare]]) == [(0, 0, 0)] * 3


def test_a_hash_and_a_signature_cannot_be_compared() -> None:
    assert found([[Chunk(7, None, 1), Chunk(None, 0, 2)]]) == [(0, 0, 0)] * 2


def test_a_single_chunk_is_compared_by_definition() -> None:
    assert found([[Chunk(None, None, 1)]]) == [(1, 0, 0)]


def test_nothing_packed_is_nothing_found() -> None:
    assert found([]) == []


def test_a_long_prompt_of_one_text_is_one_group() -> None:
    rows = found([[Chunk(7, 0, order) for order in range(300, 0, -1)]])
    assert rows == [(300, 300, 300)] * 299 + [(300, 0, 0)]


def test_requests_of_unlike_length_keep_apart() -> None:
    same = Chunk(7, 0, 1)
    asked = [[same], [same] * 4, [same, replace(same, order=0)]]
    assert found(asked) == [row for chunks in asked for row in naive(chunks)]


def embedded(vectors: list[list[float]], order: list[int] | None = None) -> list[tuple[int, int]]:
    places = np.arange(1, len(vectors) + 1)
    result = copies.by_embedding(
        np.array(vectors, dtype=float), places, np.array(order) if order else places
    )
    assert not result.exact_copy_of.any()
    return list(zip(result.copies.tolist(), result.copy_of.tolist(), strict=True))


def at_angle(cosine: float) -> list[float]:
    return [cosine, (1 - cosine**2) ** 0.5]


def test_a_cosine_of_95_hundredths_is_near() -> None:
    assert embedded([[2, 0], at_angle(0.951)]) == [(2, 0), (2, 1)]
    assert embedded([[2, 0], at_angle(0.949)]) == [(1, 0), (1, 0)]


def test_opposite_and_empty_vectors_are_like_no_other() -> None:
    assert embedded([[1, 0], [-1, 0], [0, 0], [0, 0]]) == [(1, 0)] * 4


def test_embeddings_chain_into_one_group_named_by_its_best() -> None:
    turn = np.radians([0, 15, 30, 90])
    vectors = np.column_stack([np.cos(turn), np.sin(turn)]).tolist()
    assert embedded(vectors, order=[3, 2, 1, 4]) == [(3, 3), (3, 3), (3, 0), (1, 0)]


def test_embeddings_in_pieces_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    vectors = np.random.default_rng(2).normal(size=(40, 2)).tolist()
    whole = embedded(vectors)
    monkeypatch.setattr(copies, "PAIRS_AT_ONCE", 100)
    assert embedded(vectors) == whole
