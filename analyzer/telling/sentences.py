"""One alarm in a sentence: what, where, how much with its interval, since when, the next command.

A change is the one of the time at which it was found; near the limit of detection that is a little
too large, which is why the sentence of an older alarm goes on to what it is this week.
"""

from __future__ import annotations

import shlex

from analyzer import names, numbers
from analyzer.stats.episodes import Change, Episode
from analyzer.stats.panel import ALL_ROUTES
from analyzer.telling.spans import Span, Text
from analyzer.telling.words import Words, bounds, level, size, value, words
from analyzer.watch.naming import monday_of
from analyzer.watch.starts import Begun


def what(one: Episode, week: int) -> Text:
    """`support`: 29.8% of its packed chunks …, up 28.0 points (95% interval …) from 1.7%.

    `week` is the one that is told about; of an alarm from an earlier one all values are told, in
    the order in which they were seen.
    """
    said, change = words()[one.measure], one.at_first
    if change is None:
        return (where(one.route), Span(f": {said.name} left its band."))
    if _raised(one) != week:
        return _since_then(one, said, change)
    now, before = (value(said.unit, each) for each in (_level(change), change.baseline))
    return (
        where(one.route),
        Span(f": {said.says.format(now=now)}, {direction(said, change)} "),
        interval(said, change),
        Span(f" from {before}{_over(change)}."),
    )


def _since_then(one: Episode, said: Words, first: Change) -> Text:
    """Before, at the alarm, and this week on one scale; then how far it is from where it was."""
    now = one.latest
    raised = numbers.iso_week(monday_of(_raised(one)))
    told = [
        f"{level(said.unit, (now or first).baseline)} before",
        f"{level(said.unit, _level(first))} at the alarm in {raised}{_over(first)}",
    ]
    name = Span(f", {said.brief or said.name}: ")
    if now is None:
        return (where(one.route), name, Span(f"{', '.join(told)}; this week cannot be told."))
    told.append(f"{level(said.unit, _level(now))} this week")
    return (
        where(one.route),
        name,
        Span(f"{', '.join(told)}; from before to this week {_moved(said, now)} "),
        interval(said, now),
        Span("."),
    )


def _moved(said: Words, change: Change) -> str:
    zero = size(said.unit, 0.0)
    return "no change" if size(said.unit, change.delta) == zero else _way(said, change)


def _way(said: Words, change: Change) -> str:
    return f"{'up' if change.delta > 0 else 'down'} {size(said.unit, change.delta)}"


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
    return _way(said, change)


def interval(said: Words, change: Change) -> Span:
    """The ends of a change's interval."""
    return Span(f"(95% interval {bounds(said.unit, change.low, change.high)})", "interval")


def _raised(one: Episode) -> int:
    return one.opened if one.raised is None else one.raised


def _level(change: Change) -> float:
    return change.baseline + change.delta


def _over(change: Change) -> str:
    return f" over {change.weeks} weeks" if change.weeks > 1 else ""


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
