"""The head of a report: which week, how much of it, from what, and whether it is all there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import date

from analyzer import names
from analyzer.report.model import Head, Seen
from analyzer.report.writing import Row

KINDS = {
    "route": "routes",
    "release": "releases",
    "index_version": "index versions",
    "model": "models",
    "prompt_version": "prompt versions",
}
LABELS_AT_MOST = 6


def head(
    week: date,
    totals: Row,
    labels: Sequence[Row],
    labels_before: Sequence[Row],
    days: Sequence[Row],
    lines: Row,
    baseline: tuple[int, int],
) -> Head:
    """From the rows of the four questions that it rests on; labels of the week before too."""
    silent = silent_days(days)
    return Head(
        week=week,
        complete=not silent,
        silent_days=silent,
        baseline=baseline,
        totals=dict(totals),
        lines={name: int(value) for name, value in lines.items()},
        seen=tuple(_seen(kind, labels, labels_before) for kind in KINDS),
        labels=tuple(labels),
    )


def silent_days(days: Sequence[Row]) -> tuple[date, ...]:
    """Days on which no route had a request."""
    requests: Counter[date] = Counter()
    for row in days:
        requests[row["day"]] += row["requests"]
    return tuple(day for day in sorted(requests) if not requests[day])


def _seen(kind: str, rows: Sequence[Row], before: Sequence[Row]) -> Seen:
    """The labels of one kind over all routes, by requests; new where the week before had none."""
    requests: Counter[str] = Counter()
    first: dict[str, date] = {}
    for row in (row for row in rows if row["kind"] == kind):
        requests[row["label"]] += row["requests"]
        first[row["label"]] = min(row["first_day"], first.get(row["label"], row["first_day"]))
    ranked = sorted(requests, key=lambda label: (-requests[label], label))
    shown = ranked[:LABELS_AT_MOST]
    known = {row["label"] for row in before if row["kind"] == kind}
    new = {label: first[label] for label in shown if known and label not in known}
    return Seen(
        kind=KINDS[kind],
        labels=tuple((names.shown(label), requests[label], new.get(label)) for label in shown),
        left_out=len(ranked) - len(shown),
    )
