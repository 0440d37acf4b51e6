"""What the retriever returns: chunks by rank, in documents, with scores and near-copies.

Requests are rows and retrieved ranks are columns of every array here. Documents of one request are
numbered as slots in the order of their best chunk.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analyzer.simulate.arrays import Bools, Ints, drawn
from analyzer.simulate.pool import Pool
from analyzer.simulate.scenario import Route
from analyzer.simulate.traits import Copies

SCORE_STEPS = 100_000  # scores are whole numbers of 1e-5
_NEAR_SCORE = 30  # how far a copy's score may be from its original's, in steps
_DEEPEST_STRIDE = 12


@dataclass(frozen=True)
class Retrieved:
    """What came back, by request and rank."""

    there: Bools  # False beyond the request's depth
    code: Ints
    slot: Ints
    is_copy: Bools  # near-copy of the rank before
    quality: Ints  # true place by relevance, from 0; a copy shares its original's
    document_quality: Ints  # the same of the first chunk of its document
    score: Ints  # first stage, in steps
    rerank_score: Ints  # last stage, in steps; strictly falling with the rank
    unretrieved: Ints  # a chunk of each request that was not retrieved


@dataclass(frozen=True)
class _Walk:
    """Which document every rank came from."""

    slot: Ints
    nth: Ints  # how many chunks of its document came before
    is_copy: Bools
    distinct: Ints  # chunks that are no copies before this one
    first: Ints  # by slot: the rank of its first chunk


def retrieve(route: Route, pool: Pool, depth: Ints, rng: np.random.Generator) -> Retrieved:
    """Retrieve `depth` chunks for each request."""
    n, width = len(depth), int(depth.max(initial=1))
    base = drawn(pool.popularity, rng, n)
    stride = rng.integers(1, _DEEPEST_STRIDE + 1, n)
    document = (base[:, None] + stride[:, None] * np.arange(width + 1)) % pool.documents
    recrawled = pool.crawl_order[document] < route.copies.recrawled
    walk = _walk(route, recrawled, pool.chunks_each, n, width, rng)
    code = _codes(route.copies, pool, document, recrawled, walk, rng)
    quality = _quality(walk, route.drift, rng)
    last = _last_scores(walk.is_copy, rng)
    return Retrieved(
        there=np.arange(width) < depth[:, None],
        code=code,
        slot=walk.slot,
        is_copy=walk.is_copy,
        quality=quality,
        document_quality=_of_document(quality, walk),
        score=_first_scores(last, walk.is_copy, rng) if route.reranker else last,
        rerank_score=last,
        unretrieved=document[:, width] * pool.chunks_each,
    )


def _walk(
    route: Route, recrawled: Bools, most: int, n: int, width: int, rng: np.random.Generator
) -> _Walk:
    """Give every rank a document: a new one, one met before, or that of the chunk it copies.

    Ranks are filled one after the other for all requests at once, so here they are rows.
    """
    fresh, parent = rng.random((width, n)) < route.documents.fresh, rng.random((width, n))
    mirror, old = rng.random((width, n)) < route.copies.mirrors, _old(route, width, n, rng)
    slot, nth, first = (np.zeros((width, n), dtype=np.int64) for _ in range(3))
    is_copy = np.zeros((width, n), dtype=np.bool_)
    chunks = np.zeros((width + 1, n), dtype=np.int64)
    rows, used, chunks[0] = np.arange(n), np.ones(n, dtype=np.int64), 1
    for rank in range(1, width):
        before = slot[rank - 1]
        copy = ~is_copy[rank - 1] & (mirror[rank] | (old[rank] & recrawled[rows, before]))
        met = slot[(parent[rank] * rank).astype(np.int64), rows]
        new = ~copy & (fresh[rank] | (chunks[met, rows] >= most))
        here = np.where(copy, before, np.where(new, used, met))
        slot[rank], is_copy[rank] = here, copy
        nth[rank] = np.where(copy, nth[rank - 1], chunks[here, rows])
        first[here[new], rows[new]] = rank
        chunks[here, rows] += ~copy
        used += new
    distinct = np.cumsum(~is_copy, axis=0) - 1
    return _Walk(*(np.ascontiguousarray(a.T) for a in (slot, nth, is_copy, distinct, first)))


def _old(route: Route, width: int, n: int, rng: np.random.Generator) -> Bools:
    if route.copies.old == 0.0:
        return np.zeros((width, n), dtype=np.bool_)
    return rng.random((width, n)) < route.copies.old


def _codes(
    copies: Copies,
    pool: Pool,
    document: Ints,
    recrawled: Bools,
    walk: _Walk,
    rng: np.random.Generator,
) -> Ints:
    """Which chunk stands at every rank: its document, its place there, its edition."""
    rows = np.arange(len(document))[:, None]
    shuffles = rng.permuted(np.tile(np.arange(pool.chunks_each), (64, 1)), axis=1)
    shuffle = rng.integers(0, 64, walk.slot.shape)[rows, walk.slot]
    chunk = document[rows, walk.slot] * pool.chunks_each + shuffles[shuffle, walk.nth]
    touched = recrawled[rows, walk.slot]
    current = np.where(touched, copies.generation, 0)
    left_over = touched & (copies.old > 0.0)
    copied = np.where(left_over, copies.generation - 1, pool.editions - 1)
    return np.asarray(np.where(walk.is_copy, copied, current) * pool.size + chunk, dtype=np.int64)


def _quality(walk: _Walk, drift: float, rng: np.random.Generator) -> Ints:
    """The true order behind the ranks; a drifting retriever shows it with noise."""
    if drift == 0.0:
        return walk.distinct
    noisy = walk.distinct + drift * rng.normal(size=walk.distinct.shape)
    noisy[:, 1:] = np.where(walk.is_copy[:, 1:], noisy[:, :-1], noisy[:, 1:])
    order = np.argsort(noisy, axis=1, kind="stable")
    quality = np.empty_like(order)
    np.put_along_axis(quality, order, np.arange(order.shape[1])[None, :], axis=1)
    return quality


def _of_document(quality: Ints, walk: _Walk) -> Ints:
    first = np.take_along_axis(walk.first, walk.slot, axis=1)
    return np.take_along_axis(quality, first, axis=1)


def _last_scores(is_copy: Bools, rng: np.random.Generator) -> Ints:
    """Scores that fall with the rank, from about .95; a copy's is almost its original's."""
    n, width = is_copy.shape
    steps = 1 + rng.exponential(0.72 * SCORE_STEPS / width, (n, width)).astype(np.int64)
    near = rng.integers(1, _NEAR_SCORE + 1, (n, width))
    fallen = np.cumsum(np.where(is_copy, near, steps), axis=1)
    return np.asarray(SCORE_STEPS - fallen, dtype=np.int64)


def _first_scores(last: Ints, is_copy: Bools, rng: np.random.Generator) -> Ints:
    """First-stage scores: they agree with the reranker only roughly."""
    noise = rng.normal(0.0, 0.08, last.shape)
    score = np.rint((0.35 + 0.45 * last / SCORE_STEPS + noise) * SCORE_STEPS).astype(np.int64)
    near = rng.integers(-_NEAR_SCORE, _NEAR_SCORE + 1, last.shape)
    score[:, 1:] = np.where(is_copy[:, 1:], score[:, :-1] + near[:, 1:], score[:, 1:])
    return score
