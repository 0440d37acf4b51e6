"""One week against the weeks before it.

The week is predicted from a baseline of the last 13 usable weeks among 16: the error of the
prediction holds the week's own sampling error, the spread between weeks and the baseline's error.
A test that knew only the sampling error would find a change in every other week.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np

from analyzer.stats.arrays import Flags, Floats, Integers
from analyzer.stats.distributions import t_quantile, two_sided_p
from analyzer.stats.episodes import Change
from analyzer.stats.panel import Panel
from analyzer.stats.pooling import Members, pooled, shrunken, spread_between, weighted_mean
from analyzer.stats.settings import DriftSettings, Measure
from analyzer.stats.stretch import Stretch, stretch


@dataclass(frozen=True)
class Changes:
    """One entry a series; where `tested` is false the numbers mean nothing."""

    tested: Flags
    predicted: Flags  # tested, or a rate with too few events to be: near 0 as before
    weeks: Integers  # how many are held against the baseline
    baseline_weeks: Integers
    baseline: Floats  # the predicted value
    delta: Floats  # value - baseline
    se: Floats
    df: Floats
    p: Floats  # times the number of measures that say the same; NaN where not tested
    moved: Integers  # over all routes: how many moved the same way
    taken: Integers  # of how many


def change_of(changes: Changes, series: int, measure: Measure, settings: DriftSettings) -> Change:
    """One series of them, with its interval; that of a rate ends where rates do, at 0 and 1."""
    delta, se = float(changes.delta[series]), float(changes.se[series])
    baseline = float(changes.baseline[series])
    reach = t_quantile(0.5 + settings.level / 2, float(changes.df[series])) * se
    least, most = (-baseline, 1 - baseline) if measure.rate else (-inf, inf)
    return Change(
        delta=delta,
        se=se,
        low=max(delta - reach, min(least, delta)),
        high=min(delta + reach, max(most, delta)),
        p=float(changes.p[series]),
        weeks=int(changes.weeks[series]),
        baseline=baseline,
        baseline_weeks=int(changes.baseline_weeks[series]),
        moved=int(changes.moved[series]),
        taken=int(changes.taken[series]),
    )


def weekly_test(panel: Panel, usable: Flags, week: int, settings: DriftSettings) -> Changes:
    """Every series' week (a column of the panel) against its baseline."""
    read = stretch(panel, usable, week, week, settings)
    weeks = read.baseline_weeks
    enough = read.whole & (weeks >= settings.least_baseline)
    spread = _spread(panel, read, enough, week, settings)
    variance = read.se**2 + spread[:, None]
    mean, total = weighted_mean(read.value, variance, read.base)
    tested = enough & _eventful(panel, week, mean, settings)
    se: Floats = np.sqrt(variance[:, -1] + 1 / np.where(total > 0, total, 1.0))
    df = np.maximum(settings.prior_df + weeks - 1.0, 1.0)
    delta = read.value[:, -1] - mean
    p = np.minimum(two_sided_p(delta / se, df) * panel.tests, 1.0)
    return Changes(
        tested, enough, np.ones_like(weeks), weeks, mean, delta, se, df,
        np.where(tested, p, np.nan), read.moved, read.taken,
    )  # fmt: skip


def _spread(
    panel: Panel, read: Stretch, enough: Flags, week: int, settings: DriftSettings
) -> Floats:
    """tau^2 of each series: its own, truncated at 0, shrunk towards the large routes' mean."""
    own = np.maximum(spread_between(read.value, read.se**2, read.base), 0.0)
    large = panel.requests[:, week] >= settings.pool_requests
    members = Members(panel.measure_index, enough & panel.of_a_route, large)
    least = (settings.least_spread * panel.minimum) ** 2
    return shrunken(own, pooled(own, members), read.baseline_weeks, settings.prior_df, least)


def _eventful(panel: Panel, week: int, mean: Floats, settings: DriftSettings) -> Flags:
    """A rate needs enough expected events, now or by its baseline."""
    expected = np.maximum(panel.value[:, week], np.nan_to_num(mean)) * panel.n[:, week]
    rates = np.array([measure.rate for measure in panel.measures], dtype=np.bool_)
    return ~rates | (expected >= settings.least_events)
