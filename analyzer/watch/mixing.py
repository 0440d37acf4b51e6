"""Traffic mix: the routes' shares moved, and the pooled cited rate with them.

No alarm: nothing changed on any route. It is one line, so that nobody looks for a cause.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

import numpy as np

from analyzer import names, numbers
from analyzer.stats.arrays import Flags, Floats
from analyzer.stats.mix import Split, split
from analyzer.stats.settings import DriftSettings, EffectSettings
from analyzer.store import statement
from analyzer.watch import estimated

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection

LEAST_SHARE = 0.05  # of all requests, that a route's share must have moved by
SURE = 3.0  # standard deviations of its share from week to week
_NORMAL = 1.4826  # standard deviation over median absolute deviation, of a normal distribution


@dataclass(frozen=True)
class Shifted:
    """A route whose share of all requests moved."""

    route: str
    before: float
    since: float


@dataclass(frozen=True)
class Mix:
    """The routes whose shares moved, furthest first, and the change of the pooled cited rate."""

    week: date
    shifted: tuple[Shifted, ...]
    split: Split  # of cited / packed over routes; total = mix + within

    @property
    def words(self) -> str:
        """All of it in one sentence."""
        moved = ", ".join(
            f"{names.shown(each.route)} {numbers.rate(each.before)} to {numbers.rate(each.since)}"
            for each in self.shifted
        )
        total, mix, within = (
            estimated.points(each) for each in (self.split.total, self.split.mix, self.split.within)
        )
        return (
            f"the routes' shares of requests moved ({moved}); of the change of the cited rate over "
            f"all routes, {total}, traffic mix is {mix} and change within routes {within}"
        )


def mix_line(con: Connection, week: date, settings: DriftSettings | None = None) -> Mix | None:
    """What the traffic mix did in a week against the weeks before; None where it stayed.

    week: a Monday. None too where it has fewer requests than are tested for drift, or fewer than
    the least baseline weeks hold any.
    """
    settings = settings or DriftSettings()
    first_day = week - timedelta(weeks=settings.baseline_weeks)
    rows = con.execute(
        statement("watch/route_rates"), {"first_day": first_day, "week": week}
    ).fetchall()
    shares = _shares(rows, week)
    if (
        len(shares.routes) < 2
        or len(shares.before) < settings.least_baseline
        or shares.requests < settings.least_requests
    ):
        return None
    shifted = shares.shifted()
    usual = shares.usual_weeks([shares.routes.index(each.route) for each in shifted])
    return Mix(week, shifted, _split(rows, shares.routes, week, usual)) if shifted else None


@dataclass(frozen=True)
class _Shares:
    """Each route's share of all requests, in the week and in those before ([week, route])."""

    requests: int  # of the week, on all routes
    routes: list[str]
    weeks: list[date]
    before: Floats
    now: Floats

    @property
    def usual(self) -> Floats:
        """The middle one: weeks in which the mix had moved already do not pull it along."""
        middle: Floats = np.median(self.before, axis=0)
        return middle

    def shifted(self) -> tuple[Shifted, ...]:
        """Routes whose share moved by enough, and by more than it does from week to week."""
        usual = self.usual
        spread = _NORMAL * np.median(np.abs(self.before - usual), axis=0)
        moved = np.abs(self.now - usual)
        far = np.flatnonzero((moved >= LEAST_SHARE) & (moved > SURE * spread)).tolist()
        order = sorted(far, key=lambda i: (-moved[i], self.routes[i]))
        return tuple(Shifted(self.routes[i], float(usual[i]), float(self.now[i])) for i in order)

    def usual_weeks(self, shifted: list[int]) -> set[date]:
        """The weeks before whose mix was nearer to the usual one than to that of the week."""
        before = self.before[:, shifted]
        near: Flags = np.abs(before - self.usual[shifted]) <= np.abs(before - self.now[shifted])
        return {self.weeks[i] for i in np.flatnonzero(near.all(axis=1)).tolist()}


def _shares(rows: list[Any], week: date) -> _Shares:
    routes = sorted({row[0] for row in rows})
    requests: dict[date, Floats] = defaultdict(lambda: np.zeros(len(routes)))
    for route, monday, _, n, _, _ in rows:
        requests[monday][routes.index(route)] += n
    now = requests.pop(week, np.zeros(len(routes)))
    weeks = sorted(requests)
    before = np.array([requests[each] / requests[each].sum() for each in weeks])
    return _Shares(int(now.sum()), routes, weeks, before, now / max(now.sum(), 1.0))


def _split(rows: list[Any], routes: list[str], week: date, usual: set[date]) -> Split:
    """The change of the pooled cited rate since the usual weeks; [unit group, route] each."""
    shape = (2, EffectSettings().groups, len(routes))
    packed, cited = np.zeros(shape), np.zeros(shape)
    for route, monday, group, _, all_packed, all_cited in rows:
        if monday == week or monday in usual:
            cell = int(monday == week), group, routes.index(route)
            packed[cell] += all_packed
            cited[cell] += all_cited
    return split(cited[0], packed[0], cited[1], packed[1])
