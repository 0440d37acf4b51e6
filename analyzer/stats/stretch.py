"""The weeks that one test reads: a baseline, and the weeks held against it.

The dip over all routes is put together here, for each test anew: its weights are each route's
share of the comparable chunks over that test's baseline, so that a change of mix cannot move it,
and only routes that are sound in every week of the test take part.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analyzer.stats.arrays import Flags, Floats, Integers, divided
from analyzer.stats.panel import Panel
from analyzer.stats.settings import DriftSettings
from analyzer.stats.week_error import error_beside


@dataclass(frozen=True)
class Stretch:
    """Tables [series, week of the stretch]."""

    week: Integers  # [week]: which column of the panel
    value: Floats
    se: Floats  # of each week beside the others
    size: Floats
    base: Flags  # weeks of the baseline
    tested: Flags  # weeks held against it
    whole: Flags  # [series]: every tested week is eligible
    moved: Integers  # [series]: of all routes, how many moved as the row did; else 1
    taken: Integers  # [series]: how many routes took part

    @property
    def baseline_weeks(self) -> Integers:
        """k of each series."""
        weeks: Integers = self.base.sum(axis=-1)
        return weeks


def stretch(panel: Panel, usable: Flags, first: int, last: int, settings: DriftSettings) -> Stretch:
    """Weeks first..last against the last usable ones before them; columns of the panel.

    usable: [series, week], as it stands when `last` is tested.
    """
    from_week = max(0, first - settings.span)
    columns = slice(from_week, last + 1)
    base = usable[:, columns].copy()
    base[:, first - from_week :] = False
    newer = base[:, ::-1].cumsum(axis=1)[:, ::-1]
    base &= newer <= settings.baseline_weeks
    tested = np.zeros_like(base)
    tested[:, first - from_week :] = True
    whole: Flags = np.asarray(panel.eligible[:, first : last + 1].all(axis=1))
    ones = np.ones(len(base), dtype=np.int64)
    made = Stretch(
        np.arange(from_week, last + 1), panel.value[:, columns].copy(),
        _errors(panel, columns, base | tested), panel.size[:, columns].copy(), base, tested,
        whole, ones, ones.copy(),
    )  # fmt: skip
    if panel.all_routes is not None:
        _combine(panel, made, panel.all_routes)
    return made


def _errors(panel: Panel, columns: slice, used: Flags) -> Floats:
    return error_beside(
        panel.se[:, columns],
        panel.least_se[:, columns],
        panel.apart[:, columns],
        panel.known_apart[:, columns],
        used & panel.eligible[:, columns],
    )


def _combine(panel: Panel, made: Stretch, row: int) -> None:
    """Fill the row over all routes: y = sum w log RR, se^2 = sum w^2 se^2; or leave no baseline."""
    tested = made.tested[row] & panel.eligible[row, made.week]
    read = made.base[row] | tested
    sound = panel.eligible[panel.dips][:, made.week[read]].all(axis=1)
    part = panel.dips[sound]
    of_base = (made.size[part] * made.base[row]).sum(axis=1)
    weight = divided(of_base, of_base.sum(), otherwise=0.0)
    some = made.base[row].any() and tested.any()
    if not some or len(part) < 2:  # of one route the row would only repeat it
        made.base[row] = False
        return
    made.value[row] = weight @ made.value[part]
    made.se[row] = np.sqrt(weight**2 @ made.se[part] ** 2)
    made.size[row] = made.size[part].sum(axis=0)
    own = _change(made.value[part], made.base[row], tested)
    together = _change(made.value[[row]], made.base[row], tested)
    made.moved[row] = int((np.sign(own) == np.sign(together)).sum())
    made.taken[row] = len(part)


def _change(value: Floats, base: Flags, tested: Flags) -> Floats:
    result: Floats = value[:, tested].mean(axis=1) - value[:, base].mean(axis=1)
    return result
