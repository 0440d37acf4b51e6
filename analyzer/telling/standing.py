"""How each route stands after a week: drifted, still off, quiet, or not checked and why."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal

import numpy as np

from analyzer import numbers
from analyzer.stats.panel import ALL_ROUTES
from analyzer.stats.settings import DriftSettings
from analyzer.telling.spans import Span, Text, joined
from analyzer.watch.alarms import Alarms
from analyzer.watch.naming import week_number

State = Literal["drifted", "still off", "muted", "quiet", "not checked"]
NAMED = 3


@dataclass(frozen=True)
class Standing:
    """One route: `tests` is how many of its measures were tested, `why` why it was not checked.

    `muted`: some alarm of it stands and is not told, so that nothing good is to be said of it.
    """

    route: str
    state: State
    tests: int
    why: str = ""
    muted: bool = False


def judged(found: Alarms) -> bool:
    """Whether the estimates reach the week itself."""
    panel = found.watched.panel
    return panel.weeks > 0 and panel.first_week + panel.weeks - 1 == week_number(found.week)


def standings(
    found: Alarms,
    requests: Mapping[str, int],
    muted: Collection[str] = (),
    settings: DriftSettings | None = None,
) -> tuple[Standing, ...]:
    """Each of these routes, by its requests of the week."""
    settings = settings or DriftSettings()
    return tuple(_standing(route, n, found, muted, settings) for route, n in requests.items())


def _standing(
    route: str, requests: int, found: Alarms, muted: Collection[str], settings: DriftSettings
) -> Standing:
    mine = [one for one in found.open if one.route == route]
    shown = [one for one in mine if one.id not in muted]
    tests, why = _checked(route, requests, found, settings)
    hidden = len(shown) < len(mine)
    if any((one.raised or 0) >= week_number(found.week) for one in shown):  # or at night since
        return Standing(route, "drifted", tests, muted=hidden)
    if why:
        return Standing(route, "not checked", tests, why, hidden)
    if shown:
        return Standing(route, "still off", tests, muted=hidden)
    return Standing(route, "muted" if hidden else "quiet", tests, muted=hidden)


def _checked(route: str, requests: int, found: Alarms, settings: DriftSettings) -> tuple[int, str]:
    """How many measures were tested, and why none was."""
    if not judged(found):
        return 0, "its weekly estimates are not in the store; citelog ingest makes them"
    if not requests:
        return 0, "no requests this week"
    look = found.watched.looks[-1].weekly
    mine = np.array([name == route for name in found.watched.panel.routes], dtype=np.bool_)
    tests = int((look.tested & mine).sum())
    least = settings.least_requests
    if requests < least:
        counted = numbers.counted(requests, "request")
        aside = ", but for its ordering" if tests else ""
        return 0, f"not monitored at this volume ({counted}; {least} a week are needed){aside}"
    if tests:
        return tests, ""
    weeks = int(look.baseline_weeks[mine].max(initial=0))
    if weeks < settings.least_baseline:
        return 0, f"no baseline yet ({weeks} of {settings.least_baseline} weeks)"
    return 0, "too little of anything to be tested"


def title(states: Sequence[Standing], *, everywhere: bool = False, silent: int = 0) -> Text:
    """The verdict of a week in one line.

    `everywhere`: the row over all routes alarmed; `silent`: how many alarms of silence stand.
    """
    said = _verdict(states, everywhere)
    alarms = numbers.counted(silent, "alarm")
    return (*said, Span(f"; {alarms} of silence")) if silent else said


def _verdict(states: Sequence[Standing], everywhere: bool) -> Text:
    drifted = [one.route for one in states if one.state == "drifted"]
    off = [one.route for one in states if one.state == "still off"]
    muted = sum(one.muted and one.state in ("muted", "still off") for one in states)
    unchecked = sum(one.state == "not checked" for one in states)
    rest = [f"{n} {word}" for n, word in ((muted, "muted"), (unchecked, "not checked")) if n]
    if drifted:
        head: Text = (Span(f"{_of(len(drifted), states)} drifted: "), *named(drifted))
        return (*head, *_still(off))
    if everywhere:
        return (Span(f"Drift over all {len(states)} routes together"), *_still(off))
    if states and unchecked == len(states):
        return (Span(_none(states)),)
    quiet = len(states) - muted - unchecked
    none = "No new drift" if off else "No drift"
    count = numbers.counted(quiet, "route") if quiet == len(states) else _of(quiet, states)
    return (Span("; ".join([f"{none} on {count}", *rest])), *_still(off))


def unjudged(week: date) -> Text:
    """The verdict of a week that is not over."""
    return (Span(f"{numbers.iso_week(week)} is not over, so nothing was tested for drift"),)


def _none(states: Sequence[Standing]) -> str:
    if len(states) == 1:
        return "The only route could not be checked for drift"
    return f"None of {len(states)} routes could be checked for drift"


def _of(some: int, states: Sequence[Standing]) -> str:
    return f"{some} of {numbers.counted(len(states), 'route')}"


def _still(off: Sequence[str]) -> Text:
    return (Span("; still off: "), *named(off)) if off else ()


def named(routes: Sequence[str]) -> Text:
    """The first of these routes as an enumeration, and how many more there are."""
    more = f"{len(routes) - NAMED} more" if len(routes) > NAMED else ""
    return joined([*((Span(route, "name"),) for route in routes[:NAMED])], more)


def over_all_routes(found: Alarms, muted: Collection[str]) -> bool:
    """Whether the row over all routes alarmed in the week."""
    number = week_number(found.week)
    return any(
        one.route == ALL_ROUTES and one.raised == number and one.id not in muted
        for one in found.open
    )
