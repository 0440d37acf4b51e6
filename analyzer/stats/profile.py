"""Start, middle and end beside each other: a position-based model with a free rate per stratum.

E[cited of stratum s at place b] = rate_s * packed_sb * theta_b. With the stratum's rate profiled
out this is Poisson maximum likelihood (a fixed-effects model), and with two places its ratio is
that of Mantel-Haenszel to three decimals, without the bias of many small strata. With
p_sb = n_sb theta_b / sum_b n_sb theta_b the gradient in log theta is C_b - sum_s C_s p_sb and the
information sum_s C_s (diag p_s - p_s p_s'). Newton from theta = 1, and one more step from there
for each unit group left out.
"""

from __future__ import annotations

import numpy as np

from analyzer.stats.arrays import Floats, divided, over_places

_STEPS = 50
_CLOSE = 1e-12
_LARGEST_STEP = 2.0  # in log theta; from theta = 1 a longer one can overshoot


def fitted(packed: Floats, cited: Floats) -> Floats | None:
    """log theta of every place of [stratum, place]; None where it does not settle.

    Only differences between places of one component mean anything; each component's mean is 0.
    """
    log_theta = np.zeros(packed.shape[-1])
    for _ in range(_STEPS):
        step = newton_step(packed, cited, log_theta)
        log_theta = log_theta + np.clip(step, -_LARGEST_STEP, _LARGEST_STEP)
        if np.abs(step).max() < _CLOSE:
            return log_theta
    return None


def newton_step(packed: Floats, cited: Floats, log_theta: Floats) -> Floats:
    """[..., stratum, place] -> [..., place]: how far to move log theta."""
    gradient, inform = slope(packed, cited, log_theta)
    inverse = np.linalg.pinv(inform, rcond=1e-10, hermitian=True)
    step: Floats = (inverse @ gradient[..., None])[..., 0]
    return step


def slope(packed: Floats, cited: Floats, log_theta: Floats) -> tuple[Floats, Floats]:
    """Gradient [..., place] and information [..., place, place] of the profiled likelihood."""
    expected = packed * np.exp(log_theta)
    share = divided(expected, over_places(expected)[..., None], otherwise=0.0)
    weighted = share * over_places(cited)[..., None]
    gradient: Floats = cited.sum(axis=-2) - weighted.sum(axis=-2)
    own = weighted.sum(axis=-2)[..., None] * np.eye(packed.shape[-1])
    return gradient, own - np.einsum("...sa,...sb->...ab", weighted, share)


def stratum_rates(packed: Floats, cited: Floats, log_theta: Floats) -> Floats:
    """The rate of each stratum where theta is 1: C_s / sum_b n_sb theta_b; 0 for an empty one."""
    expected = over_places(packed * np.exp(log_theta))
    return divided(over_places(cited), expected, otherwise=0.0)
