"""The weekly report as data and text: true, complete, the same every time, and hard to break."""

from __future__ import annotations

import base64
import hashlib
import html.parser
import json
import re
from collections import Counter
from collections.abc import Iterator
from datetime import date
from itertools import accumulate
from pathlib import Path
from typing import Any

import jsonschema
import pyarrow as pa
import pytest
import report_traffic as traffic
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from analyzer import assets, charts, names, query, report
from analyzer.errors import CitelogError, NothingThere
from analyzer.report import drawings, markdown, marks, pictures, script, titles
from analyzer.report import html as page
from analyzer.report import json as machine
from analyzer.report.dashboard import PanelPlan, load_dashboard
from analyzer.report.model import Group, Panel, Part, Report
from analyzer.report.tables import (
    effects,
    evaluations,
    lengths,
    orderings,
    rejections,
    seen,
    spending,
    weeks,
    what_if,
)
from analyzer.store import reader
from analyzer.telling.spans import Span, plain

WEEK = traffic.MONDAY.date()
PLAN = load_dashboard("weekly")
Store = Path


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return traffic.store(tmp_path_factory.mktemp("store"))


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return traffic.bare_store(tmp_path_factory.mktemp("bare"))


def built(store: Store, week: date = WEEK, weeks: int = 14) -> Report:
    with reader(store) as con:
        return report.build(con, week=week, weeks=weeks, command="citelog report", version="1.2.3")


@pytest.fixture(scope="module")
def made(store: Store) -> Report:
    return built(store)


@pytest.fixture(scope="module")
def text(made: Report) -> str:
    return page.render(made)


def panel(made: Report, name: str) -> Panel:
    return next(panel for panel in made.panels if panel.name == name)


def part(made: Report, name: str, route: str, group: int = 0) -> Any:
    return next(p for p in panel(made, name).groups[group].parts if p.route == route)


# ------------------------------------------------------------------ the page as data


MADE = {
    "effects": effects.SCHEMA,
    "orderings": orderings.SCHEMA,
    "judged_weeks": weeks.SCHEMA,
    "lengths": lengths.SCHEMA,
    "reaches": seen.SCHEMA,
    "spending": spending.SCHEMA,
    "rejections": rejections.SCHEMA,
    "what_if": what_if.SCHEMA,
    "evaluated_places": evaluations.PLACED,
    "gaps": evaluations.GAPS,
    "coverage": evaluations.COVERED,
}


def promised(plan: PanelPlan) -> tuple[set[str], set[str]]:
    """The columns and the parameters that a panel may name."""
    if plan.made:
        return set(MADE[plan.made].names), {"week", "weeks"}
    asked = query.load_query(plan.query)
    columns = {column.name for column in asked.columns}
    return columns, {parameter.name for parameter in asked.parameters}


@pytest.mark.parametrize("plan", PLAN.panel, ids=lambda plan: plan.name)
def test_a_panel_asks_and_prints_only_what_its_query_promises(plan: PanelPlan) -> None:
    assert plan.section in {section.name for section in PLAN.section}
    assert set(plan.key) <= set(PLAN.keys)
    columns, parameters = promised(plan)
    pieces = [*plan.table, *plan.note, *plan.remark]
    named = {name for piece in pieces for name in (piece.show, piece.sum, piece.to, piece.needs)}
    named |= {plan.row_n, plan.row_name, plan.also_at_most, plan.baseline, plan.group, plan.sort}
    named |= {plan.refused, plan.marks, *plan.says, plan.apart}
    named |= {plan.pivot.rows, plan.pivot.columns, plan.pivot.also} if plan.pivot else set()
    named |= {plan.words.column} if plan.words else set()
    assert named - {""} <= columns
    assert set(plan.asks) <= parameters
    assert plan.chart.get("kind", "bars") in charts.KINDS


def test_panels_have_names_of_their_own() -> None:
    assert max(Counter(plan.name for plan in PLAN.panel).values()) == 1


def test_a_broken_page_is_said_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "weekly.toml").write_text("[page]\neyebrow = 7\n")
    assets.use("dashboards", tmp_path)
    with pytest.raises(CitelogError, match=r"weekly\.toml: Expected `str`, got `int`"):
        load_dashboard("weekly")


# ------------------------------------------------------------------ the head


