"""Records as an application would log them, with as little said as a test needs."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from analyzer import facts
from analyzer.record import Request, parse

Json = dict[str, Any]
TIME = "2026-11-05T12:00:00Z"


def request(name: str = "r", /, *chunks: Json, **fields: Any) -> Json:
    """A request whose chunks are called c1, c2, … where they have no name."""
    named = [{"chunk_id": f"c{number}", **chunk} for number, chunk in enumerate(chunks, 1)]
    return {"request_id": name, "requested_at": TIME, "chunks": named, **fields}


def packed(*ranks: int | None) -> list[Json]:
    """Packed chunks in prompt order, each with its rank."""
    return [{"rank": rank, "position": place} for place, rank in enumerate(ranks, 1)]


def label(name: str = "r", /, at: str = "2026-12-01T00:00:00Z", **fields: Any) -> Json:
    """A judgement that came later."""
    return {"request_id": name, "judged_at": at, **fields}


def lines(records: Iterable[Json]) -> str:
    """JSON lines."""
    return "".join(json.dumps(record) + "\n" for record in records)


def log(path: Path, *records: Json) -> Path:
    """A log file with these records."""
    path.write_text(lines(records), encoding="utf-8")
    return path


def facts_of(*records: Json, **settings: Any) -> tuple[list[Json], list[Json]]:
    """The rows of `requests` and of `chunks` that the records become."""
    built = facts.build(_checked(records), range(1, len(records) + 1), facts.Settings(**settings))
    return built.requests.to_pylist(), built.chunks.to_pylist()


def fact_of(record: Json, **settings: Any) -> Json:
    """The row of `requests` that a record becomes."""
    [row], _ = facts_of(record, **settings)
    return row


def chunks_of(record: Json, **settings: Any) -> list[Json]:
    """The rows of `chunks` that a record becomes."""
    _, rows = facts_of(record, **settings)
    return rows


def column(rows: list[Json], name: str) -> list[Any]:
    """One column of rows."""
    return [row[name] for row in rows]


def _checked(records: Iterable[Json]) -> list[Request]:
    parsed = [parse(json.dumps(record).encode()) for record in records]
    return [record for record in parsed if isinstance(record, Request)]
