"""How much a measure wanders from week to week, beyond what sampling explains.

The spread tau^2 between weeks is DerSimonian and Laird's (1986), a route's own shrunk towards the
mean over the large routes. Arrays are [series, weeks] with a flag for the weeks that count; what
does not count is never read, so nothing that is not finite enters a pool.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analyzer.stats.arrays import Flags, Floats, Integers, divided


def weighted_mean(value: Floats, variance: Floats, counts: Flags) -> tuple[Floats, Floats]:
    """Mean with weights 1 / variance, and the sum of the weights; NaN, 0 where no week counts."""
    weight = _weights(variance, counts)
    total = weight.sum(axis=-1)
    return divided((weight * np.where(counts, value, 0.0)).sum(axis=-1), total), total


def spread_between(value: Floats, variance: Floats, counts: Flags) -> Floats:
    """DerSimonian-Laird tau^2, not truncated: (Q - (k - 1)) / C; NaN below two weeks.

    With w = 1 / variance: Q = sum w (y - mean)^2 and C = sum w - sum w^2 / sum w.
    """
    weight = _weights(variance, counts)
    mean, total = weighted_mean(value, variance, counts)
    away = np.where(counts, value - mean[..., None], 0.0)
    excess = (weight * away**2).sum(axis=-1) - (counts.sum(axis=-1) - 1)
    return divided(excess, total - divided((weight**2).sum(axis=-1), total, 0.0))


def _weights(variance: Floats, counts: Flags) -> Floats:
    return divided(1.0, np.where(counts, variance, 0.0), otherwise=0.0)


@dataclass(frozen=True)
class Members:
    """Which series make up the pool of a measure; one entry a series."""

    measure: Integers  # index of its measure
    belongs: Flags
    large: Flags  # where any of a measure's members is large, only those count


def pooled(value: Floats, members: Members) -> Floats:
    """Of each series the mean over its measure's members; 0 where there is none."""
    size = int(members.measure.max(initial=-1)) + 1
    finite = members.belongs & np.isfinite(value)
    mean = _mean_by(members.measure, value, finite, size)
    of_large = _mean_by(members.measure, value, finite & members.large, size)
    chosen = np.where(np.isnan(of_large), mean, of_large)
    return np.nan_to_num(chosen, nan=0.0)[members.measure]


def _mean_by(measure: Integers, value: Floats, counts: Flags, size: int) -> Floats:
    total = np.bincount(measure[counts], value[counts], minlength=size)
    return divided(total, np.bincount(measure[counts], minlength=size))


def shrunken(own: Floats, pool: Floats, weeks: Integers, prior_df: int, least: Floats) -> Floats:
    """(prior_df pool + (k - 1) own) / (prior_df + k - 1), never below `least`; own NaN counts 0."""
    freedom = np.maximum(weeks - 1, 0)
    known = np.nan_to_num(own, nan=0.0)
    result: Floats = np.maximum((prior_df * pool + freedom * known) / (prior_df + freedom), least)
    return result
