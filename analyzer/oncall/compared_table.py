"""A comparison as a table: with every digit for programs, in each measure's words for people."""

from __future__ import annotations

import pyarrow as pa

from analyzer import names, numbers
from analyzer.measures.weekly import WeekEstimate
from analyzer.oncall.comparing import Compared, of_a_field, too_few
from analyzer.oncall.splitting import Comparison, Parts
from analyzer.oncall.too_few import SHOWN, Sides, of_measures
from analyzer.stats.panel import ALL_ROUTES
from analyzer.stats.settings import DIP
from analyzer.telling.words import Words, bounds, level, relative, words

_SCHEMA = pa.schema(
    [
        ("route", pa.string()),
        ("measure", pa.string()),
        ("before", pa.float64()),
        ("since", pa.float64()),
        ("base_before", pa.int64()),  # what each value is a share or mean of
        ("base_since", pa.int64()),
        ("requests_before", pa.int64()),  # requests it rests on
        ("requests_since", pa.int64()),
        ("too_few", pa.bool_()),  # a side has fewer than 50 of either, so that no rate is told
        ("change", pa.float64()),
        ("low", pa.float64()),  # 95 % interval
        ("high", pa.float64()),
        ("p", pa.float64()),
        ("p_corrected", pa.float64()),  # for all that are compared; `chance` rests on it
        ("tests", pa.int64()),  # how many those are
        ("chance", pa.bool_()),  # whether it could be chance; NULL: not known
        ("watched_from", pa.float64()),  # the smallest change that is watched for
        ("behaviour", pa.float64()),  # inside routes, models and releases on both sides
        ("mix", pa.float64()),  # by their shares of traffic
        ("came_or_went", pa.float64()),  # by those on one side only
    ]
)


def compared_table(found: Comparison) -> pa.Table:
    """One row a route and measure, every number in the measure's own unit."""
    return pa.Table.from_pylist([_row(one, found) for one in found.rows], _SCHEMA)


def _row(one: Compared, found: Comparison) -> dict[str, object]:
    ends = one.change.interval() or (None, None)
    parts = None if one.too_few else found.parts.get((one.route, one.measure))
    return {
        "route": one.route,
        "measure": one.measure,
        "before": _known(one.before),
        "since": _known(one.since),
        "base_before": one.before.base,
        "base_since": one.since.base,
        "requests_before": one.before.requests,
        "requests_since": one.since.requests,
        "too_few": one.too_few,
        "change": one.change.value,
        "low": ends[0],
        "high": ends[1],
        "p": one.p,
        "p_corrected": one.p_corrected,
        "tests": one.tests,
        "chance": one.chance,
        "watched_from": one.least,
        "behaviour": parts.behaviour if parts else None,
        "mix": parts.mix if parts else None,
        "came_or_went": parts.came if parts else None,
    }


def _known(side: WeekEstimate) -> float | None:
    return None if too_few(side) else side.estimate.value


def told_table(found: Comparison, sides: tuple[str, str]) -> pa.Table:
    """The same in words; fields and orderings that did not move are left out.

    n: what the value before it is a share or mean of.
    """
    rows = [
        _told(one, found)
        for one in found.rows
        if one.chance is False or not of_a_field(one.measure)
    ]
    routes = len({row[0] for row in rows}) > 1
    shown = [row if routes else row[1:] for row in rows]
    before, since = sides
    head = (
        "route", "measure", before, "n", since, "n", "change", "95% interval", "chance?",
        "behaviour", "mix",
    )  # fmt: skip
    headings = head if routes else head[1:]
    columns = zip(*shown, strict=True) if shown else [[] for _ in headings]
    return pa.Table.from_arrays([pa.array(list(each)) for each in columns], list(headings))


def _told(one: Compared, found: Comparison) -> tuple[str | int, ...]:
    said = words()[one.measure]
    ends = one.change.interval()
    parts = None if one.too_few else found.parts.get((one.route, one.measure))
    return (
        "all routes" if one.route == ALL_ROUTES else names.shown(one.route),
        said.brief or said.name,
        _level(one.before, said),
        one.before.base,
        _level(one.since, said),
        one.since.base,
        _change(one, said),
        bounds(said.unit, *ends) if ends else numbers.UNKNOWN,
        _verdict(one),
        *_parts(parts, said),
    )


def _level(side: WeekEstimate, said: Words) -> str:
    value = side.estimate.value
    if side.verdict != "OK" or value is None:
        return numbers.UNKNOWN
    return SHOWN if too_few(side) else level(said.unit, value)


def _change(one: Compared, said: Words) -> str:
    return numbers.UNKNOWN if one.change.value is None else _written(one.change.value, said)


def _written(value: float, said: Words) -> str:
    if said.unit == "points":
        return numbers.points(value)
    return numbers.change(relative(said.unit, value))


def _verdict(one: Compared) -> str:
    if one.too_few and _value_of_any(one):
        return "too few"
    if one.chance is None:
        return "not known"
    if one.chance:
        return f"could be, of {one.tests}" if one.alone else "could be"
    return "no" if one.beyond >= 1 else "no, but small"


def _value_of_any(one: Compared) -> bool:
    return any(each.estimate.value is not None for each in (one.before, one.since))


def _parts(parts: Parts | None, said: Words) -> tuple[str, str]:
    """Behaviour and mix; what came, went or is too few is named in place of a behaviour."""
    if parts is None:
        return numbers.UNKNOWN, numbers.UNKNOWN
    told = [
        _written(each, said).removesuffix(" points")
        for each in (parts.behaviour, parts.mix, parts.came)
    ]
    came = f"; new, gone or few {told[2]}" if told[2] not in ("0.0", "0%") else ""
    return f"{told[0]}{came}", told[1]


def remarks(found: Comparison, sides: Sides) -> list[str]:
    """Why something has no value, or is no news though its own interval excludes zero."""
    apart = [one for one in found.rows if one.alone]
    return [
        *of_measures(found.rows, sides),
        *_effects(found),
        *([_OF_MANY] if apart else []),
    ]


_OF_MANY = (
    "could be, of so many: alone its interval excludes 0; corrected for that many it may be chance."
)


def _effects(found: Comparison) -> list[str]:
    """Why position effects have no value, a sentence a route."""
    return [
        f"{names.shown(one.route)}: position effect not compared ({why.replace('_', ' ').lower()})"
        for one in found.rows
        if one.measure == DIP
        for why in dict.fromkeys((one.before.verdict, one.since.verdict))
        if why != "OK"
    ]
