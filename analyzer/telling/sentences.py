"""One alarm in a sentence: what, where, how much with its interval, since when, the next command.

A change is the one of the time at which it was found; near the limit of detection that is a little
too large, which is why the sentence names the time.
"""

from __future__ import annotations

import shlex

from analyzer.stats.episodes import Began, Change, Episode
from analyzer.stats.panel import ALL_ROUTES
from analyzer.telling.spans import Span, Text
from analyzer.telling.words import Words, bounds, size, value, words
from analyzer.watch.naming import iso_week, monday_of

_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip


def what(one: Episode) -> Text:
    """`support`: 29.8 % of its packed chunks …, up 28.0 points (95 % interval …) from 1.7 %."""
    said, change = words()[one.measure], one.at_first
    where = Span("All routes") if one.route == ALL_ROUTES else Span(one.route, "name")
    if change is None:
        return (where, Span(f": {said.name} left its band."))
    now = value(said.unit, change.baseline + change.delta)
    before = value(said.unit, change.baseline)
    return (
        where,
        Span(f": {said.says.format(now=now)}, {_direction(said, change)} "),
        Span(f"(95 % interval {bounds(said.unit, change.low, change.high)})", "interval"),
        Span(f" from {before}{_time(one, change)}."),
    )


def _direction(said: Words, change: Change) -> str:
    if said.unit == "ratio":
        moved = "less" if change.delta < 0 else "more"
        return f"{size(said.unit, change.delta)} {moved} than before"
    return f"{'up' if change.delta > 0 else 'down'} {size(said.unit, change.delta)}"


def _time(one: Episode, change: Change) -> str:
    weeks = f" over {change.weeks} weeks" if change.weeks > 1 else ""
    raised = one.opened if one.raised is None else one.raised
    return f"{weeks}, at the time of the alarm in {iso_week(monday_of(raised))}"


def since(one: Episode) -> Text:
    """Since the week of 16 November (W47), or the range of weeks that it could be."""
    began = one.began or Began(one.opened, one.opened, one.opened, 0.0)
    first = monday_of(began.week)
    text = f"Since the week of {first.day} {_MONTHS[first.month - 1]} ({iso_week(first)})"
    if began.earliest == began.latest:
        return (Span(f"{text}."),)
    earliest, latest = (iso_week(monday_of(week)) for week in (began.earliest, began.latest))
    return (Span(text), Span(f" (95 % range {earliest} to {latest})", "interval"), Span("."))


def command(one: Episode, week: int) -> str:
    """The command that shows more, ready to be copied."""
    said = words()[one.measure]
    if one.route == ALL_ROUTES:
        return f"citelog effect --week {iso_week(monday_of(week))}"
    return said.more.format(week=iso_week(monday_of(week)), route=shlex.quote(one.route))
