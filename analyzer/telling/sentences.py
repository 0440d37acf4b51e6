"""One alarm in a sentence: what, where, how much with its interval, since when, the next command.

A change is the one of the time at which it was found; near the limit of detection that is a little
too large, which is why the sentence of an older alarm names the time and says this week's beside.
"""

from __future__ import annotations

import shlex

from analyzer import names, numbers
from analyzer.stats.episodes import Change, Episode
from analyzer.stats.panel import ALL_ROUTES
from analyzer.telling.spans import Span, Text
from analyzer.telling.words import Words, bounds, size, value, words
from analyzer.watch.naming import monday_of
from analyzer.watch.starts import Begun


def what(one: Episode, week: int) -> Text:
    """`support`: 29.8% of its packed chunks …, up 28.0 points (95% interval …) from 1.7%.

    `week` is the one that is told about.
    """
    said, change = words()[one.measure], one.at_first
    if change is None:
        return (where(one.route), Span(f": {said.name} left its band."))
    now = value(said.unit, change.baseline + change.delta)
    before = value(said.unit, change.baseline)
    return (
        where(one.route),
        Span(f": {said.says.format(now=now)}, {direction(said, change)} "),
        interval(said, change),
        Span(f" from {before}{_time(one, change, week)}."),
        *_latest(one, said, week),
    )


def briefly(one: Episode, *, with_route: bool) -> Text:
    """An alarm that belongs to one already told: its name and its change."""
    said, change = words()[one.measure], one.latest or one.at_first
    named: Text = (where(one.route), Span(" ")) if with_route else ()
    if change is None:
        return (*named, Span(said.name))
    told = (Span(f"{said.brief or said.name} {direction(said, change)} "), interval(said, change))
    return (*named, *told)


def where(route: str) -> Span:
    """A route's name as it was logged, or all of them."""
    return Span("All routes") if route == ALL_ROUTES else Span(route, "name")


def direction(said: Words, change: Change) -> str:
    """Up 28.0 points; 17% lower than before."""
    if said.unit == "ratio":
        moved = "lower" if change.delta < 0 else "higher"
        return f"{size(said.unit, change.delta)} {moved} than before"
    return f"{'up' if change.delta > 0 else 'down'} {size(said.unit, change.delta)}"


def interval(said: Words, change: Change) -> Span:
    """The ends of a change's interval."""
    return Span(f"(95% interval {bounds(said.unit, change.low, change.high)})", "interval")


def _time(one: Episode, change: Change, week: int) -> str:
    weeks = f" over {change.weeks} weeks" if change.weeks > 1 else ""
    raised = one.opened if one.raised is None else one.raised
    if raised == week:
        return weeks
    return f"{weeks}, at the time of the alarm in {numbers.iso_week(monday_of(raised))}"


def _latest(one: Episode, said: Words, week: int) -> Text:
    """This week's change, where the alarm is older."""
    if one.latest is None or one.raised == week or one.latest is one.at_first:
        return ()
    return (
        Span(f" This week: {direction(said, one.latest)} "),
        interval(said, one.latest),
        Span("."),
    )


def since(begun: Begun) -> Text:
    """Since the week of 16 November (2026-W47), or the range of weeks that it could be."""
    first = monday_of(begun.week)
    text = f"Since the week of {numbers.day(first)} ({numbers.iso_week(first)})"
    if begun.earliest == begun.latest:
        return (Span(f"{text}."),)
    earliest, latest = (
        numbers.iso_week(monday_of(week)) for week in (begun.earliest, begun.latest)
    )
    return (Span(text), Span(f" (95% range {earliest} to {latest})", "interval"), Span("."))


def command(one: Episode, week: int) -> str:
    """The command that shows more of an alarm, ready to be copied."""
    more = "citelog effect" if one.route == ALL_ROUTES else words()[one.measure].more
    return completed(more, one.route, week)


def completed(command: str, route: str, week: int) -> str:
    """A command with its week and route; a route whose name cannot be typed is left out."""
    asked = {"week": numbers.iso_week(monday_of(week))}
    if route != ALL_ROUTES and names.shown(route) == route:
        asked["route"] = route
    if command.startswith("citelog query "):
        told = (f"--param {shlex.quote(f'{name}={value}')}" for name, value in asked.items())
    else:
        told = (f"--{name} {shlex.quote(value)}" for name, value in asked.items())
    return " ".join([command, *told])
