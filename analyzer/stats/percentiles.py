"""Percentiles from additive counts by logarithmic bin, with their jackknife error.

The bins are those of DDSketch (Masson, Rim, Lee, VLDB 2019) at a relative accuracy of 0.5 %: with
gamma = 1.005 / 0.995, bin i holds (gamma^(i-1), gamma^i], and bin -1 holds zero. The percentile p
of n lies in the first bin up to which at least p n are counted; inside it they are taken as evenly
spread on the log scale, without which half the weeks would have a standard error of 0.
"""

from __future__ import annotations

import math

import numpy as np

from analyzer.stats.arrays import Floats, Integers, divided
from analyzer.stats.jackknife import LN_TOKENS_FLOOR, Estimate, jackknifed, left_out

LN_GAMMA = math.log(1.005 / 0.995)
ZERO = -1


def read_out(counts: Floats, percent: int) -> tuple[Integers, Floats]:
    """Bin index and share of it at which a percentile lies; [..., bin] counts -> [...] each.

    percent is whole, so that its rank is exact. Where nothing is counted the share is NaN.
    """
    upto = counts.cumsum(axis=-1)
    goal = percent * upto[..., -1:]
    index = np.argmax(100 * upto >= goal, axis=-1)
    inside = np.take_along_axis(counts, index[..., None], axis=-1)[..., 0]
    before = np.take_along_axis(upto, index[..., None], axis=-1)[..., 0] - inside
    return index, divided(goal[..., 0] - 100 * before, 100 * inside)


def log_percentile(bins: Integers, counts: Floats, percent: int) -> Floats:
    """Natural logarithm of a percentile; bins ascending, counts [..., bin].

    NaN where nothing is counted or where the percentile is zero.
    """
    index, inside = read_out(counts, percent)
    at = bins[index]
    return np.where(at == ZERO, np.nan, (at - 1 + inside) * LN_GAMMA)


def log_percentile_estimate(bins: Integers, counts: Floats, percent: int) -> Estimate:
    """The same with its jackknife error, at least .0005; counts [group, bin]."""
    value = float(log_percentile(bins, counts.sum(axis=0), percent))
    others = log_percentile(bins, left_out(counts), percent)
    return jackknifed(value, others, counts.sum(axis=1) > 0).floored(LN_TOKENS_FLOOR)


def by_group(
    bins: Integers, groups: Integers, counts: Integers, n_groups: int
) -> tuple[Integers, Floats]:
    """Rows (bin, unit group, requests) -> the bins, ascending, and counts [group, bin]."""
    names, column = np.unique(bins, return_inverse=True)
    result = np.zeros((n_groups, len(names)))
    np.add.at(result, (groups, column), counts)
    return names, result
