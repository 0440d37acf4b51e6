"""When a change began: the step that explains the weeks best.

Each of the last eight weeks is tried as the first of the change; Z is the squared difference of
the weighted means after and before it, over its variance. The week with the largest Z is the
start, and those within 3.84 of it are its range (a likelihood ratio of one parameter at 95 %).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from analyzer.stats.arrays import Flags, Floats, Integers, divided
from analyzer.stats.panel import Panel
from analyzer.stats.pooling import spread_between
from analyzer.stats.settings import DriftSettings
from analyzer.stats.stretch import Stretch, stretch
from analyzer.stats.window_test import smoothed


@dataclass(frozen=True)
class Start:
    """Weeks are columns of the panel."""

    week: int
    earliest: int
    latest: int
    shift: float  # mean after it - mean before it


def start_week(
    panel: Panel, usable: Flags, series: int, last: int, settings: DriftSettings
) -> Start | None:
    """The start of a change seen in the week `last`; None where too little was seen before.

    usable as it stands at that week: with the flags of a later re-baselining it would be late.
    """
    first = max(0, last - settings.start_reach + 1)
    read = stretch(panel, usable, first, last, settings)
    read = replace(read, tested=read.tested & panel.eligible[:, read.week])
    steps, z, shift = steps_of(read, panel.minimum, series, settings)
    if not len(steps):
        return None
    near = steps[z.max() - z <= settings.start_range]
    best = int(z.argmax())
    return Start(int(steps[best]), int(near.min()), int(near.max()), float(shift[best]))


def steps_of(
    read: Stretch, minimum: Floats, series: int, settings: DriftSettings
) -> tuple[Integers, Floats, Floats]:
    """The weeks that can be tried, their Z and their shift."""
    one = slice(series, series + 1)
    spread = spread_between(read.value[one], read.se[one] ** 2, read.base[one])
    least = (settings.least_spread * minimum[series]) ** 2
    variance = smoothed(read)[1][series] + max(float(np.nan_to_num(spread[0])), least)
    used = read.base[series] | read.tested[series]
    weight = np.where(used, 1 / variance, 0.0)
    upto, value_upto = weight.cumsum(), (weight * read.value[series]).cumsum()
    before, value_before = upto - weight, value_upto - weight * read.value[series]
    after = upto[-1] - before
    shift = divided(value_upto[-1] - value_before, after) - divided(value_before, before)
    z = divided(shift**2, divided(1.0, after, 0.0) + divided(1.0, before, 0.0), 0.0)
    enough = used.cumsum() - used >= settings.least_baseline
    tried = read.tested[series] & enough & np.isfinite(shift)
    return read.week[tried], z[tried], shift[tried]