def test_the_head_counts_what_was_put_in(made: Report) -> None:
    requests = sum(traffic.REQUESTS_A_WEEK.values()) - traffic.REQUESTS_A_WEEK["gone"]
    assert made.head.totals["requests"] == requests
    assert made.head.totals["packed"] == 6 * requests
    assert made.head.totals["routes"] == 6
    assert made.head.baseline == (7, 13)


def test_lines_add_up(made: Report) -> None:
    lines = made.head.lines
    parts = ("loaded", "duplicate", "superseded", "rejected")
    assert lines["read"] == sum(lines[name] for name in parts)
    assert lines["rejected"] == 1


def test_a_label_that_the_week_before_did_not_have_is_new(made: Report, bare: Store) -> None:
    releases = next(seen for seen in made.head.seen if seen.kind == "releases")
    assert releases.labels == (("<i>2.14</i>", 370, WEEK),)
    index = next(seen for seen in made.head.seen if seen.kind == "index versions")
    assert index.labels == (("ix", 370, None),)
    assert all(first is None for seen in built(bare).head.seen for _, _, first in seen.labels)


def test_an_incomplete_week_is_said_and_not_tested(made: Report, text: str) -> None:
    assert not made.head.complete
    assert made.changes.judged is None
    assert plain(made.changes.title) == ("2026-W47 is not over, so nothing was tested for drift")
    assert made.foot.tests == "none; a week is tested once it is over"
    assert "Only weeks that are over are tested for drift" in text
    first = made.notes[0]
    assert first.label == "Incomplete week"
    assert plain(first.text) == (
        "No requests on 21 November and 22 November, so every count of this week is of 5 days."
    )


def test_a_silent_route_is_said_with_its_last_day(made: Report) -> None:
    assert plain(made.notes[1].text) == (
        "gone has no answers this week; its last was on 15 November."
    )


def test_a_week_without_requests_is_nothing_there(store: Store) -> None:
    with pytest.raises(NothingThere, match="there are no requests in 2027-W02"):
        built(store, date(2027, 1, 11))


# ------------------------------------------------------------------ panels


def rows_of(made: Report, name: str) -> list[dict[str, Any]]:
    table = panel(made, name).table
    assert table is not None
    rows: list[dict[str, Any]] = table.to_pylist()
    return rows


def test_routes_stand_in_the_order_of_their_requests(made: Report) -> None:
    routes = [part.route for part in panel(made, "funnel").groups[0].parts]
    assert routes[0] == "support"
    assert routes[-2:] == ["tiny", "gone"]


def test_the_funnel_draws_what_the_question_answered(made: Report) -> None:
    drawn = part(made, "funnel", "support").rows
    asked = [row for row in rows_of(made, "funnel") if row["route"] == "support"]
    assert [row["per_answer"] for row in drawn] == [8.0, 6.0, round(asked[2]["per_answer"], 4)]


def test_a_title_says_what_its_rows_say(made: Report) -> None:
    rows = rows_of(made, "funnel")
    chunks, answers = Counter[str](), 0
    for row in rows:
        chunks[row["stage"]] += row["chunks"]
        answers += row["answers"] * (row["stage"] == "cited")
    cited, packed = (f"{chunks[stage] / answers:.1f}" for stage in ("cited", "packed"))
    said = plain(panel(made, "funnel").title)
    assert said == f"An answer cites {cited} of the {packed} chunks in its prompt"


def test_a_tiny_route_is_named_and_not_drawn(made: Report) -> None:
    tiny = part(made, "funnel", "tiny")
    assert (tiny.state, tiny.rows) == ("too_few", ())
    assert tiny.message == "Too few: 10 at most, 50 are needed."


def test_a_silent_route_says_its_last_answer(made: Report) -> None:
    gone = part(made, "cited_by_depth", "gone")
    assert gone.state == "none"
    assert gone.message == "No answers with known citations this week. Last answer: 15 November."


def test_a_young_route_says_how_much_baseline_it_has(bare: Store) -> None:
    only = part(built(bare), "cited_by_position", "unknown")
    assert only.state == "drawn"
    assert only.remarks == ("no baseline yet (0 of 6 weeks)",)


