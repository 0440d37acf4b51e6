"""The chunks that a route's index holds: documents, editions, mirrors and their fingerprints.

A chunk has a number in the order of the source. Its editions are the versions that re-indexing
made, oldest first; the last edition is a mirror, the same text under another document. A code is
edition x chunks + chunk, so every copy has an identity of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np
from numpy.typing import NDArray

from analyzer.simulate.arrays import Bools, Floats, Ints, stream
from analyzer.simulate.scenario import Route
from analyzer.simulate.traits import Documents, Spread

_MOST_FLIPPED = 12  # of 128 bits; two editions are then at most 24 apart, a near-copy up to 25
_OLDEST_DAYS = 420


@dataclass(frozen=True)
class Pool:
    """Everything about the chunks of a route that no request can change. V editions, N chunks."""

    route: str
    documents: int  # prime, so that stepping through them by any stride meets each once
    chunks_each: int
    editions: int  # V, the mirror included
    tokens: Ints  # [V * N]
    exact: Bools  # [V * N], the text is the original's to the letter
    hashes: list[str]  # [V * N], 16 hex digits
    signatures: list[str]  # [V * N], 32 hex digits
    indexed_at: list[str]  # [V * documents], RFC 3339
    popularity: Floats  # [documents], running sums
    document_effect: Floats  # [documents], log relevance
    crawl_order: Floats  # [documents], a re-index touches those below its share

    @property
    def size(self) -> int:
        """Chunks of one edition."""
        return self.documents * self.chunks_each

    def chunk_id(self, code: int) -> str:
        """The id that logs and labels give this chunk."""
        return f"{self.doc_id(code)}.v{self.version(code)}#{self.ordinal(code)}"

    def doc_id(self, code: int) -> str:
        """The document; a mirror has one of its own."""
        document = code % self.size // self.chunks_each
        suffix = "-mirror" if self.is_mirror(code) else ""
        return f"{self.route}-{document:04d}{suffix}"

    def document_fields(self, code: int) -> dict[str, object]:
        """What a log says about the chunk's document."""
        document = code % self.size // self.chunks_each
        edition = code // self.size
        return {
            "doc_id": self.doc_id(code),
            "ordinal": self.ordinal(code),
            "indexed_at": self.indexed_at[edition * self.documents + document],
            "doc_version": str(self.version(code)),
        }

    def ordinal(self, code: int) -> int:
        """The chunk's place in its document, from 0."""
        return code % self.chunks_each

    def version(self, code: int) -> int:
        """1 for the first indexing; a mirror was indexed once."""
        return 1 if self.is_mirror(code) else code // self.size + 1

    def is_mirror(self, code: int) -> bool:
        """Whether this is the copy under another document."""
        return code // self.size == self.editions - 1


def make_pool(seed: int, route: Route, reindexed: list[datetime], first_day: datetime) -> Pool:
    """The index of a route that was, or will be, re-indexed at these moments.

    Every edition has a random stream of its own, so one more re-index changes nothing before it.
    """
    rng = stream(seed, "pool", route.name)
    documents = prime_from(route.documents.count)
    size = documents * route.documents.chunks
    originals, effects = lengths(rng, route.documents.tokens, size), rng.normal(size=documents)
    texts = _texts(seed, route, size, len(reindexed))
    return Pool(
        route=route.name,
        documents=documents,
        chunks_each=route.documents.chunks,
        editions=len(texts),
        tokens=np.tile(originals, len(texts)),
        exact=np.concatenate([text.exact for text in texts]),
        hashes=[shown for text in texts for shown in text.hashes()],
        signatures=[shown for text in texts for shown in text.signatures()],
        indexed_at=_indexed_at(rng, documents, reindexed, first_day),
        popularity=_popularity(rng, route.documents, documents),
        document_effect=route.relevance.document_fixed_sd * effects,
        crawl_order=(rng.permutation(documents) + 0.5) / documents,
    )


def lengths(rng: np.random.Generator, spread: Spread, count: int) -> Ints:
    """`count` lengths in tokens, at least 1."""
    drawn = np.exp(rng.normal(np.log(spread.median), spread.spread, count))
    return np.maximum(1, np.rint(drawn)).astype(np.int64)


def prime_from(count: int) -> int:
    """The smallest prime that is at least `count`."""
    while any(count % divisor == 0 for divisor in range(2, int(count**0.5) + 1)):
        count += 1
    return count


@dataclass(frozen=True)
class _Texts:
    """The fingerprints of one edition: 64 bits of hash and twice 64 of signature a chunk."""

    exact: Bools
    hash: NDArray[np.uint64]
    first: NDArray[np.uint64]
    second: NDArray[np.uint64]

    def hashes(self) -> list[str]:
        return [f"{value:016x}" for value in self.hash.tolist()]

    def signatures(self) -> list[str]:
        halves = zip(self.first.tolist(), self.second.tolist(), strict=True)
        return [f"{first:016x}{second:016x}" for first, second in halves]


def _texts(seed: int, route: Route, size: int, reindexed: int) -> list[_Texts]:
    """The original edition, those that re-indexing made, and the mirror."""
    rng = stream(seed, "texts", route.name)
    drawn = rng.integers(0, 2**64, (3, size), dtype=np.uint64)
    original = _Texts(np.ones(size, dtype=np.bool_), *drawn)
    names = [*(f"edition {number + 1}" for number in range(reindexed)), "mirror"]
    streams = [stream(seed, "texts", route.name, name) for name in names]
    return [original, *(_edited(original, route.copies.exact, each) for each in streams)]


def _edited(original: _Texts, exact_share: float, rng: np.random.Generator) -> _Texts:
    """Near-copies of the originals: another hash and a few flipped bits, or nothing changed."""
    size = len(original.hash)
    exact = rng.random(size) < exact_share
    first, second = np.where(exact, np.uint64(0), _flips(rng, size))
    other = rng.integers(0, 2**64, size, dtype=np.uint64)
    shown = np.where(exact, original.hash, other)
    return _Texts(exact, shown, original.first ^ first, original.second ^ second)


def _flips(rng: np.random.Generator, size: int) -> NDArray[np.uint64]:
    """[2, size] masks of 3 to 12 bits; bits drawn twice cancel."""
    flips = np.zeros((2, size), dtype=np.uint64)
    count = rng.integers(3, _MOST_FLIPPED + 1, size)
    for turn in range(_MOST_FLIPPED):
        bit = rng.integers(0, 128, size)
        mask = np.where(turn < count, np.uint64(1) << (bit % 64).astype(np.uint64), np.uint64(0))
        for half in (0, 1):
            flips[half] ^= np.where(bit // 64 == half, mask, np.uint64(0))
    return flips


def _indexed_at(
    rng: np.random.Generator, documents: int, reindexed: list[datetime], first_day: datetime
) -> list[str]:
    ages = rng.integers(30, _OLDEST_DAYS, (2, documents)).tolist()
    first, mirror = ([_instant(first_day - timedelta(days=age)) for age in row] for row in ages)
    later = [_instant(moment) for moment in reindexed for _ in range(documents)]
    return [*first, *later, *mirror]


def _instant(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def _popularity(rng: np.random.Generator, documents: Documents, count: int) -> Floats:
    weights = 1.0 / np.arange(1, count + 1) ** documents.popularity
    sums = np.cumsum(rng.permutation(weights))
    return np.asarray(sums / sums[-1], dtype=np.float64)
