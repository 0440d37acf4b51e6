"""Record fields as columns: the part of a fact row that is logged, not computed."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from math import ceil, log
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from msgspec.structs import astuple
from numpy.typing import NDArray

from analyzer.record import Chunk, Request

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

UNIT_GROUPS = 20
AT_ONCE = 1500  # chunks turned into columns at once: so many stay in the processor's cache
PROMPT_EDGES = (0, 1500, 3000, 6000, 12000)
LOG_GAMMA = log(1.005 / 0.995)  # DDSketch with relative accuracy 0.5 % (Masson, Rim, Lee 2019)
DIMENSIONS = ("route", "model", "release", "prompt_version", "index_version")

_STORED = (
    "chunk_id",
    "doc_id",
    "ordinal",
    "doc_version",
    "retrieval_id",
    "rank",
    "score",
    "rerank_score",
    "tokens",
)
_CHUNK_TYPES: dict[str, pa.DataType] = {
    "chunk_id": pa.string(),
    "doc_id": pa.string(),
    "ordinal": pa.int64(),
    "doc_version": pa.string(),
    "retrieval_id": pa.string(),
    "rank": pa.int64(),
    "position": pa.int64(),
    "marker": pa.int64(),
    "score": pa.float64(),
    "rerank_score": pa.float64(),
    "tokens": pa.int64(),
    "text_hash": pa.string(),
    "signature": pa.string(),
    "cited": pa.bool_(),
}


@dataclass(frozen=True)
class Block:
    """The chunks of a block of requests, laid end to end.

    `owner` is the index of each chunk's request; `arrays` the logged values by field, in the
    same order; `texts` and `embeddings` those two as they are; `rank` and `position` repeat the
    arrays with 0 for "none".
    """

    size: int
    owner: Ints
    arrays: dict[str, pa.Array]
    texts: Sequence[str | None]
    embeddings: Sequence[list[float] | None]
    rank: Ints
    position: Ints

    def columns(self) -> dict[str, pa.Array]:
        """The chunk columns that are stored as they were logged."""
        return {name: self.arrays[name] for name in _STORED} | {
            "indexed_at": self.arrays["indexed_at"]
        }

    def known(self, field: str) -> Bools:
        """Where the field was logged."""
        return np.asarray(self.arrays[field].is_valid())

    def per_request(self, chunks: Bools) -> Ints:
        """How many of the chosen chunks each request has."""
        return np.bincount(self.owner[chunks], minlength=self.size)

    def sum_by_request(self, values: Ints) -> Ints:
        """Sum of a whole chunk value over each request."""
        return np.bincount(self.owner, weights=values, minlength=self.size).astype(np.int64)


def block(records: Sequence[Request]) -> Block:
    """Lay the chunks of `records` end to end."""
    chunks = [chunk for record in records for chunk in record.chunks]
    slices = [chunks[start : start + AT_ONCE] for start in range(0, len(chunks), AT_ONCE)]
    parts = [_columns(part) for part in slices] or [dict.fromkeys(Chunk.__struct_fields__, ())]
    arrays = {
        name: pa.concat_arrays([pa.array(part[name], kind) for part in parts])
        for name, kind in _CHUNK_TYPES.items()
    }
    arrays["indexed_at"] = times(_whole(parts, "indexed_at"))
    arrays["doc_id"] = _named(arrays["doc_id"])
    return Block(
        size=len(records),
        owner=np.repeat(np.arange(len(records)), [len(record.chunks) for record in records]),
        arrays=arrays,
        texts=_whole(parts, "text"),
        embeddings=_whole(parts, "embedding"),
        rank=filled(arrays["rank"])[0],
        position=filled(arrays["position"])[0],
    )


def _columns(chunks: Sequence[Chunk]) -> dict[str, Sequence[Any]]:
    values = zip(*map(astuple, chunks), strict=True)
    return dict(zip(Chunk.__struct_fields__, values, strict=True))


def _whole(parts: Sequence[dict[str, Sequence[Any]]], field: str) -> list[Any]:
    return [value for part in parts for value in part[field]]


def _named(names: pa.Array) -> pa.Array:
    """An empty name is none: chunks without a document are not chunks of one document."""
    return pc.if_else(pc.equal(names, ""), None, names)


def filled(values: pa.Array) -> tuple[Ints, Bools]:
    """Integers with 0 for null, and where there is no null."""
    known = np.asarray(values.is_valid())
    return values.fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64), known


def masked(values: Ints, absent: Bools, kind: pa.DataType | None = None) -> pa.Array:
    """Integers as Arrow, null where `absent`."""
    return pa.array(values, kind or pa.int32(), mask=absent)


def repeated(values: pa.Array, owner: pa.Array) -> pa.Array:
    """A request's value on each of its chunks; strings as a dictionary, so that none is copied."""
    if pa.types.is_string(values.type):
        values = values.dictionary_encode()
    return values.take(owner)


