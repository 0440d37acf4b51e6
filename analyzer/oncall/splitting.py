"""Traffic mix apart from behaviour: a change split over routes, models and releases.

What is there on one side only, or on one side in a handful of requests, is told apart from both:
no behaviour of it is known.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import numpy as np

from analyzer.measures.rows import Scope
from analyzer.measures.weekly import WeekEstimate
from analyzer.oncall.comparing import Compared, called, difference_of, of_a_field
from analyzer.oncall.measured import RANK, TOKENS, Daily, Window
from analyzer.stats import jackknife
from analyzer.stats.arrays import Floats
from analyzer.stats.contributions import contributions
from analyzer.stats.panel import ALL_ROUTES
from analyzer.stats.settings import DIP, LEAST_OF_A_RATE, DriftSettings, EffectSettings
from analyzer.store import settings

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection

Scopes = tuple[Scope, Scope]


@dataclass(frozen=True)
class Parts:
    """A change in three parts that add up to it."""

    behaviour: float  # inside routes, models and releases that are on both sides
    mix: float  # by their shares of traffic
    came: float  # by those on one side only, or hardly on the other


@dataclass(frozen=True)
class Comparison:
    """What is compared, all routes together first, and the parts of each change."""

    rows: tuple[Compared, ...]
    parts: Mapping[tuple[str, str], Parts]  # of (route, measure)


def with_parts(
    con: Connection, found: Sequence[Compared], scopes: Scopes, drift: DriftSettings
) -> Comparison:
    """Every change split; with several routes also that of all of them together."""
    told = [(one, split(_daily(con, one, scopes), *scopes, one.route)) for one in found]
    parts = {(one.route, one.measure): each.parts for one, each in told if each and each.parts}
    rows = []
    for one in _of_each_measure(found):
        whole = split(_daily(con, one, scopes), *scopes, None)
        pooled = over_all_routes(one.measure, whole, drift) if whole else None
        if pooled and whole and whole.parts:
            rows.append(pooled)
            parts[ALL_ROUTES, one.measure] = whole.parts
    return Comparison((*called(rows), *found), parts)


def _of_each_measure(found: Sequence[Compared]) -> list[Compared]:
    """One row a measure that several routes have; fields and orderings are a route's own."""
    routes = {one.route for one in found}
    first = {one.measure: one for one in reversed(found) if not of_a_field(one.measure)}
    return list(reversed(first.values())) if len(routes) > 1 else []


def _daily(con: Connection, one: Compared, scopes: Scopes) -> Daily:
    before, since = scopes
    days = (before.first_day, since.first_day, since.next_day)
    window = Window(one.measure, one.route, *days, since.release, before.release)
    return Daily(con, window, ZoneInfo(str(settings(con)["time_zone"])))


@dataclass(frozen=True)
class Split:
    """A measure's change by routes, models and releases; whole sums by side and unit group."""

    parts: Parts | None
    part: Floats  # [side, unit group]
    whole: Floats


def split(daily: Daily, before: Scope, since: Scope, route: str | None) -> Split | None:
    """Mix and behaviour of a measure's change; None for what is no rate.

    Of one route, or with None over all of them.
    """
    if daily.window.measure in (DIP, TOKENS):
        return None
    days = {
        "first_day": before.first_day,
        "before_to": before.next_day,
        "since_from": since.first_day,
        "next_day": since.next_day,
        "route": route,
    }
    of_releases = daily.window.release is not None
    sums: dict[str, Floats] = defaultdict(lambda: np.zeros((3, 2)))
    groups = np.zeros((2, 2, EffectSettings().groups))
    for later, name, model, release, group, part, whole in daily.run("segments", **days):
        sums[_label(name, model, None if of_releases else release)][:2, int(later)] += part, whole
        groups[:, int(later), group] += part, whole
    for later, name, model, release, requests in daily.run("served", **days):
        label = _label(name, model, None if of_releases else release)
        if label in sums:
            sums[label][2, int(later)] += requests
    return Split(_parts(sums), *groups)


def _label(*of: str | None) -> str:
    """A segment by its route, its model and, where releases are not compared, its release."""
    return "\0".join(each for each in of if each is not None)


def over_all_routes(measure: str, found: Split, drift: DriftSettings) -> Compared | None:
    """The same measure of all routes together; None where a side has none of it."""
    if not found.whole.sum(axis=1).all():
        return None
    sides: list[WeekEstimate] = []
    for part, whole in zip(found.part, found.whole, strict=True):
        estimate = (jackknife.mean if measure == RANK else jackknife.rate)(part, whole)
        n = int(whole.sum())
        sides.append(WeekEstimate(ALL_ROUTES, measure, estimate, n, n, float(n)))
    before, since = sides
    return difference_of(ALL_ROUTES, measure, before, since, drift)


def _parts(sums: Mapping[str, Floats]) -> Parts | None:
    """None also where too much is of labels that are a handful on either side."""
    if not sums:
        return None
    part, whole, requests = np.array(list(sums.values())).transpose(1, 2, 0)
    if not whole.sum(axis=1).all():
        return None
    counted = np.minimum(requests, whole)
    if _scraps(counted) >= LEAST_OF_A_RATE:
        return None
    told = contributions(list(sums), part, whole, counted)
    both = [one for one in told if one.presence == "both"]
    return Parts(
        behaviour=sum(one.behaviour for one in both),
        mix=sum(one.mix for one in both),
        came=sum(one.total for one in told if one.presence != "both"),
    )


def _scraps(counted: Floats) -> float:
    """On the side that has more of them, all of the labels that neither side has enough of."""
    of_labels = counted[:, counted.max(axis=0) < LEAST_OF_A_RATE]
    return float(of_labels.sum(axis=1).max())
