"""The other two ways to ask: a route since a day, and one release against another in one week."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta
from difflib import get_close_matches
from typing import TYPE_CHECKING

from analyzer import names, numbers
from analyzer.elsewhere import Facts
from analyzer.errors import NothingThere, UsageError
from analyzer.measures.rows import Scope, week_of
from analyzer.oncall import beside, too_few
from analyzer.oncall.comparing import Compared, compared, worst
from analyzer.oncall.investigation import Asked, Found, investigated
from analyzer.oncall.measured import followed
from analyzer.oncall.questions import Investigation, Thresholds
from analyzer.parameters import monday_of
from analyzer.stats.episodes import Change, Episode
from analyzer.stats.settings import DIP
from analyzer.telling.findings import next_command
from analyzer.telling.sentences import command, what
from analyzer.telling.spans import Span
from analyzer.telling.words import words
from analyzer.watch.asked import Span as AskedSpan
from analyzer.watch.cause_table import cause_table
from analyzer.watch.evidence import Evidence, gathered
from analyzer.watch.naming import week_number
from analyzer.watch.starts import Begun
from analyzer.watch.weighing import Moved, candidates, most_probable
from analyzer.watch.windows import days

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection

BASELINE = timedelta(weeks=4)  # before a day that somebody names
SEARCHED = timedelta(days=6)  # after it
LONGEST = timedelta(weeks=4)  # since it


def of_change(
    con: Connection,
    since_day: date,
    next_day: date,
    thresholds: Thresholds,
    route: str | None = None,
    metric: str | None = None,
    facts: Facts | None = None,
) -> Investigation:
    """A route since a day, held against the four weeks before it, up to `next_day`.

    Without a route or a metric the one is taken that moved furthest beyond what is watched for.
    """
    next_day = min(next_day, since_day + LONGEST)
    before, after = (
        Scope(since_day - BASELINE, since_day, route),
        Scope(since_day, next_day, route),
    )
    found = compared(con, before, after, thresholds.drift, thresholds.effect)
    sides = f"in the four weeks before {since_day}", "since"
    one = _chosen(found, metric, f"both before and since {since_day}", sides)
    last = min(since_day + SEARCHED, next_day - timedelta(days=1))
    reach = (before.first_day, next_day)
    asked = Asked(one.measure, one.route, since_day, since_day, last, reach)
    span = _span(one.route, since_day, next_day)
    evidence = gathered(con, span, cause_table(), thresholds.effect)
    name = f"{names.shown(one.route)} since {since_day}"
    return _of_compared(one, evidence, investigated(con, asked, facts), name)


def _span(route: str, since_day: date, next_day: date) -> AskedSpan:
    """Whole weeks, for what is counted by weeks: that of the day is the first of the change."""
    number = week_number(monday_of(since_day))
    end = week_number(next_day + timedelta(days=-next_day.weekday() % 7))
    first = number - BASELINE // timedelta(weeks=1)
    return days(route, first, Begun(number, number, number), end)


def of_releases(
    con: Connection,
    releases: tuple[str, str],
    monday: date,
    thresholds: Thresholds,
    route: str | None = None,
    metric: str | None = None,
    facts: Facts | None = None,
) -> Investigation:
    """A release (the first) against another in the week of that Monday."""
    release, against = releases
    week = week_of(monday, route)
    before, after = (replace(week, release=name) for name in (against, release))
    found = compared(con, before, after, thresholds.drift, thresholds.effect)
    told = f"{names.shown(release)} and {names.shown(against)}"
    week_told = numbers.iso_week(monday)
    sides = f"with {names.shown(against)}", f"with {names.shown(release)} in {week_told}"
    one = _chosen(found, metric, f"of both {told} in {week_told}", sides, releases=True)
    last = week.next_day - timedelta(days=1)
    asked = Asked(
        one.measure, one.route, monday, monday, last, (monday, week.next_day), release, against
    )
    singly = investigated(con, asked, facts)
    dip = next((each for each in found if (each.route, each.measure) == (one.route, DIP)), None)
    dips = (dip.before, dip.since) if dip else (None, None)
    evidence = beside.evidence(con, singly.window, dips, cause_table(), thresholds.effect)
    return _of_compared(one, evidence, singly, f"{names.shown(one.route)}: {told} side by side")


def _chosen(
    found: Sequence[Compared],
    metric: str | None,
    where: str,
    sides: too_few.Sides,
    *,
    releases: bool = False,
) -> Compared:
    """The measure that is asked for, or the one that moved furthest; of the route that shows it."""
    if not found:
        raise NothingThere(f"no route has requests {where}")
    measure = measure_named(metric) if metric else None
    asked = [one for one in found if measure in (None, one.measure)]
    one = worst(one for one in asked if followed(one.measure))
    if one is not None:
        return one
    if all(each.chance is None for each in found):
        raise NothingThere(too_few.of_all(found, sides, releases=releases))
    if told := list(too_few.of_measures(found, sides, measure)):
        raise NothingThere(told[0])
    named = words()[measure].name if measure else "any measure"
    raise NothingThere(f"{named} cannot be told {where}; citelog effect says why of an effect")


def measure_named(metric: str) -> str:
    """A measure by its name or by the one that alarms carry; raises `UsageError` for another."""
    known = {one.slug: name for name, one in words().items()} | {name: name for name in words()}
    if metric in known:
        return known[metric]
    near = get_close_matches(metric, known, n=1)
    nearest = f"the nearest is {near[0]}; " if near else ""
    slugs = ", ".join(one.slug for name, one in words().items() if not name.startswith("missing"))
    raise UsageError(f"--metric {metric!r} is not watched; {nearest}there are {slugs}")


def _of_compared(one: Compared, evidence: Evidence, facts: Found, subject: str) -> Investigation:
    value = one.change.value or 0.0
    table = cause_table()
    found = candidates(Moved(one.measure, value > 0), evidence.facts, table)
    cause = None if one.chance else most_probable(found, evidence.facts, table)
    episode = _as_episode(one, facts)
    chance = Span(_by_chance(one))
    return Investigation(
        subject=subject,
        remarks=(),
        headline=(*what(episode, episode.opened), chance),
        also=(),
        week=(),
        measure=one.measure,
        found=facts,
        cause=cause,
        others=tuple(each for each in found if cause and each.code != cause.code),
        command=(
            next_command(episode, cause, episode.opened)
            if cause
            else command(episode, episode.opened)
        ),
    )


def _by_chance(one: Compared) -> str:
    """What the interval alone does not say: one of many measures lies beyond zero now and then."""
    if not one.chance:
        return ""
    if not one.alone:
        return " This could be chance."
    return (
        f" This could be chance: alone it excludes 0, corrected for the {one.tests} measures "
        "compared it does not."
    )


def _as_episode(one: Compared, facts: Found) -> Episode:
    """A difference told as an alarm's change is."""
    ends = one.change.interval() or (0.0, 0.0)
    baseline = one.before.estimate.value or 0.0
    change = Change(
        delta=one.change.value or 0.0,
        se=one.change.se or 0.0,
        low=ends[0],
        high=ends[1],
        p=one.p or 1.0,
        weeks=1,
        baseline=baseline,
        baseline_weeks=1,
    )
    week = week_number(monday_of(facts.window.start))
    return Episode(
        id="",
        route=one.route,
        measure=one.measure,
        state="raised",
        opened=week,
        raised=week,
        ended=None,
        rule=None,
        ending=None,
        at_first=change,
        latest=change,
        began=None,
    )
