"""Why a comparison is refused: how many requests either side has, and what would be enough."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from analyzer import names, numbers
from analyzer.oncall.comparing import Compared, of_a_field
from analyzer.oncall.measured import WHOLES
from analyzer.stats.panel import ALL_ROUTES
from analyzer.stats.settings import DIP, LEAST_OF_A_RATE
from analyzer.telling.words import words

SHOWN = f"n < {LEAST_OF_A_RATE}"  # in the place of a rate
Sides = tuple[str, str]  # as "in 2026-W46" or "with r1"
_ROUTES = 3  # told by name


def of_all(found: Sequence[Compared], sides: Sides, *, releases: bool = False) -> str:
    """That no measure can be compared on any route, and with how many requests.

    releases: whether the sides are two of them, in one week.
    """
    few = _of_few(found)
    told = [_of_route(route, few[route], sides) for route in sorted(few)[:_ROUTES]]
    if not told:
        return "no measure has enough on both sides"
    if len(few) > _ROUTES:
        told.append(f"{numbers.counted(len(few) - _ROUTES, 'more route')} as few")
    instead = ", or, where one replaced the other, compare the weeks before and after"
    return (
        f"{', '.join(told)}, and of fewer than {LEAST_OF_A_RATE} no rate is told; wait for more of "
        f"them or name another week{instead if releases else ''}"
    )


def _of_few(found: Sequence[Compared]) -> dict[str, tuple[int, int]]:
    """The routes with too few requests on a side, and how many on both."""
    counts = _requests(found)
    return {route: both for route, both in counts.items() if min(both) < LEAST_OF_A_RATE}


def _requests(found: Sequence[Compared]) -> dict[str, tuple[int, int]]:
    """Requests of every route on both sides, those with unknown citations included."""
    counts: dict[str, tuple[int, int]] = {}
    for one in found:
        before, since = counts.get(one.route, (0, 0))
        counts[one.route] = max(before, one.before.requests), max(since, one.since.requests)
    return counts


def _of_route(route: str, counted: tuple[int, int], sides: Sides) -> str:
    before, since = map(numbers.count, counted)
    return f"{names.shown(route)} has {before} requests {sides[0]} and {since} {sides[1]}"


def of_measures(found: Sequence[Compared], sides: Sides, only: str | None = None) -> Iterator[str]:
    """A sentence for each route of too few requests, and for each measure of too little else.

    only: this measure; fields aside.
    """
    few = _of_few(found)
    for route in sorted(few):
        told = _of_route(route, few[route], sides)
        yield f"{told}; {LEAST_OF_A_RATE} on each side are needed"
    for one in found:
        if one.route not in few and only in (None, one.measure) and _has_some(one):
            yield f"{_where(one.route)}: {_of_measure(one, sides)}"


def _has_some(one: Compared) -> bool:
    """Whether there is a value, and only too little of it; what is refused is told elsewhere."""
    sides = one.before, one.since
    known = any(each.estimate.value is not None for each in sides)
    sound = all(each.verdict == "OK" for each in sides)
    return one.too_few and known and sound and not of_a_field(one.measure)


def _of_measure(one: Compared, sides: Sides) -> str:
    """Accuracy not compared: 12 judged answers in 2026-W46, 310 in 2026-W47; 50 are needed."""
    noun, counted = _what(one)
    before, since = map(numbers.count, counted)
    said = words()[one.measure]
    return (
        f"{said.brief or said.name} not compared: {before} {noun} {sides[0]}, {since} {sides[1]}; "
        f"{LEAST_OF_A_RATE} on each side are needed"
    )


def _what(one: Compared) -> tuple[str, tuple[int, int]]:
    """What there is too little of, and how many on either side."""
    requests, base = (one.before.requests, one.since.requests), (one.before.base, one.since.base)
    if one.measure != "accuracy" and min(requests) < LEAST_OF_A_RATE:
        return "answers with known citations", requests
    return "chunks in the middle" if one.measure == DIP else WHOLES[one.measure], base


def _where(route: str) -> str:
    return "all routes" if route == ALL_ROUTES else names.shown(route)
