"""The hour at which a measure stepped from one level to another, with an interval.

One step is fitted to hourly counts: before it the measure has one level, from it on another, and
the profile of the log-likelihood over the hour of the step says how sure that hour is. Shares are
binomial, ratios of counted to expected events Poisson, means normal. Chunks of one request are not
independent, so the log-likelihood is divided by the dispersion of the hours around both levels.
The interval holds every hour whose likelihood ratio against the best is at most
-2 ln(1 - sqrt(.95)) = 7.35 (Hansen, Econometrica 68(3), 2000): the maximum over a two-sided random
walk is no chi square, and 3.84 would be too narrow.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log, sqrt
from typing import Literal

import numpy as np

from analyzer.stats.arrays import Floats, divided

Kind = Literal["share", "ratio", "mean"]
LEAST_SIDE = 30.0  # of what is counted, on either side of the step
LEAST_HOURS = 6  # with data, on either side
CLEAR = 12.0  # likelihood ratio of a step against none; below it no hour stands out


@dataclass(frozen=True)
class Step:
    """The first hour of the new level, as indices of the hours given, and the levels."""

    hour: int
    earliest: int
    latest: int
    before: float
    since: float
    ratio: float  # likelihood ratio statistic of a step against none


@dataclass(frozen=True)
class _Sums:
    """Totals of the hours before each hour, and of all of them; [hour + 1]."""

    part: Floats
    whole: Floats


def step(
    parts: Floats, wholes: Floats, kind: Kind, first: int, last: int, level: float = 0.95
) -> Step | None:
    """The step that fits best among the hours `first` to `last`, both included.

    parts, wholes: one entry an hour, empty hours 0. None where either side is too small or where
    no hour stands out.
    """
    sums = _Sums(np.append(0.0, parts.cumsum()), np.append(0.0, wholes.cumsum()))
    profile = _profile(sums, kind)
    allowed = np.flatnonzero(_large_enough(sums, wholes))
    allowed = allowed[(allowed >= first) & (allowed <= last)]
    if not len(allowed):
        return None
    best = int(allowed[np.argmax(profile[allowed])])
    scale = _dispersion(parts, wholes, best, kind)
    none = float(_likelihood(sums.part[-1:], sums.whole[-1:], kind)[0])
    ratio = 2 * (float(profile[best]) - none) / scale
    if ratio < CLEAR:
        return None
    near = allowed[2 * (profile[best] - profile[allowed]) / scale <= _critical(level)]
    return Step(best, int(near.min()), int(near.max()), *_levels(sums, best), ratio=ratio)


def _critical(level: float) -> float:
    return -2 * log(1 - sqrt(level))


def _levels(sums: _Sums, hour: int) -> tuple[float, float]:
    part, whole = sums.part[hour], sums.whole[hour]
    return float(part / whole), float((sums.part[-1] - part) / (sums.whole[-1] - whole))


def _large_enough(sums: _Sums, wholes: Floats) -> np.typing.NDArray[np.bool_]:
    """Of each hour, whether a step there leaves enough on both sides."""
    hours = np.append(0, (wholes > 0).cumsum())
    enough = (sums.whole >= LEAST_SIDE) & (sums.whole[-1] - sums.whole >= LEAST_SIDE)
    found: np.typing.NDArray[np.bool_] = (
        enough & (hours >= LEAST_HOURS) & (hours[-1] - hours >= LEAST_HOURS)
    )
    return found


def _profile(sums: _Sums, kind: Kind) -> Floats:
    before = _likelihood(sums.part, sums.whole, kind)
    since = _likelihood(sums.part[-1] - sums.part, sums.whole[-1] - sums.whole, kind)
    return before + since


def _likelihood(part: Floats, whole: Floats, kind: Kind) -> Floats:
    """Largest log-likelihood of one level, what does not depend on it left out."""
    if kind == "mean":  # of variance 1; the dispersion is the variance
        return divided(part**2, 2 * whole, otherwise=0.0)
    if kind == "ratio":
        return _times_log(part, divided(part, whole, otherwise=0.0))
    rest = np.maximum(whole - part, 0.0)
    shares = divided(part, whole, otherwise=0.0), divided(rest, whole, otherwise=0.0)
    return _times_log(part, shares[0]) + _times_log(rest, shares[1])


def _times_log(count: Floats, share: Floats) -> Floats:
    """count * ln(share), 0 where nothing is counted."""
    found: Floats = np.where(count > 0, count * np.log(np.where(share > 0, share, 1.0)), 0.0)
    return found


def _dispersion(parts: Floats, wholes: Floats, hour: int, kind: Kind) -> float:
    """Pearson's: squared residuals around both levels over their variance; of shares at least 1.

    Of hours or of days, whichever is larger: who asks differs from day to day. Ratios may count
    with weights below 1, so that theirs may lie below 1 as well.
    """
    sums = _Sums(np.append(0.0, parts.cumsum()), np.append(0.0, wholes.cumsum()))
    before, since = _levels(sums, hour)
    level = np.where(np.arange(len(parts)) < hour, before, since)
    residual, variance = parts - wholes * level, wholes * _variance(level, kind)
    found = max(_pearson(residual, variance), _pearson(_daily(residual), _daily(variance)))
    return max(found, 1.0 if kind == "share" else 1e-12)


def _pearson(residual: Floats, variance: Floats) -> float:
    held = variance > 0
    squares = divided(residual**2, variance, otherwise=0.0)
    return float(squares[held].sum() / max(1, int(held.sum()) - 2))


def _daily(hourly: Floats) -> Floats:
    """Sums of 24 hours each."""
    found: Floats = np.add.reduceat(hourly, np.arange(0, len(hourly), 24))
    return found


def _variance(level: Floats, kind: Kind) -> Floats:
    if kind == "share":
        found: Floats = level * (1 - level)
        return found
    return level if kind == "ratio" else np.ones_like(level)
