"""Ingest, rollups and SQL give what a naive recount of the same log gives."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import pytest
import recounted_citations as citations
import recounted_prompts as prompts
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from logs import logs
from recount import Request, by_route, by_week_and_route, read

from analyzer import store
from analyzer.ingest import ingest
from analyzer.query import ask

Row = dict[str, Any]
Recount = Callable[[list[Request]], Iterable[Row]]

NOW = datetime(2026, 12, 1, 2, tzinfo=UTC)
WEEK = date(2026, 11, 16)
ONE_WEEK: list[Recount] = [
    citations.cited_by_position,
    citations.cited_by_depth,
    citations.cited_by_rank,
    citations.rank_by_position,
    citations.funnel,
    citations.citation_faults,
    citations.expected_funnel,
    citations.accuracy_by_place,
    prompts.data_quality,
    prompts.week_totals,
    prompts.near_copy_documents,
]
MANY_WEEKS: list[Recount] = [prompts.near_copies, prompts.largest_document, prompts.context_tokens]


@given(logs(), st.sampled_from(["UTC", "Asia/Kolkata", "America/Los_Angeles"]))
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
def test_every_question_equals_the_recount(log: str, time_zone: str) -> None:
    requests = read(log, time_zone)
    this_week = [request for request in requests if request.week == WEEK]
    with TemporaryDirectory() as folder, loaded(Path(folder), log, time_zone) as con:
        for recount in ONE_WEEK:
            compare(ask(con, recount.__name__, week=WEEK), recount(this_week))
        for recount in MANY_WEEKS:
            shown = ask(con, recount.__name__, week=date(2026, 11, 23), weeks=4)
            compare(shown, recount(requests))
        first, days = date(2026, 11, 14), 5
        shown = ask(con, "requests_per_day", first_day=first, days=days)
        compare(shown, prompts.requests_per_day(requests, first, days))
        check_percentiles(con, requests)
        check_weekly_measures(con, this_week)


def compare(answer: Any, rows: Iterable[Row]) -> None:
    """The same rows, in whatever order, in those columns that the recount gives."""
    expected = sorted(rows, key=repr)
    names = list(expected[0]) if expected else []
    shown = [{name: row[name] for name in names} for row in answer.to_pylist()]
    assert sorted(shown, key=repr) == [
        {name: near(value) for name, value in row.items()} for row in expected
    ]


def near(value: Any) -> Any:
    return pytest.approx(value, rel=1e-9) if isinstance(value, float) else value


def loaded(folder: Path, log: str, time_zone: str) -> Any:
    """The log in a store of its own, open for reading."""
    (folder / "log.jsonl").write_text(log, encoding="utf-8")
    file = folder / "store.duckdb"
    [batch] = ingest([folder / "log.jsonl"], file, now=NOW, time_zone=time_zone)
    assert batch.rejected == 0
    assert batch.read == batch.loaded + batch.duplicate + batch.superseded == len(log.splitlines())
    return store.reader(file)


def check_percentiles(con: duckdb.DuckDBPyConnection, requests: list[Request]) -> None:
    """Within one bin of the request that has the rank ceil(p * n), the one of quantile_disc."""
    shown = ask(con, "context_tokens", week=date(2026, 11, 23), weeks=4).to_pylist()
    read_out = {(row["week"], row["route"]): row for row in shown}
    for week, route, own in by_week_and_route(requests):
        lengths = sorted(each.tokens for each in own if each.k and each.tokens is not None)
        for percent in (50, 95, 99) if lengths else ():
            exact = lengths[math.ceil(percent * len(lengths) / 100) - 1]
            assert read_out[week, route][f"p{percent}"] == pytest.approx(exact, rel=0.0101)


def check_weekly_measures(con: duckdb.DuckDBPyConnection, requests: list[Request]) -> None:
    shown = ask(con, "weekly_measures", week=WEEK, weeks=1).to_pylist()
    values = {
        (row["route"], row["measure"]): (row["n"], row["value"])
        for row in shown
        if row["measure"] != "p95_context_tokens"
    }
    expected = {}
    for route, own in by_route(requests):
        for name, (n, value) in (citations.measures(own) | prompts.measures(own)).items():
            expected[route, name] = n, value and pytest.approx(value, rel=1e-9, abs=1e-9)
    assert values == expected
