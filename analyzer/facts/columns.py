"""The chunks of many requests as columns, laid end to end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from itertools import compress
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
AT_ONCE = 128  # requests laid out at once: so many stay in the processor's cache
USUAL_TOKENS = 1 << 17  # bins of counts up to here are looked up
LOG_GAMMA = log(1.005 / 0.995)  # DDSketch with relative accuracy 0.5 % (Masson, Rim, Lee 2019)

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
    "indexed_at": pa.timestamp("us", tz="UTC"),
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

    def only(self, kept: Bools) -> Block:
        """The block of some of its requests."""
        chosen = kept[self.owner]
        return Block(
            size=int(kept.sum()),
            owner=(np.cumsum(kept) - 1)[self.owner[chosen]],
            arrays={name: values.filter(pa.array(chosen)) for name, values in self.arrays.items()},
            texts=list(compress(self.texts, chosen)),
            embeddings=list(compress(self.embeddings, chosen)),
            rank=self.rank[chosen],
            position=self.position[chosen],
        )

    def known(self, field: str) -> Bools:
        """Where the field was logged."""
        return np.asarray(self.arrays[field].is_valid())

    def per_request(self, chunks: Bools) -> Ints:
        """How many of the chosen chunks each request has."""
        return np.bincount(self.owner[chunks], minlength=self.size)

    def sum_by_request(self, values: Ints) -> Ints:
        """Sum of a whole chunk value over each request."""
        return np.bincount(self.owner, weights=values, minlength=self.size).astype(np.int64)


class Laying:
    """A block in the making: a few records at a time, while they are in the processor's cache."""

    def __init__(self) -> None:
        self.chunks = 0
        self._sizes: list[int] = []
        self._parts: dict[str, list[pa.Array]] = {name: [] for name in _CHUNK_TYPES}
        self._whole: dict[str, list[Any]] = {"text": [], "embedding": []}

    def add(self, records: Sequence[Request]) -> None:
        """Lay out the chunks of some more records."""
        self._sizes += [len(record.chunks) for record in records]
        chunks = [chunk for record in records for chunk in record.chunks]
        if not chunks:
            return
        self.chunks += len(chunks)
        values = zip(*map(astuple, chunks), strict=True)
        fields = dict(zip(Chunk.__struct_fields__, values, strict=True))
        for name, kind in _CHUNK_TYPES.items():
            self._parts[name].append(array(fields[name], kind))
        for name, whole in self._whole.items():
            whole.extend(fields[name])

    def block(self) -> Block:
        """The block of everything that was added."""
        arrays = {
            name: pa.concat_arrays(self._parts[name] or [pa.nulls(0, kind)])
            for name, kind in _CHUNK_TYPES.items()
        }
        arrays["indexed_at"] = arrays["indexed_at"].cast(pa.timestamp("us"))
        arrays["doc_id"] = named(arrays["doc_id"])
        return Block(
            size=len(self._sizes),
            owner=np.repeat(np.arange(len(self._sizes)), self._sizes),
            arrays=arrays,
            texts=self._whole["text"],
            embeddings=self._whole["embedding"],
            rank=filled(arrays["rank"])[0],
            position=filled(arrays["position"])[0],
        )


def block(records: Sequence[Request]) -> Block:
    """Lay the chunks of `records` end to end."""
    laying = Laying()
    for start in range(0, len(records), AT_ONCE):
        laying.add(records[start : start + AT_ONCE])
    return laying.block()


def array(values: Sequence[Any], kind: pa.DataType) -> pa.Array:
    """A column; most logs leave several fields out, and counting is quicker than converting."""
    if (not values or values[0] is None) and values.count(None) == len(values):
        return pa.nulls(len(values), kind)
    return pa.array(values, kind)


def told_of(values: Sequence[Any], holds: Callable[[Any], bool], *, absent: bool) -> Bools:
    """Of which values something holds, and `absent` for those that there are not."""
    if (not values or values[0] is None) and values.count(None) == len(values):
        return np.full(len(values), absent)
    return np.array([absent if each is None else holds(each) for each in values], np.bool_)


def named(names: pa.Array) -> pa.Array:
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


def token_bins(tokens: Ints) -> Ints:
    """DDSketch bin of whole token counts: ceil(ln v / ln gamma); zero has the bin -1."""
    bins = _usual_bins()[np.minimum(tokens, USUAL_TOKENS)]
    for row in np.flatnonzero(tokens > USUAL_TOKENS):
        bins[row] = ceil(log(int(tokens[row])) / LOG_GAMMA)
    return bins


@lru_cache(maxsize=1)
def _usual_bins() -> Ints:
    values = np.arange(USUAL_TOKENS + 1)
    values[0] = 1
    bins = np.ceil(np.log(values) / LOG_GAMMA).astype(np.int64)
    bins[0] = -1
    return bins
