"""Fingerprints on real texts: retrieved passages, and news articles with known near-copies."""

from __future__ import annotations

import gzip
import json
from functools import cache
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from analyzer import copies
from analyzer.copies import Copies, Packed
from analyzer.text import normalise, sign, text_hash

DATA = Path(__file__).parents[2] / "shared/data"
PASSAGES = DATA / "rankllm/bm25_dl21.json.gz"
ARTICLES = DATA / "minhash_articles"
needs_passages = pytest.mark.skipif(not PASSAGES.exists(), reason="needs ../shared/data/rankllm")
needs_articles = pytest.mark.skipif(
    not ARTICLES.exists(), reason="needs ../shared/data/minhash_articles"
)
TOP = 20
NEAR_JACCARD = 0.6


@cache
def queries() -> list[list[str]]:
    with gzip.open(PASSAGES, "rt", encoding="utf-8") as file:
        return [[hit["content"] for hit in query["hits"][:TOP]] for query in json.load(file)]


def found(requests: list[list[str]]) -> Copies:
    forms = [normalise(text) for texts in requests for text in texts]
    signatures = np.array([sign(form) for form in forms])
    places = np.concatenate([np.arange(1, len(texts) + 1) for texts in requests])
    known = np.ones(len(forms), dtype=bool)
    return copies.find(
        Packed(
            request=np.repeat(np.arange(len(requests)), [len(texts) for texts in requests]),
            position=places,
            order=places,
            text_hash=np.array([text_hash(form) for form in forms]),
            hashed=known,
            s0=signatures[:, 0],
            s1=signatures[:, 1],
            signed=known,
        )
    )


def word_shingles(text: str) -> frozenset[tuple[str, ...]]:
    words = normalise(text).split()
    return frozenset(zip(words, words[1:], words[2:], strict=False))


def jaccard(one: frozenset, other: frozenset) -> float:
    return len(one & other) / len(one | other)


@cache
def exact_pairs() -> list[tuple[int, int, int, float]]:
    """(query, earlier, later, exact Jaccard) of every two passages of a query."""
    return [
        (query, earlier, later, jaccard(shingles[earlier], shingles[later]))
        for query, texts in enumerate(queries())
        for shingles in [[word_shingles(text) for text in texts]]
        for earlier, later in combinations(range(len(texts)), 2)
    ]


def differing_bits(one: str, other: str) -> int:
    halves = zip(sign(normalise(one)), sign(normalise(other)), strict=True)
    return sum(((x ^ y) & (2**64 - 1)).bit_count() for x, y in halves)


@needs_passages
def test_later_copies_with_identical_text_are_counted() -> None:
    assert sum(len(texts) for texts in queries()) == 1060
    assert sum(len(texts) - len(set(texts)) for texts in queries()) == 129


@needs_passages
def test_the_normalised_hash_finds_one_copy_more() -> None:
    assert np.count_nonzero(found(queries()).exact_copy_of) == 130


@needs_passages
def test_near_copies_stand_in_49_queries() -> None:
    result = found(queries())
    with_copies = {row // TOP for row in np.flatnonzero(result.copy_of).tolist()}
    assert len(with_copies) == 49


@needs_passages
def test_exact_jaccard_counts_145_later_copies_in_49_queries() -> None:
    later = {(query, b) for query, _, b, similarity in exact_pairs() if similarity >= NEAR_JACCARD}
    assert len(later) == 145
    assert len({query for query, _ in later}) == 49


@needs_passages
def test_signatures_count_as_many_near_copies_as_exact_jaccard_within_their_error() -> None:
    # A pair of Jaccard J is called near with the chance that of 128 bits, each unlike with
    # (1 - J) / 2, at most 25 are. The tolerance is three standard deviations of the number of
    # calls that can go either way; repeated pairs of texts go the same way together.
    tolerance = 3 * uncertain_calls() ** 0.5
    assert tolerance < 7
    assert abs(np.count_nonzero(found(queries()).copy_of) - 145) <= tolerance


def uncertain_calls() -> float:
    """Variance of the number of passages that signatures call later copies."""
    undecided: dict[tuple[str, str], int] = {}
    chances = {}
    for query, earlier, later, similarity in exact_pairs():
        texts = queries()[query]
        pair = (normalise(texts[earlier]), normalise(texts[later]))
        undecided[pair] = undecided.get(pair, 0) + 1
        chances[pair] = near_chance(similarity)
    return sum(n**2 * chances[pair] * (1 - chances[pair]) for pair, n in undecided.items())


def near_chance(similarity: float) -> float:
    differ = (1 - similarity) / 2
    chance, term = 0.0, (1 - differ) ** 128
    for bits in range(copies.FARTHEST + 1):
        chance += term
        term *= (128 - bits) / (bits + 1) * differ / (1 - differ)
    return chance


@needs_passages
def test_estimates_scatter_around_exact_jaccard_as_stated() -> None:
    pairs = [pair for pair in exact_pairs() if pair[3] < 1]
    errors = []
    for query, earlier, later, similarity in pairs:
        texts = queries()[query]
        differing = differing_bits(texts[earlier], texts[later])
        differ = (1 - similarity) / 2
        errors.append((differing - 128 * differ) / (128 * differ * (1 - differ)) ** 0.5)
    assert len(errors) == 53 * 190 - 160  # the 160 with equal shingles differ in no bit
    assert abs(np.mean(errors)) < 0.1
    assert np.std(errors) < 1.05  # never wider than independent bits
    assert max(map(abs, errors)) < 5


@needs_articles
@pytest.mark.parametrize(("articles", "copied"), [(100, 5), (1000, 10)])
def test_every_known_pair_of_articles_is_found_and_no_other(articles: int, copied: int) -> None:
    lines = (ARTICLES / f"articles_{articles}.train").read_text(encoding="utf-8").splitlines()
    names, texts = zip(*(line.split(" ", 1) for line in lines), strict=True)
    truth = (ARTICLES / f"articles_{articles}.truth").read_text(encoding="utf-8").splitlines()
    result = found([list(texts)])
    pairs = {
        frozenset((names[row], names[best - 1]))
        for row, best in enumerate(result.copy_of.tolist())
        if best
    }
    assert len(texts) == articles
    assert len(pairs) == copied
    assert pairs == {frozenset(line.split()) for line in truth}
    assert result.copies.max() == 2
