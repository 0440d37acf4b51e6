"""The truth beside the logs: what was planted, what was written, and the effect really there.

The true effect of a week is the ratio that a perfect estimator of middle against edge would give:
the strata (K, packed rank) and their weights are those of the traffic, but in place of citations
stands theta of the places that the orderings really used.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import msgspec
import numpy as np

from analyzer.simulate import incidents, state
from analyzer.simulate.arrays import Floats
from analyzer.simulate.asking import OUTCOMES
from analyzer.simulate.generate import Traffic
from analyzer.simulate.scenario import Incident, Route, Scenario

_CURVE = "theta = max(0, edge - dip * 0.40 * clamp(log2(T / 1500) / 4, 0, 1) * (1 - |2x - 1|^1.6))"
_WIDTH = 256  # above every K


@dataclass
class _Week:
    """Counts of a week of one route under one model and release."""

    counts: Counter[str] = field(default_factory=Counter)
    orderings: Counter[str] = field(default_factory=Counter)
    packed: Floats = field(default_factory=lambda: np.zeros((_WIDTH * _WIDTH, 2)))
    theta: Floats = field(default_factory=lambda: np.zeros((_WIDTH * _WIDTH, 2)))
    relevance: Floats = field(default_factory=lambda: np.zeros(_WIDTH * _WIDTH))


class Truth:
    """Collects what is true while traffic is made and written."""

    def __init__(self, scenario: Scenario) -> None:
        self._scenario = scenario
        self._weeks: dict[tuple[str, str, str, str, str], _Week] = defaultdict(_Week)
        self.files: dict[str, Counter[str]] = defaultdict(Counter)

    def add(self, traffic: Traffic) -> None:
        """Take in one period."""
        route, day = traffic.route, traffic.stretch.day
        labels = (route.model, route.release, route.index_version)
        week = self._weeks[(route.name, f"{day:%G-W%V}", *labels)]
        week.counts.update(_counts(traffic))
        used = np.bincount(traffic.asked.ordering, minlength=len(traffic.orderings)).tolist()
        week.orderings += Counter(dict(zip(traffic.orderings, used, strict=True)))
        _add_strata(week, traffic)

    def as_json(self) -> str:
        """The whole, as JSON for people and tests."""
        weeks = [_shown(*key, week) for key, week in sorted(self._weeks.items())]
        total: Counter[str] = sum(self.files.values(), Counter())
        whole = {
            "theta": _CURVE,
            "total": dict(sorted(total.items())),
            "files": {name: dict(sorted(self.files[name].items())) for name in sorted(self.files)},
            "weeks": weeks,
            "incidents": [_incident(self._scenario, each) for each in self._scenario.incidents],
            "changes": [
                change
                for route in self._scenario.routes
                for change in _changes(self._scenario, route)
            ],
            "scenario": msgspec.to_builtins(self._scenario),
        }
        return json.dumps(whole, indent=1) + "\n"


def _counts(traffic: Traffic) -> Counter[str]:
    asked, chunks = traffic.asked, traffic.chunks
    outcomes = np.bincount(asked.outcome, minlength=len(OUTCOMES)).tolist()
    known = asked.citations_known[chunks.request]
    packed = chunks.position > 0
    return Counter(
        dict(zip(OUTCOMES, outcomes, strict=True))
        | {
            "requests": len(traffic.k),
            "explored": int(asked.explored.sum()),
            "retrieved": len(chunks.rank),
            "packed": int(packed.sum()),
            "known_packed": int((packed & known).sum()),
            "cited": int((chunks.cited & known).sum()),
            "redundant": int(chunks.redundant.sum()),
            "judged": len(traffic.judged.row),
            "correct": int(traffic.judged.correct.sum()),
        }
    )


def _add_strata(week: _Week, traffic: Traffic) -> None:
    """Sum theta and relevance by (K, packed rank) and place, over answers with known citations."""
    chunks = traffic.chunks
    k = traffic.k[chunks.request]
    use = (chunks.position > 0) & traffic.asked.citations_known[chunks.request] & (k > 2)
    k, position = k[use], chunks.position[use]
    edge = (5 * (position - 1) < k - 1) | (5 * (position - 1) > 4 * (k - 1))
    stratum = np.minimum(k, _WIDTH - 1) * _WIDTH + np.minimum(chunks.packed_rank[use], _WIDTH - 1)
    cell, cells = stratum * 2 + ~edge, week.packed.size
    week.packed += np.bincount(cell, minlength=cells).reshape(-1, 2)
    week.theta += np.bincount(cell, chunks.theta[use], minlength=cells).reshape(-1, 2)
    week.relevance += np.bincount(stratum, chunks.relevance[use], minlength=len(week.relevance))


def _true_effect(week: _Week) -> dict[str, float | None]:
    edge, middle = week.packed[:, 0], week.packed[:, 1]
    both = (edge > 0) & (middle > 0)
    n = (edge + middle)[both]
    weight = edge[both] * middle[both] / n
    relevant = weight * week.relevance[both] / n
    theta = week.theta[both] / week.packed[both]
    bottom = float((relevant * theta[:, 0]).sum())
    ratio = float((relevant * theta[:, 1]).sum()) / bottom if bottom else None
    return {
        "comparable": round(float(weight.sum()), 3),
        "true_ratio": None if ratio is None else round(ratio, 6),
        "true_dip": None if ratio is None else round(1.0 - ratio, 6),
    }


def _shown(
    route: str, week: str, model: str, release: str, index_version: str, sums: _Week
) -> dict[str, Any]:
    return {
        "route": route,
        "week": week,
        "model": model,
        "release": release,
        "index_version": index_version,
        **dict(sorted(sums.counts.items())),
        "orderings": dict(sorted(sums.orderings.items())),
        **_true_effect(sums),
    }


def _incident(scenario: Scenario, incident: Incident) -> dict[str, Any]:
    routes = [route.name for route in scenario.routes if incidents.concerns(incident, route)]
    return {
        "kind": incident.kind,
        "since": _moment(incident.since),
        "until": _moment(incident.until) if incident.until else None,
        "routes": routes,
        "parameters": incidents.parameters(incident),
    }


def _changes(scenario: Scenario, route: Route) -> Iterator[dict[str, Any]]:
    """What differs about the route, and how its model reads, from each moment on."""
    before: dict[str, Any] = {}
    for moment in [scenario.first_day, *state.changes(scenario, route)]:
        there = state.at(scenario, route, moment)
        now = msgspec.to_builtins(there) | {"theta": msgspec.to_builtins(scenario.model(there))}
        changed = {name: value for name, value in now.items() if before.get(name) != value}
        yield {"route": route.name, "since": _moment(moment), "now": changed}
        before = now


def _moment(moment: datetime) -> str:
    return f"{moment:%Y-%m-%dT%H:%M:%SZ}"
