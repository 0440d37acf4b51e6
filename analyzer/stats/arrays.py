"""Names for the arrays that the statistics work on, and the one division they all use."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]

_LOOKED_UP = 1 << 21  # a table of that many entries is faster than sorting


def divided(part: Any, whole: Any, otherwise: float = np.nan) -> Floats:
    """part / whole, element by element; `otherwise` where whole is 0 or either is not finite."""
    top, bottom = np.broadcast_arrays(
        np.asarray(part, dtype=np.float64), np.asarray(whole, dtype=np.float64)
    )
    fine = np.isfinite(top) & np.isfinite(bottom) & (bottom != 0)
    result: Floats = np.divide(top, bottom, out=np.full(top.shape, otherwise), where=fine)
    return result


def logarithm(value: Any) -> Floats:
    """Natural logarithm; NaN where value is not finite and above 0."""
    array = np.asarray(value, dtype=np.float64)
    fine = np.isfinite(array) & (array > 0)
    result: Floats = np.log(array, out=np.full(array.shape, np.nan), where=fine)
    return result


def number(value: Any) -> float | None:
    """One number as Python holds it; None where it is not finite."""
    as_float = float(value)
    return as_float if np.isfinite(as_float) else None


def over_places(table: Floats) -> Floats:
    """Sum over a short last axis: numpy's own is ten times slower there."""
    total = table[..., 0].copy()
    for place in range(1, table.shape[-1]):
        total += table[..., place]
    return total


def only(table: Floats, strata: Flags) -> Floats:
    """[group, stratum, place] with only these strata; boolean indexing would scatter the memory."""
    return np.compress(strata, table, axis=1)


def numbered(column: Integers) -> tuple[Integers, int]:
    """Of each entry the index of its value among the distinct ones, ascending; and their count."""
    if not len(column):
        return column.astype(np.int64), 0
    lowest = int(column.min())
    span = int(column.max()) - lowest + 1
    if span > _LOOKED_UP:
        names, index = np.unique(column, return_inverse=True)
        return index.astype(np.int64), len(names)
    seen = np.zeros(span, dtype=np.int64)
    seen[column - lowest] = 1
    return (np.cumsum(seen) - 1)[column - lowest], int(seen.sum())
