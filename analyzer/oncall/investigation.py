"""One investigation: a change of one measure of one route, from its hour to five requests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from analyzer import elsewhere
from analyzer.numbers import day as named
from analyzer.oncall.began import Onset, Switch, Unknown, onset, switches
from analyzer.oncall.carried import Carried, Labels, carried, labels_of
from analyzer.oncall.examples import Example, examples
from analyzer.oncall.measured import TOKENS, Measured, Window
from analyzer.store import settings

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection

BEFORE = timedelta(days=7)
AFTER = timedelta(days=7)
EARLY = timedelta(days=3)  # before the first week in question


@dataclass(frozen=True)
class Asked:
    """A measure of a route that changed in the days `first` to `last`, both included.

    Neither side reaches beyond `reach`, where another change of the route may stand; `release`
    and `against` are compared over the same days.
    """

    measure: str
    route: str
    start: date  # from which daily and weekly counts hold the change
    first: date
    last: date
    reach: tuple[date, date]
    release: str | None = None
    against: str | None = None
    dated_by: str | None = None  # another measure that moved with it, and tells its hour better


@dataclass(frozen=True)
class Found:
    """What the requests tell; None where they are gone or tell nothing."""

    window: Window
    zone: ZoneInfo
    long_tokens: float | None
    began: Onset | Unknown
    dated_by: str  # the measure whose step it is
    switches: tuple[Switch, ...]
    moment: datetime | None  # in UTC, where the two sides meet
    carried: Carried | None
    examples: tuple[Example, ...]
    requests_from: str | None = None  # where they were brought from, if they are not the store's


def investigated(con: Connection, asked: Asked, facts: elsewhere.Facts | None = None) -> Found:
    """When it began, what carries it, and examples; the store's requests are asked once each.

    facts: the way to them where they are elsewhere.
    """
    kept = settings(con)
    zone = ZoneInfo(str(kept["time_zone"]))
    window = _window(asked)
    if gone := elsewhere.sentence(con):
        if facts is None:
            return _unknown(window, zone, gone)
        return _of_brought(con, window, zone, asked, facts)
    sealed = kept["sealed_before"]
    if isinstance(sealed, date):
        if window.start < sealed:
            return _unknown(window, zone, _sealed(sealed, kept))
        window = replace(window, first_day=max(window.first_day, sealed))
    return _of_facts(con, window, zone, asked)


def _window(asked: Asked) -> Window:
    if asked.release is not None:
        first, last = asked.first, asked.last + timedelta(days=1)
        return Window(
            asked.measure, asked.route, first, asked.start, last, asked.release, asked.against
        )
    first = max(asked.reach[0], asked.first - EARLY - BEFORE)
    last = min(asked.reach[1], asked.last + AFTER)
    return Window(asked.measure, asked.route, min(first, asked.first), asked.start, last)


def _of_brought(
    con: Connection, window: Window, zone: ZoneInfo, asked: Asked, facts: elsewhere.Facts
) -> Found:
    """The same of requests that are brought for it, from the first day that any are brought of."""
    measures = (asked.measure, asked.dated_by or asked.measure)
    chunks = any(replace(window, measure=each).by_document for each in measures)
    needed = elsewhere.Needed(window.route, window.first_day, window.next_day, chunks)
    with facts.brought(con, needed) as brought:
        if brought.first_day is None:
            return _unknown(window, zone, brought.told)
        if brought.first_day <= window.start:
            window = replace(window, first_day=brought.first_day)
        found = _of_facts(con, window, zone, asked)
    return replace(found, requests_from=brought.told)


def _of_facts(con: Connection, window: Window, zone: ZoneInfo, asked: Asked) -> Found:
    dated_by = asked.dated_by or asked.measure
    dating = Measured(con, replace(window, measure=dated_by), zone)
    known = labels_of(dating)
    began, changed = _beginning(dating, asked, known)
    measured = dating if dated_by == asked.measure else Measured(con, window, zone)
    moment = _moment(measured, asked, began, changed)
    found = carried(measured, known, moment)
    shown = examples(measured, found, known, moment) if found else ()
    tokens = measured.long_tokens if window.measure == TOKENS else None
    return Found(window, zone, tokens, began, dated_by, changed, moment, found, shown)


def _beginning(
    measured: Measured, asked: Asked, known: Mapping[int, Labels]
) -> tuple[Onset | Unknown, tuple[Switch, ...]]:
    if asked.release is not None:
        return Unknown("two releases side by side in the same days; there is no beginning"), ()
    first = max(measured.window.first_day + timedelta(days=1), asked.first - EARLY)
    began = onset(measured, first, asked.last)
    ends = map(measured.midnight, (first, asked.last + timedelta(days=1)))
    earliest, latest = (began.earliest, began.latest) if isinstance(began, Onset) else ends
    return began, switches(measured, known, earliest, latest)


def _moment(
    measured: Measured, asked: Asked, began: Onset | Unknown, changed: tuple[Switch, ...]
) -> datetime:
    """Where a label took over, if one did when it began; else the likeliest hour."""
    moment = measured.midnight(measured.window.start)
    if isinstance(began, Onset):
        moment = began.moment
    if changed and asked.release is None:
        moment = min((each.first_seen for each in changed), key=lambda at: abs(at - moment))
    return moment


def _unknown(window: Window, zone: ZoneInfo, why: str) -> Found:
    return Found(window, zone, None, Unknown(why), window.measure, (), None, None, ())


def _sealed(sealed: date, kept: dict[str, object]) -> str:
    since = kept["sealed_on"]
    day = named(since) if isinstance(since, datetime | date) else ""
    return (
        f"the requests before {named(sealed)} are gone since {day}, when their days were sealed; "
        "their weekly counts stand"
    )
