"""From weekly estimates and events to alarms: the whole rule, week after week.

A measure of a route alarms at once where a week is far beyond its minimum effect, in the second
candidate week of three, or by the window test. The result is a function of the estimates and the
events alone: computing it again, or in other steps, gives the same episodes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from analyzer.stats.arrays import Flags, Integers
from analyzer.stats.episodes import Episode, Event, Excluded, Raised
from analyzer.stats.life import Life
from analyzer.stats.looking import Looked, look
from analyzer.stats.panel import Panel, WeekEstimate, panel_of
from analyzer.stats.settings import DriftSettings

Name = Callable[[int, str, str], str]  # week, route, measure -> id of an episode opened then


@dataclass(frozen=True)
class Watched:
    """Every closed week as it was judged, and the episodes of all of them."""

    panel: Panel
    looks: tuple[Looked, ...]  # one a week
    episodes: tuple[Episode, ...]  # by the week they opened, then route and measure
    usable: Flags  # [series, week]: may stand in the baseline of the next week
    alarmed: Flags  # [series]: an alarm is open
    settings: DriftSettings  # by which they were judged


def watch(
    estimates: Iterable[WeekEstimate],
    events: Sequence[Event],
    name: Name,
    settings: DriftSettings | None = None,
) -> Watched:
    """Judge every week in turn. Estimates may come in any order, one a route, measure and week."""
    settings = settings or DriftSettings()
    panel = panel_of(estimates, settings)
    ledger = _Ledger(panel, events, settings)
    looks = tuple(ledger.close(week) for week in range(panel.weeks))
    found = [_identified(episode, events, name) for episode in ledger.episodes()]
    return Watched(
        panel,
        looks,
        tuple(sorted(found, key=lambda one: (one.opened, one.route, one.measure))),
        ledger.usable(panel.weeks),
        np.array([life.alarmed for life in ledger.lives], dtype=np.bool_),
        settings,
    )


class _Ledger:
    """The memory of all series while weeks are closed one after the other."""

    def __init__(self, panel: Panel, events: Sequence[Event], settings: DriftSettings) -> None:
        self._panel = panel
        self._settings = settings
        self._blocked = np.zeros_like(panel.eligible)
        self._left_out = _left_out(panel, events)
        self._at_night = {
            (event.route, event.measure, event.week - panel.first_week): event
            for event in events
            if isinstance(event, Raised) and event.at_night
        }
        sign = np.zeros(panel.eligible.shape, dtype=np.int64)
        self.lives = [
            Life(panel, series, self._blocked[series], sign[series], settings)
            for series in range(len(panel.routes))
        ]

    def usable(self, week: int) -> Flags:
        """[series, week]: what may stand in a baseline when `week` (a column) is tested."""
        return self._panel.eligible & ~self._blocked & (self._left_out > week)

    def close(self, week: int) -> Looked:
        """Judge one week and remember."""
        looked = look(self._panel, self.usable(week), self._open_from(week), week, self._settings)
        for series, life in enumerate(self.lives):
            at_night = self._at_night.get(
                (self._panel.routes[series], self._panel.measures[series].name, week)
            )
            life.step(looked, at_night)
        return looked

    def _open_from(self, week: int) -> Integers:
        """Windows start after the last alarm, and after weeks that were left out by hand."""
        after = np.array([life.open_from for life in self.lives], dtype=np.int64)
        if not week:
            return after
        known = self._left_out[:, :week] <= week
        last = np.where(known, np.arange(1, week + 1), 0).max(axis=1)
        latest: Integers = np.maximum(after, last)
        return latest

    def episodes(self) -> list[Episode]:
        """All of them, open ones as they stand after the last week."""
        last = self._panel.weeks - 1
        found: list[Episode] = []
        for life in self.lives:
            self._raise_after(life, last)
            found += life.over
            if life.current is not None:
                found.append(life.episode(life.current, last, None))
        return found

    def _raise_after(self, life: Life, last: int) -> None:
        """Alarms of nights whose week is not closed yet."""
        named = (self._panel.routes[life.series], self._panel.measures[life.series].name)
        later = sorted(week for *who, week in self._at_night if tuple(who) == named and week > last)
        for week in later[:1]:
            life.raise_at_night(week, self._at_night[(*named, week)].change)


def _left_out(panel: Panel, events: Sequence[Event]) -> Integers:
    """[series, week]: from which tested week (a column) on it is left out of baselines."""
    never = np.iinfo(np.int64).max
    since = np.full(panel.eligible.shape, never)
    for event in events:
        column = event.week - panel.first_week
        if isinstance(event, Excluded) and 0 <= column < panel.weeks:
            for series, (route, measure) in enumerate(
                zip(panel.routes, panel.measures, strict=True)
            ):
                if event.concerns(route, measure.name):
                    known = event.since - panel.first_week
                    since[series, column] = min(since[series, column], known)
    return since


def _identified(episode: Episode, events: Sequence[Event], name: Name) -> Episode:
    """With the id of the first alarm that was sent within it, or that of the week it opened."""
    sent = [
        (event.week, event.id)
        for event in events
        if isinstance(event, Raised)
        and (event.route, event.measure) == (episode.route, episode.measure)
        and episode.opened <= event.week
        and (episode.ended is None or event.week <= episode.ended)
    ]
    own = name(episode.opened, episode.route, episode.measure)
    return replace(episode, id=min(sent)[1] if sent else own)
