"""Facts that are counts of requests, chunks, copies and lines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

from analyzer import names, numbers
from analyzer.watch.asked import Asked
from analyzer.watch.facts import Fact, Side, share

INDEXED_BEFORE = timedelta(days=14)  # the start by so much, a document still counts as indexed then
# field of the record: what is counted of it, of what, and what that is called
MISSING = {
    "unit_id": ("missing_unit", "requests", "requests"),
    "prompt_tokens": ("missing_prompt_tokens", "requests", "requests"),
    "citations": ("missing_citations", "with_context", "answers with a packed chunk"),
    "rank": ("missing_rank", "packed", "packed chunks"),
    "tokens": ("missing_tokens", "packed", "packed chunks"),
    "doc_id": ("missing_document", "packed", "packed chunks"),
    "text": ("missing_text", "packed", "packed chunks"),
}


def parts_of_wholes(asked: Asked) -> Iterator[Fact]:
    """Every fact that the table itself names as a part of a whole."""
    for name, row in asked.table.facts.items():
        if row.part:
            before, since = (_side(each, row.part, row.of) for each in asked.counts)
            if row.written == "mean":
                before, since = (Side(each.value, each.base) for each in (before, since))
            yield asked.compared(name, before, since)


def missing_fields(asked: Asked) -> Fact:
    """The field whose missing rate moved most."""
    found = []
    for field, (part, of, base) in MISSING.items():
        before, since = (_side(each, part, of) for each in asked.counts)
        told = asked.compared("missing_fields", before, since, title=f"{field} missing", base=base)
        found.append(told)
    return most_moved(found)


def recent_copies(asked: Asked) -> Fact:
    """Whether the redundant copies belong to documents that were indexed when it began."""
    name = "recent_copies"
    indexed = asked.span.start - INDEXED_BEFORE
    ((copies, dated, recent, documents),) = asked.rows("copied_documents", indexed=indexed)
    if not copies or not dated or dated < asked.table.least_base:
        return asked.unknown(name)
    part = recent / dated
    state = "up" if part >= asked.row(name).least else "same"
    many = numbers.counted(documents, "document")
    words = (
        f"{numbers.rate(part)} of {numbers.count(dated)} redundant copies belong to documents "
        f"indexed since {numbers.day(indexed)} ({many} {'has' if documents == 1 else 'have'} some)"
    )
    return Fact(name, state, words, None, part, many)


def rejected(asked: Asked) -> Fact:
    """Lines rejected in the files that were loaded before and since, and why most of them were."""
    before, since = (
        share(rows[0][1], rows[0][0]) if rows else Side(0.0, 0) for rows in asked.sides("rejected")
    )
    fact = asked.compared("rejected", before, since)
    reasons = asked.rows("rejected_reasons") if fact.state == "up" else []
    if not reasons:
        return fact
    path, reason, lines = reasons[0]
    why = names.shown(f"{path} {reason}".strip(), 120)
    return replace(fact, words=f"{fact.words}; {numbers.count(lines)} because {why}")


def most_moved(found: list[Fact]) -> Fact:
    """Of facts of one name the one that moved most, known ones first."""
    return max(found, key=_moved_by)


def _moved_by(fact: Fact) -> tuple[bool, bool, float]:
    change = abs((fact.since or 0.0) - (fact.before or 0.0))
    return fact.state in ("up", "down"), fact.state != "unknown", change


def _side(counts: dict[str, int], part: str, of: str) -> Side:
    return share(float(counts.get(part) or 0), float(counts.get(of) or 0))
