"""The printed tables behind the drawings: rows as they are, or one column's values across."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from analyzer import names
from analyzer.report.dashboard import PanelPlan, Pivot
from analyzer.report.model import Grid, Kind
from analyzer.report.writing import Row, cell, kind, written
from analyzer.watch.naming import week_number

MOST_COLUMNS = 40


def grids(
    plan: PanelPlan, rows: Sequence[Row], routes: Sequence[str], unit: str, at_most: int
) -> tuple[tuple[str, Grid], ...]:
    """The tables of one group, each with its caption.

    One for all routes, unless another column than the route goes across: then one each.
    """
    pivot = plan.pivot
    if pivot is None:
        return (("", flat(plan, rows, plan.rows_at_most or at_most)),)
    if pivot.columns == "route":
        return (("", across(plan, pivot, rows, unit)),)
    apart = ((route, [row for row in rows if row["route"] == route]) for route in routes)
    return tuple((route, across(plan, pivot, mine, unit)) for route, mine in apart if mine)


def flat(plan: PanelPlan, rows: Sequence[Row], at_most: int) -> Grid:
    """Rows as they came, or with the largest of `plan.sort` first; of many weeks the newest."""
    if plan.sort:
        rows = sorted(rows, key=lambda row: -(row[plan.sort] or 0))
    elif plan.row_name == "week" and len(rows) > at_most:
        rows = sorted(rows, key=lambda row: -week_number(row["week"]))
    known = [piece for piece in plan.table if not piece.optional or _known(rows, piece.show)]
    return Grid(
        headings=tuple(piece.heading for piece in known),
        rows=tuple(tuple(written(row, piece) for piece in known) for row in rows[:at_most]),
        kinds=tuple(kind(piece) for piece in known),
        left_out=max(len(rows) - at_most, 0),
    )


def _known(rows: Sequence[Row], column: str) -> bool:
    return any(row[column] is not None for row in rows)


def across(plan: PanelPlan, pivot: Pivot, rows: Sequence[Row], unit: str) -> Grid:
    """One row for each value of `pivot.rows`, the last ones where there are many; cells across."""
    if plan.sort:
        rows = sorted(rows, key=lambda row: -(row[plan.sort] or 0))
    columns = list(dict.fromkeys(row[pivot.columns] for row in rows))
    if pivot.columns != "route":
        columns = sorted(columns)[:MOST_COLUMNS]
    cells = {(_name(row, pivot), row[pivot.columns]): cell(row, plan.table, unit) for row in rows}
    names_down = list(dict.fromkeys(name for name, _ in cells))
    down = names_down[-plan.rows_at_most :] if plan.rows_at_most else names_down
    numbers: list[Kind] = ["number"] * len(columns)
    return Grid(
        headings=(pivot.heading, *map(str, columns)),
        rows=tuple((name, *(cells.get((name, each), "") for each in columns)) for name in down),
        kinds=("text", *numbers),
        left_out=len(names_down) - len(down),
    )


def _name(row: Row, pivot: Pivot) -> str:
    value = row[pivot.rows]
    name = value.isoformat() if isinstance(value, date) else names.shown(str(value))
    return f"{name} ({row[pivot.also]})" if pivot.also else name
