"""A fault that is mended leaves a rate of 0 as before: too few events to test, yet quiet."""

from __future__ import annotations

from analyzer.stats.panel import WeekEstimate
from analyzer.stats.watching import watch


def near_copies(week: int, value: float) -> WeekEstimate:
    return WeekEstimate(
        route="support",
        measure="involved_rate",
        week=week,
        value=value,
        se=0.004 if value else 1e-4,
        n=8000,
        requests=1000,
        size=1000.0,
    )


def test_an_alarm_is_cleared_when_the_rate_is_back_at_zero() -> None:
    values = [0.0] * 13 + [0.3, 0.0, 0.0]
    [episode] = watch(
        [near_copies(week, value) for week, value in enumerate(values)],
        [],
        lambda week, route, measure: f"{week}-{route}-{measure}",
    ).episodes
    assert (episode.raised, episode.state, episode.ending, episode.ended) == (
        13,
        "cleared",
        "quiet",
        15,
    )
