"""Evaluations and what-if in the weekly report: what is told, and why where nothing is."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import report_traffic as traffic

from analyzer import charts, report
from analyzer.report import html, markdown, pdf
from analyzer.report import json as machine
from analyzer.report.dashboard import text_of
from analyzer.report.model import Panel, Report
from analyzer.report.prices import Given
from analyzer.report.tables.evaluations import covered_rows
from analyzer.report.tables.what_if import what_if_rows
from analyzer.store import reader, writer
from analyzer.swap import keeping
from analyzer.swap.outcomes import Outcome, Run
from analyzer.telling.spans import plain

WEEK = traffic.MONDAY.date()
HOSTILE = "new</script>|*model*"
AGAINST = "old, prompt p1"


def run(model: str, asked_on: date, wrong: int, questions: int = 80, **fields: Any) -> Run:
    """Right at the start and the end; wrong in the middle for the first `wrong` questions."""
    outcomes = [
        Outcome(f"q{n}", 0, position, 5, position != 3 or n >= wrong, 3000)
        for n in range(questions)
        for position in (1, 3, 5)
    ]
    known = {"prompt_version": "p1", "route": "support", "question_set": "s1", "judge": "span"}
    return Run(model, outcomes, asked_on=asked_on, **(known | fields))


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = traffic.bare_store(tmp_path_factory.mktemp("evaluated"))
    runs = (
        run("old", date(2026, 10, 5), wrong=8),
        run(HOSTILE, date(2026, 11, 18), wrong=40),
        run("small", date(2026, 11, 2), wrong=3, questions=12, route=None, question_set=None),
        run("later", date(2026, 11, 23), wrong=0),  # the Monday after the week
    )
    with writer(path) as con:
        for each in runs:
            keeping.keep(con, each, datetime(2026, 11, 24, tzinfo=UTC))
    return path


def built(store: Path, week: date = WEEK) -> Report:
    with reader(store) as con:
        return report.build(con, week=week, version="1.2.3", command="citelog report")


@pytest.fixture(scope="module")
def made(store: Path) -> Report:
    return built(store)


@pytest.fixture(scope="module")
def unevaluated(tmp_path_factory: pytest.TempPathFactory) -> Report:
    return built(traffic.bare_store(tmp_path_factory.mktemp("unevaluated")))


def panel(made: Report, name: str) -> Panel:
    return next(panel for panel in made.panels if panel.name == name)


def rows(made: Report, name: str) -> dict[str, dict[str, Any]]:
    table = panel(made, name).table
    assert table is not None
    return {row["model"]: row for row in table.to_pylist()}


def test_the_last_evaluations_before_the_week_ended_are_told_with_gap_and_gate(
    made: Report,
) -> None:
    told = rows(made, "gaps")
    assert set(told) == {"old", HOSTILE, "small"}
    assert (told["old"]["start"], told["old"]["middle"], told["old"]["end"]) == (1, 0.9, 1)
    assert told["old"]["gap"] == pytest.approx(0.1)  # (1 + 1) / 2 - 72 / 80
    assert told["old"]["gate"] is None
    new = told[HOSTILE]
    assert (new["gap"], new["gate"], new["against"]) == (pytest.approx(0.5), "fail", AGAINST)
    assert new["deeper"] == pytest.approx(0.4)
    assert plain(panel(made, "gaps").title) == "3 evaluations: 1 fail, 2 without a gate"


def test_each_evaluation_is_drawn_by_place_and_a_small_one_is_said(made: Report) -> None:
    [group] = panel(made, "evaluated_places").groups
    parts = {part.route: part for part in group.parts}
    assert list(parts) == [
        f"{HOSTILE}, prompt p1, support",
        "small, prompt p1",
        f"{AGAINST}, support",
    ]
    assert [row["accuracy"] for row in parts[f"{AGAINST}, support"].rows] == [1, 0.9, 1]
    [said] = parts[f"{HOSTILE}, prompt p1, support"].remarks
    assert said.startswith("gap +50.0 points (95% interval +")
    assert said.endswith(f"of 80 questions; gate: fail, against {AGAINST}")
    assert parts["small, prompt p1"].state == "too_few"
    assert parts["small, prompt p1"].message == "Too few: 12 at most, 50 are needed."


def test_a_gap_in_points_is_on_no_axis(made: Report) -> None:
    """Points of accuracy and the relative effect of traffic must not be laid side by side."""
    panels = [each for each in made.panels if each.section == "evaluation"]
    specs = [group.spec for each in panels for group in each.groups if group.spec]
    assert len(specs) == 1
    assert "gap" not in charts.columns_read(specs[0])
    assert "points" in panel(made, "gaps").caption
    assert "not the relative effect" in panel(made, "evaluated_places").caption


def test_every_form_tells_the_same(made: Report) -> None:
    told = json.loads(machine.render(made))
    jsonschema.validate(told, json.loads(text_of("report.schema.json")))
    [gaps] = [each for each in told["panels"] if each["name"] == "gaps"]
    assert {row["model"]: row["gate"] for row in gaps["rows"]}[HOSTILE] == "fail"
    assert {each["name"] for each in gaps["columns"]} == set(gaps["rows"][0])
    page, text = html.render(made), markdown.render(made, {})
    assert HOSTILE not in page
    paper = json.dumps(pdf._told(made, {}))
    for form in (page, text, paper):
        assert "+50.0 points" in form
        assert "Computed from the logs" in form


def test_without_an_evaluation_each_panel_says_why_and_what_to_do(unevaluated: Report) -> None:
    for name in ("evaluated_places", "gaps"):
        empty = panel(unevaluated, name)
        assert empty.state == "empty"
        assert "before this week ended is kept" in empty.message
        assert "citelog swap plan" in empty.message


def test_what_answered_without_an_evaluation_is_named(store: Path, unevaluated: Report) -> None:
    uncovered = panel(unevaluated, "coverage")
    assert plain(uncovered.title) == "Evaluated as they answer: 0 of 1"
    assert "citelog swap score --keep" in uncovered.sentences[0]
    with reader(store) as con:
        [row] = covered_rows(con, WEEK).to_pylist()
        assert (row["covered"], row["requests"]) == (False, 84)
        assert row["told"] == "requests do not say which model answered; log `model`"


def test_what_if_says_why_a_route_has_no_change(made: Report) -> None:
    told = panel(made, "best_changes")
    assert told.state == "drawn"
    assert plain(told.title) == "Computed from the logs: no change that was tried gains anything"
    [said] = told.sentences
    assert "no prompt can be packed again, as packed chunks lack a rank of one retrieval" in said


def test_what_if_without_requests_has_no_rows(store: Path) -> None:
    with reader(store) as con:
        assert what_if_rows(con, date(2026, 11, 9), Given()).num_rows == 0
