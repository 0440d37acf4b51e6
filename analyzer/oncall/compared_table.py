"""A comparison as a table: with every digit for programs, in each measure's words for people."""

from __future__ import annotations

import pyarrow as pa

from analyzer import names, numbers
from analyzer.oncall.comparing import Compared
from analyzer.oncall.splitting import Comparison, Parts, of_a_field
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
        ("change", pa.float64()),
        ("low", pa.float64()),  # 95 % interval
        ("high", pa.float64()),
        ("p", pa.float64()),
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
    parts = found.parts.get((one.route, one.measure))
    return {
        "route": one.route,
        "measure": one.measure,
        "before": one.before.estimate.value,
        "since": one.since.estimate.value,
        "base_before": one.before.base,
        "base_since": one.since.base,
        "change": one.change.value,
        "low": ends[0],
        "high": ends[1],
        "p": one.p,
        "chance": one.chance,
        "watched_from": one.least,
        "behaviour": parts.behaviour if parts else None,
        "mix": parts.mix if parts else None,
        "came_or_went": parts.came if parts else None,
    }


def told_table(found: Comparison, sides: tuple[str, str]) -> pa.Table:
    """The same in words; fields and orderings that did not move are left out."""
    rows = [
        _told(one, found)
        for one in found.rows
        if one.chance is False or not of_a_field(one.measure)
    ]
    routes = len({row[0] for row in rows}) > 1
    shown = [row if routes else row[1:] for row in rows]
    head = ("route", "measure", *sides, "change", "95% interval", "chance?", "behaviour", "mix")
    headings = head if routes else head[1:]
    columns = zip(*shown, strict=True) if shown else [[] for _ in headings]
    return pa.table(dict(zip(headings, map(list, columns), strict=True)))


def _told(one: Compared, found: Comparison) -> tuple[str, ...]:
    said = words()[one.measure]
    values = (
        each.estimate.value if each.verdict == "OK" else None for each in (one.before, one.since)
    )
    ends = one.change.interval()
    parts = found.parts.get((one.route, one.measure))
    return (
        "all routes" if one.route == ALL_ROUTES else names.shown(one.route),
        said.brief or said.name,
        *(numbers.UNKNOWN if each is None else level(said.unit, each) for each in values),
        _change(one, said),
        bounds(said.unit, *ends) if ends else numbers.UNKNOWN,
        _verdict(one),
        *_parts(parts, said),
    )


def _change(one: Compared, said: Words) -> str:
    return numbers.UNKNOWN if one.change.value is None else _written(one.change.value, said)


def _written(value: float, said: Words) -> str:
    if said.unit == "points":
        return numbers.points(value)
    return numbers.change(relative(said.unit, value))


def _verdict(one: Compared) -> str:
    if one.chance is None:
        return "not known"
    if one.chance:
        return "could be"
    return "no" if one.beyond >= 1 else "no, but small"


def _parts(parts: Parts | None, said: Words) -> tuple[str, str]:
    """Behaviour and mix; what came or went is named in place of a behaviour."""
    if parts is None:
        return numbers.UNKNOWN, numbers.UNKNOWN
    told = [
        _written(each, said).removesuffix(" points")
        for each in (parts.behaviour, parts.mix, parts.came)
    ]
    came = f"; new or gone {told[2]}" if told[2] not in ("0.0", "0%") else ""
    return f"{told[0]}{came}", told[1]


def refusals(found: Comparison) -> list[str]:
    """Why position effects have no value, a sentence a route."""
    return [
        f"{names.shown(one.route)}: position effect not compared ({why.replace('_', ' ').lower()})"
        for one in found.rows
        if one.measure == DIP
        for why in dict.fromkeys((one.before.verdict, one.since.verdict))
        if why != "OK"
    ]
