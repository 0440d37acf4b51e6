"""Logs with everything that a load has to settle, in every form that a cluster reads."""

from __future__ import annotations

import gzip
import os
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import zstandard
from loading.records import Json, label, lines, packed, request
from loading.rejections import REJECTIONS

DAY = "2026-11-{:02}T23:30:00Z"


def _asked(name: str, day: int, **fields: Any) -> Json:
    chunks = [
        {**chunk, "doc_id": f"d{place % 3}", "tokens": 100 + place, "text": f"text {place % 4}"}
        for place, chunk in enumerate(packed(3, 1, 2, 5, 4))
    ]
    said = {"requested_at": DAY.format(day), "route": f"route {day % 2}", **fields}
    return request(name, *chunks, {"rank": 6}, **said)


def first() -> list[Json]:
    """Requests of a week; some are told again elsewhere."""
    return [
        *(_asked(f"a{n}", 2 + n % 7, unit_id=f"u{n % 4}", answer="[1] and [3]") for n in range(20)),
        _asked("twice", 3, citations=[1, 9, "c2"]),
        _asked("revised", 3, answer="[2]", budget_tokens=500),
        _asked("moved", 4, correct=False, expected_chunk_ids=["c1"]),
        _asked("contested", 4, answer="[4]", prompt_tokens=800),
        _asked("cut", 5, expected_chunk_ids=["c6"], answer=""),
        _asked("several", 5, expected_chunk_ids=["c1", "c2", "c1", "nowhere"], correct=True),
        _asked("nobody", 5, expected_chunk_ids=["nowhere"]),
        _asked("unknown", 6, expected_chunk_ids=["c1"]),
        _asked("empty", 6, expected_chunk_ids=[], correct=True, answer="[1]"),
        _asked("odd", 6, outcome="refused", expected_chunk_ids=["c1"]),
        _asked("narrow", 6, exposure="cited_only", expected_chunk_ids=["c1"], sample_weight=2.5),
        request("bare"),
        request("drawn", *packed(1, 2, 3), explored=True, ordering="best_first"),
        request("declared", *packed(1, 2, 3), ordering="worst_first", answer="[1]"),
    ]


def second() -> list[Json]:
    """The same requests told otherwise, and labels for them."""
    return [
        _asked("twice", 3, citations=[1, 9, "c2"]),
        _asked("revised", 3, answer="[5]", revision=2),
        _asked("moved", 11, revision=1),
        _asked("contested", 4, answer="[1]"),
        label("a1", correct=True, expected_chunk_ids=["c2"]),
        label("a1", correct=True, expected_chunk_ids=["c2"]),
        label("a1", at="2026-11-20T00:00:00Z", correct=False, expected_chunk_ids=["c3", "c4"]),
        label("a2", expected_chunk_ids=["c6", "c2"], score=0.25, judge="ann"),
        label("a2", at="2026-12-02T00:00:00Z", correct=False),
        label("a3", correct=True),
        label("a3", correct=False, judge="bob"),  # at the same moment: the smaller hash counts
        label("moved", correct=True),
        label("several", expected_chunk_ids=[]),
        label("waits", correct=True),
    ]


def write(folder: Path) -> list[Path]:
    """The files, none of which may be loaded in another order than the engine's to be the same."""
    folder.mkdir()
    plain, packed_twice = folder / "a.jsonl", folder / "a-again.jsonl"
    plain.write_text(lines(first()), encoding="utf-8")
    packed_twice.write_text(lines(first()), encoding="utf-8")
    (folder / "b.jsonl.gz").write_bytes(gzip.compress(lines(second()).encode()))
    zeroed = [_asked(f"z{n}", 8, answer="see [0] and [4]") for n in range(9)]
    (folder / "c.jsonl.zst").write_bytes(zstandard.compress(lines(zeroed).encode()))
    whole = gzip.compress(os.urandom(40).hex().encode() + b"\n" + lines(second()).encode())
    (folder / "cut.jsonl.gz").write_bytes(whole[:-12])
    _faulty(folder / "faulty.jsonl")
    _nested(folder / "nested.parquet")
    (folder / "flat.csv").write_text(
        "request_id,requested_at,chunk_id,rank,position,cited\n"
        "f1,2026-11-09T10:00:00Z,x,2,1,true\nf1,2026-11-09T10:00:00Z,y,1,2,false\n"
        "f2,2026-11-09T10:00:00Z,x,zero,1,true\n",
        encoding="utf-8",
    )
    untimed = folder / "untimed.jsonl"
    untimed.write_text(lines([request("untimed", requested_at=None)]), encoding="utf-8")
    os.utime(untimed, (1793800000.25, 1793800000.25))
    return sorted(folder.iterdir())


def _faulty(file: Path) -> None:
    """Every rule of the record broken once, between good lines."""
    broken = [value for _, value, _ in REJECTIONS if isinstance(value, dict)]
    good = [_asked(f"g{n}", 10, odd_field=n) for n in range(3)]
    text = lines([good[0], *broken, *good[1:]])
    file.write_bytes(b"\xef\xbb\xbf" + text.encode() + b"\n{half\n\xff\xfe\n[1]\n")


def _nested(file: Path) -> None:
    rows = [_asked(f"n{n}", 9, citations=[1], correct=bool(n % 2)) for n in range(4)]
    pq.write_table(pa.Table.from_pylist(rows), file)
