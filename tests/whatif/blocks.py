"""Blocks of candidates made by hand or drawn, and requests with chunks that packers can look at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

from analyzer.whatif.candidates import AS_LAID, UNKNOWN, Candidates


@dataclass(frozen=True)
class Chunk:
    """A logged candidate."""

    rank: int
    tokens: int = 100
    position: int = 0  # 0 = not packed
    cited: bool = False
    expected: bool = False
    document: int = UNKNOWN
    bits: int | None = None  # of the signature; None: no fingerprint


def block(*requests: list[Chunk], **columns: Any) -> Candidates:
    """These requests as arrays; whatever `columns` names is given by request."""
    n, width = len(requests), max(1, *(len(chunks) for chunks in requests))
    there = np.array([[at < len(chunks) for at in range(width)] for chunks in requests])

    def laid(name: str, otherwise: int) -> Any:
        table = np.full((n, width), otherwise, np.int64)
        for row, chunks in enumerate(requests):
            for at, chunk in enumerate(chunks):
                table[row, at] = getattr(chunk, name)
        return table

    bits = [
        [chunk.bits for chunk in chunks] + [None] * (width - len(chunks)) for chunks in requests
    ]
    k = np.array([sum(chunk.position > 0 for chunk in chunks) for chunks in requests], np.int64)
    told: dict[str, Any] = {
        "model": ["m"] * n,
        "group": np.zeros(n, np.int64),
        "weight": np.full(n, 1000),
        "k": k,
        "route_most": int(k.max()),
        "measure": "context",
        "prompt_tokens": np.full(n, UNKNOWN),
        "budget": np.full(n, UNKNOWN),
        "ordering": np.full(n, AS_LAID),
        "comparable": np.ones(n, np.bool_),
        "known": np.ones(n, np.bool_),
        "there": there,
        "rank": laid("rank", 0),
        "position": laid("position", 0),
        "tokens": laid("tokens", UNKNOWN),
        "cited": laid("cited", 0) > 0,
        "expected": laid("expected", 0) > 0,
        "document": laid("document", UNKNOWN),
        "text_hash": np.zeros((n, width), np.int64),
        "hashed": np.zeros((n, width), np.bool_),
        "first": np.array([[_signed((b or 0) >> 64) for b in row] for row in bits], np.int64),
        "last": np.array([[_signed((b or 0) % 2**64) for b in row] for row in bits], np.int64),
        "signed": np.array([[b is not None for b in row] for row in bits]),
    }
    return Candidates(**(told | columns))


def _signed(half: int) -> int:
    return half - 2**64 if half >= 2**63 else half


# Some differ in at most 25 bits, some in more, some only through a chain.
SIGNATURES = (None, 0, 2**20 - 1, 2**25 - 1, 2**26 - 1, 2**70 - 2**45, 2**127)


@st.composite
def requests(draw: st.DrawFn, all_packed_first: bool = False) -> list[Chunk]:
    """One to nine candidates, at least one of them packed, laid in any order."""
    size = draw(st.integers(1, 9))
    ranks = sorted(draw(st.sets(st.integers(1, 15), min_size=size, max_size=size)))
    packed = draw(st.integers(1, size))
    chosen = (
        range(packed)
        if all_packed_first
        else sorted(draw(st.sets(st.integers(0, size - 1), min_size=packed, max_size=packed)))
    )
    places = dict(zip(chosen, draw(st.permutations(range(1, packed + 1))), strict=True))
    return [
        Chunk(
            rank=rank,
            tokens=draw(st.integers(0, 60)),
            position=places.get(at, 0),
            cited=at in places and draw(st.booleans()),
            expected=draw(st.booleans()),
            document=draw(st.integers(-1, 3)),
            bits=draw(st.sampled_from(SIGNATURES)),
        )
        for at, rank in enumerate(ranks)
    ]
