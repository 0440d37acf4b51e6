"""Fingerprints as hexadecimal digits to 64-bit words, a whole column at a time.

Almost every column has digits of one width, so its buffer is one long run of them, and no string
is made. Anything else goes the plain way, value by value.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from analyzer.facts.columns import Bools, Ints


def words(digits: pa.Array, width: int) -> tuple[Ints, Bools]:
    """Checked hex strings to signed 64-bit words, most significant first, and where there are some.

    Only the first `width` digits of each count; the words of absent ones are zeros.
    """
    known = np.asarray(digits.is_valid()).copy()
    found = np.zeros((len(digits), width // 16), np.int64)
    if known.any():
        packed = evenly(digits, width)
        if packed is None:
            packed = bytes.fromhex("".join(each[:width] for each in digits.drop_null().to_pylist()))
        found[known] = np.frombuffer(packed, ">i8").reshape(-1, width // 16)
    return found.ravel(), known


def evenly(digits: pa.Array, width: int) -> bytes | None:
    """What the digits say, where every string that there is has just `width` of them."""
    _, offsets, data = digits.buffers()
    ends = np.frombuffer(offsets, np.int32)[digits.offset : digits.offset + len(digits) + 1]
    lengths = np.diff(ends)
    if not np.isin(lengths, (0, width)).all() or (lengths == 0).sum() != digits.null_count:
        return None
    try:
        written = data[int(ends[0]) : int(ends[-1])].to_pybytes().decode("ascii")
        packed = bytes.fromhex(written)
    except ValueError:
        return None
    return packed if 2 * len(packed) == len(written) else None  # white space is skipped
