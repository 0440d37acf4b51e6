"""Titles that state what a table says; where none is known, the plan's neutral one stands.

A title is computed from the very rows that are drawn, so it cannot be untrue; it says what is,
never what changed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Any

import pyarrow as pa

from analyzer import numbers
from analyzer.report import writing
from analyzer.report.dashboard import PanelPlan
from analyzer.report.writing import Row
from analyzer.telling.spans import Span, Text

CURRENCY = "in the currency of the prices"


def title(plan: PanelPlan, table: pa.Table, week: date, labels: Mapping[str, str]) -> Text:
    """The finding of the panel's table, or the title of its plan; `labels` are those of routes."""
    state = _FINDINGS.get(plan.name)
    rows = [row for row in table.to_pylist() if row.get("week", week) == week] if state else []
    if "route" in table.column_names:
        rows = [{**row, "route": labels.get(row["route"], row["route"])} for row in rows]
    found = (state(rows) if state and rows else None) or plan.title
    return (Span(found),) if isinstance(found, str) else found


def total(rows: Sequence[Row], column: str) -> Any:
    return sum(row[column] or 0 for row in rows)


def _funnel(rows: Sequence[Row]) -> str | None:
    """All routes together: chunks cited of those packed, an answer."""
    chunks = {
        stage: total([row for row in rows if row["stage"] == stage], "chunks")
        for stage in ("packed", "cited")
    }
    answers = total([row for row in rows if row["stage"] == "cited"], "answers")
    if not answers:
        return None
    packed, cited = (numbers.mean(chunks[stage] / answers) for stage in ("packed", "cited"))
    return f"An answer cites {cited} of the {packed} chunks in its prompt"


def _faults(rows: Sequence[Row]) -> Text | None:
    if not total(rows, "answers"):
        return None
    free, stray = (_extremes(rows, rate) for rate in ("citation_free_rate", "stray_rate"))
    return (Span("Answers that cite nothing: "), *free, Span("; stray citations: "), *stray)


def _extremes(rows: Sequence[Row], rate: str) -> Text:
    """Lowest and highest route: pooled over them, their mix would move the rate."""
    found = [row for row in rows if row[rate] is not None]
    if not found:
        return (Span(numbers.UNKNOWN),)
    ends = [choose(found, key=lambda row: float(row[rate])) for choose in (min, max)]
    low, high = (numbers.rate(row[rate]) for row in ends)
    if low == high:
        return (Span(f"{low} on every route" if len(found) > 1 else low),)
    first, last = (Span(row["route"], "name") for row in ends)
    return (Span(f"{low} on "), first, Span(f" to {high} on "), last)


def _near_copies(rows: Sequence[Row]) -> Text | None:
    compared = total(rows, "packed_compared")
    if not compared:
        return None
    return (
        Span("Packed chunks with a near-copy beside them: "),
        *_extremes(rows, "involved_rate"),
    )


def _spending(rows: Sequence[Row]) -> str | None:
    """Of all routes together: tokens and money are sums, so they may be."""
    tokens = total(rows, "tokens")
    if not tokens:
        return None
    said = f"The prompts held {numbers.rounded(tokens)} context tokens"
    cost = _cost(rows, "cost")
    if cost is None:
        return said
    return f"{said}, at a cost of {writing.money(cost)} {CURRENCY}"


def _wasted(rows: Sequence[Row]) -> str | None:
    rows = [row for row in rows if row["redundant"] is not None]
    tokens, redundant = total(rows, "tokens"), total(rows, "redundant")
    if not tokens:
        return None
    said = f"Near-copies take {numbers.rate(redundant / tokens)} of all context tokens"
    cost, wasted = _cost(rows, "cost"), _cost(rows, "redundant_cost")
    if cost is None or wasted is None:
        return said
    return f"{said}: {writing.money(wasted)} of {writing.money(cost)} {CURRENCY}"


