"""Years of one measure alone, judged by the whole rule: many in the time of one whole year.

Chance is shared out among all tests of a week. Those of the measures that are not made here count
as if they stood beside and found nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from analyzer.stats.panel import WeekEstimate
from analyzer.stats.settings import DriftSettings
from analyzer.stats.watching import watch
from analyzer.watch.naming import alarm_id

from .years import SIZES

TESTS = 9 * len(SIZES)  # of a week: nine measures of ten routes, ordering shares aside


def raised(estimates: Iterable[WeekEstimate]) -> list[tuple[str, int]]:
    """Route and week of every alarm of one measure."""
    usual, part = DriftSettings(), len(SIZES) / TESTS
    shared = replace(
        usual,
        false_discovery_rate=part * usual.false_discovery_rate,
        window_level=part * usual.window_level,
    )
    episodes = watch(estimates, (), alarm_id, shared).episodes
    return [(one.route, one.raised) for one in episodes if one.raised is not None]
