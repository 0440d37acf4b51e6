"""One panel: its question asked, its rows shaped, drawn and printed.

Each panel stands alone. What goes wrong in one is said in its place, and the page goes on: an
empty column or a faulty query of the user's own must not cost the team its report.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from functools import partial
from typing import Any

import pyarrow as pa

from analyzer import charts, names
from analyzer.errors import was_interrupted
from analyzer.report import grids, titles
from analyzer.report.dashboard import Group as GroupPlan
from analyzer.report.dashboard import PanelPlan
from analyzer.report.model import Group, Panel, Part, State
from analyzer.report.parts import Scene, part, with_gaps
from analyzer.report.writing import Row
from analyzer.telling.spans import Span

Ask = Callable[[str, tuple[str, ...]], pa.Table]


def panel(plan: PanelPlan, ask: Ask, params: dict[str, Any], scene: Scene) -> Panel:
    """The panel, whatever happens; `ask` answers a query with the named parameters."""
    try:
        table = ask(plan.query or plan.made, plan.asks)
    except Exception as fault:  # said in the panel's place, see above
        if was_interrupted(fault):
            raise
        return _bare(plan, "failed", f"This question could not be answered: {fault}")
    asked = {name: params[name] for name in plan.asks}
    if table.num_rows == 0:
        return _bare(plan, "empty", plan.empty or plan.none, asked, table)
    try:
        return _answered(plan, table, asked, scene)
    except Exception as fault:
        message = f"This panel could not be made: {type(fault).__name__}: {fault}"
        return _bare(plan, "failed", message, asked, table)


def _bare(
    plan: PanelPlan,
    state: State,
    message: str,
    asked: dict[str, Any] | None = None,
    table: pa.Table | None = None,
) -> Panel:
    return Panel(
        section=plan.section,
        name=plan.name,
        title=(Span(plan.title),),
        caption=plan.caption,
        state=state,
        message=message,
        query=plan.query,
        params=asked or {},
        table=table,
    )


def _answered(plan: PanelPlan, table: pa.Table, asked: dict[str, Any], scene: Scene) -> Panel:
    own = _own(plan, table, scene)
    rows = _shown(plan, table.to_pylist(), own)
    faults: list[str] = []
    groups = tuple(
        _group(plan, group, mine, table.schema, own, faults) for group, mine in _grouped(plan, rows)
    )
    return Panel(
        section=plan.section,
        name=plan.name,
        title=titles.title(plan, table, scene.week, scene.labels),
        caption=plan.caption,
        state="failed" if faults else "drawn",
        message=" ".join(dict.fromkeys(faults)),
        sentences=(*plan.sentences, *_said(plan, rows), *_marked(plan, rows)),
        key=plan.key,
        wide=plan.wide,
        small=plan.small,
        groups=groups,
        routes_left_out=0 if plan.apart else _left_out(table, scene),
        query=plan.query,
        params=asked,
        table=table,
    )


def _said(plan: PanelPlan, rows: list[Row]) -> tuple[str, ...]:
    said = (row[name] for name in plan.says for row in rows if row[name] is not None)
    return tuple(dict.fromkeys(map(str, said)))


def _own(plan: PanelPlan, table: pa.Table, scene: Scene) -> Scene:
    """The scene, with the names that the panel keeps apart in place of routes."""
    if not plan.apart:
        return scene
    labels = names.labels(list(dict.fromkeys(table[plan.apart].to_pylist())))
    own = tuple(labels.values())
    return replace(scene, labels=labels, routes=own, weeks_before={}, last_seen={})


def _marked(plan: PanelPlan, rows: list[Row]) -> tuple[str, ...]:
    """What the marks of the drawings stand for, route by route."""
    if not plan.marks:
        return ()
    told: dict[str, dict[str, None]] = {}
    for row in sorted(rows, key=lambda row: row["week"] if row[plan.marks] else date.min):
        if row[plan.marks]:
            told.setdefault(row["route"], {})[str(row[plan.marks])] = None
    lines = (f"{route}: {'; '.join(marks)}" for route, marks in told.items())
    return (f"First seen: {'. '.join(lines)}.",) if told else ()


def _shown(plan: PanelPlan, rows: list[Row], scene: Scene) -> list[Row]:
    """Rows of the routes that are drawn, under their labels, values in the plan's words."""
    place = {route: number for number, route in enumerate(scene.routes)}
    if "route" in rows[0]:
        name = plan.apart or "route"
        labelled = ({**row, "route": scene.labels.get(row[name])} for row in rows)
        drawn = (row for row in labelled if row["route"] in place)
        rows = sorted(drawn, key=lambda row: place[row["route"]])
    if plan.words is None:
        return rows
    said, column = plan.words.said, plan.words.column
    order = {value: step for step, value in enumerate(said)}
    known = [row for row in rows if row[column] in said]
    renamed = [{**row, column: said[row[column]], "step": order[row[column]]} for row in known]
    return sorted(renamed, key=lambda row: (place[row["route"]], int(row["step"])))


