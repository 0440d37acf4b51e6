"""Tokens, budgets and money of a week, worked out by hand from a dozen requests."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import analyzer
from analyzer import charts, report
from analyzer.cli import main
from analyzer.report import html, markdown
from analyzer.report.model import Panel, Report
from analyzer.report.prices import Given, told
from analyzer.report.tables.lengths import length_rows
from analyzer.report.tables.spending import SCHEMA, spending_rows
from analyzer.report.titles import _spending, _wasted
from analyzer.report.writing import money
from analyzer.store import reader, statement
from analyzer.telling.spans import plain
from analyzer.updating import ingest

MONDAY = datetime(2026, 11, 16, 12, tzinfo=UTC)
WEEK = MONDAY.date()
PRICED = Given(2.0, {"large": 10.0})


def request(week: int, number: int, tokens: list[int], **fields: Any) -> dict[str, Any]:
    """A prompt of chunks that share one text, so that all but one of them are redundant."""
    asked = MONDAY - timedelta(weeks=week) + timedelta(minutes=number)
    chunks = [
        {"chunk_id": f"c{at}", "rank": at, "position": at, "tokens": size, "text": "same words"}
        for at, size in enumerate(tokens, 1)
    ]
    told = {"request_id": f"{week}/{number}", "requested_at": asked.isoformat(), "route": "a"}
    return {**told, "model": "small", "chunks": chunks, **fields}


RECORDS = [
    # this week: 1000 + 2.5 * 400 = 2000 tokens of `small`, of them 600 + 2.5 * 100 = 850 redundant
    request(0, 1, [400, 600], budget_tokens=1000),
    request(0, 2, [300, 100], sample_weight=2.5, budget_tokens=3000),
    # and of `large` on another route 500, nothing redundant; one request without tokens
    request(0, 3, [500], route="b", model="large", budget_tokens=3000),
    {**request(0, 4, [], route="b", model="large"), "chunks": [{"chunk_id": "c", "position": 1}]},
    # six weeks before with 300 tokens each, 100 of them redundant
    *(request(week, 5, [200, 100]) for week in range(1, 7)),
    request(0, 6, [1], route="free", model="small"),
]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("spending")
    (folder / "log.jsonl").write_text("\n".join(map(json.dumps, RECORDS)))
    ingest([folder / "log.jsonl"], folder / "s.duckdb", now=MONDAY + timedelta(days=9))
    return folder / "s.duckdb"


def rows(store: Path, prices: Given) -> dict[str, dict[str, Any]]:
    with reader(store) as con:
        return {row["route"]: row for row in spending_rows(con, WEEK, prices).to_pylist()}


def test_tokens_are_scaled_by_sample_weight_and_stand_beside_the_usual_week(store: Path) -> None:
    of = rows(store, Given())["a"]
    assert (of["requests"], of["known"]) == (2, 2)
    assert (of["tokens"], of["redundant"]) == (2000, 850)
    assert of["redundant_share"] == 850 / 2000
    assert (of["tokens_before"], of["redundant_before"]) == (300, 100)
    assert of["share_before"] == pytest.approx(1 / 3)
    assert of["cost"] is of["redundant_cost"] is of["cost_before"] is None


def test_a_young_route_has_no_usual_week_and_what_was_not_counted_is_told(store: Path) -> None:
    of = rows(store, PRICED)["b"]
    assert (of["requests"], of["known"], of["tokens"]) == (2, 1, 500)
    assert of["tokens_before"] is of["cost_before"] is of["share_before"] is None


def test_each_model_has_its_price(store: Path) -> None:
    of = rows(store, PRICED)
    assert of["a"]["cost"] == pytest.approx(2000 * 2 / 1e6)
    assert of["a"]["redundant_cost"] == pytest.approx(850 * 2 / 1e6)
    assert of["a"]["cost_before"] == pytest.approx(300 * 2 / 1e6)
    assert of["b"]["cost"] == pytest.approx(500 * 10 / 1e6)


def test_a_route_of_a_model_without_a_price_has_no_cost(store: Path) -> None:
    of = rows(store, Given(None, {"small": 2.0}))
    assert of["b"]["cost"] is None
    assert of["a"]["cost"] == pytest.approx(2000 * 2 / 1e6)
    assert of["a"]["prices"].startswith("No price is set for large; ")


def test_what_was_never_compared_is_not_known_to_be_free_of_copies(tmp_path: Path) -> None:
    """A route without fingerprints has tokens and no copies told; without tokens there is none."""
    bare = request(0, 1, [400, 600], route="bare")
    bare["chunks"] = [{**chunk, "text": None} for chunk in bare["chunks"]]
    untold = {**request(-1, 2, []), "chunks": [{"chunk_id": "c", "position": 1}]}
    (tmp_path / "log.jsonl").write_text("\n".join(map(json.dumps, (bare, untold))))
    ingest([tmp_path / "log.jsonl"], tmp_path / "s.duckdb", now=MONDAY + timedelta(days=16))
    of = rows(tmp_path / "s.duckdb", PRICED)["bare"]
    assert (of["tokens"], of["redundant"], of["redundant_cost"]) == (1000, None, None)
    assert of["cost"] == pytest.approx(1000 * 2 / 1e6)
    with reader(tmp_path / "s.duckdb") as con:
        assert not spending_rows(con, WEEK + timedelta(weeks=1), PRICED).num_rows


def test_prices_are_told_and_how_to_give_them() -> None:
    assert told(Given(2.5), {"m", "n"}) == "Prices of a million prompt tokens: 2.5."
    assert told(PRICED, {"large", "small"}) == (
        "Prices of a million prompt tokens: large 10, small 2."
    )
    assert told(Given(0.075), {"m"}) == "Prices of a million prompt tokens: 0.075."
    assert "CITELOG_PRICES_INPUT=2.5" in told(Given(), {"m"})


@pytest.mark.parametrize(
    ("value", "said"), [(None, "–"), (0, "0.00"), (0.001, "<0.01"), (1234.5, "1,234.50")]
)
def test_money_has_two_decimals_and_is_never_nothing_by_rounding(
    value: float | None, said: str
) -> None:
    assert money(value) == said


def test_titles_add_up_routes_and_say_no_money_where_one_is_unknown() -> None:
    def row(**of: Any) -> dict[str, Any]:
        return dict.fromkeys(SCHEMA.names) | of

    known = [
        row(tokens=1_500_000, redundant=150_000, cost=3.0, redundant_cost=0.3),
        row(tokens=500_000, redundant=50_000, cost=1.0, redundant_cost=0.1),
        row(),  # nothing sent, so nothing unknown
    ]
    assert _spending(known) == (
        "The prompts held 2,000,000 context tokens, at a cost of 4.00 in the currency of the prices"
    )
    assert _wasted(known) == (
        "Near-copies take 10.0% of all context tokens: 0.40 of 4.00 in the currency of the prices"
    )
    assert _wasted([*known, row(tokens=1, redundant=0)]) == (
        "Near-copies take 10.0% of all context tokens"
    )
    assert _spending([row()]) is None


# ------------------------------------------------------------------ budgets


def test_the_budget_of_a_week_is_the_median_of_its_requests(store: Path) -> None:
    with reader(store) as con:
        span = {"first_day": WEEK - timedelta(weeks=9), "next_day": WEEK + timedelta(days=7)}
        found = con.execute(statement("report/budgets"), span).fetchall()
    assert found == [(WEEK, "a", 1000), (WEEK, "b", 3000)]  # of 1000 and 3000 the lower


def test_weeks_keep_their_order_and_those_without_a_budget_say_so(store: Path) -> None:
    weeks = [WEEK - timedelta(weeks=1), WEEK]
    asked = pa.table({"week": weeks, "route": ["a", "a"], "p95": [300.0, 1000.0]})
    with reader(store) as con:
        table = length_rows(con, WEEK, 2, asked)
    assert table["budget"].to_pylist() == [None, 1000]
    assert table["p95"].to_pylist() == [300.0, 1000.0]


def drawn(budget: float) -> dict[str, Any]:
    table = pa.table(
        {
            "route": ["a"], "week": [WEEK], "requests": [90], "budget": [budget],
            **{name: [1000.0] for name in ("p50", "p95", "p99", "p95_low", "p95_high")},
        }
    )  # fmt: skip
    kept = {"main": "p95", "low": "p95_low", "high": "p95_high", "beside": ["p50", "p99"]}
    return charts.specification("lines", table, **kept, n="requests", limit="budget")


@pytest.mark.parametrize(("budget", "top"), [(900.0, 1000), (1900.0, 2000), (2100.0, 1000)])
def test_a_budget_far_above_the_lines_does_not_flatten_them(budget: float, top: int) -> None:
    layer = drawn(budget)["layer"][0]
    assert layer["encoding"]["y"]["scale"]["domain"] == [0, top]
    assert layer["transform"] == [{"filter": f"datum.budget <= {float(top)}"}]


# ------------------------------------------------------------------ on the page


def panel(made: Report, name: str) -> Panel:
    return next(panel for panel in made.panels if panel.name == name)


def built(store: Path, prices: Given | None) -> Report:
    with reader(store) as con:
        return report.build(con, week=WEEK, version="1", prices=prices)


def test_without_a_price_the_page_tells_tokens_and_how_to_set_one(store: Path) -> None:
    made = built(store, None)
    text = html.render(made)
    assert text.count("CITELOG_PRICES_INPUT=2.5") == 1
    headings = panel(made, "wasted").groups[0].grids[0][1].headings
    assert "cost" not in headings
    assert "in near-copies" in headings


def test_with_prices_every_form_tells_the_same_money(store: Path) -> None:
    made = built(store, Given(2_000_000.0))
    title = (
        "Near-copies take 34.0% of all context tokens: 1,700.00 of 5,002.00 in the currency of the "
        "prices"
    )
    assert plain(panel(made, "wasted").title) == title
    assert title in html.render(made)
    assert f"### {title}" in markdown.render(made, {})
    [(_, table)] = panel(made, "wasted").groups[0].grids
    assert table.rows[0] == (
        "a", "2,000", "850", "42.5%", "100", "33.3%", "1,700.00", "4,000.00", "200.00",
    )  # fmt: skip


def test_the_command_takes_prices_from_the_environment(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CITELOG_PRICES_INPUT", "2000000")
    assert main.run(["report", "--week", "2026-W47", "--store", str(store), "-o", "r.json"]) == 0
    panels = json.loads((tmp_path / "r.json").read_text())["panels"]
    told = next(panel for panel in panels if panel["name"] == "spending")
    assert told["sentences"] == ["Prices of a million prompt tokens: 2,000,000."]
    assert {row["route"]: row["cost"] for row in told["rows"]} == {"a": 4000, "b": 1000, "free": 2}


def test_python_takes_prices_and_else_those_in_force(
    store: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)

    def sentence(**given: Any) -> str:
        made = analyzer.open(store).report(WEEK, **given)
        [said] = next(panel for panel in made.panels if panel.name == "spending").sentences
        return said

    assert sentence().startswith("No price is set")
    Path("citelog.toml").write_text("[prices]\ninput = 3.5\n")
    assert sentence() == "Prices of a million prompt tokens: 3.5."
    assert sentence(prices=Given(4)) == "Prices of a million prompt tokens: 4."
    monkeypatch.setenv("CITELOG_PRICES_INPUT", "5")
    assert sentence() == "Prices of a million prompt tokens: 5."
