"""Standard errors that respect that chunks of one unit are not independent.

Delete-a-group jackknife (Kott, Journal of Official Statistics 17(4), 2001): units fall into groups
by a hash, an estimate is made again with each group left out, and its spread gives the error.
Counts add up over days, so the groups of a week are sums of those of its days, exactly.

A group left out that leaves nothing to estimate (NaN) means that the whole estimate rests on that
group: then there is no standard error. A group in which nothing was counted is no group.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analyzer.stats.arrays import Flags, Floats, divided
from analyzer.stats.distributions import t_quantile

FEW_EVENTS = 10  # below, the groups of a share tell too little of its error
_Z = 1.959964  # of 95 %
LN_TOKENS_FLOOR = 0.0005  # smallest standard error of a logarithm of tokens


@dataclass(frozen=True)
class Estimate:
    """A value, and how sure it is."""

    value: float | None
    se: float | None  # None: fewer than two groups, or all of it rests on one
    df: int  # non-empty groups - 1; 0 where there is no standard error
    leave_one_outs: Floats  # one a group; of an empty group the value itself

    def interval(self, level: float = 0.95) -> tuple[float, float] | None:
        """value -+ t standard errors, or None where there is no standard error."""
        if self.value is None or self.se is None:
            return None
        reach = t_quantile(0.5 + level / 2, self.df) * self.se
        return self.value - reach, self.value + reach

    def floored(self, smallest: float) -> Estimate:
        """The same with a standard error of at least `smallest`, where there is one."""
        if self.se is None or self.se >= smallest:
            return self
        return Estimate(self.value, smallest, self.df, self.leave_one_outs)


def jackknifed(value: float, leave_one_outs: Floats, filled: Flags) -> Estimate:
    """value with its standard error, sqrt((B - 1) / B * sum (theta_g - mean)^2).

    leave_one_outs, filled: one entry a group; B counts the groups that are filled.
    """
    kept = leave_one_outs[filled]
    if not np.isfinite(value):
        return Estimate(None, None, 0, np.full(len(filled), np.nan))
    whole = np.where(filled, leave_one_outs, value)
    if len(kept) < 2 or not np.isfinite(kept).all():
        return Estimate(float(value), None, 0, whole)
    spread = float(((kept - kept.mean()) ** 2).sum())
    return Estimate(
        float(value), float(np.sqrt((len(kept) - 1) / len(kept) * spread)), len(kept) - 1, whole
    )


def difference(one: Estimate, other: Estimate) -> Estimate:
    """one - other, from the same unit groups: two releases of a week share units, so not apart.

    A side that is the same whichever group is left out, as a share of 0 or 1 is, has its floor for
    its error here too.
    """
    if one.value is None or other.value is None:
        return Estimate(None, None, 0, np.full(len(one.leave_one_outs), np.nan))
    filled = (one.leave_one_outs != one.value) | (other.leave_one_outs != other.value)
    without = one.leave_one_outs - other.leave_one_outs
    found = jackknifed(one.value - other.value, without, filled)
    df = min(one.df, other.df)
    square = (found.se or 0.0) ** 2 + _still(one) + _still(other)
    return Estimate(found.value, square**0.5 if df else None, df, found.leave_one_outs)


def _still(one: Estimate) -> float:
    """The squared error of an estimate in which no group moves anything; else 0."""
    return (one.se or 0.0) ** 2 if (one.leave_one_outs == one.value).all() else 0.0


def difference_of_shares(one: Estimate, other: Estimate, n: tuple[float, float]) -> Estimate:
    """one - other, each a share of so many; wider where a side has few events, or few without.

    The spread of the groups knows little of 1 of 60, and nothing of 0 of 60 that could be 3.
    """
    found = difference(one, other)
    if found.value is None or found.se is None:
        return found
    square = found.se**2 + sum(map(_unseen, (one, other), n))
    return Estimate(found.value, square**0.5, found.df, found.leave_one_outs)


def _unseen(one: Estimate, n: float) -> float:
    """By how much its squared error falls short of Wilson's, of a share of few events."""
    if one.value is None or min(one.value, 1 - one.value) * n >= FEW_EVENTS:
        return 0.0
    return max(0.0, wilson_error(one.value, n) ** 2 - (one.se or 0.0) ** 2)


def wilson_error(value: float, n: float) -> float:
    """Of a share: the longer arm of Wilson's 95 % interval, in standard errors.

    Wilson, Journal of the American Statistical Association 22 (1927): with z = 1.96 the ends are
    (y + z^2 / 2n -+ z sqrt(y (1 - y) / n + z^2 / 4n^2)) / (1 + z^2 / n).
    """
    square = _Z**2 / n
    middle = (value + square / 2) / (1 + square)
    arm = _Z / (1 + square) * np.sqrt(value * (1 - value) / n + square / (4 * n))
    return float((arm + abs(middle - value)) / _Z)


def left_out(counts: Floats) -> Floats:
    """[group, ...] counts -> [group, ...] the total without each group."""
    result: Floats = counts.sum(axis=0) - counts
    return result


def ratio(parts: Floats, wholes: Floats) -> Estimate:
    """sum(parts) / sum(wholes), both one entry a group; no floor."""
    value = divided(parts.sum(), wholes.sum())
    return jackknifed(float(value), divided(left_out(parts), left_out(wholes)), wholes > 0)


def rate(parts: Floats, wholes: Floats) -> Estimate:
    """A share 0 to 1; its standard error is never 0: none of n seen could have been 1/n."""
    estimate, n = ratio(parts, wholes), float(wholes.sum())
    return estimate if estimate.value is None else estimate.floored(rate_floor(estimate.value, n))


def mean(sums: Floats, counts: Floats) -> Estimate:
    """A mean over counted things, as the mean log2 of cited ranks.

    Its floor is what one of n moves it by when its rank doubles: 1 / n.
    """
    estimate, n = ratio(sums, counts), float(counts.sum())
    return estimate if estimate.value is None else estimate.floored(1 / n)


def rate_floor(value: float, n: float) -> float:
    """Smallest standard error of a rate: sqrt(max(y, 1/n) max(1 - y, 1/n) / n)."""
    return float(rate_floors(value, n))


def rate_floors(value: Floats | float, n: Floats | float) -> Floats:
    """The same of many rates."""
    least = np.divide(1.0, n)
    result: Floats = np.sqrt(np.maximum(value, least) * np.maximum(1 - value, least) / n)
    return result
