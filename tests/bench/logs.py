"""The logs that loading is measured with, as the measuring process sees them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from .running import PYTHON, TOP, WORK, run

WEEK = "2026-W47"  # the week that every log fills

# What a record may hold of the texts of its chunks, in words.
HOLDS = {
    "nothing": "records without text or hash",
    "hashes": "records without text (its hash stands for it)",
    "fingerprints": "records without text (its hash and signature stand for it)",
    "text": "records with text, 220 words a chunk",
}


@dataclass(frozen=True)
class Log:
    """A log file; `distinct` is how many different chunks its requests retrieved."""

    path: Path
    requests: int
    chunks: int
    distinct: int
    bytes: int

    def __str__(self) -> str:
        return (
            f"{self.bytes / 1e6:,.0f} MB, {self.requests:,} requests, {self.chunks:,} chunk rows "
            f"of {self.bytes / self.chunks:,.0f} B, {self.distinct:,} distinct chunks"
        )


@contextmanager
def made(size: int, holds: str) -> Iterator[Log]:
    """A log of at least `size` bytes, for as long as it is needed."""
    path = WORK / f"{holds}-{size}.jsonl"
    (TOP / path).parent.mkdir(parents=True, exist_ok=True)
    try:
        counts = run(PYTHON, "-m", "tests.bench.generate", path, str(size), holds).said
        yield Log(path, **json.loads(counts))
    finally:
        (TOP / path).unlink(missing_ok=True)
