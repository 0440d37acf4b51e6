"""What each label of a dimension adds to a change: its behaviour apart from its share of traffic.

After Kitagawa (1955), as in `mix`: with w the share of a label and m its rate, behaviour is
(w0 + w1) / 2 (m1 - m0) and mix (w1 - w0) (m0 + m1) / 2, the latter counted against the rate of all
labels before. So all of a dimension's parts add up to the change exactly, a label that replaces
another carries what changed with it, and the one that went carries nothing of it.

Of a handful of requests no rate is known, and a label that has many on one side and a handful on
the other has as good as come or gone: nothing of it is behaviour, all of its part is mix.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from analyzer.stats.arrays import Flags, Floats, divided
from analyzer.stats.settings import LEAST_OF_A_RATE

Presence = Literal["both", "new", "gone", "few"]


@dataclass(frozen=True)
class Contribution:
    """One label's part of a change, in the measure's unit; rates are None where it was not."""

    label: str
    behaviour: float
    mix: float
    share_before: float
    share_since: float
    rate_before: float | None
    rate_since: float | None
    n_before: int  # requests it rests on, where they are known; else the whole
    n_since: int
    few: bool = False  # too few for a rate, on a side where it is at all

    @property
    def total(self) -> float:
        """Both parts together."""
        return self.behaviour + self.mix

    @property
    def presence(self) -> Presence:
        """Whether it was there before, since, or both; "few": both, but hardly on one side."""
        if not self.share_before:
            return "new"
        if not self.share_since:
            return "gone"
        return "few" if self.few else "both"


def contributions(
    labels: Sequence[str], parts: Floats, wholes: Floats, counted: Floats | None = None
) -> tuple[Contribution, ...]:
    """Of every label; parts and wholes are [before / since, label] sums, both sides not empty.

    counted: how many requests they rest on, [before / since, label]; without it the wholes, and
    none are too few.
    The sum of all totals is sum(parts[1]) / sum(wholes[1]) - sum(parts[0]) / sum(wholes[0]).
    """
    n = wholes if counted is None else counted
    w0, w1 = wholes / wholes.sum(axis=1, keepdims=True)
    m0, m1 = divided(parts, wholes)
    before, since = np.where(np.isnan(m0), m1, m0), np.where(np.isnan(m1), m0, m1)
    before, since = np.nan_to_num(before), np.nan_to_num(since)
    level = parts[0].sum() / wholes[0].sum()
    behaviour = (w0 + w1) / 2 * (since - before)
    mix = (w1 - w0) * ((before + since) / 2 - level)
    few = _too_few(counted, len(labels))
    replaced = few & (n.max(axis=0) >= LEAST_OF_A_RATE)
    behaviour, mix = np.where(replaced, 0.0, behaviour), np.where(replaced, behaviour + mix, mix)
    return tuple(
        Contribution(
            label, float(behaviour[i]), float(mix[i]), float(w0[i]), float(w1[i]),
            _known(m0[i]), _known(m1[i]), int(n[0, i]), int(n[1, i]), bool(few[i]),
        )
        for i, label in enumerate(labels)
    )  # fmt: skip


def _too_few(counted: Floats | None, labels: int) -> Flags:
    """Of each label, whether it is there on a side in fewer requests than tell a rate."""
    if counted is None:
        return np.zeros(labels, np.bool_)
    few: Flags = np.any((counted > 0) & (counted < LEAST_OF_A_RATE), axis=0)
    return few


def _known(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
