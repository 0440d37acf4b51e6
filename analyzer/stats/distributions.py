"""Tails and quantiles of Student's t and of the normal distribution.

scipy has them, but it weighs 83 MB installed beside numpy's 59 and takes half a second to import
when cold, for two functions. So Student's t is computed here from the incomplete beta function by
its continued fraction, and a test holds it against scipy from p = 1 to p = 1e-300.
"""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist
from typing import Any

import numpy as np

from analyzer.stats.arrays import Floats

_NORMAL = NormalDist()
_TINY = 1e-300
_TERMS = 10_000  # of the continued fraction; about sqrt(df) are needed
_CLOSE = 1e-15


def normal_quantile(probability: float) -> float:
    """The z below which a standard normal variable lies with this probability."""
    return _NORMAL.inv_cdf(probability)


def bonferroni(z: float, comparisons: int) -> float:
    """The limit of |z| for each of several comparisons that are to err as rarely as one."""
    if comparisons <= 1:
        return z
    return -normal_quantile(_NORMAL.cdf(-z) / comparisons)


def two_sided_p(t: Any, df: Any) -> Floats:
    """P(|T| >= |t|) for Student's t with df > 0 degrees of freedom; arrays broadcast.

    With x = df / (df + t^2) this is I_x(df / 2, 1 / 2) (Abramowitz and Stegun 26.7.1).
    NaN where t is NaN.
    """
    statistic, freedom = np.broadcast_arrays(
        np.asarray(t, dtype=np.float64), np.asarray(df, dtype=np.float64)
    )
    square = statistic**2
    known = np.isfinite(square) & (square > 0)
    result = np.where(np.isnan(statistic), np.nan, np.where(square > 0, 0.0, 1.0))
    if known.any():
        near, far = freedom[known], square[known]
        result[known] = _incomplete_beta(near / (near + far), far / (near + far), near / 2)
    return result


@lru_cache(maxsize=4096)
def t_quantile(probability: float, df: float) -> float:
    """The t below which Student's variable lies with this probability, 0.5 < probability < 1."""
    tail = 2 * (1 - probability)
    scale = math.exp(math.lgamma((df + 1) / 2) - math.lgamma(df / 2)) / math.sqrt(df * math.pi)
    # The tail is convex in t, so Newton's steps from the normal quantile only ever go up.
    t = normal_quantile(probability)
    for _ in range(200):
        density = scale * (1 + t * t / df) ** (-(df + 1) / 2)
        step = (float(two_sided_p(t, df)) - tail) / (2 * density)
        t += step
        if abs(step) <= 1e-13 * t:
            break
    return t


def t_quantiles(probability: float, df: Floats) -> Floats:
    """`t_quantile` for an array of degrees of freedom; NaN where one is not above 0."""
    flat = [t_quantile(probability, x) if x > 0 else math.nan for x in df.ravel().tolist()]
    return np.array(flat, dtype=np.float64).reshape(df.shape)


def _incomplete_beta(x: Floats, rest: Floats, a: Floats) -> Floats:
    """I_x(a, 1/2), where rest = 1 - x is given apart, so that neither end loses digits."""
    b = np.full_like(a, 0.5)
    beta = np.array([math.lgamma(v + 0.5) - math.lgamma(v) - math.lgamma(0.5) for v in a.tolist()])
    front = np.exp(beta + a * np.log(x) + b * np.log(rest))
    other = x > (a + 1) / (a + b + 2)
    fraction = _fraction(np.where(other, rest, x), np.where(other, b, a), np.where(other, a, b))
    return np.where(other, 1 - front * fraction / b, front * fraction / a)


def _fraction(x: Floats, a: Floats, b: Floats) -> Floats:
    """The continued fraction of the incomplete beta function, by Lentz's method.

    Numerical Recipes 6.4; its terms are Abramowitz and Stegun 26.5.8.
    """
    c = np.ones_like(x)
    d = 1 / _off_zero(1 - (a + b) * x / (a + 1))
    result = d.copy()
    for m in range(1, _TERMS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        change = np.ones_like(x)
        for term in (even, odd):
            d = 1 / _off_zero(1 + term * d)
            c = _off_zero(1 + term / c)
            change = change * (c * d)
            result = result * (c * d)
        if bool(np.all(np.abs(change - 1) < _CLOSE * 4)):
            break
    return result


def _off_zero(value: Floats) -> Floats:
    return np.where(np.abs(value) < _TINY, _TINY, value)
