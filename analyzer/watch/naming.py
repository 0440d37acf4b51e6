"""Names of alarms: 2026-W47-support-near-copies, the week it opened, its route, its measure.

The name of a measure in an id is what people call it; a route is written so that it can be typed.
"""

from __future__ import annotations

import hashlib
import re
from datetime import date, timedelta

SLUGS = {
    "position_start": "cited-at-start",
    "position_middle": "cited-in-middle",
    "position_end": "cited-at-end",
    "mean_log2_cited_rank": "cited-rank",
    "involved_rate": "near-copies",
    "ln_p95_context_tokens": "context-tokens",
    "citation_free_rate": "citation-free",
    "dip": "dip",
    "accuracy": "accuracy",
    "largest_document_share": "largest-document",
    "stray_rate": "stray-citations",
}
_FIRST = date(1970, 1, 5)  # a Monday; weeks are numbered from it


def week_number(monday: date) -> int:
    """Weeks since the first one, so that neighbours differ by 1."""
    return (monday - _FIRST).days // 7


def monday_of(week: int) -> date:
    """The Monday of a week's number."""
    return _FIRST + timedelta(weeks=week)


def iso_week(monday: date) -> str:
    """2026-W47."""
    year, week, _ = monday.isocalendar()
    return f"{year}-W{week:02d}"


def alarm_id(week: int, route: str, measure: str) -> str:
    """The id of an alarm that opened in that week."""
    return f"{iso_week(monday_of(week))}-{_typed(route)}-{_slug(measure)}"


def silence_id(night: date, route: str | None, what: str) -> str:
    """The id of an alarm on what is missing: 2026-11-17-support-silent."""
    return "-".join([str(night), *([_typed(route)] if route is not None else []), what])


def _slug(measure: str) -> str:
    return SLUGS.get(measure) or measure.removesuffix("_rate").replace("_", "-")


def _typed(route: str) -> str:
    typed = re.sub(r"[^\w.]+", "-", route.lower()).strip("-") or "route"
    if typed == route:
        return typed
    # Two routes may be typed alike; a few digits of their hash keep their alarms apart.
    return f"{typed}-{hashlib.blake2b(route.encode('utf-8', 'replace'), digest_size=2).hexdigest()}"
