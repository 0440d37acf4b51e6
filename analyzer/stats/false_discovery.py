"""Which of many tests to believe, so that few of the believed are false."""

from __future__ import annotations

import numpy as np

from analyzer.stats.arrays import Flags, Floats


def believed(p: Floats, rate: float) -> Flags:
    """Benjamini and Hochberg (1995): the tests kept so that a share `rate` of them is false.

    With m tests sorted by p, all up to the last with p <= rank / m * rate. NaN is no test.
    """
    tested = np.isfinite(p)
    ordered = np.sort(p[tested])
    ladder = np.arange(1, len(ordered) + 1) * rate / max(1, len(ordered))
    limit = ordered[ordered <= ladder].max(initial=-1.0)
    kept: Flags = tested & (np.nan_to_num(p, nan=2.0) <= limit)
    return kept


def corrected(p: Floats) -> Floats:
    """The smallest rate at which each would be believed; NaN, where it is no test, stays so.

    p(i) m / i of the i-th smallest of m tests, or that of a larger one where it is smaller.
    """
    result = np.full(len(p), np.nan)
    tested = np.flatnonzero(np.isfinite(p))
    order = tested[np.argsort(p[tested])]
    ladder = p[order] * len(order) / np.arange(1, len(order) + 1)
    result[order] = np.minimum(np.minimum.accumulate(ladder[::-1])[::-1], 1.0)
    return result
