"""What the page's script draws from: every specification once, and its rows in few bytes.

Rows are stored as columns, numbers as whole numbers and as steps from one to the next: weeks are 7
days apart and rates move little, so that most values have one or two digits. `dashboards/boot.js`
undoes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any

from analyzer.report.model import Group, Panel, Report

DAYS = ("day", "week", "new_at")  # columns that hold milliseconds of whole days
DAY_MS = 86_400_000

Values = Sequence[Any]  # of one column and one drawing, None where a row has none


def packed(report: Report) -> dict[str, Any]:
    """`drawings`, each with its specification and rows, and the `config` that all share."""
    groups = [
        (panel, number, group)
        for panel in report.panels
        for number, group in enumerate(panel.groups)
        if group.spec
    ]
    config: dict[str, Any] = next((group.spec["config"] for *_, group in groups if group.spec), {})
    return {"config": config, "drawings": [_drawing(*each) for each in groups]}


def chart_id(panel: Panel, group: int, part: int) -> str:
    """The element that a drawing is put in; made of our own words only."""
    return f"{panel.name}-{group}-{part}"


def _drawing(panel: Panel, number: int, group: Group) -> dict[str, Any]:
    drawn = {
        chart_id(panel, number, index): part.rows
        for index, part in enumerate(group.parts)
        if part.state == "drawn"
    }
    names = sorted({name for rows in drawn.values() for row in rows for name in row})
    columns = {name: _column(name, _all(drawn.values(), name)) for name in names}
    spec = group.spec or {}
    return {
        "spec": {name: value for name, value in spec.items() if name != "config"},
        "columns": [{"name": name, **kind} for name, kind in columns.items()],
        "rows": {
            id: [
                len(rows),
                *(_short([row.get(name) for row in rows], columns[name]) for name in names),
            ]
            for id, rows in drawn.items()
        },
    }


def _all(drawn: Iterable[Sequence[dict[str, Any]]], name: str) -> list[Any]:
    return [row.get(name) for rows in drawn for row in rows]


def _column(name: str, values: Values) -> dict[str, Any]:
    """How a column is stored: as places in a list of `words` from 1, as days, or times `by`."""
    known = [value for value in values if value is not None]
    if any(isinstance(value, str | bool) for value in known):
        return {"words": list(dict.fromkeys(known))}
    if name in DAYS:
        return {"days": DAY_MS}
    return {"by": 10 ** max((_decimals(value) for value in known), default=0)}


def _decimals(value: float) -> int:
    exponent = Decimal(repr(value)).normalize().as_tuple().exponent
    return max(0, -int(exponent))


def _short(values: Values, kind: dict[str, Any]) -> Any:
    """Steps from value to value; where most rows have none, those that do by their place."""
    whole = [None if value is None else _whole(value, kind) for value in values]
    known = {place: value for place, value in enumerate(whole) if value is not None}
    if 3 * len(known) < len(whole):
        return {str(place): value for place, value in known.items()}
    return _steps(whole)


def _whole(value: Any, kind: dict[str, Any]) -> int:
    if "words" in kind:
        return int(kind["words"].index(value)) + 1
    scaled: float = value / kind["days"] if "days" in kind else value * kind["by"]
    return round(scaled)


def _steps(values: Sequence[int | None]) -> list[int | None]:
    before, steps = 0, []
    for value in values:
        steps.append(None if value is None else value - before)
        before = before if value is None else value
    while steps and steps[-1] is None:
        steps.pop()
    return steps
