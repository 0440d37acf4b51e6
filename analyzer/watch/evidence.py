"""What is known about a route around the start of a change: a fact for each row of the table.

Everything is read from rollups by a few statements, each of which sums the days before the start
and those since.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from math import hypot, sqrt
from typing import TYPE_CHECKING, Any

import msgspec

from analyzer.measures.orderings import resolved, shares
from analyzer.stats.settings import EffectSettings
from analyzer.store import statement
from analyzer.watch import facts, shape
from analyzer.watch.cause_table import CauseTable
from analyzer.watch.facts import Fact, Side, compared, rate, share, unknown

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection

LABELS = ("model", "release", "prompt_version", "index_version")
LEAST_LABELLED = 0.1  # of the requests since, that carry a label
INDEXED_BEFORE = timedelta(days=14)  # the start by so much, a document still counts as indexed since
MISSING = {
    "unit_id": ("missing_unit", "requests"),
    "prompt_tokens": ("missing_prompt_tokens", "requests"),
    "citations": ("missing_citations", "with_context"),
    "rank": ("missing_rank", "packed"),
    "tokens": ("missing_tokens", "packed"),
    "doc_id": ("missing_document", "packed"),
    "text": ("missing_text", "packed"),
}


@dataclass(frozen=True)
class Span:
    """The days of a route before a change and since: [first_day, start) and [start, next_day).

    labelled_from: from this day on a label that appears may belong to the change.
    """

    route: str
    first_day: date
    start: date
    next_day: date
    labelled_from: date
    labelled_to: date


@dataclass(frozen=True)
class Label:
    """A label that was first seen around the start, with its share of the requests since."""

    kind: str
    label: str
    first_day: date
    share: float


@dataclass(frozen=True)
class Evidence:
    """Facts by name, orderings by share of requests, and the labels that are new."""

    span: Span
    facts: dict[str, Fact]
    orderings_before: dict[str, float]
    orderings_since: dict[str, float]
    labels: tuple[Label, ...]


def gathered(con: Connection, span: Span, table: CauseTable) -> Evidence:
    """All facts of the table about a route and the start of a change."""
    return _Gathering(con, span, table).evidence()


class _Gathering:
    """The facts of one span while they are gathered."""

    def __init__(self, con: Connection, span: Span, table: CauseTable) -> None:
        self._con, self._span, self._table = con, span, table
        self._facts: dict[str, Fact] = {}

    def evidence(self) -> Evidence:
        self._of_counts()
        self._of_ranks()
        self._of_positions()
        self._of_the_middle()
        self._of_copies()
        self._of_rejected_lines()
        before, since = self._of_orderings()
        labels = self._of_labels()
        return Evidence(self._span, self._facts, before, since, labels)

    def _rows(self, name: str, **more: object) -> list[tuple[Any, ...]]:
        sql = statement(f"watch/evidence/{name}")
        span = self._span
        known = {
            "route": span.route,
            "first_day": span.first_day,
            "start": span.start,
            "next_day": span.next_day,
            **more,
        }
        asked = {key: value for key, value in known.items() if f"${key}" in sql}
        return self._con.execute(sql, asked).fetchall()

    def _compare(self, name: str, before: Side, since: Side) -> None:
        least = self._table.least_base
        self._facts[name] = compared(name, self._table.facts[name], before, since, least)

    def _of_counts(self) -> None:
        """Facts that are a part of a whole, as the table says, and the fields that are missing."""
        found = {bool(row["since"]): row for row in self._named_rows("counts")}
        before, since = found.get(False, {}), found.get(True, {})
        for name, row in self._table.facts.items():
            if row.part:
                sides = (_side(counts, row.part, row.of, row.written) for counts in (before, since))
                self._compare(name, *sides)
        self._of_missing_fields(before, since)

    def _named_rows(self, name: str) -> Iterable[dict[str, Any]]:
        rows = self._rows(name)
        names = [column[0] for column in self._con.description or ()]
        return [dict(zip(names, row, strict=True)) for row in rows]

    def _of_missing_fields(self, before: dict[str, Any], since: dict[str, Any]) -> None:
        """The field whose missing rate moved most."""
        name, row = "missing_fields", self._table.facts["missing_fields"]
        found = []
        for field, (part, of) in MISSING.items():
            told = msgspec.structs.replace(row, title=f"{field} missing", base=of.replace("_", " "))
            sides = (_side(counts, part, of, "rate") for counts in (before, since))
            found.append(compared(name, told, *sides, self._table.least_base))
        known = [fact for fact in found if fact.state != "unknown"]
        self._facts[name] = max(known, key=_moved_by) if known else unknown(name, row)

    def _of_ranks(self) -> None:
        rows = self._rows("ranks")
        before, since = (
            [shape.Rank(*row[1:]) for row in rows if bool(row[0]) is later]
            for later in (False, True)
        )
        self._compare("cited_rank", shape.mean_log2_rank(before), shape.mean_log2_rank(since))
        self._compare("best_ranks_lost", shape.gap_above(before), shape.gap_above(since))

    def _of_positions(self) -> None:
        before, since = shape.tabled(self._rows("positions"))
        self._compare("last_cited", shape.end_against_start(before), shape.end_against_start(since))
        self._of_places(shape.by_place(before), shape.by_place(since))
        self._of_markers(before, since)

    def _of_places(self, before: dict[str, shape.Counts], since: dict[str, shape.Counts]) -> None:
        """The place whose share of cited chunks moved most."""
        name, row = "positions", self._table.facts["positions"]
        total, later = (sum(cited for _, cited in side.values()) for side in (before, since))
        found = [
            compared(
                name,
                msgspec.structs.replace(row, title=f"cited chunks at the {where}"),
                share(before[where][1], total),
                share(since[where][1], later),
                self._table.least_base,
            )
            for where in ("start", "middle", "end")
        ]
        self._facts[name] = max(found, key=_moved_by)

    def _of_markers(self, before: shape.Positions, since: shape.Positions) -> None:
        name, row = "marker_shift", self._table.facts["marker_shift"]
        base = min(sum(packed for packed, _ in side.values()) for side in (before, since))
        if base < self._table.least_base:
            self._facts[name] = unknown(name, row)
            return
        moved, left = shape.marker_shift(before, since)
        state = "up" if moved and left < row.least else "same"
        words = f"{row.title}: no" if state == "same" else (
            f"cited rates by position fit those from before when moved by {moved:+d}: "
            f"{facts.rate(left)} of the misfit is left"
        )  # fmt: skip
        self._facts[name] = Fact(name, state, words, 0.0, float(moved))

    def _of_orderings(self) -> tuple[dict[str, float], dict[str, float]]:
        rows = self._rows("orderings")
        sides, counts = [], []
        for later in (False, True):
            seen = [row[1:] for row in rows if bool(row[0]) is later]
            sides.append(shares(seen, resolved(seen)))
            counts.append(sum(n for agreement, _, n in seen if agreement != "short"))
        before, since = sides
        for name, ordering in (("score_order", "score_order"), ("cut_order", "edges_first_cut")):
            pair = (Side(each.get(ordering, 0.0), n) for each, n in zip(sides, counts, strict=True))
            self._compare(name, *pair)
        self._of_switch(before, since, counts)
        return before, since

    def _of_switch(
        self, before: dict[str, float], since: dict[str, float], counts: list[int]
    ) -> None:
        name, row = "ordering", self._table.facts["ordering"]
        if min(counts) < self._table.least_base:
            self._facts[name] = unknown(name, row)
            return
        elsewhere = shape.total_difference(before, since)
        state = facts.direction(elsewhere, row.least)
        words = (
            f"ordering: {_orderings(before)} of {counts[0]:,} requests before, "
            f"{_orderings(since)} of {counts[1]:,} since"
        )
        self._facts[name] = Fact(name, state, words, 0.0, elsewhere)

    def _of_the_middle(self) -> None:
        """The position effect, from the weeks in which it could be estimated."""
        name, row = "middle", self._table.facts["middle"]
        found = [_pooled([each[1:] for each in self._rows("dips") if bool(each[0]) is later])
                 for later in (False, True)]  # fmt: skip
        before, since = found
        if before is None or since is None:
            self._facts[name] = unknown(name, row)
            return
        change, se = since.value - before.value, hypot(before.se, since.se)
        state = facts.direction(change, row.least) if abs(change) > facts.SURE * se else "same"
        words = (
            f"{row.title}: {_relative(before.value)} before, {_relative(since.value)} since "
            f"({since.size:,.0f} comparable chunks)"
        )
        self._facts[name] = Fact(name, state, words, before.value, since.value)

    def _of_copies(self) -> None:
        name, row = "recent_copies", self._table.facts["recent_copies"]
        indexed = self._span.start - INDEXED_BEFORE
        ((copies, dated, recent, documents),) = self._rows("copied_documents", indexed=indexed)
        if not copies or not dated or dated < self._table.least_base:
            self._facts[name] = unknown(name, row)
            return
        part = recent / dated
        words = f"{rate(part)} of {dated:,} redundant copies belong to documents indexed since"
        words += f" ({documents:,} documents have some)"
        self._facts[name] = Fact(name, "up" if part >= row.least else "same", words, None, part)

    def _of_rejected_lines(self) -> None:
        found = {bool(row[0]): share(row[2], row[1]) for row in self._rows("rejected")}
        nothing = Side(0.0, 0)
        self._compare("rejected", found.get(False, nothing), found.get(True, nothing))

    def _of_labels(self) -> tuple[Label, ...]:
        rows = self._rows("labels")
        new: list[Label] = []
        for kind in LABELS:
            mine = [row[1:] for row in rows if row[0] == kind]
            found = self._new_labels(kind, mine)
            self._facts[kind] = _label_fact(kind, mine, found)
            new += found
        return tuple(new)

    def _new_labels(self, kind: str, rows: list[tuple[str, date, int]]) -> list[Label]:
        total = sum(n for _, _, n in rows) or 1
        first = min((day for _, day, _ in rows), default=None)
        found = [Label(kind, label, day, n / total) for label, day, n in rows]
        span = self._span
        return [
            each
            for each in found
            if each.first_day != first
            and span.labelled_from <= each.first_day < span.labelled_to
            and each.share >= LEAST_LABELLED
        ]


def _side(counts: dict[str, Any], part: str, of: str, written: str) -> Side:
    whole = float(counts.get(of) or 0)
    made = share(float(counts.get(part) or 0), whole)
    return made if written == "rate" else Side(made.value, whole)


def _moved_by(fact: Fact) -> tuple[bool, float]:
    change = abs((fact.since or 0.0) - (fact.before or 0.0))
    return fact.state in ("up", "down"), change


@dataclass(frozen=True)
class _Pooled:
    value: float
    se: float
    size: float


def _pooled(weeks: list[tuple[float, float, float]]) -> _Pooled | None:
    """(value, se, H) of weeks as one; None where they say too little.

    One variance per comparable chunk is taken from all of them: weekly ones are too noisy.
    """
    size = sum(h for _, _, h in weeks)
    if not size:
        return None
    unit = sum(h * se**2 for _, se, h in weeks) / len(weeks)
    value = sum(h * value for value, _, h in weeks) / size
    se = sqrt(unit / size)
    return _Pooled(value, se, size) if se <= EffectSettings().weak_se else None


def _relative(log_ratio: float) -> str:
    return f"{2.718281828459045**log_ratio:.2f} times"


def _orderings(found: dict[str, float]) -> str:
    told = [f"{name.replace('_', ' ')} {rate(part)}" for name, part in list(found.items())[:3]]
    return ", ".join(told) or "none seen"


def _label_fact(kind: str, rows: list[tuple[str, date, int]], new: list[Label]) -> Fact:
    title = kind.replace("_", " ")
    if new:
        latest = max(new, key=lambda each: each.share)
        words = f"{title} {latest.label} first seen on {latest.first_day}, {rate(latest.share)} of requests since"
        return Fact(kind, "new", words)
    if all(label == "unknown" for label, _, _ in rows):
        return Fact(kind, "unknown", f"{title}: not logged")
    return Fact(kind, "same", f"no new {title} then")
