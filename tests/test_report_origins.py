"""The report says which share of requests carries which origin, and what that takes away."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from loading.sites import Site

from analyzer import report
from analyzer.cli import main
from analyzer.report import html, markdown
from analyzer.report import json as machine
from analyzer.report.model import Report
from analyzer.store import reader

WEEK = date(2026, 11, 16)


def request(number: int, route: str, **more: Any) -> dict[str, Any]:
    chunks = [
        {"chunk_id": f"c{at}", "rank": at, "position": at, "tokens": 9, "cited": at == 1}
        for at in (1, 2, 3)
    ]
    return {
        "request_id": f"{route}-{number}",
        "requested_at": f"2026-11-{16 + number % 7}T10:00:00Z",
        "route": route,
        "chunks": chunks,
        **more,
    }


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """Of 10 requests of `traces`, 4 assume the position and 5 derive it; `papers` are pruned."""
    site = Site(tmp_path_factory.mktemp("origins"))
    positions = ["assumed"] * 4 + ["derived"] * 5 + ["logged"]
    traces = [
        request(
            at, "traces", origins={"rank": "derived", "tokens": "estimated", "position": origin}
        )
        for at, origin in enumerate(positions)
    ]
    papers = [request(at, "papers", exposure="pruned") for at in range(8)]
    site.load_log("log.jsonl", *traces, *papers)
    with reader(site.store) as con:
        return report.build(con, week=WEEK, weeks=2, command="citelog report", version="1.2.3")


def test_the_page_tells_each_kind_with_its_share(made: Report) -> None:
    for text in (html.render(made), markdown.render(made, {})):
        assert "0.0% of 30; 9 not as logged, 50.0% derived, 40.0% assumed" in text  # position
        assert "10 not as logged, 100.0% estimated" in text  # tokens


def test_machines_get_every_share_and_what_it_is_of(made: Report) -> None:
    panels = json.loads(machine.render(made))["panels"]
    [rows] = [panel["rows"] for panel in panels if panel["name"] == "data_quality"]
    [position] = [row for row in rows if (row["route"], row["field"]) == ("traces", "position")]
    kinds = ("parsed", "counted", "derived", "estimated", "assumed")
    assert position["requests"] == 10
    assert [position[f"{kind}_rate"] for kind in kinds] == [0, 0, 0.5, 0, 0.4]


def test_what_is_assumed_or_not_listed_is_said_with_what_it_takes_away(made: Report) -> None:
    notes = {note["label"]: note for note in json.loads(machine.render(made))["notes"]}
    assert notes["Not listed"]["text"] == (
        "papers: 8 of 8 answers list only what was cited, or a used part of what was packed, so "
        "they enter no cited rate and no measure of position."
    )
    assert notes["Assumed"]["text"] == (
        "traces: the position of 40.0% of 10 requests is assumed to be the rank, so they tell no "
        "effect of position."
    )
    assert notes["Assumed"]["command"] == (
        "citelog query data_quality --param week=2026-W47 --param route=traces"
    )


@pytest.mark.parametrize("command", ["effect", "orderings"])
def test_a_route_that_lists_no_prompts_is_refused_with_that_reason(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    site = Site(tmp_path)
    site.load_log("log.jsonl", *(request(at, "papers", exposure="pruned") for at in range(8)))
    assert main.run([command, "--store", str(site.store), "--week", "2026-W47"]) == 5
    assert capsys.readouterr().err.endswith(
        "; 8 of 8 answers list only what was cited, or a used part of what was packed, and no "
        "measure of position is made of that\n"
    )


def test_a_sealed_week_says_that_the_kinds_are_not_kept(tmp_path: Path) -> None:
    site = Site(tmp_path)
    site.load_log("log.jsonl", request(1, "traces", origins={"position": "assumed"}))
    site.seal("2026-11-23", "2026-12-01")
    with reader(site.store) as con:
        made = report.build(con, week=WEEK, weeks=2, command="citelog report", version="1.2.3")
    [note] = [
        each for each in json.loads(machine.render(made))["notes"] if each["label"] == "Not kept"
    ]
    assert note["text"] == (
        "This week is sealed: of 1 field it is kept how many values are not as logged, but not "
        "whether they were parsed, counted, derived, estimated or assumed."
    )
