"""One ratio out of many strata: cited rate in the middle against the edge, at equal rank and K.

Mantel-Haenszel: with n, c the packed and cited chunks of stratum s at the edge (0) and in the
middle (1), N = n0 + n1, R = sum c1 n0 / N and S = sum c0 n1 / N, the risk ratio is R / S. A stratum
seen on one side only drops out by itself. All functions take tables [..., stratum, side] and work
on every leading axis at once; they give NaN where nothing can be compared.
"""

from __future__ import annotations

import numpy as np

from analyzer.stats.arrays import Floats, divided, logarithm, over_places


def comparable(packed: Floats) -> Floats:
    """n1 n0 / N of every stratum; their sum is H, the comparable chunks."""
    return divided(packed[..., 0] * packed[..., 1], over_places(packed), otherwise=0.0)


def crossed(packed: Floats, cited: Floats) -> tuple[Floats, Floats]:
    """R and S."""
    total = over_places(packed)
    middle = divided(cited[..., 1] * packed[..., 0], total, otherwise=0.0).sum(axis=-1)
    edge = divided(cited[..., 0] * packed[..., 1], total, otherwise=0.0).sum(axis=-1)
    return middle, edge


def log_risk_ratio(packed: Floats, cited: Floats) -> Floats:
    """log(R / S); NaN where either is 0."""
    return logarithm(divided(*crossed(packed, cited)))


def information(packed: Floats, cited: Floats) -> Floats:
    """R S / (R + S), about 1 / the variance of log(R / S); 0 where nothing can be compared."""
    middle, edge = crossed(packed, cited)
    return divided(middle * edge, middle + edge, otherwise=0.0)


def risk_difference(packed: Floats, cited: Floats) -> Floats:
    """(R - S) / H: citations lost per comparable chunk in the middle (Mantel-Haenszel)."""
    middle, edge = crossed(packed, cited)
    return divided(middle - edge, comparable(packed).sum(axis=-1))


def log_odds_ratio(packed: Floats, cited: Floats) -> Floats:
    """The same for odds, only to compare with other tools: it depends on the base rate."""
    total, missed = over_places(packed), packed - cited
    middle = divided(cited[..., 1] * missed[..., 0], total, otherwise=0.0).sum(axis=-1)
    edge = divided(cited[..., 0] * missed[..., 1], total, otherwise=0.0).sum(axis=-1)
    return logarithm(divided(middle, edge))


def greenland_robins_se(packed: Floats, cited: Floats) -> Floats:
    """Standard error of log(R / S) if chunks were independent (Greenland, Robins 1985)."""
    total, both = over_places(packed), over_places(cited)
    top = packed[..., 0] * packed[..., 1] * both - cited[..., 0] * cited[..., 1] * total
    variance = divided(top, total**2, otherwise=0.0).sum(axis=-1)
    middle, edge = crossed(packed, cited)
    return np.sqrt(divided(variance, middle * edge))


def independence_se(packed: Floats, cited: Floats) -> Floats:
    """The same by plugging in one rate a stratum, mu = c / (rho n1 + n0), rho the risk ratio.

    Valid only where the ordering is drawn for each request; the jackknife is valid always.
    """
    ratio = np.exp(log_risk_ratio(packed, cited))[..., None]
    at_edge = divided(over_places(cited), ratio * packed[..., 1] + packed[..., 0], otherwise=0.0)
    middle = _spread(packed[..., 1], cited[..., 1], at_edge * ratio) * packed[..., 0] ** 2
    edge = _spread(packed[..., 0], cited[..., 0], at_edge) * (ratio * packed[..., 1]) ** 2
    variance = divided(middle + edge, over_places(packed) ** 2, otherwise=0.0).sum(axis=-1)
    return np.sqrt(divided(variance, crossed(packed, cited)[0] ** 2))


def _spread(packed: Floats, cited: Floats, rate: Floats) -> Floats:
    result: Floats = cited * (1 - rate) ** 2 + (packed - cited) * rate**2
    return result


def density_ratio(cited: Floats) -> Floats:
    """Cited chunks per share of the prompt, middle (.6 of it) to edge (.4). Mostly ordering."""
    return divided(cited[..., 1].sum(axis=-1) / 0.6, cited[..., 0].sum(axis=-1) / 0.4)


def lift_ratio(packed: Floats, cited: Floats) -> Floats:
    """Plain cited rate in the middle over that at the edge, whatever the rank. Mostly ordering."""
    rates = divided(cited.sum(axis=-2), packed.sum(axis=-2))
    return divided(rates[..., 1], rates[..., 0])
