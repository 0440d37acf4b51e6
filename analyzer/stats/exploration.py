"""How much shuffling makes a position effect measurable.

Where one ordering serves every prompt, a small share f of n requests packed in random order gives
a standard error of log RR of about .785 / sqrt(n f) for f <= 5 % (simulated: K about 8, 10 to 55 %
of chunks cited). A dip d is seen in 80 of 100 cases where that is d / (z.975 + z.80): some 2,000
shuffled requests for 5 %, 480 for 10 %. A route's own prompts say it better: a chunk of a
shuffled request lands on the other side of the edge with the share e of places there, so H grows
by e, and with p the cited rate of its stratum var(log RR) = sum H p (1 - p) / (sum H p)^2. It costs
more where prompts are short or citations rare, and agrees with jackknife errors found afterwards.
"""

from __future__ import annotations

import math

import numpy as np

from analyzer.stats.arrays import divided, number
from analyzer.stats.cells import MIDDLE, Cells, joined, kept
from analyzer.stats.distributions import normal_quantile

_SE_OF_ONE = 0.785


def requests_needed(dip: float, se_of_one: float = _SE_OF_ONE, power: float = 0.8) -> int:
    """Shuffled requests that show a relative dip (0.05 = 5 %) with this power."""
    reach = normal_quantile(0.975) + normal_quantile(power)
    return math.ceil((reach * se_of_one / dip) ** 2)


def weeks_needed(requests: int, weekly_requests: float, share: float) -> int:
    """Weeks until so many requests are shuffled, at that share of a route's (above 0) requests."""
    return math.ceil(requests / (weekly_requests * share))


def error_of_one(cells: Cells) -> float | None:
    """The standard error that one shuffled request of these prompts would give; scales as 1/root n.

    cells: a route's rows, whatever their ordering. Requests are those of three or more chunks.
    None where nothing is comparable even so.
    """
    longer = kept(cells, (cells.k > 2) & (cells.packed > 0))
    stratum, strata = joined(longer.route, longer.k, longer.rank)
    edges = 2 * -(-(longer.k - 1) // 5)  # places of the prompt that are an edge
    elsewhere = np.where(longer.place == MIDDLE, edges, longer.k - edges) / longer.k
    h = np.bincount(stratum, longer.packed * elsewhere, minlength=strata)
    packed = np.bincount(stratum, longer.packed, minlength=strata)
    rate = divided(np.bincount(stratum, longer.cited, minlength=strata), packed, otherwise=0.0)
    requests = longer.packed[longer.rank == 1].sum()
    variance = divided((h * rate * (1 - rate)).sum() * requests, (h * rate).sum() ** 2)
    return number(np.sqrt(variance)) or None
