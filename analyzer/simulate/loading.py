"""Scenarios and incidents from TOML files, checked before a line is made."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import TypeVar

import msgspec

from analyzer.errors import CitelogError
from analyzer.simulate import state
from analyzer.simulate.orderings import ORDERINGS
from analyzer.simulate.scenario import Incident, Route, Scenario, in_utc

_T = TypeVar("_T")


class _Incidents(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    incidents: tuple[Incident, ...]


def load_scenario(path: Path) -> Scenario:
    """The scenario that a TOML file describes; raises `CitelogError` where it makes no sense."""
    scenario = _converted(path, Scenario)
    check(scenario)
    return scenario


def load_incidents(path: Path) -> tuple[Incident, ...]:
    """The `[[incidents]]` of a TOML file."""
    return _converted(path, _Incidents).incidents


def with_incidents(scenario: Scenario, more: Iterable[Incident]) -> Scenario:
    """The same scenario in which these happen too."""
    whole = msgspec.structs.replace(scenario, incidents=(*scenario.incidents, *more))
    check(whole)
    return whole


def check(scenario: Scenario) -> None:
    """Raise `CitelogError`, in one sentence, for the first thing that makes no sense."""
    if scenario.first_day.weekday() or scenario.first_day.hour:
        raise CitelogError(
            f"first_day {scenario.first_day:%Y-%m-%d %H:%M} must be a Monday at midnight UTC"
        )
    if len(scenario.weekdays) != 7 or len(scenario.hours) != 24:
        raise CitelogError("weekdays needs 7 weights and hours 24")
    names = [route.name for route in scenario.routes]
    if len(set(names)) != len(names):
        raise CitelogError(f"routes are named {', '.join(names)}; every name must differ")
    for incident in scenario.incidents:
        _check_incident(incident, names)
    for route in scenario.routes:
        _check_route(scenario, route)


def _check_incident(incident: Incident, names: list[str]) -> None:
    strangers = set(incident.routes) - set(names)
    if strangers:
        raise CitelogError(
            f"incident {incident.kind}: no route is named {min(strangers)!r}; "
            f"the routes are {', '.join(names)}"
        )
    for moment in (incident.since, incident.until):
        _on_the_hour(f"incident {incident.kind}", moment)


def _on_the_hour(what: str, moment: datetime | None) -> None:
    if moment and (moment.minute or moment.second or moment.microsecond):
        raise CitelogError(f"{what}: {moment:%H:%M:%S} is no whole hour; changes come on the hour")


def _check_route(scenario: Scenario, route: Route) -> None:
    for release in route.releases:
        _on_the_hour(f"route {route.name}, release {release.release}", release.since)
    for moment in (scenario.first_day, *state.changes(scenario, route)):
        _check_state(state.at(scenario, route, moment))


def _check_state(route: Route) -> None:
    used = [*route.orderings, *(name for part in route.segments for name in part.orderings)]
    unknown = [name for name in used if name not in ORDERINGS]
    if unknown:
        raise CitelogError(
            f"route {route.name}: ordering {unknown[0]!r} is not known; "
            f"the orderings are {', '.join(ORDERINGS)}"
        )
    if route.copies.old and not route.copies.generation:
        raise CitelogError(
            f"route {route.name}: copies.old needs copies.generation of 1 or more; "
            "the first indexing leaves no old versions"
        )


def _converted(path: Path, kind: type[_T]) -> _T:
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        return msgspec.convert(in_utc(data), kind)
    except OSError as reason:
        raise CitelogError(f"{path}: it cannot be read: {reason.strerror}") from None
    except tomllib.TOMLDecodeError as reason:
        place = str(reason).partition("(")[2].rstrip(")")
        raise CitelogError(f"{path}: is no TOML ({place})") from None
    except (UnicodeDecodeError, msgspec.ValidationError) as reason:
        raise CitelogError(f"{path}: {reason}") from None
