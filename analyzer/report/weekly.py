"""The weekly report of a store, from its rollups: every question of the page asked and answered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from analyzer import elsewhere, names, numbers, query
from analyzer.errors import NothingThere
from analyzer.parameters import monday_of
from analyzer.report.changes import Judging, alarms_of, changes
from analyzer.report.dashboard import Dashboard, load_dashboard
from analyzer.report.head import head
from analyzer.report.model import Changes, Foot, Panel, Report
from analyzer.report.notes import notes
from analyzer.report.panels import panel
from analyzer.report.parts import Scene
from analyzer.report.prices import Given, Prices
from analyzer.report.tables import Make, makers
from analyzer.report.thresholds import thresholds
from analyzer.report.writing import Row
from analyzer.stats.settings import DriftSettings
from analyzer.telling.volumes import counted
from analyzer.whatif import TOKENS_PER_SECOND

if TYPE_CHECKING:
    import duckdb

DAYS_DRAWN = 28


def build(
    con: duckdb.DuckDBPyConnection,
    *,
    week: date,
    weeks: int = 14,
    command: str | None = None,
    version: str,
    judging: Judging | None = None,
    prices: Prices | None = None,
    tokens_per_second: float = TOKENS_PER_SECOND,
) -> Report:
    """The report of the week that opens on the Monday `week`.

    `weeks` is how many trailing weeks are drawn, that one included; `command` is printed as the
    way to make it again; `judging` is what bears on the tests beside the store;
    without `prices` nothing is said of money; `tokens_per_second` is how fast prompts are taken to
    be read. Raises `NothingThere` where the week has no requests.
    """
    plan, judging = load_dashboard("weekly"), judging or Judging()
    answers = _Answers(con, _parameters(plan, week, weeks))
    totals = answers.rows("week_totals", ("week",))
    if not totals or not totals[0]["requests"]:
        raise NothingThere(f"there are no requests in {numbers.iso_week(week)}")
    lately = _lately(con, week, max(plan.page.baseline_weeks, weeks - 1))
    scene = _scene(plan, week, lately)
    found = alarms_of(con, week, judging)
    said = changes(con, found, counted(lately, week), scene, judging)
    answers.makes = makers(
        con,
        week,
        weeks,
        found,
        prices or Given(),
        answers.ask,
        judging.effect,
        tokens_per_second,
    )
    panels = tuple(panel(each, answers.ask, answers.params, scene) for each in plan.panel)
    foot = _foot(plan, panels, said, judging, command, version)
    if engine := elsewhere.engine_of(con):
        foot = replace(foot, method=f"{foot.method} Counted by {engine}.")
    return _report(plan, answers, scene, totals[0], lately, panels, said, foot)


class _Answers:
    """Questions asked once each, with the parameters that the page knows by name."""

    def __init__(self, con: duckdb.DuckDBPyConnection, params: Mapping[str, Any]) -> None:
        self.params = dict(params)
        self.makes: Mapping[str, Make] = {}  # tables that are worked out, by name
        self._con = con
        self._known: dict[tuple[str, tuple[str, ...]], pa.Table] = {}

    def ask(self, name: str, asks: tuple[str, ...]) -> pa.Table:
        key = (name, asks)
        if key not in self._known:
            self._known[key] = self._asked(name, asks)
        return self._known[key]

    def _asked(self, name: str, asks: tuple[str, ...]) -> pa.Table:
        if name in self.makes:
            return self.makes[name]()
        given = {each.removesuffix("_before"): self.params[each] for each in asks}
        return query.ask(self._con, name, **given)

    def rows(self, name: str, asks: tuple[str, ...]) -> list[Row]:
        rows: list[Row] = self.ask(name, asks).to_pylist()
        return rows

    def known(self, name: str) -> list[Row]:
        """The rows of a query that some panel asked; none where it could not be answered."""
        tables = (table for (asked, _), table in self._known.items() if asked == name)
        rows: list[Row] = next((table.to_pylist() for table in tables), [])
        return rows


def _parameters(plan: Dashboard, week: date, weeks: int) -> dict[str, Any]:
    return {
        "week": week,
        "week_before": week - timedelta(weeks=1),
        "weeks": weeks,
        "lengths": 0,  # p95 is in the answer of context_tokens already
        "baseline_weeks": plan.page.baseline_weeks,
        "first_day": week + timedelta(days=7 - DAYS_DRAWN),
        "days": DAYS_DRAWN,
    }


def _lately(con: duckdb.DuckDBPyConnection, week: date, back: int) -> list[Row]:
    """Requests a day and route of this week and so many before."""
    first = week - timedelta(weeks=back)
    table = query.ask(con, "requests_per_day", first_day=first, days=7 * (back + 1))
    rows: list[Row] = table.to_pylist()
    return rows


def _scene(plan: Dashboard, week: date, lately: Sequence[Row]) -> Scene:
    """Routes by their requests this week; those that fell silent come last."""
    page = plan.page
    requests: Counter[str] = Counter()
    for row in lately:
        requests[row["route"]] += row["requests"] if row["day"] >= week else 0
    labels = names.labels(sorted(requests, key=lambda route: (-requests[route], route)))
    return Scene(
        week=week,
        labels=labels,
        routes=tuple(labels.values())[: page.routes_at_most],
        weeks_before=_weeks_before(week, page.baseline_weeks, labels, lately),
        last_seen=_last_seen(labels, lately),
        least=page.least,
        baseline_least=page.baseline_least,
        rows_at_most=page.rows_at_most,
    )


def _weeks_before(
    week: date, at_most: int, labels: Mapping[str, str], lately: Sequence[Row]
) -> dict[str, int]:
    first = week - timedelta(weeks=at_most)
    seen = {
        (labels[row["route"]], monday_of(row["day"]))
        for row in lately
        if row["answered"] and first <= row["day"] < week
    }
    return Counter(route for route, _ in seen)


def _last_seen(labels: Mapping[str, str], lately: Sequence[Row]) -> dict[str, date]:
    last: dict[str, date] = {}
    for row in lately:
        if row["answered"]:
            last[labels[row["route"]]] = max(row["day"], last.get(labels[row["route"]], date.min))
    return last


def _report(
    plan: Dashboard,
    answers: _Answers,
    scene: Scene,
    totals: Row,
    lately: Sequence[Row],
    panels: tuple[Panel, ...],
    said: Changes,
    foot: Foot,
) -> Report:
    about = head(
        scene.week,
        totals,
        answers.rows("labels_seen", ("week",)),
        answers.rows("labels_seen", ("week_before",)),
        answers.rows("week_days", ("week",)),
        answers.rows("line_counts", ())[0],
        (_baseline_weeks(scene.week, plan.page.baseline_weeks, lately), plan.page.baseline_weeks),
    )
    return Report(
        head=about,
        changes=said,
        notes=notes(about, answers.known, scene, tested=said.judged is not None),
        sections=tuple((section.name, section.title) for section in plan.section),
        panels=panels,
        keys={name: (key.mark, key.says) for name, key in plan.keys.items()},
        foot=foot,
        eyebrow=plan.page.eyebrow,
    )


def _baseline_weeks(week: date, at_most: int, lately: Sequence[Row]) -> int:
    """How many of the weeks before had an answer on any route."""
    anywhere = {"": ""}
    rows = [{**row, "route": ""} for row in lately]
    return _weeks_before(week, at_most, anywhere, rows).get("", 0)


def _foot(
    plan: Dashboard,
    panels: Sequence[Panel],
    said: Changes,
    judging: Judging,
    command: str | None,
    version: str,
) -> Foot:
    failed = sum(panel.state == "failed" for panel in panels)
    state = f"{failed} of {len(panels)} panels could not be made" if failed else "done"
    return Foot(
        method=plan.page.method,
        tests=_tests(said),
        thresholds=thresholds(judging.settings or DriftSettings()),
        definitions=tuple((each.word, each.meaning) for each in plan.definition),
        command=command or "",
        version=version,
        state=state,
    )


def _tests(said: Changes) -> str:
    if said.judged is None or said.screen is None:
        return "none; a week is tested once it is over"
    checked = sum(one.tests > 0 for one in said.screen.standings)
    routes = f"{checked} of {numbers.counted(len(said.screen.standings), 'route')}"
    return f"{numbers.counted(said.screen.tests, 'test')} on {routes}, each of one measure"
