"""The life of the alarms of one series: from a first sign to the end, week after week.

Weeks of candidates and alarms leave the baseline. Two quiet weeks clear an alarm and return to the
baseline themselves; after six alarm weeks its level is the new one, and what came before it no
longer counts. A window never reaches back into an alarm that is over: it would alarm again.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from analyzer.stats.arrays import Flags, Integers
from analyzer.stats.episodes import Began, Change, Ending, Episode, Raised, Rule, State
from analyzer.stats.looking import Looked
from analyzer.stats.panel import Panel
from analyzer.stats.settings import DriftSettings
from analyzer.stats.start_week import Start, start_week
from analyzer.stats.weekly_test import Changes, change_of


@dataclass
class Current:
    """The episode that is open; weeks are columns of the panel."""

    opened: int
    sign: float
    raised: int | None = None
    rule: Rule | None = None
    since: int = 0  # first week that the change is known to cover
    alarm_weeks: int = 0
    quiet: list[int] = field(default_factory=list)
    unseen: int = 0  # weeks in a row that could not be eligible
    at_first: Change | None = None
    latest: Change | None = None
    measured: int | None = None  # the week of `latest`
    start: Start | None = None


@dataclass
class Life:
    """One series. `blocked` and `sign` are its rows of tables that all series share."""

    panel: Panel
    series: int
    blocked: Flags  # [week]: left the baseline
    sign: Integers  # [week]: of a candidate's change, else 0
    settings: DriftSettings
    open_from: int = 0  # windows may hold weeks from here on
    current: Current | None = None
    over: list[Episode] = field(default_factory=list)

    @property
    def alarmed(self) -> bool:
        """Whether an alarm is open."""
        return self.current is not None and self.current.raised is not None

    def step(self, looked: Looked, at_night: Raised | None) -> None:
        """Take in one closed week."""
        if at_night is not None:
            self.raise_at_night(looked.week, at_night.change)
        if self.current is not None and self.current.raised is not None:
            self._go_on(self.current, looked)
        elif (rule := self._rule(looked)) is not None:
            self._alarm(rule, looked)
        elif looked.candidate[self.series]:
            self._see(looked)
        elif self.current is not None and not self._recently(looked.week, self.current.sign):
            self._end(looked.week, "faded")

    def raise_at_night(self, week: int, change: Change | None) -> None:
        """An alarm of a week that is not closed yet."""
        if not self.alarmed:
            self._raise(week, "night", change, week)

    def _change(self, changes: Changes) -> Change:
        return change_of(changes, self.series, self.panel.measures[self.series], self.settings)

    def _rule(self, looked: Looked) -> Rule | None:
        if looked.at_once[self.series]:
            return "at once"
        if looked.candidate[self.series]:
            sign = np.sign(looked.weekly.delta[self.series])
            earlier = self.sign[max(0, looked.week - self.settings.recent + 1) : looked.week]
            if 1 + int((earlier == sign).sum()) >= self.settings.candidates:
                return "two weeks of three"
        return "window" if looked.lasting[self.series] else None

    def _recently(self, week: int, sign: float) -> bool:
        """Whether a candidate of this sign could still be joined by next week's."""
        return bool((self.sign[max(0, week - self.settings.recent + 2) : week + 1] == sign).any())

    def _see(self, looked: Looked) -> None:
        """A candidate that does not alarm (yet)."""
        change = self._change(looked.weekly)
        sign = float(np.sign(change.delta))
        self.sign[looked.week], self.blocked[looked.week] = sign, True
        if self.current is not None and self.current.sign != sign:
            self._end(looked.week, "faded")
        if self.current is None:
            self.current = Current(looked.week, sign, since=looked.week, at_first=change)
        self.current.latest, self.current.measured = change, looked.week

    def _alarm(self, rule: Rule, looked: Looked) -> None:
        shown = looked.window if rule == "window" and looked.window is not None else looked.weekly
        change = self._change(shown)
        since = looked.week - change.weeks + 1
        self.blocked[since : looked.week + 1] = True
        self._raise(looked.week, rule, change, since)
        if self.current is not None:
            self.current.alarm_weeks = 1
            self._date(self.current, looked)

    def _raise(self, week: int, rule: Rule, change: Change | None, since: int) -> None:
        sign = float(np.sign(change.delta)) if change else 0.0
        if self.current is not None and change is not None and self.current.sign != sign:
            self._end(week, "faded")
        if self.current is None:
            self.current = Current(week, sign, since=since)
        current = self.current
        current.raised, current.rule = week, rule
        current.since = min(current.since, since)
        current.at_first = current.latest = change
        current.measured = None if change is None else week

    def _go_on(self, current: Current, looked: Looked) -> None:
        """A week of an alarm that was raised before, or at night in this week."""
        week, seen = looked.week, bool(self.panel.eligible[self.series, looked.week])
        current.unseen = 0 if seen else current.unseen + 1
        if seen:
            self.blocked[week] = True
            current.alarm_weeks += 1
        if looked.weekly.predicted[self.series]:
            self._weigh(current, looked)
        if len(current.quiet) >= self.settings.quiet_weeks:
            self._clear(current, week)
        elif current.alarm_weeks >= self.settings.new_level_weeks:
            self._settle(current, week)
        elif current.unseen >= self.settings.new_level_weeks:
            self._end(week, "unmonitored")

    def _weigh(self, current: Current, looked: Looked) -> None:
        change = self._change(looked.weekly)
        current.latest, current.measured = change, looked.week
        current.at_first = current.at_first or change
        small = self.settings.quiet_effect * self.panel.minimum[self.series]
        if abs(change.delta) < small or abs(change.delta) < change.se:
            current.quiet.append(looked.week)
        else:
            current.quiet.clear()
            self._date(current, looked)

    def _date(self, current: Current, looked: Looked) -> None:
        """Estimate the start again, while it lies within reach."""
        reach = looked.week - self.settings.start_reach + 1
        if current.start is None or current.start.week >= reach:
            found = start_week(self.panel, looked.usable, self.series, looked.week, self.settings)
            current.start = found or current.start

    def _clear(self, current: Current, week: int) -> None:
        self.blocked[current.quiet] = False
        self.open_from = current.quiet[0]
        self._end(week, "quiet")

    def _settle(self, current: Current, week: int) -> None:
        self.blocked[: current.since] = True
        self.blocked[current.since : week + 1] = False
        self.open_from = current.since
        self._end(week, "new level")

    def _end(self, week: int, ending: Ending) -> None:
        if self.current is not None:
            self.over.append(self.episode(self.current, week, ending))
            if self.current.raised is not None:
                self.sign[: week + 1] = 0
        self.current = None

    def episode(self, current: Current, week: int, ending: Ending | None) -> Episode:
        """As it stands at the close of `week`; without an id."""
        first = self.panel.first_week
        return Episode(
            id="",
            route=self.panel.routes[self.series],
            measure=self.panel.measures[self.series].name,
            state=_state(current, week, ending),
            opened=first + current.opened,
            raised=None if current.raised is None else first + current.raised,
            ended=None if ending is None else first + week,
            rule=current.rule,
            ending=ending,
            at_first=current.at_first,
            latest=current.latest,
            began=_began(current.start, first),
            measured=None if current.measured is None else first + current.measured,
        )


def _state(current: Current, week: int, ending: Ending | None) -> State:
    if ending is not None:
        return "re-baselined" if ending == "new level" else "cleared"
    if current.raised is None:
        return "watch"
    return "raised" if current.raised >= week else "persistent"


def _began(start: Start | None, first: int) -> Began | None:
    if start is None:
        return None
    return Began(first + start.week, first + start.earliest, first + start.latest, start.shift)
