"""Did behaviour change, or only who asked? A change of a rate split in two.

Kitagawa (1955): with w the share of each segment (a route, say) and m its rate, before (0) and
after (1), total = sum (w1 - w0) (m0 + m1) / 2 [mix] + sum (w0 + w1) / 2 (m1 - m0) [within]. Both
are exact, neither hides in a rest. Errors by the jackknife over the unit groups of both periods at
once. A pooled change whose part within segments could be 0 is traffic mix, and never alarms.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analyzer.stats.arrays import Floats, divided, over_places
from analyzer.stats.jackknife import Estimate, jackknifed, left_out


@dataclass(frozen=True)
class Split:
    """A change and its two parts; mix_of and within_of have one entry a segment and add up."""

    total: Estimate
    mix: Estimate
    within: Estimate
    mix_of: Floats
    within_of: Floats

    def is_mix(self, level: float = 0.95) -> bool:
        """Whether the part within segments could be 0."""
        interval = self.within.interval(level)
        return interval is None or interval[0] <= 0 <= interval[1]


def kitagawa(w0: Floats, m0: Floats, w1: Floats, m1: Floats) -> tuple[Floats, Floats]:
    """mix and within of each segment; [..., segment] each.

    A segment's part of the mix is counted against the mean rate, so that growing says something
    only where its rate is another. One that was there in one period only is all mix.
    """
    before = np.where(np.isnan(m0), m1, m0)
    after = np.where(np.isnan(m1), m0, m1)
    middle = (before + after) / 2
    share = (w0 + w1) / 2
    mean = _total(share * np.nan_to_num(middle))[..., None]
    mix = (w1 - w0) * np.nan_to_num(middle - mean)
    return mix, share * np.nan_to_num(after - before)


def split(parts0: Floats, wholes0: Floats, parts1: Floats, wholes1: Floats) -> Split:
    """The change of sum(parts) / sum(wholes) between two periods; [unit group, segment] each."""
    totals = [counts.sum(axis=0) for counts in (parts0, wholes0, parts1, wholes1)]
    without = [left_out(counts) for counts in (parts0, wholes0, parts1, wholes1)]
    filled = (wholes0.sum(axis=1) > 0) | (wholes1.sum(axis=1) > 0)
    mix, within = _parts(*totals)
    mixes, withins = _parts(*without)
    sums = [_total(mix), _total(within)]
    others = [_total(mixes), _total(withins)]
    return Split(
        jackknifed(float(sums[0] + sums[1]), others[0] + others[1], filled),
        jackknifed(float(sums[0]), others[0], filled),
        jackknifed(float(sums[1]), others[1], filled),
        mix,
        within,
    )


def _parts(
    parts0: Floats, wholes0: Floats, parts1: Floats, wholes1: Floats
) -> tuple[Floats, Floats]:
    return kitagawa(
        divided(wholes0, _total(wholes0)[..., None]),
        divided(parts0, wholes0),
        divided(wholes1, _total(wholes1)[..., None]),
        divided(parts1, wholes1),
    )


def _total(table: Floats) -> Floats:
    return over_places(table)