def _cost(rows: Sequence[Row], column: str) -> float | None:
    """The sum; None where a route that sent tokens has no price."""
    sent = [row for row in rows if row["tokens"]]
    return None if any(row[column] is None for row in sent) else float(total(sent, column))


def _rejected(rows: Sequence[Row]) -> str | None:
    lines = total(rows, "lines")
    return f"{numbers.count(lines)} line{'s' if lines != 1 else ''} could not become a record"


def _missing(rows: Sequence[Row]) -> str | None:
    """How many fields some route left out."""
    fields = {row["field"] for row in rows}
    lacking = {row["field"] for row in rows if row["missing"]}
    if not lacking:
        return "No field is missing on any route"
    return f"{len(lacking)} of {len(fields)} fields are missing somewhere"


def _effect(rows: Sequence[Row]) -> str | None:
    """On how many routes place matters this week, and on how many that cannot be told."""
    edge = [row for row in rows if row["span"] == "week" and row["against"] == "edge"]
    if not edge:
        return None
    matters = sum(row["verdict"] == "OK" and row["low"] * row["high"] > 0 for row in edge)
    unknown = sum(row["verdict"] != "OK" for row in edge)
    routes = f"{len(edge)} route{'s' if len(edge) != 1 else ''}"
    if unknown == len(edge):
        return f"Whether the place matters cannot be told, on {routes}"
    rest = f"; on {unknown} it cannot be told" if unknown else ""
    return f"The place matters on {matters} of {routes}{rest}"


def _orderings(rows: Sequence[Row]) -> str | None:
    turned = {row["route"] for row in rows if row["changed"]}
    routes = len({row["route"] for row in rows})
    if not turned:
        return "No ordering changed within four weeks"
    return f"Orderings changed on {len(turned)} of {routes} route{'s' if routes != 1 else ''}"


def _what_if(rows: Sequence[Row]) -> Text | None:
    """The change that raises citations most, else the one that saves most tokens."""
    gaining = [row for row in rows if row["why"]]
    if not gaining:
        return (Span("Computed from the logs: no change that was tried gains anything"),)
    cites = [row for row in gaining if row["why"] == "more citations"]
    if cites:
        best = max(cites, key=lambda row: float(row["citations_change"]))
        gain = f"citations {numbers.change(best['citations_change'])} "
        ends = f"({numbers.bounds(best['low'], best['high'], numbers.change)})"
    else:
        best = max(gaining, key=lambda row: int(row["tokens_saved"]))
        gain, ends = f"{numbers.rounded(best['tokens_saved'])} tokens saved", ""
    return (
        Span(f"Computed from the logs: {best['change']} on "),
        Span(best["route"], "name"),
        Span(f", {gain}"),
        Span(ends, "interval"),
    )


def _gaps(rows: Sequence[Row]) -> str | None:
    """Of the evaluations as wholes, what their gates say."""
    whole = [row for row in rows if row["prompt_bucket"] is None]
    gates = Counter(row["gate"] or "without a gate" for row in whole)
    said = (f"{gates[gate]} {gate}" for gate in _GATES if gates[gate])
    return f"{numbers.counted(len(whole), 'evaluation')}: {', '.join(said)}"


def _covered(rows: Sequence[Row]) -> str | None:
    covered = sum(row["covered"] for row in rows)
    return f"Evaluated as they answer: {covered} of {len(rows)}"


_GATES = ("fail", "inconclusive", "pass", "without a gate")
_FINDINGS: dict[str, Callable[[Sequence[Row]], str | Text | None]] = {
    "adjusted_effect": _effect,
    "orderings": _orderings,
    "funnel": _funnel,
    "citation_faults": _faults,
    "near_copies": _near_copies,
    "spending": _spending,
    "wasted": _wasted,
    "best_changes": _what_if,
    "gaps": _gaps,
    "coverage": _covered,
    "data_quality": _missing,
    "rejected_reasons": _rejected,
}
