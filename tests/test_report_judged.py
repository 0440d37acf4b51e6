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
from loading.records import log, packed, request
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


def built(
    store: Path, week: date, said: tuple[Said, ...] = (), today: date | None = None
) -> Report:
    with reader(store) as con:
        return report.build(con, week=week, version="1.2.3", judging=Judging(said, today))


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
    assert "at equal rank: 14% lower before, 27% lower since (" in old.speaks_for[0]


def test_a_quiet_week_and_a_first_week_say_so(store: Path) -> None:
    assert plain(built(store, W40).changes.title) == "No drift on 3 routes"
    first = built(store, W34).changes
    assert plain(first.title) == "None of 3 routes could be checked for drift"
    assert "no baseline yet (0 of 6 weeks)" in plain(dict(first.asides)["Not checked"][0])


MUTE = Said(
    said_at=datetime(2026, 11, 23, tzinfo=UTC), kind="mute", alarm=NEAR_COPIES,
    until=date(2026, 12, 14), who="ana",
)  # fmt: skip
UNMUTE = Said(
    said_at=datetime(2026, 11, 24, tzinfo=UTC), kind="unmute", alarm=NEAR_COPIES,
    until=date(2026, 11, 23), who="ana",
)  # fmt: skip


def test_a_muted_alarm_is_named_and_nothing_good_is_said_of_its_route(store: Path) -> None:
    made = built(store, W47, (MUTE,), date(2026, 12, 14))
    told = made.changes
    assert told.screen is not None
    assert (told.screen.new, len(told.screen.muted)) == ((), 1)
    assert plain(told.title) == "No new drift on 2 of 3 routes; 1 muted; still off: docs"
    asides = {label: " ".join(map(plain, texts)) for label, texts in told.asides}
    assert asides["Muted"] == (
        "1 alarm muted: 2026-W47-support-near-copies, until 2026-12-14 (as of 2026-12-14). To show "
        "it again: citelog mute 2026-W47-support-near-copies --undo"
    )
    tests = {one.route: one.tests for one in told.screen.standings}
    assert asides["No alarm"].startswith(f"{tests['docs'] + tests['code']} tests on docs and code ")
    assert machine.document(made)["changes"]["muted"] == 1


@pytest.mark.parametrize(
    ("said", "today"), [((MUTE,), date(2026, 12, 15)), ((MUTE, UNMUTE), date(2026, 11, 24))]
)
def test_a_mute_that_is_over_or_taken_back_hides_nothing(
    store: Path, made: Report, said: tuple[Said, ...], today: date
) -> None:
    told = built(store, W47, said, today).changes
    assert told.title == made.changes.title
    assert told.screen is not None
    assert [one.alarms for one in told.screen.new] == [(NEAR_COPIES,)]
    assert "Muted" not in dict(told.asides)


def test_a_cause_says_what_to_do(made: Report) -> None:
    assert made.changes.screen is not None
    assert plain(made.changes.screen.new[0].cause).endswith(
        "(strength of the evidence: 10 of 10). To do: remove the older copies of 119 documents "
        "from the index; citelog query near_copy_documents lists them."
    )


def test_the_first_screen_and_the_table_agree_on_what_is_not_watched(made: Report) -> None:
    said = " ".join(map(plain, dict(made.changes.asides)["Could have seen"]))
    assert said.endswith(
        "The position effect of support and code could not be told and is not watched."
    )
    dips = [row for row in rows(made, "could_have_seen") if row["measure"] == "position effect"]
    assert {row["route"] for row in dips if not row["monitored"]} == {"support", "code"}


def test_an_estimate_over_a_change_of_model_says_so(made: Report) -> None:
    told = {
        row["route"]: row["sentence"]
        for row in rows(made, "adjusted_effect")
        if (row["span"], row["against"]) == ("weeks", "edge")
    }
    assert told["docs"].endswith(
        "Models before and since 12 October, when heron-2 was first seen, are pooled in this."
    )
    assert "pooled" not in told["support"] + told["code"]
    week = [row for row in rows(made, "adjusted_effect") if row["span"] == "week"]
    assert not any("pooled" in row["sentence"] for row in week)


def test_a_week_of_one_request_tells_when_its_alarms_were_last_measured(
    store: Path, tmp_path: Path
) -> None:
    again = tmp_path / "again.duckdb"
    shutil.copy(store, again)
    one = request("w48", *packed(1, 2, 3), requested_at="2026-11-23T08:00:00Z", route="docs")
    ingest([log(tmp_path / "late.jsonl", one)], again, now=datetime(2026, 11, 30, tzinfo=UTC))
    told = built(again, date(2026, 11, 23), today=date(2026, 11, 30)).changes
    assert told.screen is not None
    support, docs = (
        next(each for each in told.screen.open if each.text[0].text == route)
        for route in ("support", "docs")
    )
    assert "at the alarm in 2026-W47, when it was last measured; from before" in plain(support.text)
    assert "when last measured, in 2026-W47; from before to then" in plain(docs.text)
    assert "this week" not in plain(support.text) + plain(docs.text)
    assert "2026-W47" in support.command
    assert "2026-W47" in docs.command
    assert "Mix" not in dict(told.asides)


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


def test_the_page_says_what_the_rejected_lines_are_of_and_where_charts_without_script_are(
    made: Report,
) -> None:
    page = html.render(made)
    rejected, read = (f"{made.head.lines[name]:,}" for name in ("rejected", "read"))
    assert f"<dd>{rejected} <small>of {read} in all files</small></dd>" in page
    assert page.index("<noscript>") < page.index('class="chart"')


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
