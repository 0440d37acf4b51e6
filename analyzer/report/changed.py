"""The verdict of the week as Markdown: what changed, what stands, what ended, what was not seen."""

from __future__ import annotations

from collections.abc import Iterator

from analyzer import numbers
from analyzer.report.marks import code, spans, text
from analyzer.report.model import Changes
from analyzer.telling.findings import Screen, Told

OPEN = "Still open from earlier weeks"


def blocks(changes: Changes) -> Iterator[str]:
    """One block a finding, under the headings of the page."""
    told = changes.screen
    if changes.judged is None:
        yield "Only weeks that are over are tested for drift."
    if told is not None:
        yield from _screen(told, changes)
    for label, texts in changes.asides:
        yield f"**{label}.** {' '.join(map(spans, texts))}"


def _screen(told: Screen, changes: Changes) -> Iterator[str]:
    if told.silent or told.new:
        yield "## What changed"
    yield from map(_finding, (*told.silent, *told.new))
    if told.left_out:
        yield f"{told.left_out} more findings in the JSON form."
    if told.open:
        as_of = f", as of {numbers.iso_week(changes.as_of)}" if changes.as_of else ""
        yield f"## {OPEN}{as_of}"
    yield from map(_finding, told.open)
    if told.ended:
        yield f"## {told.ended_as}"
    yield from (f"- **{one.label}.** {spans(one.text)} {code(one.alarms[0])}" for one in told.ended)


def _finding(one: Told) -> str:
    lines = [f"**{one.label}.** {spans(one.text)}"]
    if one.also:
        lines.append(f"With it: {'; '.join(map(spans, one.also))}.")
    lines.append(f"{spans(one.since)} {spans(one.cause)}".strip())
    speaks = "Speaks for it" if one.known else "Moved"
    lines += [f"{speaks}: {text(reason)}" for reason in one.speaks_for]
    lines += [f"Speaks against it: {text(reason)}" for reason in one.speaks_against]
    lines += [*map(text, one.said), f"{code(one.command)}"]
    return "- " + "\n  ".join(filter(None, lines))
