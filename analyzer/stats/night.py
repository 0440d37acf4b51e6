"""The look of every night: the last seven days against the closed weeks before them.

Only what is far beyond its minimum effect alarms at night (the at-once rule); everything finer
waits until the week is closed. Seven days reach into a closed week, so that week is no baseline.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from analyzer.stats.episodes import Change
from analyzer.stats.looking import beyond
from analyzer.stats.panel import WeekEstimate, with_column
from analyzer.stats.settings import DriftSettings
from analyzer.stats.watching import Watched
from analyzer.stats.weekly_test import change_of, weekly_test


@dataclass(frozen=True)
class NightAlarm:
    """What the last seven days raise."""

    route: str
    measure: str
    change: Change


def night_look(
    watched: Watched, tonight: Iterable[WeekEstimate], settings: DriftSettings | None = None
) -> tuple[NightAlarm, ...]:
    """Alarms of the last seven days, by route and measure; none for what is alarmed already.

    tonight: estimates over those days, each with the week in which they begin.
    """
    settings = settings or DriftSettings()
    rows = list(tonight)
    if not rows or not watched.panel.routes:
        return ()
    column = min(row.week for row in rows) - watched.panel.first_week
    if column < settings.least_baseline:
        return ()
    panel = with_column(watched.panel, column, rows, settings)
    usable = np.zeros_like(panel.eligible)
    known = min(column, watched.usable.shape[1])
    usable[:, :known] = watched.usable[:, :known]
    found = weekly_test(panel, usable, column, settings)
    raised = beyond(found, panel.minimum, settings) & ~watched.alarmed
    alarms = [
        NightAlarm(
            panel.routes[s],
            panel.measures[s].name,
            change_of(found, s, panel.measures[s], settings),
        )
        for s in np.flatnonzero(raised).tolist()
    ]
    return tuple(sorted(alarms, key=lambda alarm: (alarm.route, alarm.measure)))
