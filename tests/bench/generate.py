"""Logs to measure with: canonical records of one week, as many bytes as asked.

A generator of its own, apart from `analyzer.simulate`: figures of different months compare only
while the input stays the same, and simulated traffic is meant to become richer.

    python -m tests.bench.generate FILE BYTES HOLDS
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import numpy as np

FIRST = datetime(2026, 11, 16, tzinfo=UTC)  # the Monday of logs.WEEK
LASTS = timedelta(days=7)
CHUNKS = 12  # retrieved by a request
PACKED = 10
WORDS = 220  # in the text of a chunk
FULL_STOP = ".\n"
BLOCK = 2000  # requests drawn at once

BEST_FIRST = [*range(1, PACKED + 1), 0, 0]  # the position at each rank; 0 = not packed
EDGES_FIRST = [1, 10, 2, 9, 3, 8, 4, 7, 5, 6, 0, 0]
ROUTES = ("support", "support", "support", "search", "search", "legal")


class Drawn(NamedTuple):
    """One request as drawn, best chunk first; chunks are places in the corpus."""

    chunks: list[int]
    shuffled: list[int]
    scores: list[float]
    chances: list[float]
    number: int


def write(path: Path, size: int, holds: str) -> dict[str, int]:
    """Write at least `size` bytes; `holds`, one of `HOLDS`, is what they say of the texts.

    Returns the counts of `logs.Log`.
    """
    corpus = HOLDS[holds]()
    seen = np.zeros(len(corpus), dtype=bool)
    written = requests = 0
    with path.open("wb") as file:
        for drawn, at in _timed(corpus, size):
            seen[drawn.chunks] = True
            written += file.write(_line(drawn, at, corpus).encode())
            requests += 1
            if written >= size:
                break
    chunks = {"chunks": requests * CHUNKS, "distinct": int(seen.sum())}
    return {"requests": requests, **chunks, "bytes": written}


def _timed(corpus: list[str], size: int) -> Iterator[tuple[Drawn, datetime]]:
    """Requests without end, their times spread so that `size` bytes of them fill the week."""
    length = len(_line(next(_draws(len(corpus))), FIRST, corpus))
    step = LASTS / (1.05 * size / length + 1)
    for number, drawn in enumerate(_draws(len(corpus))):
        yield drawn, FIRST + min(number * step, LASTS - timedelta(seconds=1))


def _draws(corpus: int) -> Iterator[Drawn]:
    """Some chunks are retrieved far more often than others; none twice by one request."""
    rng = np.random.default_rng(47)
    while True:
        first = (corpus * rng.random(BLOCK) ** 3).astype(np.int64)
        apart = rng.integers(1, 97, BLOCK)
        chunks = (first[:, None] + apart[:, None] * np.arange(CHUNKS)) % corpus
        shuffled = rng.permuted(np.tile(BEST_FIRST, (BLOCK, 1)), axis=1)
        scores = -np.sort(-rng.random((BLOCK, CHUNKS)))
        chances = rng.random((BLOCK, CHUNKS))
        numbers = rng.integers(2**62, size=BLOCK)
        columns = (chunks, shuffled, scores, chances, numbers)
        yield from map(Drawn, *(column.tolist() for column in columns))


def _line(drawn: Drawn, at: datetime, corpus: list[str]) -> str:
    number = drawn.number
    orders = (BEST_FIRST, BEST_FIRST, BEST_FIRST, EDGES_FIRST, EDGES_FIRST, drawn.shuffled)
    route = number % len(ROUTES)
    ranked = zip(drawn.chunks, orders[route], drawn.scores, drawn.chances, strict=True)
    chunks = ",".join(
        _chunk(corpus[chunk], rank, position, score, chance)
        for rank, (chunk, position, score, chance) in enumerate(ranked, 1)
    )
    return (
        f'{{"request_id":"{number:016x}","requested_at":"{at:%Y-%m-%dT%H:%M:%SZ}",'
        f'"route":"{ROUTES[route]}","model":"model-{number % 2}","release":"r12",'
        f'"prompt_version":"p3","index_version":"i7","unit_id":"u{number % 8999}",'
        f'"question_tokens":{number % 97},"prompt_tokens":{4200 + number % 1009},'
        f'"answer_tokens":{number % 601},"budget_tokens":6000,"chunks":[{chunks}]}}\n'
    )


def _chunk(known: str, rank: int, position: int, score: float, chance: float) -> str:
    packed = f'"position":{position},"cited":{"true" if chance < 0.2 else "false"},'
    return (
        f'{{{known},"rank":{rank},{packed if position else ""}'
        f'"score":{score:.4f},"rerank_score":{score * 0.9:.4f}}}'
    )


def _corpus(chunks: int, text: Callable[[int], str]) -> list[str]:
    """What every request says of a chunk in the same words, as the inside of a JSON object."""
    return [
        f'"chunk_id":"doc-{n // 40:05}#{n % 40:02}","doc_id":"doc-{n // 40:05}",'
        f'"tokens":{120 + n % 401}{text(n)}'
        for n in range(chunks)
    ]


def _hash(n: int) -> str:
    return f',"text_hash":"{_digits(n)[:16]}"'


def _signed(n: int) -> str:
    return f'{_hash(n)},"signature":"{_digits(-n)}"'


def _digits(n: int) -> str:
    return hashlib.blake2b(str(n).encode(), digest_size=16).hexdigest()


def _texts(chunks: int) -> Callable[[int], str]:
    """Running text with capitals, full stops, line ends and a few letters beyond ASCII."""
    rng = np.random.default_rng(7)
    syllables = ["ba", "de", "ki", "lo", "mu", "ren", "sta", "tor", "vi", "zum", "nä", "qué"]
    words = ["".join(rng.choice(syllables, rng.integers(1, 5))) for _ in range(6000)]
    drawn = (len(words) * rng.random((chunks, WORDS)) ** 2).astype(np.int64)

    def text(n: int) -> str:
        said = [words[word] for word in drawn[n].tolist()]
        sentences = [" ".join(said[at : at + 11]).capitalize() for at in range(0, WORDS, 11)]
        return f',"text":{json.dumps(FULL_STOP.join(sentences), ensure_ascii=False)}'

    return text


# What a record says of the texts of its chunks.
HOLDS: dict[str, Callable[[], list[str]]] = {
    "nothing": lambda: _corpus(100_000, lambda n: ""),
    "hashes": lambda: _corpus(100_000, _hash),
    "fingerprints": lambda: _corpus(100_000, _signed),
    "text": lambda: _corpus(20_000, _texts(20_000)),
}


if __name__ == "__main__":
    print(json.dumps(write(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3])))
