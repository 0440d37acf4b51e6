"""What the application's log says about the traffic, where that is not what happened.

Fields can be missing, positions can skip a number or all be 1, markers can be counted from the
wrong base. Everything here is per request or per chunk of a `Traffic`, in its order.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analyzer.simulate.arrays import Bools, Ints, Strings
from analyzer.simulate.generate import Traffic


@dataclass(frozen=True)
class Logged:
    """The log's view of a period."""

    faulty: Bools  # by request: its record lacks the missing fields
    citations: Bools  # by request: the record says what was cited
    position: Ints  # by chunk, 0 = absent
    marker: Ints  # by chunk: what a citation of it says
    sound: Bools  # by request: the line can become a record


def as_logged(traffic: Traffic, rng: np.random.Generator) -> Logged:
    """The traffic as its application logs it."""
    rules, chunks = traffic.route.logging, traffic.chunks
    n = len(traffic.k)
    faulty = (rng.random(n) < rules.share) & bool(rules.missing or rules.constant_positions)
    position = _with_holes(traffic, rng)
    if rules.constant_positions:
        position = np.where(faulty[chunks.request], np.minimum(position, 1), position)
    marker = position + rules.marker_shift
    if "position" in rules.missing:
        position = np.where(faulty[chunks.request], 0, position)
    return Logged(
        faulty=faulty,
        citations=traffic.asked.citations_known & ~(faulty & ("cited" in rules.missing)),
        position=position,
        marker=marker,
        sound=~(faulty & rules.constant_positions & (traffic.k > 1)),
    )


def _with_holes(traffic: Traffic, rng: np.random.Generator) -> Ints:
    """Positions as numbered; in some requests every one from some place on is one too high."""
    chunks, holes = traffic.chunks, traffic.route.logging.holes
    if not holes:
        return chunks.position
    first = 2 + (rng.random(len(traffic.k)) * np.maximum(traffic.k - 1, 1)).astype(np.int64)
    holed = rng.random(len(traffic.k)) < holes
    skipped = holed[chunks.request] & (chunks.position >= first[chunks.request])
    return np.asarray(chunks.position + skipped, dtype=np.int64)


def cited_markers(traffic: Traffic, logged: Logged) -> list[list[int]]:
    """By request: the markers of its citations, in prompt order."""
    markers: list[list[int]] = [[] for _ in range(len(traffic.k))]
    cited = np.flatnonzero(traffic.chunks.cited)
    order = cited[np.argsort(traffic.chunks.position[cited], kind="stable")]
    requests, values = traffic.chunks.request[order], logged.marker[order]
    for request, marker in zip(requests.tolist(), values.tolist(), strict=True):
        markers[request].append(marker)
    return markers


def request_ids(traffic: Traffic) -> list[str]:
    """Ids that say where and when a request came from."""
    start = traffic.stretch.start
    prefix = f"{traffic.route.name}-{start:%Y%m%d%H}-"
    return [f"{prefix}{number:05d}" for number in range(len(traffic.k))]


def instants(ms: Ints) -> list[str]:
    """RFC 3339 times, UTC, of milliseconds since 1970."""
    shown: list[str] = np.datetime_as_string(ms.astype("datetime64[ms]")).tolist()
    return [text + "Z" for text in shown]


def labels(traffic: Traffic) -> Strings:
    """By label: the id of the chunk that was expected, or None."""
    named = [
        traffic.pool.chunk_id(code) if code >= 0 else None
        for code in traffic.judged.expected.tolist()
    ]
    return np.array(named, dtype=object)
