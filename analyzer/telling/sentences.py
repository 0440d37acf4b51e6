"""One alarm in a sentence: what, where, how much with its interval, since when, the next command.

A change is the one of the time at which it was found; near the limit of detection that is a little
too large, which is why the sentence of an older alarm goes on to what it is this week.
"""

from __future__ import annotations

import math
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
        return _since_then(one, said, change, week)
    now, before = (value(said.unit, each) for each in (_level(change), change.baseline))
    beside = before.removesuffix(" as")  # of "as often as"
    than = f"than before ({beside})" if said.unit == "ratio" else f"from {before}"
    return (
        where(one.route),
        Span(f": {said.says.format(now=now)}, {_from_before(said, change)} "),
        _ends(said, change),
        Span(f" {than}{_over(change)}."),
    )


def measured(one: Episode, week: int) -> int:
    """The newest week up to `week` in which the measure of an alarm had a value to be judged."""
    return week if one.measured is None else min(week, one.measured)


def _since_then(one: Episode, said: Words, first: Change, week: int) -> Text:
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
    last = measured(one, week)
    told.append(_last(said, first, now, None if last == week else last))
    then = "this week" if last == week else "then"
    moved = Span(f"{', '.join(told)}; from before to {then} {_moved(said, now)} ")
    doubt = "" if one.ended is not None else _doubt(said, now, "this" if last == week else "that")
    return (where(one.route), name, moved, _ends(said, now), Span(f"{doubt}."))


def _last(said: Words, first: Change, now: Change, week: int | None) -> str:
    """The newest value; `week` is that of the value where it is not the one that is told about."""
    value_then = level(said.unit, _level(now))
    if week is None:
        return f"{value_then} this week"
    if now == first:
        return "when it was last measured"
    return f"{value_then} when last measured, in {numbers.iso_week(monday_of(week))}"


def _doubt(said: Words, change: Change, week: str) -> str:
    """Said of an interval with zero in it, where there is a change at all."""
    surely = change.low > 0 or change.high < 0 or _still(said, change)
    return "" if surely else f"; {week} week alone is not certain"


def _still(said: Words, change: Change) -> bool:
    moved = _shift(change, change.delta) if said.unit == "ratio" else change.delta
    unit = "points" if said.unit == "ratio" else said.unit
    return size(unit, moved) == size(unit, 0.0)


def _way(said: Words, change: Change) -> str:
    return f"{'up' if change.delta > 0 else 'down'} {size(said.unit, change.delta)}"


def _moved(said: Words, change: Change) -> str:
    return "no change" if _still(said, change) else _from_before(said, change)


def _from_before(said: Words, change: Change) -> str:
    """Up 28.0 points; 7.6 points worse.

    A ratio is told as a share already: as a share of a share its change would be misread.
    """
    if said.unit != "ratio":
        return _way(said, change)
    worse = "worse" if change.delta < 0 else "better"
    return f"{size('points', _shift(change, change.delta))} {worse}"


def _ends(said: Words, change: Change) -> Span:
    """The interval of such a change."""
    if said.unit != "ratio":
        return interval(said, change)
    low, high = (_shift(change, end) for end in (change.low, change.high))
    return Span(f"(95% interval {bounds('points', low, high)})", "interval")


def _shift(change: Change, by: float) -> float:
    """How far a ratio goes from its value before, if its logarithm moves by so much."""
    return math.exp(change.baseline + by) - math.exp(change.baseline)


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