def times(values: Sequence[datetime | None]) -> pa.Array:
    """UTC times as timestamps without a zone."""
    return pa.array(values, pa.timestamp("us", tz="UTC")).cast(pa.timestamp("us"))


def days(moments: pa.Array, time_zone: str) -> pa.Array:
    """The calendar day of UTC timestamps in a time zone."""
    local = pc.local_timestamp(
        pc.assume_timezone(moments, "UTC").cast(pa.timestamp("us", time_zone))
    )
    return pc.floor_temporal(local, unit="day").cast(pa.date32())


def dimensions(records: Sequence[Request], time_zone: str) -> dict[str, pa.Array]:
    """Day and dimensions of each request; "unknown" where absent or empty."""
    moments = times([record.requested_at for record in records])
    named = {
        name: pa.array([getattr(record, name) or "unknown" for record in records], pa.string())
        for name in DIMENSIONS
    }
    outcomes = [record.outcome or "answered" for record in records]
    return {
        "requested_at": moments,
        "day": days(moments, time_zone),
        "outcome": pa.array(outcomes, pa.string()),
        **named,
    }


def logged(records: Sequence[Request]) -> dict[str, pa.Array]:
    """The request columns that are stored as they were logged."""
    whole = {
        name: pa.array([getattr(record, name) for record in records], pa.int64())
        for name in ("question_tokens", "prompt_tokens", "answer_tokens", "budget_tokens")
    }
    return whole | {
        "request_id": pa.array([record.request_id for record in records], pa.string()),
        "revision": pa.array([record.revision or 0 for record in records], pa.int64()),
        "ordering": pa.array([record.ordering for record in records], pa.string()),
        "explored": pa.array([bool(record.explored) for record in records], pa.bool_()),
        "exposure": pa.array([record.exposure or "packed" for record in records], pa.string()),
        "weight": pa.array([_thousandths(record.sample_weight) for record in records], pa.int64()),
        "logged_correct": pa.array([record.correct for record in records], pa.bool_()),
        "logged_expected": pa.array(
            [record.expected_chunk_ids for record in records], pa.list_(pa.string())
        ),
        **_origins(records),
    }


def _thousandths(weight: float | None) -> int:
    return 1000 if weight is None else max(1, round(weight * 1000))


def _origins(records: Sequence[Request]) -> dict[str, pa.Array]:
    def named(field: str) -> pa.Array:
        values = [getattr(r.origins, field) if r.origins else None for r in records]
        return pa.array([value or "logged" for value in values], pa.string())

    return {
        f"{name}_origin": named(name) for name in ("rank", "position", "tokens", "requested_at")
    }


def prompt_buckets(records: Sequence[Request]) -> pa.Array:
    """Lower edge of each request's prompt-token bucket; -1 where not logged."""
    tokens, known = filled(pa.array([record.prompt_tokens for record in records], pa.int64()))
    edges = np.asarray(PROMPT_EDGES)
    lower = edges[np.searchsorted(edges, tokens, side="right") - 1]
    return pa.array(np.where(known, lower, -1), pa.int32())


def units(records: Sequence[Request], key: bytes) -> dict[str, pa.Array]:
    """The jackknife group of each request's unit, and the keyed hash that counts distinct units."""
    pairs = [_unit(record.unit_id or record.request_id, key) for record in records]
    return {
        "unit_group": pa.array([group for group, _ in pairs], pa.int32()),
        "unit_hash": pa.array([digest for _, digest in pairs], pa.int64()),
        "unit_logged": pa.array([bool(record.unit_id) for record in records], pa.bool_()),
    }


@lru_cache(maxsize=1 << 16)
def _unit(unit: str, key: bytes) -> tuple[int, int]:
    name = unit.encode("utf-8", "surrogatepass")
    plain = hashlib.blake2b(name, digest_size=8).digest()
    keyed = hashlib.blake2b(name, digest_size=8, key=key).digest()
    return int.from_bytes(plain, "little") % UNIT_GROUPS, int.from_bytes(
        keyed, "little", signed=True
    )


def token_bins(tokens: Ints) -> Ints:
    """DDSketch bin of whole token counts: ceil(ln v / ln gamma); zero has the bin -1."""
    top = int(tokens.max(initial=0))
    if top < 1 << 20:
        return _bins_up_to(1 << 20)[tokens]
    return np.array([_bin(int(value)) for value in tokens], np.int64)


@lru_cache(maxsize=1)
def _bins_up_to(limit: int) -> Ints:
    values = np.arange(limit)
    values[0] = 1
    bins = np.ceil(np.log(values) / LOG_GAMMA).astype(np.int64)
    bins[0] = -1
    return bins


def _bin(value: int) -> int:
    return -1 if value == 0 else ceil(log(value) / LOG_GAMMA)
