"""Routes whose true position effect is known, and many runs of them at once.

The generator is the published one: K lognormal around 8, chunks of some 430 tokens, relevance that
falls with the rank, users and requests of their own mind, and a curve that reads the middle of long
prompts worse. A run is a route of its own with its own index and users, so that one rollup and one
question answer many runs.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import msgspec

from analyzer.measures.effect import RouteEffect, effects
from analyzer.measures.rows import week_of
from analyzer.simulate import Model, Route, Scenario
from analyzer.simulate.calendar import Stretch
from analyzer.simulate.generate import Traffic, traffic, world
from analyzer.simulate.traits import Copies, Documents, Outcomes, Spread, Units
from analyzer.simulate.truth import Truth
from analyzer.stats.settings import EffectSettings

from .facts import fill_from
from .stores import empty

MONDAY = datetime(2026, 8, 17, tzinfo=UTC)
MIXED = {"best_first": 0.3, "edges_first": 0.5, "best_last": 0.2}
FLAT, DIP = Model(dip=0.0), Model(dip=1.0)
AT_ONCE = 20  # runs that share a store
_replace = msgspec.structs.replace


def published(**traits: Any) -> Route:
    """A route of the published generator: everything answered, nothing copied, all packed."""
    usual: dict[str, Any] = {
        "name": "run",
        "requests": 5000.0,
        "copies": Copies(mirrors=0.0),
        "units": Units(count=1000, tail=0.8),
        "documents": Documents(count=47, chunks=5),
        "outcomes": Outcomes(refused=0.0, error=0.0, cached=0.0, uncited=0.0),
        "overhead_tokens": 0,
        "question": Spread(median=1.0, spread=0.0),
    }
    return Route(**(usual | traits))


@dataclass(frozen=True)
class Run:
    """One run: what was estimated, and log RR as it truly is (None: nothing compares)."""

    found: RouteEffect
    truth: float | None

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % interval of log RR, where one is shown."""
        effect = self.found.effect.log_ratio
        return effect.interval() if effect else None

    def holds(self, value: float | None) -> bool | None:
        """Whether the interval holds a value; None: refused."""
        if self.interval is None or value is None:
            return None
        low, high = self.interval
        return low <= value <= high


def runs(
    route: Route,
    model: Model,
    seed: int,
    numbers: range,
    settings: EffectSettings | None = None,
) -> Iterator[Run]:
    """The runs of these numbers; each is what it is, whichever others are asked for."""
    for first in range(numbers.start, numbers.stop, AT_ONCE):
        together = range(first, min(first + AT_ONCE, numbers.stop))
        scenario = Scenario(
            first_day=MONDAY,
            weeks=1,
            seed=seed,
            routes=tuple(_replace(route, name=f"run-{number:04d}") for number in together),
            models={route.model: model},
        )
        yield from _of(scenario, settings)


def _of(scenario: Scenario, settings: EffectSettings | None) -> Iterator[Run]:
    periods = [day_of(scenario, route) for route in scenario.routes]
    truth = true_effects(scenario, periods)
    con = empty()
    fill_from(con, scenario, periods)
    found = effects(con, week_of(scenario.first_day.date()), settings)
    con.close()
    for name in sorted(truth):
        yield Run(found[name], truth[name])


def day_of(scenario: Scenario, route: Route) -> Traffic:
    """All requests of the week on its Monday: fewer rows, the same counts."""
    crowded = _replace(scenario, weekdays=(1, 0, 0, 0, 0, 0, 0))
    return traffic(crowded, route, world(crowded, route), Stretch(scenario.first_day, 0, 24))


def true_effects(scenario: Scenario, periods: list[Traffic]) -> dict[str, float | None]:
    """log RR of each route as the simulator knows it: theta at the places that were used."""
    truth = Truth(scenario)
    for period in periods:
        truth.add(period)
    weeks = json.loads(truth.as_json())["weeks"]
    return {
        week["route"]: None if week["true_ratio"] is None else math.log(week["true_ratio"])
        for week in weeks
    }
