"""How estimates are written: a difference of two rates, and a rate against another one."""

from __future__ import annotations

import math

from analyzer import numbers
from analyzer.stats.jackknife import Estimate


def points(estimate: Estimate) -> str:
    """+0.2 points (95% interval −0.4 to +0.7)."""
    ends = estimate.interval()
    told = numbers.points(estimate.value)
    if ends is None:
        return told
    low, high = (numbers.signed_minus(f"{100 * end:+.1f}") for end in ends)
    return f"{told} (95% interval {low} to {high})"


def against(logarithm: float) -> str:
    """The logarithm of one rate over another in words: 14% lower; 5% higher; the same."""
    shown = numbers.percent(math.expm1(logarithm))
    return f"{shown} {'lower' if logarithm < 0 else 'higher'}" if shown != "0%" else "the same"
