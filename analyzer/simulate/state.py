"""What a route is at a moment: its releases, the noise of its week, then its incidents."""

from __future__ import annotations

from datetime import datetime

import msgspec
import numpy as np

from analyzer.simulate import incidents
from analyzer.simulate.arrays import stream
from analyzer.simulate.scenario import Release, Route, Scenario

_replace = msgspec.structs.replace


def changes(scenario: Scenario, route: Route) -> list[datetime]:
    """The moments at which something about the route changes."""
    released = [release.since for release in route.releases if release.since]
    happening = [
        moment
        for incident in scenario.incidents
        if incidents.concerns(incident, route)
        for moment in (incident.since, incident.until)
        if moment
    ]
    return sorted({*released, *happening})


def at(scenario: Scenario, route: Route, moment: datetime) -> Route:
    """The route as it is at that moment."""
    now = _with_noise(scenario, _released(route, moment), moment)
    for incident in sorted(scenario.incidents, key=lambda each: each.since):
        now = incidents.after(incident, now, moment)
    return now


def reindexed(scenario: Scenario, route: Route) -> list[datetime]:
    """When the editions of the route's chunks after the first were indexed."""
    before = [scenario.first_day] * route.copies.generation
    kind = incidents.reindex_copies.__name__
    later = [
        incident.since
        for incident in scenario.incidents
        if incident.kind == kind and incidents.concerns(incident, route)
    ]
    return [*before, *sorted(later)]


def _released(route: Route, moment: datetime) -> Route:
    for release in route.releases:
        if release.since is None or release.since <= moment:
            route = _deploy(route, release)
    return route


def _deploy(route: Route, release: Release) -> Route:
    fields = ("release", "model", "prompt_version", "index_version")
    given = {field: getattr(release, field) for field in fields if getattr(release, field)}
    return _replace(route, **given)


def _with_noise(scenario: Scenario, route: Route, moment: datetime) -> Route:
    noise = scenario.noise
    if not (noise.volume or noise.relevance or noise.copies):
        return route
    week = (moment - scenario.first_day).days // 7
    volume, relevance, copies = _deviations(scenario, route.name, week)
    return _replace(
        route,
        requests=route.requests * float(np.exp(noise.volume * volume)),
        relevance=_replace(
            route.relevance, shift=route.relevance.shift + noise.relevance * float(relevance)
        ),
        copies=_replace(
            route.copies,
            mirrors=min(1.0, route.copies.mirrors * float(np.exp(noise.copies * copies))),
        ),
    )


def _deviations(scenario: Scenario, route: str, week: int) -> np.ndarray:
    """Three standard AR(1) values of that week; earlier weeks do not depend on later ones."""
    shocks = stream(scenario.seed, "noise", route).normal(size=(week + 1, 3))
    phi, value = scenario.noise.phi, shocks[0]
    for shock in shocks[1:]:
        value = phi * value + np.sqrt(1.0 - phi**2) * shock
    return np.asarray(value)
