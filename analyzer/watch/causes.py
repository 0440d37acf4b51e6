"""Why an alarm was raised: its most probable cause, what speaks for it and what against it.

Alarms of a route that began together are judged on the same facts. Two causes of one week can
stay apart all the same, because each moves measures of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from analyzer.stats.episodes import Episode
from analyzer.stats.panel import ALL_ROUTES
from analyzer.stats.settings import DriftSettings, EffectSettings
from analyzer.watch.alarms import Alarms
from analyzer.watch.asked import Span
from analyzer.watch.cause_table import CauseTable, cause_table
from analyzer.watch.evidence import Evidence, gathered
from analyzer.watch.facts import Fact
from analyzer.watch.layouts import Laid, laid
from analyzer.watch.naming import week_number
from analyzer.watch.new_labels import Label
from analyzer.watch.starts import Begun, begun, clearest, piled
from analyzer.watch.weighing import Candidate, Moved, candidates, most_probable
from analyzer.watch.windows import around, days

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection


@dataclass(frozen=True)
class Explanation:
    """What is held to be behind an alarm; orderings are shares of requests of three chunks on."""

    episode: str
    route: str  # the alarm's; for the dip over all routes the one that tells most
    measure: str
    begun: Begun
    cause: Candidate
    alternatives: tuple[Candidate, ...]  # most points first
    labels: tuple[Label, ...]  # first seen when it began
    orderings_before: Mapping[str, float]
    orderings_since: Mapping[str, float]
    facts: Mapping[str, Fact]
    span: Span  # the days that were held side by side
    layout: Laid | None = None  # of a position share, where the ordering changed


@dataclass(frozen=True)
class _Means:
    """What alarms are explained with: a store, the table of causes, and the thresholds."""

    con: Connection
    table: CauseTable
    effect: EffectSettings
    drift: DriftSettings

    def evidence(self, span: Span) -> Evidence:
        return gathered(self.con, span, self.table, self.effect)


def explain(
    con: Connection,
    alarms: Alarms,
    effect: EffectSettings | None = None,
    *,
    only: str | None = None,
) -> dict[str, Explanation]:
    """The most probable cause of every open or just ended alarm, by the alarm's id.

    `effect` decides what of the position effect is known; the thresholds of drift are those by
    which the alarms were raised. With `only`, an id, no more is explained than that alarm and
    those that began with it.
    """
    means = _Means(con, cause_table(), effect or EffectSettings(), alarms.settings)
    asked = [*alarms.open, *alarms.ended]
    starts = {one.id: begun(one, alarms.watched) for one in asked}
    groups = piled(
        [one for one in asked if one.route != ALL_ROUTES],
        lambda one, worst: one.route == worst.route and starts[one.id].beside(starts[worst.id]),
        means.drift,
    )
    found: dict[str, Explanation] = {}
    for group in groups:
        if only and only not in {one.id for one in group}:
            continue
        start = clearest(starts[one.id] for one in group)
        span = around(group, start, alarms)
        evidence = means.evidence(span)
        told = [_explained(one, starts[one.id], evidence, means.table) for one in group]
        found |= {each.episode: each for each in _with_layout(means, told, span)}
    for one in asked:
        if one.route == ALL_ROUTES and only in (None, one.id):
            found[one.id] = _over_all_routes(means, one, starts[one.id], alarms)
    return found


def _moved(one: Episode) -> Moved:
    change = one.latest or one.at_first
    return Moved(one.measure, change is None or change.delta > 0)


def _explained(one: Episode, start: Begun, evidence: Evidence, table: CauseTable) -> Explanation:
    found = candidates(_moved(one), evidence.facts, table)
    cause = most_probable(found, evidence.facts, table)
    return Explanation(
        episode=one.id,
        route=evidence.span.route,
        measure=one.measure,
        begun=start,
        cause=cause,
        alternatives=tuple(each for each in found if each.code != cause.code),
        labels=evidence.labels,
        orderings_before=evidence.orderings_before,
        orderings_since=evidence.orderings_since,
        facts=evidence.facts,
        span=evidence.span,
    )


def _with_layout(means: _Means, told: Sequence[Explanation], span: Span) -> Iterator[Explanation]:
    """The same; position shares that moved with the ordering say how much it explains."""
    of_places = {each.episode for each in told if _place(each.measure)}
    switched = any(each.facts["ordering"].state in ("up", "down") for each in told)
    split = laid(means.con, span, means.effect) if of_places and switched else None
    for each in told:
        yield _split(each, split, means.drift) if split and each.episode in of_places else each


def _split(one: Explanation, split: Laid, settings: DriftSettings) -> Explanation:
    place = _place(one.measure)
    least = settings.measure(one.measure).minimum_effect
    words = (split.words(place),)
    cause = one.cause
    if split.explains(place, least):
        cause = replace(cause, speaks_for=(*cause.speaks_for, *words))
    else:
        cause = replace(cause, speaks_against=(*cause.speaks_against, *words))
    return replace(one, cause=cause, layout=split)


def _place(measure: str) -> str:
    """start, middle or end for a position share; else nothing."""
    return measure.removeprefix("position_") if measure.startswith("position_") else ""


def _over_all_routes(means: _Means, one: Episode, start: Begun, alarms: Alarms) -> Explanation:
    """The dip over all routes: the cause that gets most points from all of them together."""
    first = start.week - means.drift.baseline_weeks
    panel, end = alarms.watched.panel, week_number(alarms.week) + 1
    spans = [days(panel.routes[series], first, start, end) for series in panel.dips.tolist()]
    found = [_explained(one, start, means.evidence(span), means.table) for span in spans]
    points: Counter[str] = Counter()
    for each in found:
        points[each.cause.code] += each.cause.points
    return max(found, key=lambda each: (points[each.cause.code], each.cause.points))
