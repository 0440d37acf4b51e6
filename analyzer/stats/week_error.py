"""The error of a week beside other weeks: what its units show alike in all of them is none.

The jackknife tells how far a week may lie from all units that could have asked. But the same units
ask again in the next week, and what sets one apart from the others is there again: it cancels from
the change. Taken for an error of every week, it is missing from the spread between weeks, and that
is shared by routes. A route whose units are more alike than those of large routes then has too
small an error and alarms on nothing: in years of logs of which each route has its own users, the
rate of answers without a citation did so .63 times a year, and does .21 times like this.

So the value without each unit group is held side by side over the weeks, and the error of a week
is what remains of the jackknife's when each group's own mean is taken out. Where units come and go
between weeks no group stays apart, and the jackknife's error remains. This departs from the
published rule, which took the error of each week as it stood; where the values without each group
are not known, it still is.
"""

from __future__ import annotations

import numpy as np

from analyzer.stats.arrays import Flags, Floats, divided


def deviations(value: Floats, without: Floats) -> Floats:
    """How far each group moves a value; the squares of a week add up to its jackknife variance.

    value [..., week], without [..., week, group]: the value without each group, equal to the value
    where the group is empty. All 0 where one of them is not known.
    """
    filled = np.isfinite(without) & (without != value[..., None])
    groups = filled.sum(axis=-1, keepdims=True)
    kept = np.where(filled, without, 0.0)
    apart = np.where(filled, kept - divided(kept.sum(axis=-1, keepdims=True), groups, 0.0), 0.0)
    scaled: Floats = apart * np.sqrt(divided(groups - 1, groups, 0.0))
    return np.where(np.isfinite(without).all(axis=-1, keepdims=True), scaled, 0.0)


def error_beside(se: Floats, least: Floats, apart: Floats, known: Flags, used: Flags) -> Floats:
    """The error of each week beside the used ones, never below `least`; se where not known.

    se, least, known, used [series, week]; apart: the `deviations` [series, week, group].
    """
    own = used & known
    weeks = own.sum(axis=1, keepdims=True)
    alike = divided(own[:, None, :] @ apart, weeks[:, :, None], 0.0)[:, 0, :]
    common = (apart @ alike[:, :, None])[:, :, 0]
    left = (apart**2).sum(axis=2) - 2 * common + (alike**2).sum(axis=1, keepdims=True)
    # The mean of k weeks follows those that it is made of, and adds its own error to the others'.
    freedom = np.where(own, weeks - 1, weeks + 1)
    variance = np.maximum(left, 0.0) * divided(weeks, freedom, 0.0)
    fine = known & (weeks > 1)
    result: Floats = np.where(fine, np.maximum(np.sqrt(variance), least), se)
    return result
