"""Every watched measure in two weeks, or of two releases: how far apart, and whether by chance.

Chance is that of the requests drawn, by the jackknife over unit groups, with Benjamini and
Hochberg over all measures compared; how much weeks differ from each other anyway is what alarms
know and this does not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from analyzer.measures import weekly
from analyzer.measures.rows import Scope
from analyzer.measures.weekly import WeekEstimate
from analyzer.stats.distributions import two_sided_p
from analyzer.stats.false_discovery import believed
from analyzer.stats.jackknife import Estimate, difference, rate_floor
from analyzer.stats.settings import DriftSettings, EffectSettings, of_ordering

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection

LEVEL = 0.05  # false discoveries among the measures called beyond chance


@dataclass(frozen=True)
class Compared:
    """One measure of one route on both sides; `chance` is None where it cannot be told."""

    route: str
    measure: str
    before: WeekEstimate
    since: WeekEstimate
    change: Estimate
    p: float | None
    least: float  # the smallest change that is watched for
    chance: bool | None = None

    @property
    def beyond(self) -> float:
        """How many of the smallest watched changes it moved by; 0 where that may be chance."""
        return 0.0 if self.chance is not False else abs(self.change.value or 0.0) / self.least


def compared(
    con: Connection,
    before: Scope,
    since: Scope,
    drift: DriftSettings | None = None,
    effect: EffectSettings | None = None,
) -> list[Compared]:
    """Every measure of every route that is on both sides, by route and in the order of watching."""
    drift = drift or DriftSettings()
    was, now = (
        {(one.route, one.measure): one for one in weekly.estimates(con, scope, effect)}
        for scope in (before, since)
    )
    pairs = [(key, *_both(key, was, now)) for key in dict.fromkeys((*was, *now))]
    found = [
        difference_of(route, measure, one, other, drift)
        for (route, measure), one, other in pairs
        if one is not None and other is not None
    ]
    found.sort(key=lambda one: one.route)  # each in the order of watching
    return called(found)


def called(found: Sequence[Compared]) -> list[Compared]:
    """The same, each said to be by chance or not among all of them."""
    kept = believed(np.array([_tested(one) for one in found]), LEVEL)
    return [
        replace(one, chance=None if one.p is None else not bool(kept[at]))
        for at, one in enumerate(found)
    ]


def _tested(one: Compared) -> float:
    """Its p; what is zero on both sides is no test."""
    zero = not one.before.estimate.value and not one.since.estimate.value
    return np.nan if one.p is None or zero else one.p


Estimates = Mapping[tuple[str, str], WeekEstimate]


def _both(
    key: tuple[str, str], was: Estimates, now: Estimates
) -> tuple[WeekEstimate | None, WeekEstimate | None]:
    """Both sides; an ordering that one side has not is none of its prompts."""
    before, since = was.get(key), now.get(key)
    if of_ordering(key[1]):
        before = before or _none_of(key, was)
        since = since or _none_of(key, now)
    return before, since


def _none_of(key: tuple[str, str], held: Estimates) -> WeekEstimate | None:
    beside = (one for (route, name), one in held.items() if route == key[0] and of_ordering(name))
    other = next((one for one in beside if one.base), None)
    if other is None:
        return None
    none = np.zeros_like(other.estimate.leave_one_outs)
    zero = Estimate(0.0, rate_floor(0.0, other.base), other.estimate.df, none)
    return replace(other, measure=key[1], estimate=zero)


def difference_of(
    route: str, measure: str, before: WeekEstimate, since: WeekEstimate, drift: DriftSettings
) -> Compared:
    """Two estimates of one measure held against each other; of a refused one nothing is told."""
    sound = before.verdict == since.verdict == "OK"
    change = difference(since.estimate, before.estimate)
    if not sound:
        change = replace(change, value=None)
    se = max(filter(None, (change.se, _floor(before, since))), default=None)
    change = replace(change, se=se if sound and change.df else None)
    p = None
    if change.value is not None and change.se:
        p = float(two_sided_p(np.array([change.value / change.se]), np.array([change.df]))[0])
    return Compared(route, measure, before, since, change, p, drift.measure(measure).minimum_effect)


def _floor(before: WeekEstimate, since: WeekEstimate) -> float | None:
    """No difference is surer than the surer side: rates of zero have a floor, their change none."""
    errors = [one.estimate.se for one in (before, since) if one.estimate.se is not None]
    return min(errors, default=None)


def worst(found: Iterable[Compared]) -> Compared | None:
    """The one that moved furthest beyond what is watched for; else the least likely by chance."""
    known: Iterator[Compared] = (one for one in found if one.p is not None)
    return max(known, key=lambda one: (one.beyond, -(one.p or 0.0)), default=None)
