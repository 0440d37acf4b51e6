"""A small store with everything a report must survive, and what was put into it.

Eight weeks of a healthy route, of routes whose names are attacks, of one that fell silent and of
one that is tiny; the last week ends on its Friday. Nothing here is random but the seeded draw of
what is cited.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb

from analyzer.updating import ingest

MONDAY = datetime(2026, 11, 16, tzinfo=UTC)
WEEKS = 8
DAYS_OF_LAST_WEEK = 5
HOSTILE = (
    "</script><img src=x onerror=hacked()>",
    "say \"hi\" & <b>bold</b> 'now' `tick` *star* |pipe| [a](javascript:hacked())",
    "‮evil‬ שלום\nline\ttab",
    "long" * 50,
)
REQUESTS_A_WEEK = {"support": 120, **dict.fromkeys(HOSTILE, 60), "tiny": 10, "gone": 60}


def store(folder: Path) -> Path:
    """The store of that traffic, made in `folder`."""
    log, path = folder / "log.jsonl", folder / "citations.duckdb"
    log.write_text("\n".join([*lines(), '{"request_id": "broken"', ""]), encoding="utf-8")
    ingest([log], path, now=MONDAY + timedelta(days=8), max_rejected=0.5)
    return path


def bare_store(folder: Path) -> Path:
    """One complete week of one route that logs next to nothing: no labels, texts or documents."""
    log, path = folder / "bare.jsonl", folder / "bare.duckdb"
    records = (bare(number) for number in range(84))
    log.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    ingest([log], path, now=MONDAY + timedelta(days=8))
    return path


# Tables that a report reads, by the column that says when; the sample logs hold three routes.
ROLLUPS = {
    **dict.fromkeys(("days", "cells", "cells_by_position", "ranks", "units", "lengths"), "day"),
    **dict.fromkeys(("documents", "week_estimates"), "week"),
}
SAMPLED_WEEKS, YEAR = 14, 52
COPIES = ("", "-1", "-2", "-3")
LEFT_OUT = ("code-3", "support-3")


def a_year(sampled: Path) -> None:
    """Make of the store of the sample logs one of ten routes and 52 weeks, without facts.

    Each route stands there four times, and its fourteen weeks over and over before themselves.
    """
    with duckdb.connect(str(sampled)) as con:
        for table, when in ROLLUPS.items():
            _repeat(con, table, when)
        for table in ("requests", "chunk_facts", "dimensions"):
            con.execute(f"DELETE FROM {table}")
        con.execute("CHECKPOINT")


def _repeat(con: duckdb.DuckDBPyConnection, table: str, when: str) -> None:
    con.execute(
        f"""
        INSERT INTO {table}
        SELECT once.* REPLACE (
            route || copies.suffix AS route,
            {when} - CAST(7 * {SAMPLED_WEEKS} * back AS INTEGER) AS {when}
        )
        FROM {table} AS once, range(4) AS times(back), (SELECT unnest($copies) AS suffix) AS copies
        WHERE
            (back > 0 OR copies.suffix <> '')
            AND NOT list_contains($left_out, route || copies.suffix)
            AND {when} - CAST(7 * {SAMPLED_WEEKS} * back AS INTEGER)
            > (SELECT max(day) - 7 * {YEAR} FROM days)
        """,
        {"copies": list(COPIES), "left_out": list(LEFT_OUT)},
    )


def bare(number: int) -> dict[str, Any]:
    chunks = [{"chunk_id": f"c{at}", "position": at, "cited": at == 1} for at in (1, 2, 3)]
    asked = MONDAY + timedelta(days=number % 7, minutes=number)
    return {"request_id": f"r{number}", "requested_at": asked.isoformat(), "chunks": chunks}


def lines() -> Iterator[str]:
    draw = random.Random(11)
    for week in range(WEEKS):
        for route, requests in REQUESTS_A_WEEK.items():
            if route == "gone" and week == WEEKS - 1:
                continue
            for number in range(requests):
                yield json.dumps(record(draw, week, route, number))


def record(draw: random.Random, week: int, route: str, number: int) -> dict[str, Any]:
    """One request; every second one of `support` is labelled and judged."""
    days = DAYS_OF_LAST_WEEK if week == WEEKS - 1 else 7
    monday = MONDAY - timedelta(weeks=WEEKS - 1 - week)
    fields: dict[str, Any] = {
        "request_id": f"{week}/{list(REQUESTS_A_WEEK).index(route)}/{number}",
        "requested_at": (monday + timedelta(days=number % days, seconds=number)).isoformat(),
        "route": route,
        "release": "2.13" if week < WEEKS - 1 else "<i>2.14</i>",
        "index_version": "ix",
        "unit_id": f"u{number % 37}",
        "budget_tokens": 2500,
        "prompt_tokens": 3000,
        "chunks": [chunk(draw, position, number) for position in range(1, 9)],
    }
    if route == "support" and number % 2:
        known = {"expected_chunk_ids": [f"c{1 + number % 8}"], "correct": number % 3 > 0}
        return fields | known
    return fields


def chunk(draw: random.Random, position: int, number: int) -> dict[str, Any]:
    """Best first; the last two of eight are not packed, and some texts are copies."""
    copied = position == 2 and number % 5 == 0
    text = " ".join(f"word{1 if copied else position}{number}{at}" for at in range(12))
    fields = {
        "chunk_id": f"c{position}",
        "doc_id": "<u>faq</u>" if copied else f"doc-{position}",
        "rank": position,
        "tokens": 300,
        "text": text,
    }
    packed = {"position": position, "cited": draw.random() < 0.5 / position}
    return fields | packed if position <= 6 else fields
