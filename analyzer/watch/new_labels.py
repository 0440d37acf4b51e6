"""Labels that were first seen when a change began: model, release, prompt and index version."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from analyzer import names, numbers
from analyzer.watch.asked import Asked, Span
from analyzer.watch.facts import Fact

KINDS = ("model", "release", "prompt_version", "index_version")
LEAST_SHARE = 0.1  # of the requests since: a label of fewer moves nothing by itself


@dataclass(frozen=True)
class Label:
    """A new label, with its share of the requests since the start."""

    kind: str
    label: str
    first_day: date
    share: float


def labels(asked: Asked) -> tuple[tuple[Label, ...], tuple[Fact, ...]]:
    """The new labels, and for each kind the fact whether there is one."""
    rows = asked.rows("labels")
    new, facts = [], []
    for kind in KINDS:
        mine = [row[1:] for row in rows if row[0] == kind]
        found = _new(kind, mine, asked.span)
        facts.append(_fact(kind, mine, found, asked.span))
        new += found
    return tuple(new), tuple(facts)


def _new(kind: str, rows: list[tuple[str, date, int]], span: Span) -> list[Label]:
    """What was there from the first day on is not new."""
    total = sum(n for _, _, n in rows) or 1
    first = min((day for _, day, _ in rows), default=span.first_day)
    found = [Label(kind, label, day, n / total) for label, day, n in rows if day != first]
    return [
        each
        for each in found
        if span.labelled_from <= each.first_day < span.labelled_to and each.share >= LEAST_SHARE
    ]


def _fact(kind: str, rows: list[tuple[str, date, int]], new: list[Label], span: Span) -> Fact:
    title = kind.replace("_", " ")
    if new:
        most = max(new, key=lambda each: each.share)
        words = (
            f"{title} {names.shown(most.label)} is first seen on {numbers.day(most.first_day)} "
            f"and serves {numbers.rate(most.share)} of the requests since"
        )
        return Fact(kind, "new", words)
    if all(label == "unknown" for label, _, _ in rows):
        return Fact(kind, "unknown", f"{title}: not logged")
    return Fact(kind, "same", f"no {title} is new around {numbers.day(span.start)}")
