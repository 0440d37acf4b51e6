"""Why an alarm was raised: its most probable cause, what speaks against it, and what goes with it.

Alarms of a route that began together are judged on the same facts, so that one cause is one
finding; two causes of one week can stay apart, because each moves measures of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from analyzer.stats.episodes import Episode
from analyzer.stats.panel import ALL_ROUTES
from analyzer.stats.settings import DriftSettings
from analyzer.watch.alarms import Alarms
from analyzer.watch.cause_table import CauseTable, cause_table
from analyzer.watch.evidence import Evidence, Label, Span, gathered
from analyzer.watch.facts import Fact
from analyzer.watch.naming import monday_of, week_number
from analyzer.watch.weighing import UNKNOWN, Candidate, candidates, most_probable

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection

BESIDE = 1  # weeks between starts that still count as one


@dataclass(frozen=True)
class Explanation:
    """What is held to be behind an alarm. Weeks are numbers; orderings are shares of requests."""

    episode: str
    route: str
    measure: str
    start: int
    earliest: int
    latest: int
    cause: Candidate
    alternatives: tuple[Candidate, ...]
    labels: tuple[Label, ...]
    orderings_before: Mapping[str, float]
    orderings_since: Mapping[str, float]
    facts: Mapping[str, Fact]


@dataclass(frozen=True)
class Finding:
    """Alarms that belong together: one cause, one start, one or several routes; worst first."""

    routes: tuple[str, ...]
    cause: Candidate
    start: int
    earliest: int
    latest: int
    episodes: tuple[Episode, ...]
    beyond: float  # how many minimum effects the worst of them changed

    @property
    def worst(self) -> Episode:
        """The alarm that says it most clearly."""
        return self.episodes[0]


@dataclass(frozen=True)
class _Together:
    """Alarms of one route that began together, the worst first."""

    route: str
    episodes: tuple[Episode, ...]

    @property
    def start(self) -> int:
        return start_of(self.episodes[0])


def explain(con: Connection, alarms: Alarms) -> dict[str, Explanation]:
    """The most probable cause of every open or just ended alarm, by the alarm's id."""
    table = cause_table()
    told = [*alarms.open, *alarms.ended]
    groups = _together([one for one in told if one.route != ALL_ROUTES])
    found: dict[str, Explanation] = {}
    for group in groups:
        evidence = gathered(con, _span(group, groups, alarms), table)
        found |= {one.id: _explained(one, evidence, table) for one in group.episodes}
    for one in told:
        if one.route == ALL_ROUTES:
            found[one.id] = _over_all_routes(con, one, alarms, table)
    return found


def grouped(alarms: Alarms, explanations: Mapping[str, Explanation]) -> list[Finding]:
    """Open alarms as findings, worst first: those of one cause that began together are one."""
    piles: list[list[Episode]] = []
    for one in sorted(alarms.open, key=_worst_first):
        mine = explanations[one.id]
        pile = next((pile for pile in piles if _joins(mine, pile, explanations)), None)
        if pile is None:
            piles.append([one])
        else:
            pile.append(one)
    return [_finding(pile, explanations) for pile in piles]


def _joins(
    mine: Explanation, pile: Sequence[Episode], explanations: Mapping[str, Explanation]
) -> bool:
    """An unknown cause is not the same one on two routes."""
    first = explanations[pile[0].id]
    beside = mine.earliest - BESIDE <= first.start <= mine.latest + BESIDE
    one_route = mine.route == first.route or mine.cause.code != UNKNOWN
    return mine.cause.code == first.cause.code and beside and one_route


def _finding(pile: Sequence[Episode], explanations: Mapping[str, Explanation]) -> Finding:
    first = explanations[pile[0].id]
    best = max((explanations[one.id].cause for one in pile), key=lambda each: each.points)
    routes = dict.fromkeys(one.route for one in pile)
    return Finding(
        routes=tuple(routes),
        cause=best,
        start=first.start,
        earliest=first.earliest,
        latest=first.latest,
        episodes=tuple(pile),
        beyond=beyond(pile[0]),
    )


