"""What each request says, as columns: the part of its row that is logged, not computed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from datetime import UTC, date
from functools import lru_cache
from itertools import repeat
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from msgspec.structs import astuple

from analyzer.facts.columns import UNIT_GROUPS, array, filled, times
from analyzer.record import Origins, Request

PROMPT_EDGES = (0, 1500, 3000, 6000, 12000)
_RULES_END = 2037  # after the tables of the zones Arrow knows no daylight saving
DIMENSIONS = ("route", "model", "release", "prompt_version", "index_version")


def fields(records: Sequence[Request]) -> dict[str, Sequence[Any]]:
    """What the records say, field by field."""
    values = list(zip(*map(astuple, records), strict=True)) or [()] * len(Request.__struct_fields__)
    return dict(zip(Request.__struct_fields__, values, strict=True))


def dimensions(said: dict[str, Sequence[Any]], time_zone: str) -> dict[str, pa.Array]:
    """Day and dimensions of each request; "unknown" where absent or empty."""
    moments = times(said["requested_at"])
    return {
        "requested_at": moments,
        "day": days(moments, time_zone),
        "outcome": array(said["outcome"], pa.string()).fill_null("answered"),
        **{name: _dimension(said[name]) for name in DIMENSIONS},
    }


def _dimension(names: Sequence[str | None]) -> pa.Array:
    return pa.array([name or "unknown" for name in names], pa.string())


def logged(said: dict[str, Sequence[Any]]) -> dict[str, pa.Array]:
    """The request columns that are stored as they were logged."""
    whole = ("question_tokens", "prompt_tokens", "answer_tokens", "budget_tokens")
    return {name: array(said[name], pa.int64()) for name in whole} | {
        "request_id": pa.array(said["request_id"], pa.string()),
        "revision": array(said["revision"], pa.int64()).fill_null(0),
        "ordering": array(said["ordering"], pa.string()),
        "explored": array(said["explored"], pa.bool_()).fill_null(False),
        "exposure": array(said["exposure"], pa.string()).fill_null("packed"),
        "weight": _weights(said["sample_weight"]),
        "logged_correct": array(said["correct"], pa.bool_()),
        "logged_expected": array(said["expected_chunk_ids"], pa.list_(pa.string())),
        **_origins(said["origins"]),
    }


def _weights(weights: Sequence[float | None]) -> pa.Array:
    """In thousandths."""
    if not any(weights):
        return pa.repeat(pa.scalar(1000, pa.int64()), len(weights))
    return pa.array([1000 if each is None else max(1, round(each * 1000)) for each in weights])


def _origins(origins: Sequence[Origins | None]) -> dict[str, pa.Array]:
    def origin(field: str) -> pa.Array:
        if not any(origins):
            return pa.repeat("logged", len(origins))
        values = [getattr(each, field) if each else None for each in origins]
        return array(values, pa.string()).fill_null("logged")

    return {
        f"{name}_origin": origin(name) for name in ("rank", "position", "tokens", "requested_at")
    }


def prompt_buckets(prompt_tokens: pa.Array) -> pa.Array:
    """Lower edge of each request's prompt-token bucket; -1 where not logged."""
    tokens, known = filled(prompt_tokens)
    edges = np.asarray(PROMPT_EDGES)
    lower = edges[np.searchsorted(edges, tokens, side="right") - 1]
    return pa.array(np.where(known, lower, -1), pa.int32())


def units(said: dict[str, Sequence[Any]], key: bytes) -> dict[str, pa.Array]:
    """The jackknife group of each request's unit, and the keyed hash that counts distinct units."""
    names = said["unit_id"]
    if not all(names):
        names = [unit or request for unit, request in zip(names, said["request_id"], strict=True)]
    groups, digests = zip(*map(_unit, names, repeat(key)), strict=True) if names else ((), ())
    return {
        "unit_group": pa.array(groups, pa.int32()),
        "unit_hash": pa.array(digests, pa.int64()),
        "unit_logged": pa.array(map(bool, said["unit_id"]), pa.bool_()),
    }


@lru_cache(maxsize=1 << 16)
def _unit(unit: str, key: bytes) -> tuple[int, int]:
    name = unit.encode("utf-8", "surrogatepass")
    plain = hashlib.blake2b(name, digest_size=8).digest()
    keyed = hashlib.blake2b(name, digest_size=8, key=key).digest()
    return int.from_bytes(plain, "little") % UNIT_GROUPS, int.from_bytes(
        keyed, "little", signed=True
    )


def days(moments: pa.Array, time_zone: str) -> pa.Array:
    """The calendar day of UTC timestamps in a time zone."""
    last = pc.max(moments).as_py()
    if last is not None and last.year >= _RULES_END:
        return pa.array(_days_one_by_one(moments, ZoneInfo(time_zone)), pa.date32())
    local = pc.local_timestamp(
        pc.assume_timezone(moments, "UTC").cast(pa.timestamp("us", time_zone))
    )
    return pc.floor_temporal(local, unit="day").cast(pa.date32())


def _days_one_by_one(moments: pa.Array, zone: ZoneInfo) -> Iterator[date]:
    return (each.replace(tzinfo=UTC).astimezone(zone).date() for each in moments.to_pylist())
