"""The chunks that a route's index holds: documents, editions, mirrors and their fingerprints.

A chunk has a number in the order of the source. Its editions are the versions that re-indexing
made, oldest first; the last edition is a mirror, the same text under another document. A code is
edition x chunks + chunk, so every copy has an identity of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np

from analyzer.simulate.arrays import Bools, Floats, Ints, stream
from analyzer.simulate.scenario import Documents, Route, Spread

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
    """The index of a route that was, or will be, re-indexed at these moments."""
    rng = stream(seed, "pool", route.name)
    documents = prime_from(route.documents.count)
    size, editions = documents * route.documents.chunks, len(reindexed) + 2
    exact = _exact_editions(rng, editions, size, route.copies.exact)
    originals = lengths(rng, route.documents.tokens, size)
    return Pool(
        route=route.name,
        documents=documents,
        chunks_each=route.documents.chunks,
        editions=editions,
        tokens=np.tile(originals, editions),
        exact=exact.ravel(),
        hashes=_hashes(rng, exact),
        signatures=_signatures(rng, exact),
        indexed_at=_indexed_at(rng, documents, reindexed, first_day),
        popularity=_popularity(rng, route.documents, documents),
        document_effect=rng.normal(0.0, route.relevance.document_fixed_sd, documents),
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


def _exact_editions(rng: np.random.Generator, editions: int, size: int, share: float) -> Bools:
    exact = rng.random((editions, size)) < share
    exact[0] = True
    return exact


def _hashes(rng: np.random.Generator, exact: Bools) -> list[str]:
    drawn = rng.integers(0, 2**64, exact.shape, dtype=np.uint64)
    shown = np.where(exact, drawn[0], drawn)
    return [f"{value:016x}" for value in shown.ravel().tolist()]


def _signatures(rng: np.random.Generator, exact: Bools) -> list[str]:
    """128 bits a text: random for the original, a few of them flipped for another edition."""
    halves = rng.integers(0, 2**64, (2, 1, exact.shape[1]), dtype=np.uint64)
    shown = np.where(exact, halves, halves ^ _flips(rng, exact.shape))
    first, second = shown.reshape(2, -1).tolist()
    return [f"{a:016x}{b:016x}" for a, b in zip(first, second, strict=True)]


def _flips(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    flips = np.zeros((2, *shape), dtype=np.uint64)
    count = rng.integers(3, _MOST_FLIPPED + 1, shape)
    for turn in range(_MOST_FLIPPED):
        bit = rng.integers(0, 128, shape)
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
