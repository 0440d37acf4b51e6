"""The first screen of simulated traffic: what is no alarm of a route, and what is missing.

Three routes over nine weeks. In the eighth the traffic of one is four times what it was; from the
Wednesday of the ninth on another is silent.
"""

from __future__ import annotations

import json
from datetime import timedelta

import jsonschema
import pytest
from nights import Service
from simulated import MONDAY, happening, small_route, small_world, written

from analyzer import assets, report
from analyzer.report import Judging, Report, html, markdown
from analyzer.report import json as machine
from analyzer.store import reader
from analyzer.telling.spans import plain

WEEK = timedelta(weeks=1)
SHIFTED, SILENT, AFTER = (MONDAY + weeks * WEEK for weeks in (7, 8, 9))
ROUTES = ("support", "docs", "code")
SMALL = ("drift.least_requests=40", "volume.least_requests=3", "volume.least_fields=10")


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Service:
    """After the night that follows the ninth week."""
    made = Service(tmp_path_factory.mktemp("simulated"), SMALL, reports=False)
    moved = happening("mix_shift", SHIFTED, "docs", factor=4.0)
    gone = happening("mix_shift", SILENT + timedelta(days=2), "code", factor=0.0)
    routes = (small_route(name, requests=160.0) for name in ROUTES)
    written(small_world(*routes, weeks=9, incidents=[moved, gone]), made.logs, per="week")
    made.night(AFTER.date())
    return made


@pytest.fixture(scope="module")
def shifted(service: Service) -> Report:
    return built(service, 7)


@pytest.fixture(scope="module")
def silent(service: Service) -> Report:
    return built(service, 8)


def built(service: Service, weeks: int) -> Report:
    judging = Judging(service.events(), AFTER.date(), service.config().drift_settings)
    with reader(service.store) as con:
        week = (MONDAY + weeks * WEEK).date()
        return report.build(con, week=week, version="1", judging=judging)


def test_traffic_that_moved_between_routes_is_one_line_and_no_alarm(shifted: Report) -> None:
    assert plain(shifted.changes.title) == "No drift on 3 routes"
    (told,) = dict(shifted.changes.asides)["Mix"]
    assert plain(told).startswith("No alarm: the routes' shares of requests moved (docs 3")
    assert "traffic mix is" in plain(told)
    assert "change within routes" in plain(told)
    assert shifted.changes.screen is not None
    assert not shifted.changes.screen.new


def test_the_mix_line_stands_in_every_form(shifted: Report) -> None:
    (told,) = dict(shifted.changes.asides)["Mix"]
    page = html.render(shifted)
    assert "<dt>Mix</dt>" in page
    assert plain(told).split("; ")[1] in page
    assert f"**Mix.** {plain(told)}" in markdown.render(shifted, {})
    assert machine.document(shifted)["changes"]["said"]["Mix"] == [plain(told)]


def test_a_route_that_fell_silent_is_the_first_finding(silent: Report) -> None:
    assert plain(silent.changes.title) == "No drift on 3 routes; 1 alarm of silence"
    told = silent.changes.screen
    assert told is not None
    (one,) = told.silent
    assert one.label == "Silence"
    assert plain(one.text).startswith("code had no requests on Sunday 2026-10-18; on the same")
    assert one.alarms == ("2026-10-19-code-silent",)
    assert one.command.startswith("citelog query requests_per_day ")


def test_a_silence_stands_in_every_form_and_in_no_week_before(
    shifted: Report, silent: Report
) -> None:
    assert shifted.changes.screen is not None
    assert not shifted.changes.screen.silent
    page, text = html.render(silent), markdown.render(silent, {})
    assert page.index("code had no requests on Sunday") < page.index('id="funnel"')
    assert "- **Silence.** code had no requests on Sunday" in text
    document = machine.document(silent)
    jsonschema.validate(
        document, json.loads((assets.folder("dashboards") / "report.schema.json").read_text())
    )
    assert [one["label"] for one in document["changes"]["silent"]] == ["Silence"]
