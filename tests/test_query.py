"""Every question keeps the promises of its header; the shared arithmetic is right."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from statistics import fmean
from typing import Any

import duckdb
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analyzer import assets
from analyzer.errors import CitelogError, UsageError
from analyzer.parameters import week_named
from analyzer.query import Query, ask, load_query, query_names

MONDAY = date(2026, 11, 16)
SOME = {"DATE": MONDAY, "INTEGER": 4, "VARCHAR": "support"}
FACTS = {"requests", "chunks", "texts", "versions"}
# Judgements that still wait for their request can only be found where requests are.
READS_FACTS = {name: {"requests"} for name in ("accuracy_slices", "data_quality", "line_counts")}


@pytest.fixture(scope="module")
def con() -> Iterator[duckdb.DuckDBPyConnection]:
    """An empty store in memory, ready to be asked."""
    con = duckdb.connect()
    for part in ("schema", "elsewhere"):
        con.execute((assets.shipped("queries") / "store" / f"{part}.sql").read_text("utf-8"))
    ask(con, "batches_loaded")
    yield con
    con.close()


@pytest.fixture(params=query_names())
def question(request: pytest.FixtureRequest) -> Query:
    return load_query(request.param)


def some_values(question: Query) -> dict[str, object]:
    return {parameter.name: SOME[parameter.type] for parameter in question.parameters}


# -- headers


def test_declared_parameters_are_those_of_the_statement(
    question: Query, con: duckdb.DuckDBPyConnection
) -> None:
    [statement] = con.extract_statements(question.sql)
    assert {p.name for p in question.parameters} == set(statement.named_parameters)


def test_declared_columns_are_those_that_come_back(
    question: Query, con: duckdb.DuckDBPyConnection
) -> None:
    described = con.execute(f"DESCRIBE {question.sql}", some_values(question)).fetchall()
    assert [(c.name, c.type) for c in question.columns] == [(row[0], row[1]) for row in described]


def test_purpose_is_one_sentence(question: Query) -> None:
    assert question.purpose.endswith(".")
    assert ". " not in question.purpose


def test_every_header_line_is_read(question: Query) -> None:
    header = [line for line in question.sql.splitlines() if line.startswith("--   ")]
    assert len(header) == len(question.parameters) + len(question.columns)


def test_each_parameter_is_cast_once_and_first(question: Query) -> None:
    body = question.sql[question.sql.index("\n\n") :].lstrip()
    for parameter in question.parameters:
        assert len(re.findall(rf"\${parameter.name}\b", question.sql)) == 1
        assert f"${parameter.name}::{parameter.type} AS {parameter.name}" in question.sql
    assert not question.parameters or body.startswith("WITH asked AS (")


def test_answers_are_in_an_order(question: Query) -> None:
    last = re.split(r"^\)", question.sql, flags=re.MULTILINE)[-1]
    assert "\nORDER BY" in last


def test_questions_read_rollups_only(question: Query) -> None:
    read = set(re.findall(r"\b(?:FROM|JOIN) (\w+)", question.sql))
    assert read & FACTS == READS_FACTS.get(question.name, set())


def test_an_empty_store_is_asked_without_an_error(
    question: Query, con: duckdb.DuckDBPyConnection
) -> None:
    answer = ask(con, question.name, **some_values(question))
    assert answer.column_names == [column.name for column in question.columns]
    totals = {"week_totals", "line_counts"}
    assert answer.num_rows == (1 if question.name in totals else 0)


# -- asking


def test_an_unknown_question_names_the_nearest(con: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(UsageError, match="no query 'cited_by_dept'; the nearest is cited_by_depth"):
        ask(con, "cited_by_dept")


def test_a_path_is_no_question(con: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(UsageError, match="no query 'store/schema'"):
        ask(con, "store/schema")


def test_an_unknown_parameter_names_the_nearest(con: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(
        UsageError, match="no parameter 'rout'; the nearest is route; it takes week, route"
    ):
        ask(con, "funnel", week=MONDAY, rout="support")


def test_a_missing_parameter_is_named_with_its_meaning(con: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(UsageError, match=r"funnel needs week \(Monday that opens the week\)"):
        ask(con, "funnel", route="support")


def test_absent_and_none_take_the_default() -> None:
    baseline = {p.name: p.default for p in load_query("funnel").parameters}
    assert baseline == {"week": None, "route": "NULL", "baseline_weeks": "13"}


def test_a_store_that_is_none_is_one_sentence() -> None:
    with pytest.raises(CitelogError, match="query funnel: Catalog Error: Table with name"):
        ask(duckdb.connect(), "funnel", week=MONDAY)


@pytest.mark.parametrize("week", [MONDAY, "2026-W47", "2026W47", "2026-11-16"])
def test_a_week_is_its_monday_or_its_name(week: object, con: duckdb.DuckDBPyConnection) -> None:
    assert ask(con, "week_totals", week=week).num_rows == 1


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        (
            "week",
            "2026-11-03",
            "Tuesday; a week is named by its Monday, here 2026-11-02, or",
        ),
        ("week", date(2027, 1, 1), "Friday; .* here 2026-12-28, or as 2026-W53"),
        ("week", "2026-W54", "week is '2026-W54', which is no such thing as 2026-W47"),
        ("week", "monday", "week is 'monday'"),
        ("week", "9999-W52", "week 9999-12-27 is outside the years 1970 to 2199"),
        ("week", "0001-W01", "week 0001-01-01 is outside the years 1970 to 2199"),
        ("week", "1969-W52", "week 1969-12-22 is outside the years 1970 to 2199"),
        ("week", datetime(2026, 11, 16, 1, tzinfo=UTC), "week is '2026-11-16 01:00:00"),
        ("route", 7, "route is 7, but text is needed"),
        ("baseline_weeks", 1.5, "baseline_weeks is 1.5, but a whole number"),
        ("baseline_weeks", True, "baseline_weeks is True, but a whole number"),
        ("baseline_weeks", -1, "baseline_weeks is -1, but a whole number"),
        ("baseline_weeks", "many", "baseline_weeks is 'many', but a whole number"),
        ("baseline_weeks", 10**9, "a whole number from 0 to 9999"),
    ],
)
def test_a_value_of_the_wrong_kind_is_said(
    name: str, value: object, message: str, con: duckdb.DuckDBPyConnection
) -> None:
    given_values: dict[str, object] = {"week": MONDAY, name: value}
    with pytest.raises(UsageError, match=message):
        ask(con, "funnel", **given_values)


def test_week_named_reads_what_people_write() -> None:
    assert week_named("2026-W53") == date(2026, 12, 28)
    assert week_named("1970-W01") == date(1969, 12, 29)
    assert week_named("2200-W01") == date(2199, 12, 30)
    with pytest.raises(UsageError):
        week_named("2025-W53")


def test_a_first_day_may_be_any_day(con: duckdb.DuckDBPyConnection) -> None:
    assert ask(con, "requests_per_day", first_day="2026-11-18", days=2).num_rows == 0


def test_a_reader_may_ask(tmp_path: Path) -> None:
    file = tmp_path / "store.duckdb"
    with duckdb.connect(str(file)) as writer:
        writer.execute((assets.shipped("queries") / "store" / "schema.sql").read_text("utf-8"))
    with duckdb.connect(str(file), read_only=True) as reader:
        assert ask(reader, "context_tokens", week=MONDAY).num_rows == 0
        assert ask(reader.cursor(), "context_tokens", week=MONDAY).num_rows == 0


def test_a_folder_of_ones_own_adds_and_replaces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, con: duckdb.DuckDBPyConnection
) -> None:
    mine = "-- How many.\n--\n-- columns\n--   n  INTEGER  seven\n\nSELECT 7 AS n ORDER BY n\n"
    (tmp_path / "how_many.sql").write_text(mine, encoding="utf-8")
    (tmp_path / "funnel.sql").write_text(mine, encoding="utf-8")
    monkeypatch.setitem(assets._own, "queries", tmp_path)
    assert ask(con, "how_many").to_pylist() == [{"n": 7}]
    assert ask(con, "funnel").to_pylist() == [{"n": 7}]
    assert load_query("week_totals").parameters


def test_a_file_without_a_header_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bare.sql").write_text("SELECT 1", encoding="utf-8")
    monkeypatch.setitem(assets._own, "queries", tmp_path)
    with pytest.raises(CitelogError, match=r"bare\.sql: has no header"):
        load_query("bare")


# -- intervals


def rate_interval(
    con: duckdb.DuckDBPyConnection, parts: list[int], wholes: list[int]
) -> dict[str, float] | None:
    return bounds(con, "rate", parts, wholes)


def bounds(
    con: duckdb.DuckDBPyConnection, kind: str, parts: list[Any], wholes: list[int]
) -> dict[str, float] | None:
    """Both ends of an interval as the macros `<kind>_low` and `<kind>_high` give them."""
    [(low, high)] = con.execute(
        f"""
        SELECT {kind}_low(left_out), {kind}_high(left_out)
        FROM (SELECT leave_one_out($parts::DOUBLE[], $wholes::BIGINT[]) AS left_out)
        """,
        {"parts": parts, "wholes": wholes},
    ).fetchall()
    assert (low is None) == (high is None)
    return None if low is None else {"low": low, "high": high}


def t_quantile(con: duckdb.DuckDBPyConnection, groups: int) -> float:
    [(value,)] = con.execute("SELECT t_quantile($groups)", {"groups": groups}).fetchall()
    return float(value)


@pytest.mark.parametrize("df", range(1, 20))
def test_between_zero_and_the_t_quantile_lie_475_of_1000(
    df: int, con: duckdb.DuckDBPyConnection
) -> None:
    x = np.linspace(0, t_quantile(con, df + 1), 100_001)
    scale = math.gamma((df + 1) / 2) / math.gamma(df / 2) / math.sqrt(df * math.pi)
    area = np.trapezoid(scale * (1 + x**2 / df) ** (-(df + 1) / 2), x)
    assert area == pytest.approx(0.475, abs=1e-7)


def test_jackknife_error_of_the_reference_example(con: duckdb.DuckDBPyConnection) -> None:
    """T4 of the reference numbers: leave-one-out log RR of five groups give se 0.113496."""
    [(error,)] = con.execute(
        "SELECT jackknife_error([-0.189242, -0.223144, -0.277632, -0.105361, -0.223144])"
    ).fetchall()
    assert error == pytest.approx(0.113496, abs=1e-6)


def test_rate_interval_worked_by_hand(con: duckdb.DuckDBPyConnection) -> None:
    """Groups 2/10, 4/10, 6/10: rate .4; left out .5, .4, .3; se = sqrt(2/3 * .02) = .11547.

    The floor sqrt(.4 * .6 / 30) = .08944 is lower; t with 2 df is 4.302653.
    """
    interval = rate_interval(con, [2, 4, 6], [10, 10, 10])
    assert interval == {"low": 0.0, "high": pytest.approx(0.4 + 4.302653 * math.sqrt(0.04 / 3))}


def test_a_rate_of_zero_still_has_a_width(con: duckdb.DuckDBPyConnection) -> None:
    """0 of 100 in two groups: floor sqrt(.01 * 1 / 100) = .01, t with 1 df 12.706205."""
    assert rate_interval(con, [0, 0], [50, 50]) == {"low": 0.0, "high": pytest.approx(0.12706205)}


@pytest.mark.parametrize(("parts", "wholes"), [([3], [9]), ([0, 1], [0, 5]), ([], []), ([0], [0])])
def test_fewer_than_two_groups_have_no_interval(
    parts: list[int], wholes: list[int], con: duckdb.DuckDBPyConnection
) -> None:
    assert rate_interval(con, parts, wholes) is None


counts = st.integers(0, 1000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@given(st.lists(counts, min_size=1, max_size=20))
@settings(deadline=None)
def test_rate_interval_agrees_with_a_second_witness(
    con: duckdb.DuckDBPyConnection, groups: list[tuple[int, int]]
) -> None:
    interval = rate_interval(con, [c for c, _ in groups], [n for _, n in groups])
    filled = np.array([pair for pair in groups if pair[1] > 0], dtype=float).reshape(-1, 2)
    if len(filled) < 2:
        assert interval is None
        return
    cited, packed = filled.sum(axis=0)
    rate = cited / packed
    left_out = (cited - filled[:, 0]) / (packed - filled[:, 1])
    b = len(filled)
    error = math.sqrt((b - 1) / b * ((left_out - left_out.mean()) ** 2).sum())
    floor = math.sqrt(max(rate, 1 / packed) * max(1 - rate, 1 / packed) / packed)
    half = t_quantile(con, b) * max(error, floor)
    assert interval is not None
    assert interval["low"] == pytest.approx(max(0, rate - half), abs=1e-6)
    assert interval["high"] == pytest.approx(min(1, rate + half), abs=1e-6)


def test_mean_log2_rank_interval_worked_by_hand(con: duckdb.DuckDBPyConnection) -> None:
    """Two groups of 4 citations, log2 ranks summing to 2 and 6: mean 1; left out 1.5 and .5.

    se = sqrt(1/2 * (.25 + .25)) = .5, over the floor 1/8; t with 1 df 12.706205; ranks begin at 1.
    """
    interval = bounds(con, "log2_rank", [2.0, 6.0], [4, 4])
    assert interval == {"low": 0.0, "high": pytest.approx(1 + 12.706205 / 2)}
    floored = bounds(con, "log2_rank", [0.0, 0.0], [4, 4])
    assert floored == {"low": 0.0, "high": pytest.approx(12.706205 / 8)}
    assert bounds(con, "log2_rank", [2.0], [4]) is None


# -- percentiles

GAMMA = 1.005 / 0.995


def bin_of(tokens: int) -> int:
    return -1 if tokens == 0 else math.ceil(math.log(tokens) / math.log(GAMMA))


def read_out(con: duckdb.DuckDBPyConnection, groups: list[list[int]]) -> dict[str, Any]:
    """What `context_tokens` reads of a week, given the context tokens of each unit group."""
    con.execute("DELETE FROM lengths")
    con.execute("DELETE FROM days")
    for group, tokens in enumerate(groups):
        bins = Counter(map(bin_of, tokens))
        rows = [[MONDAY, "r", "m", "1", group, each, count] for each, count in bins.items()]
        if rows:
            con.executemany("INSERT INTO lengths VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
    first, last = "DATE '2026-11-16'", "DATE '2026-11-22'"
    table = con.sql(f"SELECT * FROM context_percentiles({first}, {last}, NULL)").to_arrow_table()
    con.execute("DELETE FROM lengths")
    [row] = table.to_pylist()
    return dict(row)


def exact(con: duckdb.DuckDBPyConnection, tokens: list[int]) -> list[int]:
    [(values,)] = con.execute(
        "SELECT quantile_disc(v, [0.5, 0.95, 0.99]) FROM (SELECT unnest($v::BIGINT[]) AS v)",
        {"v": tokens},
    ).fetchall()
    return list(values)


@given(st.lists(st.integers(0, 200_000), min_size=1, max_size=60))
@settings(deadline=None, max_examples=50)
def test_percentiles_stay_within_the_bin_of_the_exact_one(
    con: duckdb.DuckDBPyConnection, tokens: list[int]
) -> None:
    row = read_out(con, [tokens])
    for name, value in zip(("p50", "p95", "p99"), exact(con, tokens), strict=True):
        assert row[name] == pytest.approx(value, rel=GAMMA - 1)


def test_percentiles_of_real_lengths_are_within_half_a_percent(
    con: duckdb.DuckDBPyConnection,
) -> None:
    random = np.random.default_rng(20261116)
    tokens = np.round(random.lognormal(math.log(3500), 0.5, 40_000)).astype(int).tolist()
    row = read_out(con, [tokens])
    for name, value in zip(("p50", "p95", "p99"), exact(con, tokens), strict=True):
        assert row[name] == pytest.approx(value, rel=0.005)


def test_p95_interval_agrees_with_a_second_witness(con: duckdb.DuckDBPyConnection) -> None:
    random = np.random.default_rng(7)
    groups = [np.round(random.lognormal(8, 0.4, 40 + 9 * g)).astype(int).tolist() for g in range(6)]
    row = read_out(con, groups)
    assert row["p95"] == pytest.approx(percentile([t for g in groups for t in g], 0.95))
    left_out = [
        math.log(percentile([t for g in groups if g is not gone for t in g], 0.95))
        for gone in groups
    ]
    error = math.sqrt(5 / 6 * sum((each - fmean(left_out)) ** 2 for each in left_out))
    half = t_quantile(con, 6) * max(error, 0.0005)
    assert row["p95_low"] == pytest.approx(row["p95"] * math.exp(-half), rel=1e-6)
    assert row["p95_high"] == pytest.approx(row["p95"] * math.exp(half), rel=1e-6)


def percentile(tokens: list[int], share: float) -> float:
    """Bins counted up by hand, evenly spread on the log scale inside the bin that holds it."""
    bins = sorted(bin_of(each) for each in tokens)
    rank = share * len(bins)
    found = bins[math.ceil(rank - 1e-9) - 1]
    before, inside = sum(b < found for b in bins), bins.count(found)
    return 0.0 if found == -1 else GAMMA ** (found - 1 + (rank - before) / inside)


def test_equal_lengths_have_a_narrow_interval_and_no_error_of_zero(
    con: duckdb.DuckDBPyConnection,
) -> None:
    row = read_out(con, [[1000] * 10, [1000] * 10])
    assert row["p50"] == pytest.approx(1000, rel=0.005)
    assert row["p95_high"] / row["p95"] == pytest.approx(math.exp(12.706205 * 0.0005))


def test_prompts_without_a_token_have_percentiles_of_zero(con: duckdb.DuckDBPyConnection) -> None:
    row = read_out(con, [[0, 0, 0], [0, 7]])
    assert (row["p50"], row["p95_low"]) == (0.0, None)
    assert row["p99"] == pytest.approx(7, rel=GAMMA - 1)
