"""A log without any fault, to plant one fault at a time in."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from loading.records import lines

from analyzer.checking import Checked, Finding, check

Json = dict[str, Any]
Change = Callable[[int, Json], None]

NOW = datetime(2026, 11, 20, tzinfo=UTC)
FIRST = datetime(2026, 11, 16, tzinfo=UTC)
TOPICS = ("parcel", "invoice", "warranty", "return", "voucher", "account", "delivery", "repair")
REQUESTS = 60
K = 5


def text_of(topic: str, number: int) -> str:
    """A text whose words hardly stand in another; `number` makes it one of its own."""
    return f"About every {topic} nr{number}: the {topic}desk keeps {topic}papers of {topic}men."


def clean_log(draw: random.Random) -> list[Json]:
    """Requests of shuffled prompts, all fields logged, answers that cite what they speak of."""
    return [_request(number, draw) for number in range(REQUESTS)]


def _request(number: int, draw: random.Random) -> Json:
    topics = draw.sample(TOPICS, K + 1)
    places = [*draw.sample(range(1, K + 1), K), None]  # the last one was cut
    chunks = [
        {
            "chunk_id": f"{topic}-{number}",
            "doc_id": topic,
            "ordinal": 1,
            "indexed_at": "2026-10-01T00:00:00Z",
            "rank": rank,
            "position": place,
            "score": round(draw.random(), 4),
            "rerank_score": round(1 - rank / 10, 4),
            "tokens": draw.randrange(101, 400),
            "text": text_of(topic, number),
        }
        for rank, (topic, place) in enumerate(zip(topics, places, strict=True), start=1)
    ]
    by_place = {chunk["position"]: chunk["doc_id"] for chunk in chunks}
    return {
        "request_id": f"r{number}",
        "requested_at": (FIRST + timedelta(minutes=number)).isoformat(),
        "route": "support",
        "model": "m-1",
        "release": "r-1",
        "prompt_version": "p-1",
        "index_version": "i-1",
        "unit_id": f"u{number % 30}",
        "prompt_tokens": 5000,
        "budget_tokens": 6000,
        "answer": "".join(
            f"Ask the {by_place[n]}desk for {by_place[n]}papers, {by_place[n]}men have them [{n}]. "
            for n in draw.sample(range(1, K + 1), 2)
        ),
        "chunks": chunks,
        "correct": number % 3 > 0,
    }


def planted(folder: Path, change: Change | None = None, *further: Json) -> Path:
    """The clean log with every request changed, and with further lines at its end."""
    records = clean_log(random.Random(7))
    for number, record in enumerate(records):
        if change:
            change(number, record)
    file = folder / "log.jsonl"
    file.write_text(lines([*records, *further]), encoding="utf-8")
    return file


def found(*files: Path, **options: Any) -> dict[str, Finding]:
    """Findings by name."""
    return {finding.name: finding for finding in checked(*files, **options).findings}


def checked(*files: Path, **options: Any) -> Checked:
    return check(list(files), **{"now": NOW, **options})
