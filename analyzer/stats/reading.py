"""How each place of a prompt is read, as a smooth function of depth and prompt length.

E[cited chunk i of stratum s] = rate_s exp(X_i b): Poisson maximum likelihood with the stratum's
rate profiled out, as in `profile`, but chunk by chunk, so that depth and length need no bins. With
p_i = exp(X_i b) / sum of the same over the chunk's stratum and C_s its cited chunks, the gradient
is sum_i (c_i - C_s p_i) X_i. Newton from b = 0, and one more step for each unit group left out.
With a column for each place it is `profile`, and tests hold it to that.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analyzer.stats.arrays import Flags, Floats, Integers, divided
from analyzer.stats.jackknife import left_out

_STEPS = 50
_CLOSE = 1e-10
_LARGEST_STEP = 2.0
_NOTHING = 1e-9  # of the largest information: a direction in which the chunks do not vary
_BLIND = 1e-6  # of a direction: rounding
_MIDDLE_LENGTH = 4000.0


@dataclass(frozen=True)
class Rows:
    """Packed chunks, one a row. Arrays of one length."""

    design: Floats  # [n, column]
    stratum: Integers  # from 0; chunks of one stratum have the same claim to be cited
    cited: Flags
    group: Integers  # unit group


@dataclass(frozen=True)
class Reading:
    """The curve: log theta = design @ coefficients, up to a constant."""

    coefficients: Floats  # [column]
    others: Floats  # [group, column] without each unit group
    blind: Floats  # [direction, column] in which the chunks do not vary; nothing is known there

    def knows(self, directions: Floats) -> bool:
        """Whether [n, column] @ coefficients means anything along every direction."""
        lost = np.abs(directions @ self.blind.T).max(initial=0.0)
        return bool(lost <= _BLIND * max(1.0, float(np.abs(directions).max(initial=0.0))))


def design(depth: Floats, length: Floats) -> Floats:
    """[..., column] of depth (0 start, 1 end) and prompt length (tokens, or any measure of it).

    Two shapes of a dip, 1 - u and 1 - u^2 with u = |2x - 1|, and a slope from start to end; each
    as it is and growing with the logarithm of the length.
    """
    across = 2 * depth - 1
    inward = np.abs(across)
    doublings = np.log2(np.maximum(length, 1.0) / _MIDDLE_LENGTH)
    shapes = np.stack([1 - inward, 1 - inward**2, across], axis=-1)
    return np.concatenate([shapes, shapes * doublings[..., None]], axis=-1)


def fitted(rows: Rows, groups: int) -> Reading | None:
    """The curve of these chunks; None where it does not settle."""
    coefficients = np.zeros(rows.design.shape[1])
    for _ in range(_STEPS):
        step = _step(*slope(*_total(_sums(rows, coefficients, groups))))
        coefficients = coefficients + np.clip(step, -_LARGEST_STEP, _LARGEST_STEP)
        if np.abs(step).max(initial=0.0) < _CLOSE:
            break
    else:
        return None
    sums = _sums(rows, coefficients, groups)
    without = _step(*slope(*map(left_out, sums)))
    return Reading(coefficients, coefficients + without, _blind(slope(*_total(sums))[1]))


Sums = tuple[Floats, Floats, Floats, Floats, Floats]


def _sums(rows: Rows, coefficients: Floats, groups: int) -> Sums:
    """With w = exp(X b), by group and stratum: w, w X, w X X' and cited; by group: cited X."""
    strata, columns = int(rows.stratum.max(initial=-1)) + 1, rows.design.T
    key, shape = rows.group * strata + rows.stratum, (groups, strata)

    def summed(values: Floats) -> Floats:
        return _counted(key, values, groups * strata).reshape(shape)

    weight, cited = np.exp(rows.design @ coefficients), rows.cited.astype(np.float64)
    weighted = [weight * column for column in columns]
    return (
        summed(weight),
        _stacked([summed(each) for each in weighted]),
        _stacked([_stacked([summed(each * x) for x in columns]) for each in weighted]),
        summed(cited),
        _stacked([_counted(rows.group, cited * x, groups) for x in columns]),
    )


def _counted(key: Integers, values: Floats, length: int) -> Floats:
    return np.bincount(key, values, length).astype(np.float64)


def _stacked(columns: list[Floats]) -> Floats:
    return np.stack(columns, axis=-1)


def _total(sums: Sums) -> tuple[Floats, ...]:
    return tuple(each.sum(axis=0) for each in sums)


def slope(
    weight: Floats, first: Floats, second: Floats, cited: Floats, cited_design: Floats
) -> tuple[Floats, Floats]:
    """[..., stratum, ...] -> gradient [..., column] and information [..., column, column]."""
    scale = divided(cited, weight, otherwise=0.0)
    mean = first * divided(1.0, weight, otherwise=0.0)[..., None]
    gradient: Floats = cited_design - np.einsum("...s,...sa->...a", scale, first)
    within = np.einsum("...s,...sab->...ab", scale, second)
    return gradient, within - np.einsum("...s,...sa,...sb->...ab", cited, mean, mean, optimize=True)


def _step(gradient: Floats, inform: Floats) -> Floats:
    inverse = np.linalg.pinv(inform, rcond=_NOTHING, hermitian=True)
    step: Floats = (inverse @ gradient[..., None])[..., 0]
    return step


def _blind(inform: Floats) -> Floats:
    size, axes = np.linalg.eigh(inform)
    directions: Floats = axes.T[size <= _NOTHING * max(size.max(initial=0.0), 1e-300)]
    return directions
