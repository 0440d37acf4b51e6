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
from analyzer.report.model import Changes, Head, Panel, Report
from analyzer.report.tables.columns import described
from analyzer.telling.findings import Told
from analyzer.telling.spans import plain
from analyzer.telling.standing import Standing

FORMAT = 2


def render(report: Report) -> str:
    """The JSON text, ASCII alone, the same for the same report."""
    return json.dumps(document(report), indent=1, allow_nan=False) + "\n"


def document(report: Report) -> dict[str, Any]:
    """The report as plain lists, dictionaries and scalars."""
    foot = report.foot
    return {
        "format": FORMAT,
        **_head(report.head),
        "changes": _changes(report.changes),
        "notes": [
            {"label": each.label, "text": plain(each.text), "command": each.command}
            for each in report.notes
        ],
        "panels": [_panel(panel) for panel in report.panels],
        "made": {
            "version": foot.version,
            "command": foot.command,
            "state": foot.state,
            "method": foot.method,
            "tests": foot.tests,
            "thresholds": foot.thresholds,
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
        "columns": _columns(panel),
        "rows": [_row(row) for row in rows],
    }


def _columns(panel: Panel) -> list[dict[str, str]]:
    """What the columns mean, from the question's header, or the table where none was asked."""
    if not panel.query:
        return described(panel.table.schema) if panel.table is not None else []
    try:
        columns = load_query(panel.query).columns
    except CitelogError:
        columns = ()
    return [{"name": each.name, "type": each.type, "meaning": each.meaning} for each in columns]


def _changes(changes: Changes) -> dict[str, Any]:
    told = changes.screen
    return {
        "title": plain(changes.title),
        "tested": changes.judged is not None,
        "as_of": numbers.iso_week(changes.as_of) if changes.as_of else None,
        "tests": told.tests if told and changes.judged else 0,
        "muted": len(told.muted) if told else 0,
        "left_out": told.left_out if told else 0,
        "routes": [_standing(one) for one in told.standings] if told and changes.judged else [],
        "silent": [_told(one) for one in told.silent] if told else [],
        "new": [_told(one) for one in told.new] if told else [],
        "open": [_told(one) for one in told.open] if told else [],
        "ended": [_told(one) for one in told.ended] if told else [],
        "said": {label: [plain(each) for each in texts] for label, texts in changes.asides},
    }


def _standing(one: Standing) -> dict[str, Any]:
    return {"route": one.route, "state": one.state, "tests": one.tests, "why": one.why}


def _told(one: Told) -> dict[str, Any]:
    return {
        "label": one.label,
        "moved": one.moved,
        "text": plain(one.text),
        "also": [plain(each) for each in one.also],
        "since": plain(one.since),
        "cause": plain(one.cause),
        "speaks_for": list(one.speaks_for),
        "speaks_against": list(one.speaks_against),
        "said": list(one.said),
        "alarms": list(one.alarms),
        "command": one.command,
    }


def _row(row: dict[str, Any]) -> dict[str, Any]:
    return {name: _scalar(value) for name, value in row.items()}


def _scalar(value: Any) -> Any:
    if isinstance(value, date | datetime):
        return value.isoformat()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
