"""The short form of what `make validate` prints, and proof that its shortcuts are none."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import msgspec
import numpy as np
import pyarrow as pa
import pytest
from validation import coverage
from validation.designs import FLAT, MIXED, MONDAY, published
from validation.drawing import Drawn, draw, in_place, tables
from validation.drift import keep_estimates, weeks_to_alarm
from validation.facts import fill, roll_up
from validation.planted import PLANTED
from validation.pools import pool, stock
from validation.stores import SETTINGS, empty
from validation.uncited import MEASURE, uncited
from validation.years import Year, year

from analyzer import store
from analyzer.ingest import ingest
from analyzer.measures import weekly
from analyzer.measures.rows import week_of
from analyzer.simulate import Incident, Model, Scenario, simulate, standard, with_incidents
from analyzer.simulate.traits import Logging, Units
from analyzer.watch.alarms import alarms, estimates

NOW = datetime(2027, 1, 1, tzinfo=UTC)
TABLES = (
    "cells",
    "cells_by_position",
    "ranks",
    "units",
    "days",
    "lengths",
    "documents",
    "week_estimates",
)


@pytest.fixture
def fast() -> Iterator[duckdb.DuckDBPyConnection]:
    con = empty()
    yield con
    con.close()


def test_facts_without_log_files_give_the_same_rollups(
    tmp_path: Path, fast: duckdb.DuckDBPyConnection
) -> None:
    scenario = eventful(standard(MONDAY, 2, requests=150.0, seed=3))
    simulate(scenario, tmp_path / "logs")
    file = tmp_path / "store.duckdb"
    ingest(
        [tmp_path / "logs"],
        file,
        now=NOW,
        unit_key=SETTINGS.unit_key.hex(),
        max_rejected=1.0,
        then=weekly.update,
    )
    fill(fast, scenario)
    weekly.update(fast)
    with store.reader(file) as read:
        for name in TABLES:
            rows = read.execute(f"FROM {name} ORDER BY ALL").fetchall()
            assert fast.execute(f"FROM {name} ORDER BY ALL").fetchall() == rows, name
            assert rows


def eventful(scenario: Scenario) -> Scenario:
    """With everything that makes a log differ from what happened."""
    broken = ["cited", "unit_id", "text", "rank", "doc_id", "tokens", "prompt_tokens", "score"]
    return with_incidents(
        scenario,
        [
            happening("logging_breaks", 3, "docs", missing=broken, share=0.5),
            happening("logging_breaks", 9, "code", constant_positions=True, share=0.3),
            happening("markers_off_by_one", 7, "support"),
            happening("reindex_copies", 2, "support"),
        ],
    )


def happening(kind: str, day: int, route: str, **parameters: object) -> Incident:
    since = MONDAY.replace(day=MONDAY.day + day)
    return msgspec.convert(
        {"kind": kind, "since": since, "routes": [route], "parameters": parameters}, Incident
    )


def test_a_week_drawn_from_a_stock_is_counted_as_its_facts_are(
    fast: duckdb.DuckDBPyConnection,
) -> None:
    route = published(requests=400.0, orderings=MIXED)
    period, made = stock(Scenario(first_day=MONDAY, routes=(route,)), route, 900)
    week = draw(pool(period, made), 700, route, Model(), 1.0, np.random.default_rng(1))
    monday = week_of(MONDAY.date())
    with in_place(fast, tables(MONDAY.date(), {route.name: [week]})):
        drawn = list(weekly.estimates(fast, monday))
    roll_up(fast, *facts_drawn(made.requests, made.chunks, week))
    counted = [shown(one) for one in weekly.estimates(fast, monday)]
    assert [shown(one) for one in drawn] == [
        {name: near(value) for name, value in one.items()} for one in counted
    ]


def test_answers_without_a_citation_are_counted_as_a_store_counts_them(
    fast: duckdb.DuckDBPyConnection,
) -> None:
    scenario = msgspec.structs.replace(year(7, (500, 800)), weeks=1)
    fill(fast, scenario)
    weekly.update(fast)
    stored = [one for one in estimates(fast, MONDAY.date()) if one.measure == MEASURE]
    assert sorted(uncited(scenario), key=lambda one: one.route) == stored
    assert len(stored) == 2


def shown(one: weekly.WeekEstimate) -> dict[str, object]:
    """All of it but the leave-one-outs."""
    whole = (one.route, one.measure, one.requests, one.base, one.verdict)
    return {"whole": whole, "value": one.estimate.value, "se": one.estimate.se, "size": one.size}


def near(value: object) -> object:
    return pytest.approx(value, rel=1e-12) if isinstance(value, float) else value


def facts_drawn(requests: pa.Table, chunks: pa.Table, week: Drawn) -> tuple[pa.Table, pa.Table]:
    """The fact rows of the requests that were drawn, with what was cited this time."""
    cited = np.bincount(week.owner[week.cited], minlength=len(week.request))
    requests, chunks = requests.take(week.request), chunks.take(week.chunk)
    for name in ("cited", "citations"):
        requests = put(requests, name, pa.array(cited, pa.int32()))
    for name, kind in (("correct", pa.bool_()), ("expected_outcome", pa.string())):
        requests = requests.append_column(name, pa.nulls(len(requests), kind))
    requests = requests.append_column("expected_place", pa.nulls(len(requests), pa.string()))
    chunks = put(chunks, "cited", pa.array(week.cited))
    return requests, chunks.append_column("expected", pa.nulls(len(chunks), pa.bool_()))


def put(table: pa.Table, name: str, column: pa.Array) -> pa.Table:
    return table.set_column(table.schema.get_field_index(name), name, column)


@pytest.mark.parametrize("design", coverage.designs(900.0)[:4], ids=lambda each: each.name)
def test_intervals_hold_the_truth(design: coverage.Design) -> None:
    found = coverage.counted(design, range(40))
    assert found.shown >= 30
    assert found.rate >= 0.85  # the long form says more


def test_intervals_of_orderings_fixed_by_user_need_users_as_units() -> None:
    users = published(
        requests=2500.0,
        orderings=MIXED,
        ordering_by="unit",
        units=Units(count=60, tail=0.0, sd=1.2),
    )
    requests = msgspec.structs.replace(users, logging=Logging(missing=("unit_id",)))
    rates = [
        coverage.counted(
            coverage.Design("", route, FLAT, "", settings=coverage.NO_CONTROL), range(20)
        ).rate
        for route in (users, requests)
    ]
    assert rates[0] >= 0.85
    assert rates[1] < 0.8


def test_what_is_planted_in_a_stable_year_alarms_and_nothing_else_does() -> None:
    made = Year(year(3, (5000,)), size=4000)
    weeks = range(34)
    with closing(empty()) as con:
        keep_estimates(con, made, weeks)
        last = made.monday(weeks[-1])
        assert [one for one in alarms(con, last).episodes if one.raised is not None] == []
        stable = estimates(con, last)
    found = {
        one.name: weeks_to_alarm(made, stable, one, 28)
        for one in PLANTED
        if one.name.startswith(("dip -.157", "copies 1 -> 4"))
    }
    assert all(weeks is not None and weeks <= 3 for weeks in found.values()), found
