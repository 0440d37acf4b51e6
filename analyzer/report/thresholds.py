"""The thresholds that a week was judged by, in one sentence for the foot of the page."""

from __future__ import annotations

import math

from analyzer import numbers
from analyzer.stats.settings import MISSING_FIELD_EFFECT, DriftSettings, Measure
from analyzer.telling.words import words


def thresholds(settings: DriftSettings) -> str:
    """What makes an alarm, and the least change of each measure."""
    least = "; ".join(f"{words()[one.name].name} {_least(one)}" for one in settings.measures)
    return (
        f"Tested from {settings.least_requests} requests a week and "
        f"{settings.least_baseline} of {settings.baseline_weeks} baseline weeks on. Alarm: "
        f"{settings.candidates} of {settings.recent} weeks significant at a false discovery rate "
        f"of {numbers.percent(settings.false_discovery_rate)} over all tests; or one week "
        f"{settings.at_once:g} standard errors beyond the least change; or a window of "
        f"{', '.join(map(str, settings.windows))} weeks with p below "
        f"{settings.window_level:g} / tests. Least change: {least}; missing fields "
        f"{100 * MISSING_FIELD_EFFECT:.1f} points; the share of an ordering "
        f"{100 * settings.ordering_effect:.1f} points, tested apart, from "
        f"{settings.ordering_requests} requests that show theirs on."
    )


def _least(measure: Measure) -> str:
    effect = measure.minimum_effect
    match words()[measure.name].unit:
        case "points":
            return f"{100 * effect:.1f} points"
        case "ranks":
            return numbers.percent(2**effect - 1)
        case _:
            return numbers.percent(math.expm1(effect))
