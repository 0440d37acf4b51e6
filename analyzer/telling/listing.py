"""A week's alarms as lines for a terminal: the findings of the report, and the ids to answer to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date

from analyzer import numbers
from analyzer.telling import muting
from analyzer.telling.findings import Screen, Told
from analyzer.telling.spans import plain


def listing(screen: Screen, week: date) -> Iterator[str]:
    """The verdict, then each finding with its ids, sentences, cause and next command."""
    tests = numbers.counted(screen.tests, "test")
    yield f"{numbers.iso_week(week)}: {plain(screen.title)}; {tests}"
    for one in (*screen.silent, *screen.new, *screen.open):
        yield ""
        yield from _finding(one)
    if screen.left_out:
        yield f"{screen.left_out} more; citelog alerts --format json lists all"
    yield from _ended(screen.ended)
    yield from _rest(screen)


def _finding(one: Told) -> Iterator[str]:
    yield f"{'new' if one.label == 'Alarm' else one.label.lower()}  {one.alarms[0]}"
    yield f"  {plain(one.text)}"
    yield from _also(one)
    if one.since:
        yield f"  {plain(one.since)} {plain(one.cause)}"
    speaks = "for" if one.known else "moved"
    yield from (f"    {speaks}: {reason}" for reason in one.speaks_for)
    yield from (f"    against: {reason}" for reason in one.speaks_against)
    yield from (f"  {remark}" for remark in one.said)
    yield f"  $ {one.command}"


def _also(one: Told) -> Iterator[str]:
    for name, text in zip(one.alarms[1:], one.also, strict=True):
        yield f"  with it: {plain(text)}  {name}"


def _ended(ended: Sequence[Told]) -> Iterator[str]:
    if ended:
        yield ""
    for one in ended:
        yield f"{one.label.lower()}  {one.alarms[0]}"
        yield f"  {plain(one.text)}"


def _rest(screen: Screen) -> Iterator[str]:
    unchecked = [one for one in screen.standings if one.state == "not checked"]
    lines = [f"{one.route}: not checked, {one.why}" for one in unchecked]
    lines += map(plain, screen.seen)
    if screen.muted:
        lines.append(plain(muting.told(screen.muted)))
        lines += [f"  $ {one.command}" for one in screen.muted]
    if lines:
        yield ""
    yield from lines
