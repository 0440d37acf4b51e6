"""What could have been seen: "nothing changed" is only worth the smallest change that would show.

A change is told as a relative one, never in points: it follows from the route's own errors.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from analyzer import numbers
from analyzer.stats.reach import Reach
from analyzer.stats.settings import DIP
from analyzer.telling.spans import Span, Text
from analyzer.telling.standing import Standing, named
from analyzer.telling.words import words
from analyzer.watch.alarms import Alarms

FIRST = (DIP, "involved_rate", "citation_free_rate", "position_middle")  # told in this order
TOLD = 2  # measures a route
ROUTES = 2
_YOUNG = (
    Span("How small a lasting change would be seen is known once six usable weeks stand before "),
    Span("the last three; until then only a large one at once would."),
)


def could_have_seen(
    found: Alarms, requests: Mapping[str, int], states: Sequence[Standing]
) -> tuple[Text, ...]:
    """A sentence for each of the busiest quiet routes; then whose position effect is unwatched."""
    quiet = [one.route for one in states if one.state == "quiet"]
    told = [text for route in quiet if (text := _of_route(route, requests[route], found))]
    if not told:
        return (_YOUNG,) if quiet else ()
    more = len(told) - ROUTES
    rest = (Span(f"The table below tells it for {more} more."),)
    checked = [one.route for one in states if one.tests]
    return (*told[:ROUTES], *([rest] if more > 0 else []), *_of_the_dip(checked, found))


def _of_route(route: str, requests: int, found: Alarms) -> Text:
    mine = {one.measure: one for one in found.reaches if one.route == route}
    changes = [words()[one.measure].shift.format(size=size) for one, size in _first(mine)]
    if not changes:
        return ()
    return (
        Span("On "),
        Span(route, "name"),
        Span(f", {numbers.counted(requests, 'request')}, {' or '.join(changes)}, lasting three "),
        Span("weeks, would have alarmed in 8 of 10 cases."),
    )


def _of_the_dip(routes: Sequence[str], found: Alarms) -> Iterator[Text]:
    """Of which routes no lasting change of the position effect would have been seen."""
    known = {one.route for one in found.reaches if one.measure == DIP and one.change is not None}
    panel, tested = found.watched.panel, found.watched.looks[-1].weekly.tested
    young = {panel.routes[index] for index in panel.dips.tolist() if tested[index]} - known
    at_once = [route for route in routes if route in young]
    never = [route for route in routes if route not in known | young]
    if at_once:
        only = Span(" only a change at once would be seen yet.")
        yield (Span("Of the position effect of "), *named(at_once), only)
    if never:
        yield (
            Span("The position effect of "),
            *named(never),
            Span(" could not be told and is not watched."),
        )


def _first(mine: Mapping[str, Reach]) -> list[tuple[Reach, str]]:
    order = [*FIRST, *(name for name in mine if name not in FIRST)]
    known = [(mine[name], mine[name].relative) for name in order if name in mine]
    return [(one, numbers.percent(size)) for one, size in known if size is not None][:TOLD]


def reach_rows(found: Alarms) -> Iterator[dict[str, Any]]:
    """Every series as a row: the relative change that would have been seen, or that none would."""
    for one in found.reaches:
        yield {
            "route": one.route,
            "measure": words()[one.measure].name,
            "monitored": one.change is not None,
            "requests": one.requests,
            "change": one.relative,
            "from_none": one.change if one.relative is None else None,
        }
