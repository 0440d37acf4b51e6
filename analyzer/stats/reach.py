"""What could have been seen: "nothing changed" is only worth the smallest change that would show.

A lasting change alarms within three weeks in 8 of 10 cases from about max(dmin + .8 SE, (c + .85)
SE) on, with SE the series' own for a window of three weeks and c the normal quantile of the alarm
limit (3.9 with ten routes). It is said as a relative change, never in points.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analyzer.stats.distributions import normal_quantile
from analyzer.stats.settings import DIP, DriftSettings, Measure, of_ordering
from analyzer.stats.watching import Watched
from analyzer.stats.window_test import window_test

WEEKS = 3


@dataclass(frozen=True)
class Reach:
    """Of one series in the last week; change None: not monitored (too few requests or weeks)."""

    route: str
    measure: str
    requests: int
    change: float | None  # in the measure's own unit
    relative: float | None  # 0.13 = 13 %; None where there is no baseline to relate it to


def reaches(watched: Watched, settings: DriftSettings | None = None) -> tuple[Reach, ...]:
    """Every series but those of orderings, in the order of the panel."""
    settings = settings or DriftSettings()
    panel, last = watched.panel, watched.panel.weeks - 1
    if last < 0:
        return ()
    anywhere = np.zeros(len(panel.routes), dtype=np.int64)
    window = window_test(panel, watched.looks[-1].usable, anywhere, WEEKS, last, settings)
    found = []
    for series, measure in enumerate(panel.measures):
        if of_ordering(measure.name):  # switched or not: there is no small change of them
            continue
        change = relative = None
        if window is not None and window.changes.tested[series]:
            se = float(window.changes.se[series])
            tests = int(watched.looks[-1].beside[series])
            change = smallest_change(se, tests, measure, settings)
            relative = relatively(change, float(window.changes.baseline[series]), measure)
        requests = int(panel.requests[series, last])
        found.append(Reach(panel.routes[series], measure.name, requests, change, relative))
    return tuple(found)


def smallest_change(se: float, tests: int, measure: Measure, settings: DriftSettings) -> float:
    """The change seen in 8 of 10 cases within three weeks; se: of a window of three weeks."""
    level = settings.window_level / (max(1, tests) * measure.tests)
    limit = normal_quantile(1 - level / 2)
    return max(measure.minimum_effect + 0.8 * se, (limit + 0.85) * se)


def relatively(change: float, baseline: float, measure: Measure) -> float | None:
    """A fall of the middle against the edge; a rise of tokens or ranks; a share of a rate."""
    if measure.name == DIP:
        return 1 - float(np.exp(-change))
    if measure.name.startswith("ln_"):
        return float(np.expm1(change))
    if not measure.rate:
        return float(2**change - 1)
    return change / baseline if baseline > 0 else None
