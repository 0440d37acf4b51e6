"""Which days are held side by side for a change: those before its start and those since.

Neither side reaches beyond another change of the route, so that what that one did is not put down
to this one.
"""

from __future__ import annotations

from collections.abc import Sequence

from analyzer.stats.episodes import Episode
from analyzer.watch.alarms import Alarms
from analyzer.watch.asked import Span
from analyzer.watch.naming import monday_of, week_number
from analyzer.watch.starts import BESIDE, Begun, begun


def around(group: Sequence[Episode], start: Begun, alarms: Alarms) -> Span:
    """The days around the start of alarms of one route that began together, the worst first."""
    worst = group[0]
    turns = [*_other_turns(group, alarms), *_left_out(worst.route, alarms)]
    reach = start.week - alarms.settings.baseline_weeks
    first = max([reach, *(week for week in turns if week < start.week - BESIDE)])
    ends = [week for week in turns if week > start.week + BESIDE]
    if worst.ended is not None:
        ends.append(max(start.week + 1, worst.ended - 1))  # its quiet weeks are not the change
    # A night's alarm is of a week that is not closed yet.
    latest = max(week_number(alarms.week), start.week) + 1
    return days(worst.route, first, start, min([latest, *ends]))


def days(route: str, first: int, start: Begun, end: int) -> Span:
    """Weeks from `first` up to, not including, `end` as days."""
    return Span(
        route=route,
        first_day=monday_of(first),
        start=monday_of(start.week),
        next_day=monday_of(end),
        labelled_from=monday_of(min(start.earliest, start.week) - BESIDE),
        labelled_to=monday_of(max(start.latest, start.week) + 1),
    )


def _other_turns(group: Sequence[Episode], alarms: Alarms) -> list[int]:
    """Weeks in which other changes of the route began, or went away."""
    own = {one.id for one in group}
    others = [
        one
        for one in alarms.episodes
        if one.route == group[0].route and one.raised is not None and one.id not in own
    ]
    gone = [one.ended - 1 for one in others if one.ended is not None and one.ending == "quiet"]
    return [*(begun(one, alarms.watched).week for one in others), *gone]


def _left_out(route: str, alarms: Alarms) -> list[int]:
    """The weeks after those that somebody took out of baselines."""
    return [
        week_number(said.week) + 1
        for said in alarms.said
        if said.kind == "exclude" and said.week and said.route in (None, route)
    ]
