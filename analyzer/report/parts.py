"""What each route shows of a panel: its rows, what is left out of them, and why, in words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from analyzer import numbers
from analyzer.charts import look
from analyzer.report import writing
from analyzer.report.dashboard import PanelPlan
from analyzer.report.model import Part
from analyzer.report.writing import Row


@dataclass(frozen=True)
class Scene:
    """What every panel of one report shares."""

    week: date
    labels: dict[str, str]  # route as logged: as shown; the busiest first, all of them
    routes: tuple[str, ...]  # labels of those that are drawn
    weeks_before: dict[str, int]  # label: baseline weeks with data
    last_seen: dict[str, date]  # label: last day with an answer in the weeks that are drawn
    least: int
    baseline_least: int
    rows_at_most: int


def kept(plan: PanelPlan, rows: Sequence[Row], least: int) -> list[Row]:
    """The rows that can be drawn: enough behind them, and within the drawing's reach."""
    return [row for row in rows if not _too_few(plan, row, least) and not _too_far(plan, row)]


def with_gaps(plan: PanelPlan, rows: Sequence[Row], least: int) -> list[Row]:
    """The same, with a row of nothing for a week that has too little, so that lines break there."""
    if plan.row_name != "week" or not kept(plan, rows, least):
        return kept(plan, rows, least)
    return [_nothing(row) if _too_few(plan, row, least) else row for row in rows]


def part(
    plan: PanelPlan,
    route: str,
    rows: Sequence[Row],
    values: Sequence[Row],
    scene: Scene,
    unit: str,
    describe: Callable[[list[Row]], str],
) -> Part:
    """The part of one route: `rows` are all it has in this group, `values` those to draw."""
    drawn = kept(plan, rows, scene.least)
    counts = [row[plan.row_n] or 0 for row in rows] if plan.row_n else [1] * len(rows)
    note = _note(plan, rows, scene, unit)
    if refusal := _refusal(plan, rows):
        return Part(route, note, "refused", refusal, (), refusal, ())
    if not any(counts):
        message = f"{plan.none}{_last_seen(route, scene)}"
        return Part(route, note, "none", message, (), message, ())
    if not drawn:
        message = f"Too few: {numbers.count(max(counts))} at most, {scene.least} are needed."
        return Part(route, note, "too_few", message, (), message, ())
    remarks = (*_counted(plan, rows, scene), *_remarks(plan, route, rows, scene))
    return Part(route, note, "drawn", "", remarks, describe(drawn), _bare(values))


def _refusal(plan: PanelPlan, rows: Sequence[Row]) -> str:
    """Why a route has no value at all, where that is a result of its own."""
    if not plan.refused or any(row[plan.chart["value"]] is not None for row in rows):
        return ""
    return next((str(row[plan.refused]) for row in rows if row[plan.refused]), "")


def _note(plan: PanelPlan, rows: Sequence[Row], scene: Scene, unit: str) -> str:
    """What stands beside the name; the value of a measure only where enough is behind it."""
    row = _this_week(rows, scene.week)
    if plan.small and row is not None and _too_few(plan, row, scene.least):
        return f"n < {scene.least}" if row[plan.row_n] else ""
    return writing.note(rows, row, plan.note, unit)


def _nothing(row: Row) -> Row:
    return {name: row[name] if name in ("week", "route") else None for name in row}


def _bare(values: Sequence[Row]) -> tuple[Row, ...]:
    return tuple({name: row[name] for name in row if name != "route"} for row in values)


def _too_few(plan: PanelPlan, row: Row, least: int) -> bool:
    return bool(plan.row_n) and (row[plan.row_n] or 0) < least


def _too_far(plan: PanelPlan, row: Row) -> bool:
    names = [name for name in (plan.row_name, plan.also_at_most) if name and plan.row_at_most]
    return any(row[name] > plan.row_at_most for name in names)


def _this_week(rows: Sequence[Row], week: date) -> Row | None:
    return next((row for row in reversed(rows) if row.get("week", week) == week), None)


def _last_seen(route: str, scene: Scene) -> str:
    last = scene.last_seen.get(route)
    if last is None or last >= scene.week:
        return ""
    return f" Last answer: {numbers.day(last)}."


def _counted(plan: PanelPlan, rows: Sequence[Row], scene: Scene) -> tuple[str, ...]:
    said = writing.note(rows, _this_week(rows, scene.week), plan.remark)
    return (said,) if said else ()


def _remarks(plan: PanelPlan, route: str, rows: Sequence[Row], scene: Scene) -> tuple[str, ...]:
    few = [index for index, row in enumerate(rows) if _too_few(plan, row, scene.least)]
    said = []
    if few and plan.row_name:
        said.append(f"{_runs(plan, rows, few)}: n < {scene.least}")
    far = sum(_too_far(plan, row) for row in rows)
    if far:
        reach = " or ".join(filter(None, (plan.row_name, plan.also_at_most))).replace("_", " ")
        said.append(f"{reach} beyond {plan.row_at_most}: not drawn")
    if plan.baseline and all(row[plan.baseline] is None for row in rows):
        before = scene.weeks_before.get(route, 0)
        said.append(f"no baseline yet ({before} of {scene.baseline_least} weeks)")
    return tuple(said)


def _runs(plan: PanelPlan, rows: Sequence[Row], indices: list[int]) -> str:
    """Neighbouring rows as stretches: `position 3, 12 to 15`."""
    runs: list[list[int]] = []
    for index in indices:
        if runs and runs[-1][-1] == index - 1:
            runs[-1].append(index)
        else:
            runs.append([index])
    named = [_stretch(rows[run[0]][plan.row_name], rows[run[-1]][plan.row_name]) for run in runs]
    first = rows[indices[0]][plan.row_name]
    name = "" if isinstance(first, date | str) else f"{look.spoken(plan.row_name)} "
    return f"{name}{', '.join(named)}"


def _stretch(first: Any, last: Any) -> str:
    ends = [numbers.week(end) if isinstance(end, date) else str(end) for end in (first, last)]
    return ends[0] if first == last else f"{ends[0]} to {ends[1]}"
