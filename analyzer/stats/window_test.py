"""Several weeks together against the weeks before them: for changes that last.

Windows of 2, 3, 4 and 6 weeks that end with the tested one. Weekly jackknife variances are too
noisy to be used raw in so small a p, so one variance per unit of size is taken from all weeks;
neighbouring weeks are assumed to wander together (AR(1), pessimistically .8), and 1.75 undoes the
downward bias that this gives the spread. No second week is needed: the window is the hysteresis.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np

from analyzer.stats.arrays import Flags, Floats, Integers, divided
from analyzer.stats.distributions import two_sided_p
from analyzer.stats.panel import Panel
from analyzer.stats.pooling import Members, pooled, shrunken, spread_between
from analyzer.stats.settings import DriftSettings
from analyzer.stats.stretch import Stretch, stretch
from analyzer.stats.weekly_test import Changes


@dataclass(frozen=True)
class Window:
    """What a window's test rests on, one entry a series, and what it found."""

    unit_variance: Floats  # v1: mean of size x se^2 over its weeks
    own_spread: Floats  # DerSimonian-Laird, not truncated; NaN below two weeks
    spread: Floats  # tau^2
    changes: Changes


def window_test(
    panel: Panel,
    usable: Flags,
    open_from: Integers,
    weeks: int,
    last: int,
    settings: DriftSettings,
    pool: float | None = None,
) -> Window | None:
    """The last `weeks` weeks up to `last` against their baseline; None where history is too short.

    open_from: of each series the first column that a window may hold. pool: tau^2 of the pool
    where it is known already; by default it is taken from the panel.
    """
    first = last - weeks + 1
    if first < settings.least_baseline:
        return None
    read = stretch(panel, usable, first, last, settings)
    fits = read.whole & (first >= open_from)
    unit, variance = smoothed(read)
    own = spread_between(read.value, variance, read.base)
    shared = _pool(panel, read, own, fits, last, settings) if pool is None else pool
    least = (settings.least_spread * panel.minimum) ** 2
    known = np.maximum(own, 0.0)
    spread = shrunken(
        known, np.broadcast_to(shared, own.shape), read.baseline_weeks, settings.prior_df, least
    )
    tested = fits & (read.baseline_weeks >= settings.least_baseline)
    return Window(unit, own, spread, _changes(panel, read, variance, spread, tested, settings))


def smoothed(read: Stretch) -> tuple[Floats, Floats]:
    """v1 and the variance v1 / size of every week of every series."""
    used = read.base | read.tested
    per_unit = np.where(used, read.size * read.se**2, 0.0)
    unit = divided(per_unit.sum(axis=1), used.sum(axis=1), otherwise=1.0)
    return unit, unit[:, None] / read.size


def _pool(
    panel: Panel, read: Stretch, own: Floats, fits: Flags, last: int, settings: DriftSettings
) -> Floats:
    """Mean of the spreads, not truncated one by one, so that chance below 0 offsets that above."""
    member = fits & panel.of_a_route & (read.baseline_weeks >= settings.least_pool_weeks)
    large = panel.requests[:, last] >= settings.pool_requests
    return np.maximum(pooled(own, Members(panel.measure_index, member, large)), 0.0)


def _changes(
    panel: Panel,
    read: Stretch,
    variance: Floats,
    spread: Floats,
    tested: Flags,
    settings: DriftSettings,
) -> Changes:
    weight = 1 / (variance + spread[:, None])
    before, after = _shares(weight, read.base), _shares(weight, read.tested)
    contrast = after - before
    apart = np.abs(read.week[:, None] - read.week[None, :])
    sampling = (contrast**2 * variance).sum(axis=1)
    wandering = ((contrast @ settings.persistence**apart) * contrast).sum(axis=1)
    wandering = settings.spread_bias * spread * wandering
    k, total = read.baseline_weeks, sampling + wandering
    se = np.sqrt(total)
    used = np.maximum(settings.jackknife_df * (k + read.tested.sum(axis=1)), 1)
    freedom = np.maximum(settings.prior_df + k - 1, 1)
    of_sampling = sampling / total
    df = 1 / (of_sampling**2 / used + (1 - of_sampling) ** 2 / freedom)
    delta = (contrast * read.value).sum(axis=1)
    p = np.minimum(two_sided_p(delta / se, df) * panel.tests, 1.0)
    baseline = (before * read.value).sum(axis=1)
    return Changes(
        tested, tested, read.tested.sum(axis=1), k, baseline, delta, se, df,
        np.where(tested, p, np.nan), read.moved, read.taken,
    )  # fmt: skip


def _shares(weight: Floats, counts: Flags) -> Floats:
    kept = np.where(counts, weight, 0.0)
    return divided(kept, kept.sum(axis=1, keepdims=True), otherwise=0.0)


def best_of(windows: list[Changes], minimum: Floats) -> Changes | None:
    """Of each series the window with the smallest p among those that reach the minimum effect.

    Its p is 1 where none does, NaN where none was tested.
    """
    if not windows:
        return None
    p = np.array([_with_effect(changes, minimum) for changes in windows])
    tested = np.array([changes.tested for changes in windows])
    best = np.where(tested, p, np.inf).argmin(axis=0)
    series = np.arange(p.shape[1])
    chosen = {
        field.name: np.array([getattr(changes, field.name) for changes in windows])[best, series]
        for field in fields(Changes)
    }
    return replace(Changes(**chosen), p=p[best, series])


def _with_effect(changes: Changes, minimum: Floats) -> Floats:
    small = changes.tested & (np.abs(changes.delta) < minimum)
    return np.where(small, 1.0, changes.p)
