"""Every watched measure in two weeks, or of two releases: how far apart, and whether by chance.

Chance is that of the requests drawn, by the jackknife over unit groups, with Benjamini and
Hochberg over all measures compared; how much weeks differ from each other anyway is what alarms
know and this does not. A side of a handful of requests is compared with nothing.
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
from analyzer.stats.false_discovery import believed, corrected
from analyzer.stats.jackknife import Estimate, difference, difference_of_shares, rate_floor
from analyzer.stats.settings import LEAST_OF_A_RATE, DriftSettings, EffectSettings, of_ordering

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
    p_corrected: float | None = None  # for all that were compared with it
    tests: int = 0  # how many those are, itself included

    @property
    def too_few(self) -> bool:
        """Whether a side holds too little of it for a rate."""
        return too_few(self.before) or too_few(self.since)

    @property
    def alone(self) -> bool:
        """Whether its own interval excludes zero, and only the number of measures says chance."""
        return self.chance is True and self.p is not None and self.p < LEVEL

    @property
    def beyond(self) -> float:
        """How many of the smallest watched changes it moved by; 0 where that may be chance."""
        return 0.0 if self.chance is not False else abs(self.change.value or 0.0) / self.least


def too_few(side: WeekEstimate) -> bool:
    """Whether it rests on fewer requests, or is a share of fewer things, than a rate takes."""
    return min(side.requests, side.base) < LEAST_OF_A_RATE


def of_a_field(measure: str) -> bool:
    """Missing fields and orderings are many, and mostly still."""
    return measure.startswith("missing_") or of_ordering(measure)


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
    p = np.array([_tested(one) for one in found], np.float64)
    kept, of_all, tests = believed(p, LEVEL), corrected(p), int(np.isfinite(p).sum())
    return [
        replace(
            one,
            chance=None if one.p is None else not bool(kept[at]),
            p_corrected=float(of_all[at]) if np.isfinite(of_all[at]) else None,
            tests=tests,
        )
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
    """Two estimates of one measure held against each other.

    Nothing is told of a refused one, nor where a side holds too few.
    """
    sound = before.verdict == since.verdict == "OK" and not (too_few(before) or too_few(since))
    watched = drift.measure(measure)
    change = _change(since, before, share=watched.rate)
    if not sound:
        change = replace(change, value=None, se=None)
    elif change.se is not None:
        change = change.floored(_floor(before, since))
    p = None
    if change.value is not None and change.se:
        p = float(two_sided_p(np.array([change.value / change.se]), np.array([change.df]))[0])
    return Compared(route, measure, before, since, change, p, watched.minimum_effect)


def _change(since: WeekEstimate, before: WeekEstimate, *, share: bool) -> Estimate:
    if not share:
        return difference(since.estimate, before.estimate)
    return difference_of_shares(since.estimate, before.estimate, (since.base, before.base))


def _floor(before: WeekEstimate, since: WeekEstimate) -> float:
    """No difference is surer than the surer side."""
    return min(before.estimate.se or 0.0, since.estimate.se or 0.0)


def worst(found: Iterable[Compared]) -> Compared | None:
    """The one that moved furthest beyond what is watched for; else the least likely by chance."""
    known: Iterator[Compared] = (one for one in found if one.p is not None)
    return max(known, key=lambda one: (one.beyond, -(one.p or 0.0)), default=None)
