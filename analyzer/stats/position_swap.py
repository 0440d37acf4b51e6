"""The same question with its answer chunk at the start, in the middle and at the end.

d = (S + E) / 2 - M of each question, right = 1: the gap is the mean of d, its error that of a
paired comparison. This is the only absolute dip in points; the log ratio of production is its
relative companion, and the two never share an axis.
"""

from __future__ import annotations

import math

import numpy as np

from analyzer.stats.arrays import Floats
from analyzer.stats.distributions import normal_quantile
from analyzer.stats.jackknife import Estimate


def gap(start: Floats, middle: Floats, end: Floats) -> Estimate:
    """Mean of d with its standard error, sd / sqrt(n); one entry a question.

    Draws of distractors are averaged within a question first. The leave-one-outs are those of the
    questions.
    """
    return _mean((start + end) / 2 - middle)


def mean_of_questions(d: Floats) -> Estimate:
    """The same of any figure that lies between -1 and 1, one entry a question.

    Its standard error is never 0: of n questions that agree, one more could have said otherwise.
    """
    return _mean(d).floored(1 / max(1, len(d)))


def _mean(d: Floats) -> Estimate:
    n = len(d)
    if n < 2:
        value = float(d[0]) if n else None
        return Estimate(value, None, 0, np.full(n, np.nan))
    mean = float(d.mean())
    se = float(d.std(ddof=1) / math.sqrt(n))
    return Estimate(mean, se, n - 1, (d.sum() - d) / (n - 1))


def exact_mcnemar(first: Floats, second: Floats) -> tuple[int, int, float]:
    """Right only at the first, right only at the second place, and the exact two-sided p.

    Valid, but weaker than the paired t of d, and conservative in small samples.
    """
    only_first = int(((first > 0.5) & (second <= 0.5)).sum())
    only_second = int(((first <= 0.5) & (second > 0.5)).sum())
    n, rarer = only_first + only_second, min(only_first, only_second)
    tail = sum(math.comb(n, k) for k in range(rarer + 1)) / 2**n
    return only_first, only_second, min(1.0, 2 * tail)


def questions_needed(gap_to_see: float, sd: float, power: float = 0.8) -> int:
    """Questions for a paired t at 5 %: (z.975 + z_power)^2 sd(d)^2 / gap^2."""
    reach = normal_quantile(0.975) + normal_quantile(power)
    return math.ceil((reach * sd / gap_to_see) ** 2)


def questions_needed_by_mcnemar(gap_to_see: float, discordant: float, power: float = 0.8) -> int:
    """The same for McNemar's test; discordant: the share of questions right at one place only."""
    null = normal_quantile(0.975) * math.sqrt(discordant)
    reach = null + normal_quantile(power) * math.sqrt(discordant - gap_to_see**2)
    return math.ceil((reach / gap_to_see) ** 2)