def start_of(one: Episode) -> int:
    """The week in which the change began, as far as it is known."""
    return one.began.week if one.began else one.opened


def beyond(one: Episode) -> float:
    """How many times the minimum effect it changed by."""
    change = one.latest or one.at_first
    return abs(change.delta) / _minimum(one) if change else 0.0


def _minimum(one: Episode) -> float:
    settings = DriftSettings()
    if one.route == ALL_ROUTES:
        return settings.all_routes_effect
    return settings.measure(one.measure).minimum_effect


def _worst_first(one: Episode) -> tuple[float, str]:
    return -beyond(one), one.id


def _together(told: Iterable[Episode]) -> list[_Together]:
    """Alarms of one route that began within a week of the worst of them."""
    piles: list[list[Episode]] = []
    for one in sorted(told, key=_worst_first):
        first, last = _range(one)
        pile = next(
            (
                pile
                for pile in piles
                if pile[0].route == one.route
                and first - BESIDE <= start_of(pile[0]) <= last + BESIDE
            ),
            None,
        )
        if pile is None:
            piles.append([one])
        else:
            pile.append(one)
    return [_Together(pile[0].route, tuple(pile)) for pile in piles]


def _range(one: Episode) -> tuple[int, int]:
    return (one.began.earliest, one.began.latest) if one.began else (one.opened, one.opened)


def _span(group: _Together, groups: Sequence[_Together], alarms: Alarms) -> Span:
    """The days before the start and since, no further than to the next change on either side."""
    start, last = group.start, week_number(alarms.week)
    others = [
        week
        for other in groups
        if other.route == group.route and other is not group
        for one in other.episodes
        for week in (start_of(one), one.ended)
        if week is not None
    ]
    left_out = [
        week_number(said.week) + 1
        for said in alarms.said
        if said.kind == "exclude" and said.week and said.route in (None, group.route)
    ]
    reach = start - DriftSettings().baseline_weeks
    first = max([reach, *(week for week in [*others, *left_out] if week < start)])
    ended = group.episodes[0].ended
    own = [] if ended is None else [max(start + 1, ended - 1)]  # quiet weeks are not the change
    end = min([last + 1, *own, *(week for week in others if week > start + BESIDE)])
    return _days(group.route, first, start, end, _range(group.episodes[0]))


def _days(route: str, first: int, start: int, end: int, range_: tuple[int, int]) -> Span:
    earliest, latest = min(range_[0], start), max(range_[1], start)
    return Span(
        route=route,
        first_day=monday_of(first),
        start=monday_of(start),
        next_day=monday_of(end),
        labelled_from=monday_of(earliest - BESIDE),
        labelled_to=monday_of(latest + 1),
    )


def _explained(one: Episode, evidence: Evidence, table: CauseTable) -> Explanation:
    found = candidates(one.measure, evidence.facts, table)
    cause = most_probable(found, evidence.facts, table)
    earliest, latest = _range(one)
    return Explanation(
        episode=one.id,
        route=one.route,
        measure=one.measure,
        start=start_of(one),
        earliest=earliest,
        latest=latest,
        cause=cause,
        alternatives=tuple(each for each in found if each.code != cause.code),
        labels=evidence.labels,
        orderings_before=evidence.orderings_before,
        orderings_since=evidence.orderings_since,
        facts=evidence.facts,
    )


def _over_all_routes(
    con: Connection, one: Episode, alarms: Alarms, table: CauseTable
) -> Explanation:
    """The dip over all routes: the cause that gets most points over the routes that have one."""
    start = start_of(one)
    first = start - DriftSettings().baseline_weeks
    panel = alarms.watched.panel
    found: list[Explanation] = []
    for series in panel.dips.tolist():
        span = _days(
            panel.routes[series], first, start, week_number(alarms.week) + 1, _range(one)
        )
        found.append(_explained(one, gathered(con, span, table), table))
    points = {each.cause.code: 0 for each in found}
    for each in found:
        points[each.cause.code] += each.cause.points
    return max(found, key=lambda each: (points[each.cause.code], each.cause.points))


