"""What a route's log says about its chunks, as Arrow columns that are looked up, never made twice.

The words are those of the encoder of synthetic logs; a test holds the two together.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import numpy as np
import pyarrow as pa

from analyzer.facts.columns import times
from analyzer.simulate.arrays import Bools, Ints
from analyzer.simulate.generate import Traffic
from analyzer.simulate.logged import Logged
from analyzer.simulate.pool import Pool
from analyzer.simulate.retrieve import SCORE_STEPS

_OF_DOCUMENT = ("doc_id", "ordinal", "indexed_at", "doc_version")
_OF_TEXT = ("text_hash", "signature")


@dataclass(frozen=True)
class Shelf:
    """One entry a code of the pool; `indexed_at` one a document and edition."""

    pool: Pool
    columns: dict[str, pa.Array]
    indexed_at: pa.Array

    def taken(self, code: Ints) -> dict[str, pa.Array]:
        """The columns of these chunks."""
        pool = self.pool
        rows = pa.array(code)
        document = code // pool.size * pool.documents + code % pool.size // pool.chunks_each
        return {name: column.take(rows) for name, column in self.columns.items()} | {
            "indexed_at": self.indexed_at.take(pa.array(document))
        }


def shelf(pool: Pool) -> Shelf:
    """Everything a log can say about the chunks of an index."""
    codes = np.arange(pool.size * pool.editions)
    names = codes.tolist()
    mirror = codes // pool.size == pool.editions - 1
    version = np.where(mirror, 1, codes // pool.size + 1)
    return Shelf(
        pool,
        {
            "chunk_id": pa.array([pool.chunk_id(code) for code in names]),
            "doc_id": pa.array([pool.doc_id(code) for code in names]),
            "ordinal": pa.array(codes % pool.chunks_each),
            "doc_version": pa.array(version.astype(str).tolist()),
            "tokens": pa.array(pool.tokens),
            "text_hash": pa.array(pool.hashes),
            "signature": pa.array(pool.signatures),
        },
        times([datetime.fromisoformat(moment) for moment in pool.indexed_at]),
    )


def logged_columns(traffic: Traffic, logged: Logged, shelf: Shelf) -> dict[str, pa.Array]:
    """Every field of the chunks of a period as its application logged it."""
    chunks = traffic.chunks
    broken = logged.faulty[chunks.request]
    missing = traffic.route.logging.missing
    nothing = np.zeros(len(chunks.code), np.bool_)

    def unless(field: str) -> Bools:
        """Where the field is absent."""
        return broken if field in missing else nothing

    columns = {
        name: _masked(column, _absent(name, unless))
        for name, column in shelf.taken(chunks.code).items()
    }
    count = len(chunks.code)
    return columns | {
        "retrieval_id": pa.nulls(count, pa.string()),
        "marker": pa.nulls(count, pa.int64()),
        "rank": pa.array(chunks.rank, mask=unless("rank")),
        "position": pa.array(logged.position, mask=logged.position == 0),
        "score": pa.array(_scores(chunks.score), mask=unless("score")),
        "rerank_score": _rerank_scores(traffic),
        "cited": pa.array(chunks.cited, mask=~_flagged(traffic, logged)),
    }


def _absent(name: str, unless: object) -> Bools:
    field = "doc_id" if name in _OF_DOCUMENT else "text" if name in _OF_TEXT else name
    return unless(field)  # type: ignore[operator,no-any-return]


def _masked(column: pa.Array, absent: Bools) -> pa.Array:
    if not absent.any():
        return column
    return pa.compute.if_else(pa.array(absent), pa.scalar(None, column.type), column)


def _flagged(traffic: Traffic, logged: Logged) -> Bools:
    """Where the log says of a chunk whether it was cited."""
    request = traffic.chunks.request
    said = logged.citations[request] & (traffic.chunks.position > 0)
    return np.asarray(said & (traffic.route.logging.marker_shift == 0))


def _rerank_scores(traffic: Traffic) -> pa.Array:
    if not traffic.route.reranker:
        return pa.nulls(len(traffic.chunks.code), pa.float64())
    return pa.array(_scores(traffic.chunks.rerank_score))


def _scores(steps: Ints) -> np.typing.NDArray[np.float64]:
    return np.clip(steps, 0, SCORE_STEPS) / SCORE_STEPS
