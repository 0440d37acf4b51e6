"""A year of routes, drawn week by week from a stock of requests.

Volume, relevance, copies and lengths wander from week to week as an AR(1) does; the first three are
those of the log simulator, so that the same scenario can also be made chunk by chunk.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta

import msgspec
import numpy as np

from analyzer.simulate import Model, Route, Scenario, state
from analyzer.simulate.arrays import stream
from analyzer.simulate.scenario import Noise
from analyzer.simulate.traits import Copies, Documents

from .designs import MIXED, MONDAY, published
from .drawing import Drawn, draw
from .pools import Pool, pool, stock

SIZES = (500, 800, 1000, 1500, 2000, 3000, 4000, 5000, 8000, 15000)
WARM_UP, JUDGED = 16, 52  # weeks
STOCK = 20_000  # requests of each pool
MIRRORS = 0.006  # makes 1 % of the packed chunks copies of another
MIRROR_STEPS = tuple(MIRRORS * 2 ** (step / 2) for step in range(-1, 6))
# Week to week, as standard deviations of logarithms; chosen to move citation-free answers and
# copies as much as the published year of logs moved.
NOISE = Noise(phi=0.5, volume=0.1, relevance=0.045, copies=0.08)
LENGTH_NOISE = 0.014  # of all prompts of a route's week; the log simulator has no such knob
_replace = msgspec.structs.replace


def name_of(size: int) -> str:
    """The route of that many requests a week."""
    return f"route-{size:05d}"


def year(seed: int, sizes: tuple[int, ...] = SIZES) -> Scenario:
    """Routes of the published generator, with the noise of weeks and nothing else."""
    whole = published(
        orderings=MIXED, copies=Copies(mirrors=MIRRORS), documents=Documents(count=307, chunks=11)
    )
    routes = tuple(_replace(whole, name=name_of(size), requests=float(size)) for size in sizes)
    weeks = WARM_UP + JUDGED
    return Scenario(first_day=MONDAY, weeks=weeks, seed=seed, routes=routes, noise=NOISE)


@dataclass(frozen=True)
class Change:
    """What is planted: times the dip, added to the share of copies made, times the lengths."""

    dip: float = 1.0
    copies: float = 0.0
    longer: float = 1.0


NOTHING = Change()


class Year:
    """A scenario with the stock that the weeks of all its routes are drawn from."""

    def __init__(self, scenario: Scenario, size: int = STOCK) -> None:
        self.scenario = scenario
        route = scenario.routes[-1]
        self._pools: list[tuple[float, Pool]] = [
            (mirrors, pool(*stock(scenario, _replace(route, copies=Copies(mirrors=mirrors)), size)))
            for mirrors in MIRROR_STEPS
        ]

    def monday(self, week: int) -> date:
        """The first day of a week, counted from 0."""
        return (self.scenario.first_day + timedelta(weeks=week)).date()

    def drawn(self, route: Route, week: int, change: Change = NOTHING) -> list[Drawn]:
        """A week of one route."""
        rng = stream(self.scenario.seed, "drawn", route.name, str(week), repr(change))
        moment = self.scenario.first_day + timedelta(weeks=week)
        now = state.at(self.scenario, route, moment)
        count = int(rng.poisson(now.requests))
        model = Model(dip=change.dip)
        longer = change.longer * float(np.exp(LENGTH_NOISE * self._lengths(route.name)[week]))
        shares = self._shares(now.copies.mirrors + change.copies)
        parts = zip(shares, rng.multinomial(count, list(shares.values())), strict=True)
        return [
            draw(self._pools[index][1], int(n), now, model, longer, rng) for index, n in parts if n
        ]

    def _shares(self, mirrors: float) -> dict[int, float]:
        """Which two pools, and how much of each, have that share of copies together."""
        steps = [step for step, _ in self._pools]
        held = min(max(mirrors, steps[0]), steps[-1])
        above = int(np.clip(np.searchsorted(steps, held), 1, len(steps) - 1))
        low, high = steps[above - 1], steps[above]
        upper = (held - low) / (high - low)
        return {above - 1: 1 - upper, above: upper}

    def _lengths(self, route: str) -> list[float]:
        """A standard AR(1) over all weeks."""
        shocks = stream(self.scenario.seed, "lengths", route).normal(size=self.scenario.weeks)
        values = [float(shocks[0])]
        for shock in shocks[1:]:
            values.append(NOISE.phi * values[-1] + (1 - NOISE.phi**2) ** 0.5 * float(shock))
        return values
