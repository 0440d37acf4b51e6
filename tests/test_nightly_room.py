"""What retention takes out: facts, then counts, then the room that they took in the file."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from loading.records import Json, packed, request
from loading.sites import ROLLUPS, Site

from analyzer import store, store_drafts, updating
from analyzer.errors import UsageError

FIRST = date(2026, 8, 3)  # a Monday
NOW = datetime(2026, 11, 30, 2, tzinfo=UTC)
WEEKS, A_DAY = 5, 40


def requests(weeks: int = WEEKS) -> Iterator[Json]:
    for number in range(7 * weeks * A_DAY):
        day = FIRST + timedelta(days=number // A_DAY)
        chunks = [
            {
                **chunk,
                "tokens": 100,
                "text_hash": f"{number * 8 + place:016x}",
                "chunk_id": f"{number}.{place}",
            }
            for place, chunk in enumerate(packed(1, 2, 3, 4, 5))
        ]
        yield request(f"r{number}", *chunks, requested_at=f"{day}T12:00:00Z", citations=[1])


@pytest.fixture
def site(tmp_path: Path) -> Site:
    made = Site(tmp_path)
    updating.ingest([made.log("all.jsonl", *requests())], made.store, now=NOW, unit_key="00")
    return made


def monday(week: int) -> date:
    return FIRST + timedelta(weeks=week)


def days(site: Site, table: str) -> tuple[date, date]:
    [row] = site.rows(f"SELECT min(day), max(day) FROM {table}")
    return row


def test_counts_go_after_their_facts_and_estimates_stay(site: Site) -> None:
    estimates = site.rows("FROM week_estimates ORDER BY ALL")
    store.seal(site.store, monday(4), NOW.date(), counts_before=monday(2))
    assert days(site, "chunks")[0] == days(site, "requests")[0] == monday(4)
    for table in ("cells", "cells_by_position", "ranks", "units", "days", "lengths"):
        assert days(site, table)[0] == monday(2), table
    assert site.rows("SELECT min(week) FROM documents") in ([(monday(2),)], [(None,)])
    assert site.rows("FROM week_estimates ORDER BY ALL") == estimates
    updating.ingest(
        [site.log("late.jsonl", request("late", requested_at="2026-08-04T12:00:00Z"))],
        site.store,
        now=NOW,
        max_rejected=1.0,
    )
    assert site.rows("FROM week_estimates ORDER BY ALL") == estimates


def test_counts_do_not_go_while_their_facts_stay(site: Site) -> None:
    with pytest.raises(UsageError, match="cannot go while facts from 2026-08-17 stay"):
        store.seal(site.store, monday(2), NOW.date(), counts_before=monday(3))
    with pytest.raises(UsageError, match="2026-08-04 is no Monday"):
        store.seal(site.store, monday(2), NOW.date(), counts_before=date(2026, 8, 4))


JUNK = """
INSERT INTO rejected_lines
SELECT 'junk', line, line, '', 'no record', md5(line::VARCHAR) FROM range(1_000_000) AS each(line)
"""


def test_a_third_that_is_free_is_given_back(site: Site) -> None:
    held = site.contents()
    with store.writer(site.store) as con:
        con.execute(JUNK)
    large = site.store.stat().st_size
    assert large > store_drafts.LEAST_BLOCKS * 2**18
    with store.writer(site.store) as con:
        con.execute("DELETE FROM rejected_lines WHERE batch = 'junk'")
    assert site.store.stat().st_size < large / 2
    assert site.contents() == held
    assert [file.name for file in site.folder.glob(".store*")] == [".store.duckdb.lock"]
    again = updating.ingest([site.log("more.jsonl", request("more"))], site.store, now=NOW)
    assert again[0].loaded == 1


def test_a_file_without_gaps_is_left_alone(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_drafts, "LEAST_BLOCKS", 1)
    monkeypatch.setattr(store_drafts, "rewrite", pytest.fail)
    updating.ingest([site.log("more.jsonl", request("more"))], site.store, now=NOW)


def test_every_rollup_is_named_where_counts_are_dropped() -> None:
    assert all(
        f"DELETE FROM {table} " in store.statement("store/drop_rollups") for table in ROLLUPS
    )
