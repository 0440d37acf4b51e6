"""An investigation, and the first way to ask for one: an alarm by its id."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from difflib import get_close_matches
from typing import TYPE_CHECKING

from analyzer import names
from analyzer.elsewhere import Facts
from analyzer.errors import UsageError
from analyzer.oncall.investigation import Asked, Found, investigated
from analyzer.oncall.measured import followed
from analyzer.stats.episodes import Episode
from analyzer.stats.settings import DriftSettings, EffectSettings
from analyzer.telling.findings import next_command, remarks
from analyzer.telling.sentences import briefly, since, what
from analyzer.telling.spans import Span, Text
from analyzer.watch.alarms import Alarms, alarms
from analyzer.watch.causes import Explanation, explain
from analyzer.watch.events import Said, heard
from analyzer.watch.naming import monday_of, week_number
from analyzer.watch.raising import raising, up_to
from analyzer.watch.starts import Begun
from analyzer.watch.weighing import Candidate

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection

CLEARER = 1.5  # times as many standard errors, for another alarm to tell the hour
NEAR = 2  # weeks around the likeliest one that are searched for the hour


@dataclass(frozen=True)
class Thresholds:
    """Those in force."""

    drift: DriftSettings = field(default_factory=DriftSettings)
    effect: EffectSettings = field(default_factory=EffectSettings)


@dataclass(frozen=True)
class Investigation:
    """All that is told; `found` and `cause` are None of an alarm on what is missing."""

    subject: str
    remarks: tuple[str, ...]
    headline: Text
    also: tuple[Text, ...]
    week: Text  # when it began, as the weeks tell it
    measure: str
    found: Found | None
    cause: Candidate | None
    others: tuple[Candidate, ...]
    command: str


def of_alarm(
    con: Connection,
    alarm: str,
    found: Alarms,
    thresholds: Thresholds,
    facts: Facts | None = None,
    today: date | None = None,
) -> Investigation:
    """An alarm by its id, judged as of its last week; `found` is of the newest closed week.

    facts: the way to single requests where they are elsewhere. today: for which mutes hold.
    Raises `UsageError` for an id that no alarm has.
    """
    in_force = _said(alarm, found.said, today or datetime.now(UTC).date())
    silent = next((one for one in found.said if one.kind == "raised" and one.alarm == alarm), None)
    if silent is not None and raising(silent).sentence:
        return _of_silence(alarm, found, in_force)
    one = _episode(alarm, found)
    if one.ended is not None and one.ended != week_number(found.week):
        week = monday_of(one.ended)
        found = alarms(con, week, up_to(found.said, week), thresholds.drift)
        one = _episode(alarm, found)
    explained = explain(con, found, thresholds.effect, only=alarm)
    return _of_episode(con, one, found, explained, facts, in_force)


def _said(alarm: str, said: Sequence[Said], today: date) -> tuple[str, ...]:
    """What people said of an alarm; of mutes the last one, where it holds or was taken back."""
    return remarks([alarm], heard(said, today))


def _episode(alarm: str, found: Alarms) -> Episode:
    known = {one.id: one for one in found.episodes if one.raised is not None}
    if alarm in known:
        return known[alarm]
    near = get_close_matches(alarm, known, n=1)
    nearest = f"the nearest is {near[0]}; " if near else ""
    raise UsageError(f"no alarm is named {alarm}; {nearest}citelog alerts lists them")


def _of_episode(
    con: Connection,
    one: Episode,
    found: Alarms,
    explained: dict[str, Explanation],
    facts: Facts | None,
    said: tuple[str, ...],
) -> Investigation:
    told = explained[one.id]
    with_it = [
        each
        for each in found.episodes
        if each.id in explained and each is not one and explained[each.id].cause == told.cause
    ]
    first, last = _weeks(told.begun)
    asked = Asked(
        measure=one.measure,
        route=told.route,
        start=monday_of(told.begun.week),
        first=first,
        last=last,
        reach=(told.span.first_day, told.span.next_day),
        dated_by=_sharpest([one, *(each for each in with_it if followed(each.measure))]).measure,
    )
    week = found.week_of(one)
    return Investigation(
        subject=one.id,
        remarks=said,
        headline=what(one, week),
        also=tuple(briefly(each, with_route=False) for each in with_it),
        week=since(told.begun),
        measure=one.measure,
        found=investigated(con, asked, facts) if followed(one.measure) else None,
        cause=told.cause,
        others=told.alternatives,
        command=next_command(one, told.cause, week),
    )


def _sharpest(together: Sequence[Episode]) -> Episode:
    """Of alarms that began together the one that moved by most of its standard errors."""
    errors = {one.id: abs(one.at_first.delta) / one.at_first.se for one in together if one.at_first}
    first, *_ = together
    best = max(together, key=lambda one: errors.get(one.id, 0.0))
    clearly = errors.get(best.id, 0.0) > CLEARER * errors.get(first.id, 0.0)
    return best if clearly else first


def _weeks(begun: Begun) -> tuple[date, date]:
    """First and last day of the weeks in which it may have begun."""
    earliest = max(begun.earliest, begun.week - NEAR)
    latest = min(begun.latest, begun.week + NEAR)
    return monday_of(earliest), monday_of(latest) + timedelta(days=6)


def _of_silence(alarm: str, found: Alarms, said: tuple[str, ...]) -> Investigation:
    raised = next(one for one in found.said if one.kind == "raised" and one.alarm == alarm)
    told = raising(raised)
    return Investigation(
        subject=alarm,
        remarks=said,
        headline=(Span(f"{names.shown(told.sentence, 240)}."),),
        also=(),
        week=(),
        measure=told.measure,
        found=None,
        cause=None,
        others=(),
        command=told.command,
    )
