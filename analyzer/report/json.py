"""A report for machines: every row of every panel, exact, with the meaning of each column.

The form is documented in `dashboards/report.schema.json`. Names are as they were logged, rates
are 0 to 1, and what is not known is null, never 0.
"""

from __future__ import annotations

import json
import math
from datetime import date, datetime
from typing import Any

from analyzer import numbers
from analyzer.errors import CitelogError
from analyzer.query import load_query
from analyzer.report.model import Head, Panel, Report, plain

FORMAT = 1


def render(report: Report) -> str:
    """The JSON text, ASCII alone, the same for the same report."""
    return json.dumps(document(report), indent=1, allow_nan=False) + "\n"


def document(report: Report) -> dict[str, Any]:
    """The report as plain lists, dictionaries and scalars."""
    foot = report.foot
    return {
        "format": FORMAT,
        **_head(report.head),
        "tested_for_change": False,
        "untested": report.untested,
        "findings": [
            {"label": each.label, "text": plain(each.text), "command": each.command}
            for each in report.findings
        ],
        "panels": [_panel(panel) for panel in report.panels],
        "made": {
            "version": foot.version,
            "command": foot.command,
            "state": foot.state,
            "method": foot.method,
            "definitions": dict(foot.definitions),
        },
    }


def _head(head: Head) -> dict[str, Any]:
    weeks_with_data, weeks = head.baseline
    return {
        "week": numbers.iso_week(head.week),
        "first_day": head.week.isoformat(),
        "complete": head.complete,
        "silent_days": [day.isoformat() for day in head.silent_days],
        "title": plain(head.title),
        "baseline": {"weeks": weeks, "weeks_with_data": weeks_with_data},
        "totals": _row(head.totals),
        "lines": head.lines,
        "labels": [_row(row) for row in head.labels],
    }


def _panel(panel: Panel) -> dict[str, Any]:
    rows = panel.table.to_pylist() if panel.table is not None else []
    return {
        "section": panel.section,
        "name": panel.name,
        "title": plain(panel.title),
        "caption": panel.caption,
        "state": panel.state,
        "message": panel.message,
        "sentences": list(panel.sentences),
        "query": panel.query,
        "params": _row(panel.params),
        "columns": _columns(panel.query),
        "rows": [_row(row) for row in rows],
    }


def _columns(query: str) -> list[dict[str, str]]:
    """What the columns mean, from the header of the question; none where it cannot be read."""
    try:
        columns = load_query(query).columns if query else ()
    except CitelogError:
        columns = ()
    return [{"name": each.name, "type": each.type, "meaning": each.meaning} for each in columns]


def _row(row: dict[str, Any]) -> dict[str, Any]:
    return {name: _scalar(value) for name, value in row.items()}


def _scalar(value: Any) -> Any:
    if isinstance(value, date | datetime):
        return value.isoformat()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
