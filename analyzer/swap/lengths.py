"""How long the prompts of an evaluation are: as long as those of production, at every percentile.

Five chunks show no dip that fifteen thousand tokens have. So each question gets a length of its
own, drawn from the distribution of the route: one from each n-th of it, whatever n is.
"""

from __future__ import annotations

import math
import random
from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate

from analyzer.stats.percentiles import LN_GAMMA, ZERO


def drawn(lengths: Sequence[int], n: int, dice: random.Random) -> list[int]:
    """n of these lengths (ascending), one from each n-th, in random order."""
    found = [lengths[int(share * len(lengths))] for share in _shares(n, dice)]
    dice.shuffle(found)
    return found


def drawn_of_bins(bins: Sequence[tuple[int, int]], n: int, dice: random.Random) -> list[int]:
    """The same from (bin of context tokens, requests), bins ascending; see `stats.percentiles`.

    Inside a bin, which is 1 % wide, the middle on the log scale is taken.
    """
    upto = list(accumulate(requests for _, requests in bins))
    at = [bisect_left(upto, share * upto[-1] + 1e-9) for share in _shares(n, dice)]
    found = [_tokens(bins[min(place, len(bins) - 1)][0]) for place in at]
    dice.shuffle(found)
    return found


def _shares(n: int, dice: random.Random) -> list[float]:
    return [(number + dice.random()) / n for number in range(n)]


def _tokens(context_bin: int) -> int:
    return 0 if context_bin == ZERO else round(math.exp((context_bin - 0.5) * LN_GAMMA))
