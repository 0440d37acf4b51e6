"""Names for the arrays that the statistics work on, and the one division they all use."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]


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
