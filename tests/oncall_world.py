"""A handful of requests whose every sum can be worked out by hand.

`support` packs four chunks best first, so position 1 is the start, 2 and 3 the middle, 4 the end.
`docs` packs three, position 2 is the middle, and two orderings put rank 1 there or at the start.
Monday 2 November is before, Tuesday 3 November since.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from loading.records import Json, request
from loading.sites import Site

BEFORE, SINCE = "2026-11-02", "2026-11-03"
COPY = {"text_hash": "00000000000000aa"}


def support(name: str, at: str, unit: str, cites: list[int], **fields: Any) -> Json:
    """Four packed chunks of two documents and one that is cut; `cites` are markers."""
    chunks: list[Json] = [
        {
            "chunk_id": f"{name}-{n}",
            "doc_id": "even" if n % 2 == 0 else "odd",
            "rank": n,
            "tokens": 100 * n,
            "text_hash": f"{n:016x}",
            **({"position": n} if n < 5 else {}),
        }
        for n in range(1, 6)
    ]
    for n in fields.pop("copies", ()):
        chunks[n - 1] |= COPY
    usual = {"model": "m1", "release": "r1", "index_version": "i1", "citations": cites}
    named = {"requested_at": at, "route": "support", "unit_id": unit}
    return request(name, *chunks, **(usual | named | fields))


def docs(name: str, at: str, ranks: list[int], cites: list[int]) -> Json:
    """Three packed chunks in this order of ranks; `cites` are ranks."""
    chunks = [
        {"doc_id": f"doc-{rank}", "rank": rank, "position": place, "cited": rank in cites}
        for place, rank in enumerate(ranks, 1)
    ]
    return request(name, *chunks, requested_at=at, route="docs", unit_id=name, release="r1")


RECORDS = (
    support("a1", f"{BEFORE}T10:10:00Z", "u1", [1, 2]),
    support("a2", f"{BEFORE}T10:50:00Z", "u2", [4], copies=[1, 4]),
    support("b1", f"{SINCE}T09:00:00Z", "u1", [2, 3], model="m2", copies=[1, 2, 4]),
    support("b2", f"{SINCE}T11:30:00Z", "u1", [], model="m2", release="r2", copies=[2, 3]),
    support("b3", f"{SINCE}T11:45:00Z", "u3", [1, 9], expected_chunk_ids=["b3-5"]),
    docs("d1", f"{BEFORE}T08:00:00Z", [1, 2, 3], [1]),
    docs("d2", f"{BEFORE}T09:00:00Z", [2, 1, 3], [1]),
    docs("d3", f"{BEFORE}T10:00:00Z", [2, 1, 3], []),
    docs("d4", f"{SINCE}T08:00:00Z", [1, 2, 3], [1]),
    docs("d5", f"{SINCE}T09:00:00Z", [2, 1, 3], [2]),
)


def world(folder: Path) -> Path:
    """A store of these requests."""
    site = Site(folder)
    site.load_log("log.jsonl", *RECORDS)
    return site.store
