"""Lines as a broken logger or a second delivery would leave them; how many is known exactly.

A broken line is made from a good one of the same file and stands after it, under an id of its own,
so the good lines and all that is true of them stay as they are.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from analyzer.simulate.heads import as_json
from analyzer.simulate.scenario import Layout

_Record = dict[str, Any]


def _cut_short(record: _Record) -> str:
    text = as_json(record)
    return text[: len(text) * 2 // 3]


def _fractional_rank(record: _Record) -> str:
    record["chunks"][0]["rank"] = 1.7
    return as_json(record)


def _number_as_text(record: _Record) -> str:
    record["chunks"][0]["tokens"] = "412"
    return as_json(record)


def _duplicate_position(record: _Record) -> str:
    twin = record["chunks"][0] | {"chunk_id": "twin", "rank": 900, "position": 1}
    record["chunks"] = [record["chunks"][0] | {"position": 1}, twin]
    return as_json(record)


def _duplicate_rank(record: _Record) -> str:
    twin = record["chunks"][0] | {"chunk_id": "twin", "rank": 1, "position": 2}
    record["chunks"] = [record["chunks"][0] | {"rank": 1, "position": 1}, twin]
    return as_json(record)


def _position_zero(record: _Record) -> str:
    record["chunks"][0]["position"] = 0
    return as_json(record)


def _negative_tokens(record: _Record) -> str:
    record["prompt_tokens"] = -5
    return as_json(record)


def _not_a_number(record: _Record) -> str:
    record["chunks"][0]["score"] = float("nan")
    return as_json(record)


def _time_without_offset(record: _Record) -> str:
    record["requested_at"] = record["requested_at"].removesuffix("Z")
    return as_json(record)


def _no_request_id(record: _Record) -> str:
    del record["request_id"]
    return as_json(record)


def _bad_utf8(record: _Record) -> str:
    record["model"] = "BAD"
    return as_json(record).replace("BAD", "\udcff\udcfe")


_FAULTS: tuple[Callable[[_Record], str], ...] = (
    _cut_short, _fractional_rank, _number_as_text, _duplicate_position, _duplicate_rank,
    _position_zero, _negative_tokens, _not_a_number, _time_without_offset, _no_request_id,
    _bad_utf8,
)  # fmt: skip
FAULTS = tuple(fault.__name__.removeprefix("_") for fault in _FAULTS)


@dataclass
class Spoilt:
    """Lines of one file and day, and what was added to them."""

    lines: list[str]
    repeated: int = 0
    faults: Counter[str] = field(default_factory=Counter)


def spoil(lines: list[str], sound: list[bool], layout: Layout, rng: np.random.Generator) -> Spoilt:
    """Add broken and repeated lines; only `sound` requests are copied from."""
    good = [at for at, fine in enumerate(sound) if fine]
    spoilt = Spoilt(lines)
    if not good or not (layout.dirty or layout.repeated):
        return spoilt
    added: dict[int, list[str]] = {}
    for at in rng.choice(good, rng.binomial(len(good), layout.repeated)).tolist():
        added.setdefault(at, []).append(lines[at])
        spoilt.repeated += 1
    for at in rng.choice(good, rng.binomial(len(good), layout.dirty)).tolist():
        fault = _FAULTS[int(rng.integers(len(_FAULTS)))]
        added.setdefault(at, []).append(_broken(fault, lines[at], sum(spoilt.faults.values())))
        spoilt.faults[fault.__name__.removeprefix("_")] += 1
    spoilt.lines = [out for at, line in enumerate(lines) for out in (line, *added.get(at, ()))]
    return spoilt


def _broken(fault: Callable[[_Record], str], line: str, number: int) -> str:
    record = json.loads(line)
    record["request_id"] += f"-broken-{number}"
    return fault(record)