def _grouped(plan: PanelPlan, rows: list[Row]) -> list[tuple[GroupPlan, list[Row]]]:
    """The groups in the plan's order, then those that it does not know under their own name."""
    if not plan.group:
        return [(GroupPlan(value="", title=""), rows)]
    planned = {group.value: group for group in plan.groups}
    found = dict.fromkeys(row[plan.group] for row in rows)
    values = [*(each for each in planned if each in found), *(f for f in found if f not in planned)]
    return [
        (
            planned.get(value, GroupPlan(value=value, title=value)),
            [row for row in rows if row[plan.group] == value],
        )
        for value in values
    ]


def _group(
    plan: PanelPlan,
    group: GroupPlan,
    rows: list[Row],
    schema: pa.Schema,
    scene: Scene,
    faults: list[str],
) -> Group:
    unit = str(group.options.get("unit", "rate"))
    present = {row["route"] for row in rows if "route" in row}
    routes = [route for route in scene.routes if route in present]
    printed = grids.grids(plan, rows, routes, unit, scene.rows_at_most)
    if not plan.chart:
        return Group(group.title, group.caption, None, (), printed)
    try:
        spec, parts = _drawn(plan, group, rows, schema, scene)
    except Exception as fault:  # the numbers stay, in the table
        faults.append(f"This chart could not be drawn ({fault}); its numbers are in the table.")
        return Group(group.title, group.caption, None, (), printed)
    return Group(group.title, group.caption, spec, parts, printed)


def _drawn(
    plan: PanelPlan, group: GroupPlan, rows: list[Row], schema: pa.Schema, scene: Scene
) -> tuple[dict[str, Any] | None, tuple[Part, ...]]:
    options = {**plan.chart, **group.options}
    kind = options.pop("kind")
    drawable = with_gaps(plan, rows, scene.least)
    columns = _with_step(schema) if plan.words else schema
    spec: dict[str, Any] | None = None
    values: list[Row] = []
    if drawable:
        spec = charts.specification(kind, _table(drawable, columns), **options)
        values = spec["data"].pop("values")
    describe = partial(_sentence, kind, columns, options)
    unit = str(group.options.get("unit", "rate"))
    parts = (
        part(plan, route, _of(rows, route), _of(values, route), scene, unit, describe)
        for route in scene.routes
    )
    return spec, tuple(parts)


def _of(rows: Sequence[Row], route: str) -> list[Row]:
    return [row for row in rows if row["route"] == route]


def _sentence(kind: str, columns: pa.Schema, options: dict[str, Any], rows: list[Row]) -> str:
    return charts.sentence(kind, _table(rows, columns), **options)


def _with_step(schema: pa.Schema) -> pa.Schema:
    return schema.append(pa.field("step", pa.int64()))


def _table(rows: list[Row], schema: pa.Schema) -> pa.Table:
    return pa.Table.from_pylist(rows, schema=schema)


def _left_out(table: pa.Table, scene: Scene) -> int:
    if "route" not in table.column_names:
        return 0
    present = {scene.labels.get(name) for name in set(table["route"].to_pylist())}
    return len(present - set(scene.routes))
