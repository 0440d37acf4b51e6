"""The weekly report of the sample logs: their planted incidents told, dated, drawn and written."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from headless_chromium import Browser, browser, executable
from report_traffic import a_year
from test_report_page import CROWDED, opened

from analyzer import assets, report, watch
from analyzer.report import Judging, Report, html, markdown
from analyzer.report import json as machine
from analyzer.store import reader
from analyzer.telling.spans import plain
from analyzer.updating import ingest
from analyzer.watch.events import Said

W34, W40, W47 = (date.fromisocalendar(2026, week, 1) for week in (34, 40, 47))
NEAR_COPIES = "2026-W47-support-near-copies"


@pytest.fixture(scope="module")
def store(repo_root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("samples") / "samples.duckdb"
    ingest([repo_root / "sample_logs" / "*.jsonl.*"], path, now=datetime(2026, 11, 24, tzinfo=UTC))
    return path


def built(store: Path, week: date, said: tuple[Said, ...] = ()) -> Report:
    with reader(store) as con:
        return report.build(con, week=week, version="1.2.3", judging=Judging(said))


@pytest.fixture(scope="module")
def made(store: Path) -> Report:
    return built(store, W47)


def rows(made: Report, name: str) -> list[dict[str, Any]]:
    table = next(panel.table for panel in made.panels if panel.name == name)
    assert table is not None
    found: list[dict[str, Any]] = table.to_pylist()
    return found


def test_the_week_is_told_by_route_and_cause(made: Report) -> None:
    told = made.changes.screen
    assert told is not None
    assert plain(made.changes.title) == "1 of 3 routes drifted: support; still off: docs"
    (new,) = told.new
    assert new.alarms == (NEAR_COPIES,)
    assert "re-indexing left old copies" in plain(new.cause)
    assert new.speaks_for
    (old,) = told.open
    assert "2026-W42-docs-dip" in old.alarms
    assert "(2026-W42)" in plain(old.since)


def test_a_quiet_week_and_a_first_week_say_so(store: Path) -> None:
    assert plain(built(store, W40).changes.title) == "No drift on 3 routes"
    first = built(store, W34).changes
    assert plain(first.title) == "None of 3 routes could be checked for drift"
    assert "no baseline yet (0 of 6 weeks)" in plain(dict(first.asides)["Not checked"][0])


def test_a_muted_alarm_is_counted_and_not_told(store: Path) -> None:
    mute = Said(
        said_at=datetime(2026, 11, 23, tzinfo=UTC), kind="mute", alarm=NEAR_COPIES,
        until=date(2026, 12, 24), who="ana",
    )  # fmt: skip
    told = built(store, W47, (mute,)).changes
    assert told.screen is not None
    assert (told.screen.new, told.screen.muted) == ((), 1)
    assert plain(dict(told.asides)["Muted"][0]).startswith("1 alarm")


def test_a_refused_effect_has_its_place_and_says_what_would_show_it(made: Report) -> None:
    effect = next(panel for panel in made.panels if panel.name == "adjusted_effect")
    code = next(part for part in effect.groups[0].parts if part.route == "code")
    assert code.state == "refused"
    assert "To see a dip of 10% shuffle" in code.message
    docs = [row for row in rows(made, "adjusted_effect") if row["route"] == "docs"]
    edge = next(row for row in docs if (row["span"], row["against"]) == ("week", "edge"))
    assert edge["low"] < edge["value"] < edge["high"] < 0


def test_alarms_stand_where_they_were_raised_outside_their_band(made: Report) -> None:
    weeks = [row for row in rows(made, "weekly_measures") if row["measure"] == "involved_rate"]
    (raised,) = [row for row in weeks if row["alarm"] in ("up", "down")]
    assert (raised["route"], raised["week"], raised["alarm"]) == ("support", W47, "up")
    assert raised["value"] > raised["band_high"] > raised["baseline"]


def test_orderings_add_up_each_day(made: Report) -> None:
    shares: dict[tuple[str, date], float] = {}
    for row in rows(made, "orderings"):
        key = row["route"], row["day"]
        shares[key] = shares.get(key, 0.0) + row["share"]
    assert all(total == pytest.approx(1) for total in shares.values())


def test_json_and_markdown_tell_the_same_finding(made: Report) -> None:
    schema = json.loads((assets.folder("dashboards") / "report.schema.json").read_text())
    document = json.loads(machine.render(made))
    jsonschema.validate(document, schema)
    assert document["changes"]["new"][0]["alarms"] == [NEAR_COPIES]
    assert document["changes"]["tests"] > 0
    text = markdown.render(made, {})
    assert "## What changed" in text
    assert "## Still open from earlier weeks" in text
    assert "Not tested for change" not in text + html.render(made)


def test_the_same_store_gives_the_same_page(store: Path, made: Report) -> None:
    assert html.render(built(store, W47)) == html.render(made)


def test_a_year_of_ten_routes_is_a_page_that_can_be_mailed(store: Path, tmp_path: Path) -> None:
    year = tmp_path / "year.duckdb"
    shutil.copy(store, year)
    a_year(year)
    with reader(year) as con:
        made = report.build(con, week=W47, weeks=52, version="1.2.3", judging=Judging())
    assert all(panel.state != "failed" for panel in made.panels)
    assert len(made.changes.screen.standings if made.changes.screen else ()) == 10
    lengths = rows(made, "context_tokens")
    assert len({(row["week"], row["route"]) for row in lengths}) == 10 * 52
    assert len(html.render(made).encode()) < 2_000_000


def test_the_week_is_the_newest_that_is_over(store: Path) -> None:
    with reader(store) as con:
        assert watch.closed_week(con) == W47


@pytest.fixture
def chromium() -> Iterator[Browser]:
    program = executable()
    if program is None:
        pytest.skip("there is no Chromium on this machine")
    with browser(program) as opened_browser:
        yield opened_browser


@pytest.mark.parametrize("width", [1400, 390])
def test_the_judged_page_is_drawn_without_words_in_each_others_way(
    chromium: Browser, made: Report, tmp_path: Path, width: int
) -> None:
    page = tmp_path / "judged.html"
    page.write_text(html.render(made), encoding="utf-8")
    opened(chromium, page, width)
    assert json.loads(chromium.evaluate(CROWDED)) == []
    assert chromium.evaluate("document.documentElement.scrollWidth") == width
    assert chromium.complaints() == []
