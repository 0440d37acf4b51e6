"""A replay is what the application's own packer and orderings would have done."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analyzer import ordering
from analyzer.errors import UsageError
from analyzer.packing import Rules, by_signature, pack
from analyzer.whatif import Change
from analyzer.whatif.candidates import AS_LAID
from analyzer.whatif.replay import replay
from analyzer.whatif.tally import in_middle

from .blocks import Chunk, block, requests

orderings = st.none() | st.sampled_from(ordering.NAMES)
changes = st.builds(
    Change,
    ordering=orderings,
    top_k=st.none() | st.integers(1, 10),
    budget=st.none() | st.integers(1, 250),
    dedupe=st.booleans(),
    per_document=st.none() | st.integers(1, 3),
)
NOTHING = f"{0:032x}"


def packed_by_hand(chunks: list[Chunk], change: Change, most: int) -> list[Chunk]:
    """The application's packer on what the log allows."""
    now = [chunk for chunk in chunks if chunk.position]
    if not change.packs:
        return now
    lowest = max(chunk.rank for chunk in now)
    allowed = [chunk for chunk in chunks if chunk.position or chunk.rank > lowest]
    k = len(now)
    if change.top_k is not None:
        k = change.top_k if k == most else min(k, change.top_k)
    near = by_signature(lambda chunk: f"{chunk.bits:032x}")
    unlike = by_signature(lambda _: NOTHING, near=2.0)

    def document(chunk: Chunk) -> int:
        return chunk.document if chunk.document >= 0 else -chunk.rank - 1

    kept: list[Chunk] = []
    found = pack(
        allowed,
        Rules(k=k, budget_tokens=change.budget, per_document=change.per_document),
        tokens=lambda chunk: chunk.tokens,
        document=document,
        likeness=(
            type(near)(
                lambda one, other: (
                    near.of(one, other) if None not in (one.bits, other.bits) else 0.0
                ),
                near.near,
            )
            if change.dedupe
            else unlike
        ),
    )
    kept.extend(found.chunks)
    return kept


@settings(max_examples=50)
@given(st.lists(requests(), min_size=1, max_size=3), changes)
def test_what_is_packed_is_what_the_packer_takes(
    several: list[list[Chunk]], change: Change
) -> None:
    logged = block(*several)
    made = replay(logged, change)
    for row, chunks in enumerate(several):
        kept = [chunk for chunk, stays in zip(chunks, made.packed[row], strict=False) if stays]
        assert kept == packed_by_hand(chunks, change, logged.route_most)


@settings(max_examples=50)
@given(st.lists(requests(), min_size=1, max_size=3), changes, st.integers(-1, 5))
def test_prompts_are_laid_as_the_ordering_says(
    several: list[list[Chunk]], change: Change, own: int
) -> None:
    logged = block(*several, ordering=np.full(len(several), own))
    made = replay(logged, change)
    for row, chunks in enumerate(several):
        kept = [chunk for chunk, stays in zip(chunks, made.packed[row], strict=False) if stays]
        placed = dict(
            zip((chunk.rank for chunk in chunks), made.position[row].tolist(), strict=False)
        )
        laid = sorted(kept, key=lambda chunk: placed[chunk.rank])
        assert [placed[chunk.rank] for chunk in laid] == list(range(1, len(kept) + 1))
        name = change.ordering or (ordering.BY_RANK[own] if own != AS_LAID else None)
        if name is not None:
            assert laid == ordering.arranged(kept, name)
        else:
            stays = sorted((c for c in kept if c.position), key=lambda chunk: chunk.position)
            assert laid == [*stays, *(chunk for chunk in kept if not chunk.position)]


@settings(max_examples=50)
@given(st.lists(requests(), min_size=1, max_size=3))
def test_nothing_changed_is_what_was_logged(several: list[list[Chunk]]) -> None:
    logged = block(*several)
    assert (replay(logged, Change()).position == logged.position).all()


def test_a_logged_budget_holds_for_what_comes_in() -> None:
    prompt = [Chunk(1, 40, 1, bits=0), Chunk(2, 40, 2, bits=1), Chunk(3, 50), Chunk(4, 30)]
    logged = block(prompt, budget=np.array([85]))
    made = replay(logged, Change(dedupe=True))
    assert made.packed.tolist() == [[True, False, False, True]]
    assert made.copied.tolist() == [[False, True, False, False]]


def test_a_prompt_below_the_largest_does_not_grow_with_top_k() -> None:
    short = [Chunk(1, position=1), Chunk(2), Chunk(3), Chunk(4)]
    full = [Chunk(1, position=1), Chunk(2, position=2), Chunk(3), Chunk(4)]
    made = replay(block(short, full), Change(top_k=3))
    assert made.k.tolist() == [1, 3]


def test_skipped_candidates_stay_skipped() -> None:
    prompt = [Chunk(1, position=1), Chunk(2), Chunk(3, position=2), Chunk(4)]
    made = replay(block(prompt), Change(top_k=3))
    assert made.packed.tolist() == [[True, False, True, True]]


def test_the_middle_is_that_of_the_reference_table() -> None:
    place = np.tile(np.arange(1, 12), (3, 1))
    found = in_middle(place, np.array([2, 7, 11]))
    assert found[0, :2].tolist() == [False, False]
    assert found[1, :7].tolist() == [False, False, True, True, True, False, False]
    assert found[2].tolist() == [False, False, *[True] * 7, False, False]


class TestChange:
    def test_it_says_itself(self) -> None:
        change = Change("edges_first", 8, 4000, True, 3)
        assert change.says == (
            "edges first, top-k 8, at most 4,000 tokens, without near-copies, "
            "at most 3 of a document"
        )
        assert Change().says == "nothing changed"

    @pytest.mark.parametrize(
        ("made", "said"),
        [
            ({"ordering": "by_document"}, "--ordering 'by_document' is none that follows the rank"),
            ({"top_k": 0}, "--top-k is 0"),
            ({"budget": -5}, "--budget is -5"),
            ({"per_document": 0}, "--per-doc-cap is 0"),
        ],
    )
    def test_what_makes_no_sense_is_refused(self, made: dict[str, object], said: str) -> None:
        with pytest.raises(UsageError, match=said):
            Change(**made)  # type: ignore[arg-type]
