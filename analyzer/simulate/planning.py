"""From what a person asks for on one line to a whole scenario."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from analyzer.errors import CitelogError
from analyzer.simulate.incidents import KINDS
from analyzer.simulate.loading import load_incidents
from analyzer.simulate.scenario import Incident, Route, Scenario

_replace = msgspec.structs.replace


def adjusted(
    scenario: Scenario,
    *,
    first_day: datetime | None = None,
    weeks: int | None = None,
    requests: float | None = None,
    seed: int | None = None,
    **layout: Any,
) -> Scenario:
    """The same scenario with those of these that are not None; `requests` a week for each route.

    `layout` are fields of `Layout`: per, by_route, compression, content, citations, dirty, ...
    """
    given = {"first_day": first_day, "weeks": weeks, "seed": seed}
    routes = tuple(_with_requests(route, requests) for route in scenario.routes)
    written = {name: value for name, value in layout.items() if value is not None}
    return _replace(
        scenario,
        routes=routes,
        layout=_replace(scenario.layout, **written),
        **{name: value for name, value in given.items() if value is not None},
    )


def incidents_of(words: str) -> tuple[Incident, ...]:
    """The incidents of a TOML file, or the one that `KIND:DATE[:ROUTE,ROUTE]` names."""
    kind, *rest = words.split(":")
    if kind not in KINDS:
        return load_incidents(Path(words))
    if len(rest) not in (1, 2):
        raise CitelogError(f"incident {words!r}: write KIND:DATE or KIND:DATE:ROUTE,ROUTE")
    routes = tuple(rest[1].split(",")) if len(rest) == 2 else ()
    return (Incident(kind=kind, since=_moment(words, rest[0]), routes=routes),)


def _with_requests(route: Route, requests: float | None) -> Route:
    return route if requests is None else _replace(route, requests=requests)


def _moment(words: str, text: str) -> datetime:
    try:
        return datetime.fromisoformat(text).replace(tzinfo=UTC)
    except ValueError:
        raise CitelogError(
            f"incident {words!r}: {text!r} is no date; write 2026-11-16 or 2026-11-16T14"
        ) from None
