"""What one closed week shows of every series, before any memory of alarms comes in."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analyzer.stats.arrays import Flags, Floats, Integers
from analyzer.stats.false_discovery import believed
from analyzer.stats.panel import Panel
from analyzer.stats.settings import DriftSettings
from analyzer.stats.weekly_test import Changes, weekly_test
from analyzer.stats.window_test import best_of, window_test


@dataclass(frozen=True)
class Looked:
    """One entry a series; week is a column of the panel."""

    week: int
    usable: Flags  # [series, week]: what could stand in a baseline
    weekly: Changes
    candidate: Flags  # believed among all tests of its family and week, and large enough
    at_once: Flags  # far beyond the minimum effect
    window: Changes | None  # the best window of each series
    lasting: Flags  # its p is small enough to alarm

    beside: Integers  # how many series of its family were tested

    @property
    def tests(self) -> int:
        """How many series were tested."""
        return int(self.weekly.tested.sum())


def look(
    panel: Panel, usable: Flags, open_from: Integers, week: int, settings: DriftSettings
) -> Looked:
    """Test every series in one week. usable: [series, week]; open_from: as for `window_test`."""
    weekly = weekly_test(panel, usable, week, settings)
    large = np.abs(weekly.delta) >= panel.minimum
    window = _best_window(panel, usable, open_from, week, settings)
    lasting = np.zeros_like(large)
    beside = _tested_beside(panel, weekly)
    if window is not None:
        limit = settings.window_level / np.maximum(beside, 1)
        lasting = weekly.tested & (np.nan_to_num(window.p, nan=1.0) <= limit)
    return Looked(
        week,
        usable,
        weekly,
        _believed(panel, weekly, settings) & large,
        beyond(weekly, panel.minimum, settings),
        window,
        lasting,
        beside,
    )


def _tested_beside(panel: Panel, weekly: Changes) -> Integers:
    counts: Integers = np.bincount(panel.family, weekly.tested).astype(np.int64)
    return counts[panel.family]


def _believed(panel: Panel, weekly: Changes, settings: DriftSettings) -> Flags:
    kept = np.zeros_like(weekly.tested)
    for family in np.unique(panel.family):
        mine = panel.family == family
        kept[mine] = believed(weekly.p[mine], settings.false_discovery_rate)
    return kept


def beyond(weekly: Changes, minimum: Floats, settings: DriftSettings) -> Flags:
    """|delta| - 3.5 SE >= the minimum effect: an alarm at once, also at night."""
    result: Flags = weekly.tested & (np.abs(weekly.delta) - settings.at_once * weekly.se >= minimum)
    return result


def _best_window(
    panel: Panel, usable: Flags, open_from: Integers, week: int, settings: DriftSettings
) -> Changes | None:
    found = [
        window_test(panel, usable, open_from, weeks, week, settings) for weeks in settings.windows
    ]
    return best_of([window.changes for window in found if window is not None], panel.minimum)
