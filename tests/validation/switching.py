"""How often shares of orderings alarm by chance, and how soon a switch does.

Estimates are drawn, not counted: ten routes of 100 to 15,000 requests a week, three orderings by
chance. Shares wander as an AR(1) (.5), requests of a unit go together, and standard errors are as
noisy as a jackknife over twenty groups makes them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from analyzer.stats.arrays import Floats
from analyzer.stats.panel import WeekEstimate
from analyzer.stats.watching import watch

from .table import Row, mean, share

ORDERINGS = {"best_first": 0.3, "edges_first": 0.5, "best_last": 0.2}
SIZES = np.geomspace(100, 15_000, 10).astype(int).tolist()
WEEKS, SWITCHED, WITHIN = 52, 30, 3
CLUSTERED = 2  # times the variance of independent requests
DEGREES = 19
MOST = 1.0  # false alarms a report


@dataclass(frozen=True)
class Switch:
    """From that week on so large a share of a route's requests is best first, not edges first."""

    route: int
    share: float


SWITCHES = (Switch(0, 0.5), Switch(0, 0.3), Switch(3, 0.5), Switch(3, 0.3), Switch(8, 0.25))
WANDERING = (0.0, 0.1, 0.2, 0.3)  # standard deviation of the logarithms of shares


def rows(reports: int) -> Iterator[Row]:
    """Quiet years by how far shares wander, then switches."""
    for spread in WANDERING:
        draw = np.random.default_rng(1)
        found = [float(len(_raised(draw, spread))) for _ in range(reports)]
        middle, error = mean(found)
        what = f"false alarms a report, shares wander by {spread:.1f}"
        yield Row(what, f"{middle:.2f} ± {error:.2f}", "at most 1", middle <= MOST)
    for switch in SWITCHES:
        draw = np.random.default_rng(2)
        told = [_soon(_raised(draw, 0.1, switch), switch) for _ in range(reports)]
        what = f"{switch.share:.0%} of {SIZES[switch.route]:,} requests a week switch"
        yield Row(what, f"{share(sum(told), reports)} within {WITHIN} weeks", "", None)


def _soon(raised: list[tuple[str, int]], switch: Switch) -> bool:
    return any(
        route == f"r{switch.route}" and SWITCHED <= week < SWITCHED + WITHIN
        for route, week in raised
    )


def _raised(
    draw: np.random.Generator, spread: float, switch: Switch | None = None
) -> list[tuple[str, int]]:
    """Route and week of every alarm of a year."""
    found = watch(_year(draw, spread, switch), [], lambda *_: "").episodes
    return [(one.route, one.raised) for one in found if one.raised is not None]


def _year(
    draw: np.random.Generator, spread: float, switch: Switch | None
) -> Iterator[WeekEstimate]:
    usual = np.log(list(ORDERINGS.values()))
    for route, requests in enumerate(SIZES):
        wander = np.zeros(len(usual))
        for week in range(WEEKS):
            wander = 0.5 * wander + np.sqrt(0.75) * spread * draw.standard_normal(len(usual))
            shares = np.exp(usual + wander)
            shares /= shares.sum()
            if switch and route == switch.route and week >= SWITCHED:
                moved = min(switch.share, shares[1])
                shares += np.array([moved, -moved, 0.0])
            yield from _week(draw, f"r{route}", week, requests, shares)


def _week(
    draw: np.random.Generator, route: str, week: int, requests: int, shares: Floats
) -> Iterator[WeekEstimate]:
    alone = max(1, requests // CLUSTERED)
    seen = draw.multinomial(alone, shares) / alone
    noise = np.sqrt(draw.chisquare(DEGREES, len(seen)) / DEGREES)
    errors = np.maximum(noise * np.sqrt(seen * (1 - seen) / alone), 1 / requests)
    for name, value, se in zip(ORDERINGS, seen.tolist(), errors.tolist(), strict=True):
        measure = f"ordering_{name}"
        yield WeekEstimate(route, measure, week, value, se, requests, requests, float(requests))