def test_rows_with_too_little_behind_them_are_named(bare: Store) -> None:
    made = built(bare)
    wrong = panel(made, "expected_funnel")
    assert wrong.state == "empty"
    assert "carries a label" in wrong.message
    assert panel(made, "near_copy_documents").state == "empty"
    assert made.head.complete


def test_a_week_with_too_little_breaks_the_line(made: Report) -> None:
    """`support` has 8 x 60 judged requests; with a floor of 51 nothing but gaps would be left."""
    accuracy = panel(made, "weekly_measures").groups[-1]
    drawn = next(p for p in accuracy.parts if p.route == "support")
    assert len(drawn.rows) == traffic.WEEKS
    assert all(row["value"] is not None for row in drawn.rows)


def failing(monkeypatch: pytest.MonkeyPatch, name: str, fault: Exception) -> None:
    asked = query.ask

    def ask(con: Any, asked_for: str, **params: object) -> pa.Table:
        if asked_for == name:
            raise fault
        return asked(con, asked_for, **params)

    monkeypatch.setattr(query, "ask", ask)


def test_a_question_that_fails_costs_its_panel_alone(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing(monkeypatch, "cited_by_depth", CitelogError("query cited_by_depth: <b>no</b>"))
    made = built(store)
    states = {panel.name: panel.state for panel in made.panels}
    assert states.pop("cited_by_depth") == states.pop("shares_by_depth") == "failed"
    assert "failed" not in states.values()
    assert made.foot.state == f"2 of {len(made.panels)} panels could not be made"
    assert "could not be answered: query cited_by_depth: &lt;b&gt;no&lt;/b&gt;" in page.render(made)


def test_ctrl_c_within_a_question_ends_the_report(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing(monkeypatch, "cited_by_depth", RuntimeError("Query interrupted"))
    with pytest.raises(RuntimeError):
        built(store)


def test_a_chart_that_fails_leaves_its_table(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any, **__: Any) -> Any:
        raise ValueError("no such mark")

    monkeypatch.setattr(charts.KINDS["heat"], "chart", broken)
    failed = panel(built(store), "rank_by_position")
    assert failed.state == "failed"
    assert failed.message.startswith("This chart could not be drawn (no such mark)")
    assert failed.groups[0].grids[0][1].rows


def test_many_routes_are_cut_and_counted(tmp_path: Path) -> None:
    log = tmp_path / "many.jsonl"
    records = (
        {**traffic.bare(number), "route": f"route {number % 14:02}", "request_id": f"r{number}"}
        for number in range(14 * 60)
    )
    log.write_text("\n".join(map(json.dumps, records)))
    traffic.ingest([log], tmp_path / "many.duckdb", now=traffic.MONDAY)
    made = built(tmp_path / "many.duckdb")
    funnel = panel(made, "funnel")
    assert len(funnel.groups[0].parts) == PLAN.page.routes_at_most == 12
    assert funnel.routes_left_out == 2
    assert "The busiest routes are shown; 2 more are in the JSON form." in page.render(made)
    rows = next(p for p in machine.document(made)["panels"] if p["name"] == "funnel")["rows"]
    assert len({row["route"] for row in rows}) == 14


def test_rejected_lines_are_told_by_kind_of_fault_and_not_by_value_or_file() -> None:
    ranks = "but ranks are whole numbers from 1"
    asked = [
        ("a.jsonl", "chunks[].rank", f"is 1.7, {ranks}", 2, 9),
        ("b.jsonl", "chunks[].rank", f"is 1.7, {ranks}", 3, 4),
        ("b.jsonl", "chunks[].rank", f"is a, but b, {ranks}", 1, 2),
        ("a.jsonl", "chunks[].rank", f"is 1 a second time, {ranks}", 1, 7),
        ("a.jsonl", "", "is 2026-11-07T10:56 without an offset", 1, 5),
        ("a.jsonl", "", "is 2026-11-08T11:57 without an offset", 1, 6),
    ]
    names = ("file", "path", "reason", "lines", "first_line")
    table = pa.Table.from_pylist([dict(zip(names, row, strict=True)) for row in asked])
    told = [tuple(row.values()) for row in rejections.rejection_rows(table).to_pylist()]
    assert told == [
        ("chunks[].rank", f"is 1.7, {ranks} (and 1 other value)", 2, 6, 2, "b.jsonl", 4, 2),
        ("", "is 2026-11-07T10:56 without an offset (and 1 other value)", 2, 2, 1, "a.jsonl", 2, 5),
        ("chunks[].rank", f"is 1 a second time, {ranks}", 1, 1, 1, "a.jsonl", 1, 7),
    ]


def test_a_title_names_the_routes_at_both_ends(made: Report, bare: Store) -> None:
    rows = [
        {"answers": 9, "route": route, "citation_free_rate": free, "stray_rate": 0.0}
        for route, free in (("a", 0.2), ("<b>", 0.1), ("c", None))
    ]
    plan = next(plan for plan in PLAN.panel if plan.name == "citation_faults")
    said = titles.title(plan, pa.Table.from_pylist(rows), WEEK, {"<b>": "b"})
    assert plain(said) == (
        "Answers that cite nothing: 10.0% on b to 20.0% on a; stray citations: 0.0% on every route"
    )
    assert [span.text for span in said if span.kind == "name"] == ["b", "a"]
    one = plain(panel(built(bare), "citation_faults").title)
    assert re.fullmatch(r"Answers that cite nothing: [\d.]+%; stray citations: [\d.]+%", one)


# ------------------------------------------------------------------ HTML


class Seen(html.parser.HTMLParser):
    """Tags, texts by element, and attributes of a page, as a browser's parser would see them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: Counter[str] = Counter()
        self.attributes: list[tuple[str, str, str]] = []
        self.names: list[str] = []
        self._open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        self._open.append(tag)

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] == "bdi":
            self.names.append(data)

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop() != tag:
            pass


def test_hostile_names_are_text(text: str) -> None:
    seen = Seen(text)
    assert not {"img", "b", "i", "u", "iframe", "object"} & set(seen.tags)
    assert seen.tags["script"] == 3
    assert traffic.HOSTILE[0] in seen.names
    assert not [name for _, name, _ in seen.attributes if name.startswith("on")]


def test_a_page_names_no_address_and_sets_no_style(text: str) -> None:
    seen = Seen(text)
    assert not [name for _, name, _ in seen.attributes if name in ("style", "src", "srcset")]
    links = [value for _, name, value in seen.attributes if name == "href"]
    assert links
    assert all(link.startswith("#") for link in links)


def test_the_policy_allows_these_scripts_and_this_style_alone(text: str) -> None:
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', text)
    assert policy
    blocks = re.findall(r"<(script|style)>(.*?)</\1>", text, re.S)
    hashes = [
        f"sha256-{base64.b64encode(hashlib.sha256(block.encode()).digest()).decode()}"
        for _, block in blocks
    ]
    said = html.unescape(policy[1])
    assert said.startswith("default-src 'none'; ")
    assert sorted(re.findall(r"'(sha256-[^']+)'", said)) == sorted(hashes)
    assert "unsafe" not in said


def test_data_in_the_page_cannot_end_its_script(text: str) -> None:
    data = re.search(r'<script type="application/json" id="drawings">(.*?)</script>', text, re.S)
    assert data
    assert not re.search(r"[<>&]", data[1])
    assert json.loads(data[1])


def test_every_drawing_has_its_place_and_a_sentence(text: str) -> None:
    data = re.search(r'id="drawings">(.*?)</script>', text, re.S)
    assert data
    ids = [id for drawing in json.loads(data[1])["drawings"] for id in drawing["rows"]]
    places = [value for tag, name, value in Seen(text).attributes if (tag, name) == ("div", "id")]
    assert sorted(ids) == sorted(places)
    sentences = [value for _, name, value in Seen(text).attributes if name == "aria-label"]
    assert len([words for words in sentences if ": " in words]) >= len(ids)


def unpacked(drawing: dict[str, Any], id: str) -> list[dict[str, Any]]:
    """The rows of one drawing, read as `dashboards/boot.js` reads them."""
    length, *stored = drawing["rows"][id]
    rows: list[dict[str, Any]] = [{} for _ in range(length)]
    for column, values in zip(drawing["columns"], stored, strict=True):
        places = values if isinstance(values, dict) else summed(values)
        for place, row in enumerate(rows):
            value = places.get(str(place))
            row[column["name"]] = None if value is None else meant(column, value)
    return rows


def summed(steps: list[int | None]) -> dict[str, int]:
    known = [(str(place), step) for place, step in enumerate(steps) if step is not None]
    sums = accumulate(step for _, step in known)
    return {place: value for (place, _), value in zip(known, sums, strict=True)}


def meant(column: dict[str, Any], value: int) -> Any:
    if "words" in column:
        return column["words"][value - 1]
    return value * column["days"] if "days" in column else value / column["by"]


def test_the_page_holds_the_rows_of_every_drawing(made: Report) -> None:
    packed = json.loads(json.dumps(drawings.packed(made)))
    found = {id: unpacked(one, id) for one in packed["drawings"] for id in one["rows"]}
    for panel in made.panels:
        for number, group in enumerate(panel.groups):
            for index, part in enumerate(group.parts):
                if part.state == "drawn":
                    rows = found.pop(drawings.chart_id(panel, number, index))
                    assert rows == [{name: row.get(name) for name in rows[0]} for row in part.rows]
    assert not found


@given(
    st.lists(
        st.fixed_dictionaries(
            {
                "rate": st.none() | st.integers(-10000, 10000).map(lambda n: n / 10000),
                "many": st.none() | st.integers(0, 10**7),
                "long": st.floats(1, 10**6).map(lambda x: float(f"{x:.5g}")),
                "week": st.none() | st.integers(0, 30000).map(lambda n: n * drawings.DAY_MS),
                "told": st.none() | st.sampled_from(["up", "down", "</script>"]),
                "changed": st.booleans(),
            }
        ),
        min_size=1,
    )
)
def test_any_rows_come_out_of_the_page_as_they_went_in(rows: list[dict[str, Any]]) -> None:
    part = Part("a", "", "drawn", "", (), "", tuple(rows))
    group = Group("", "", {"layer": [], "config": {}}, (part,), ())
    told = Panel("s", "p", (), "", "drawn", "", groups=(group,))
    drawing = json.loads(json.dumps(drawings._drawing(told, 0, group)))
    assert unpacked(drawing, "p-0-0") == rows


def test_the_same_store_gives_the_same_bytes(store: Store, made: Report, text: str) -> None:
    again = built(store)
    assert page.render(again) == text
    assert machine.render(again) == machine.render(made)


def test_a_user_without_a_home_keeps_no_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def homeless(_: Path) -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "expanduser", homeless)
    monkeypatch.setattr(script, "_made", lambda: "draw()")
    assert script.chart_script() == "draw()"
    assert list(tmp_path.iterdir()) == []


def test_a_cache_that_was_spoilt_is_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(script, "_made", lambda: "draw()")
    script.chart_script()
    [file] = tmp_path.glob("citelog/*")
    for spoilt in (b"", b"\xff\xfe"):
        file.write_bytes(spoilt)
        assert script.chart_script() == "draw()"
        assert file.read_text() == "draw()"


def test_a_cache_that_cannot_be_kept_changes_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(script, "_made", lambda: "draw()")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert script.chart_script() == "draw()"
    monkeypatch.setattr(script, "_made", lambda: "never asked again")
    assert script.chart_script() == "draw()"
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert script.chart_script() == "never asked again"


@given(st.text(max_size=300))
def test_any_name_is_one_line_of_visible_text(name: str) -> None:
    label = names.shown(name)
    assert label
    assert len(label) <= names.LONGEST
    assert label.isprintable()


@given(st.lists(st.text("ab\n" + "x" * 3, max_size=200), unique=True))
def test_labels_are_as_many_as_names(routes: list[str]) -> None:
    assert len(set(names.labels(routes).values())) == len(routes)


@given(st.text(max_size=100))
def test_any_name_comes_through_the_page_as_it_is(name: str) -> None:
    label = names.shown(name)
    seen = Seen(str(page.marked((Span(label, "name"),))))
    assert seen.tags == {"bdi": 1}
    assert "".join(seen.names) == label


# ------------------------------------------------------------------ JSON


@pytest.fixture(scope="module")
def document(made: Report) -> dict[str, Any]:
    parsed: dict[str, Any] = json.loads(machine.render(made))
    return parsed


def schema() -> dict[str, Any]:
    text = (assets.folder("dashboards") / "report.schema.json").read_text()
    parsed: dict[str, Any] = json.loads(text)
    return parsed


def test_json_follows_its_schema(document: dict[str, Any], bare: Store) -> None:
    jsonschema.Draft202012Validator.check_schema(schema())
    jsonschema.validate(document, schema())
    jsonschema.validate(json.loads(machine.render(built(bare))), schema())


def test_every_property_of_the_schema_is_documented_or_plain(document: dict[str, Any]) -> None:
    assert set(schema()["properties"]) == set(document)


def test_json_holds_the_very_rows_that_the_question_gives(
    store: Store, document: dict[str, Any]
) -> None:
    with reader(store) as con:
        asked = query.ask(con, "cited_by_depth", week=WEEK).to_pylist()
    told = next(p for p in document["panels"] if p["name"] == "cited_by_depth")
    assert told["rows"] == asked
    assert [column["name"] for column in told["columns"]] == list(asked[0])


def test_json_keeps_names_as_they_were_logged(document: dict[str, Any]) -> None:
    routes = {row["label"] for row in document["labels"] if row["kind"] == "route"}
    assert set(traffic.HOSTILE) <= routes


def test_what_is_no_number_is_null(made: Report) -> None:
    assert machine._scalar(float("nan")) is None
    assert machine._scalar(float("inf")) is None
    assert machine._scalar(0.1) == 0.1


# ------------------------------------------------------------------ Markdown


def tokens(text: str) -> Iterator[Any]:
    for block in MarkdownIt("commonmark").enable("table").parse(text):
        yield block
        yield from block.children or ()


def test_every_picture_named_is_there_and_none_else(bare: Store, tmp_path: Path) -> None:
    text, *pictures = markdown.write(built(bare), tmp_path / "week.md")
    named = {token.attrs["src"] for token in tokens(text.read_text()) if token.type == "image"}
    assert named == {picture.name for picture in pictures}
    for picture in pictures:
        assert picture.read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
        assert picture.stat().st_size > 5000


def test_a_picture_asks_for_no_width_but_its_own(made: Report) -> None:
    """Beside others a drawing's width has another name, and what is told by it is not drawn."""
    specs = [group.spec for panel in made.panels for group in panel.groups if group.spec]
    asked = re.findall(r'"expr": "([^"]*)"', json.dumps(specs))
    assert any("width" in told for told in asked)
    sized = re.findall(r'"expr": "([^"]*)"', json.dumps(pictures._sized(specs, 300)))
    assert [told.replace("width", "300") for told in asked] == sized


def test_markdown_tells_what_stands_under_a_drawing(made: Report) -> None:
    text = markdown.render(made, {})
    remarks = part(made, "context_tokens", "support").remarks
    assert remarks[0].startswith("median budget 2,500; ")
    assert f"- `support`: {'; '.join(remarks)}" in text


def test_markdown_reads_nothing_into_hostile_names(made: Report) -> None:
    found = list(tokens(markdown.render(made, {"funnel": "week-funnel.png"})))
    kinds = Counter(token.type for token in found)
    assert not kinds["html_inline"]
    assert not kinds["html_block"]
    assert not kinds["link_open"]
    codes = {token.content for token in found if token.type == "code_inline"}
    assert traffic.HOSTILE[0] in codes


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("doc_id (packed chunks)", "`doc_id` (packed chunks)"),
        ("of model_a, (b_c).", "of `model_a`, (`b_c`)."),
        ("<0.1% & more, a < b", "<0.1% & more, a < b"),
        ("no <b>bold</b> `tick`", "no `<b>bold</b>` `` `tick` ``"),
    ],
)
def test_code_marks_leave_the_prose_around_a_word_alone(words: str, said: str) -> None:
    assert marks.text(words) == said


@given(st.text(max_size=80).map(names.shown))
def test_prose_is_read_as_it_is_whatever_stands_in_it(words: str) -> None:
    found = (
        MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(f"x {marks.text(words)}")
    )
    assert [block.type for block in found] == ["paragraph_open", "inline", "paragraph_close"]
    assert {child.type for child in found[1].children or ()} <= {"text", "code_inline"}


@given(st.text(min_size=1, max_size=60).map(names.shown))
def test_code_spans_hold_any_name(name: str) -> None:
    (block,) = [token for token in MarkdownIt().parse(markdown.code(name)) if token.children]
    (only,) = block.children or []
    assert only.type == "code_inline"
    assert only.content.strip() == name.strip()
