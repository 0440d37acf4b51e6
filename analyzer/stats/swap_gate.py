"""Has the new model a deeper dip than the old one? A decision with three answers.

D = d_new - d_old of each question, d as in `position_swap`. It fails where the one-sided 95 % lower
bound of mean D is above 0, passes where the upper bound is below the margin, and is inconclusive
otherwise: more questions are needed. 800 are the least that decide 5 points about 80 % both ways.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from analyzer.stats.arrays import Floats
from analyzer.stats.distributions import normal_quantile, t_quantile
from analyzer.stats.position_swap import mean_of_questions

Decision = Literal["pass", "fail", "inconclusive"]
MARGIN = 0.05
LEVEL = 0.95
PLACES = 3  # tested together: start, middle, end


@dataclass(frozen=True)
class Gate:
    """What was decided and on what."""

    decision: Decision
    deeper: float | None  # mean of D: by how much the gap of the new model is larger
    low: float | None  # one-sided bounds
    high: float | None
    questions: int
    needed: int | None  # questions with which it would pass in 8 of 10 cases if nothing changed


def gate(old: Floats, new: Floats, margin: float = MARGIN) -> Gate:
    """d of both models on the same questions, one entry a question in the same order."""
    mean = mean_of_questions(new - old)
    if mean.value is None or mean.se is None:
        return Gate("inconclusive", mean.value, None, None, len(old), None)
    reach = t_quantile(LEVEL, mean.df) * mean.se
    low, high = mean.value - reach, mean.value + reach
    decision: Decision = "fail" if low > 0 else "pass" if high < margin else "inconclusive"
    sd = mean.se * len(old) ** 0.5
    return Gate(decision, mean.value, low, high, len(old), _needed(sd, margin))


@dataclass(frozen=True)
class Change:
    """What became of the accuracy at one place; rates 0 to 1, of the same questions."""

    old: float
    new: float
    low: float | None  # 95 % interval of new - old, for three places together (Bonferroni)
    high: float | None
    fell: bool  # by the margin at least, and surely


def changed(old: Floats, new: Floats, margin: float = MARGIN) -> Change:
    """Shares right at one place, one entry a question in the same order.

    The gate does not see it: a worse start or end makes a gap smaller.
    """
    mean = mean_of_questions(new - old)
    low, high = mean.interval(1 - (1 - LEVEL) / PLACES) or (None, None)
    fell = high is not None and high < 0 and (mean.value or 0.0) <= -margin
    return Change(float(old.mean()), float(new.mean()), low, high, fell)


def _needed(sd: float, margin: float) -> int | None:
    """(z.95 + z.80)^2 sd(D)^2 / margin^2; None where there is no margin that would be passed."""
    if not margin > 0:  # nor for what is no number
        return None
    reach = normal_quantile(LEVEL) + normal_quantile(0.8)
    return math.ceil((reach * sd / margin) ** 2)
