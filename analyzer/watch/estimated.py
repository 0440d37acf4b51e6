"""How an estimated difference of two rates is written."""

from __future__ import annotations

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
