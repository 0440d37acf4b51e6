"""Which records of a block may break a rule between chunks: whole columns looked at, at once.

The rules themselves are in `analyzer.record`, one record at a time; asking there for every record
would cost as much as decoding it. Here a record is only doubted. Doubting too many costs time,
doubting too few would let a fault through: a test holds the two against each other.
"""

from __future__ import annotations

import numpy as np

from analyzer.facts import hexadecimal
from analyzer.facts.columns import Block, Bools, Ints

DENSE = 8  # up to so many possible values for each one that is there, counting beats sorting


def doubted(block: Block) -> set[int]:
    """Indices of the requests whose chunks may break a rule of `analyzer.record.check_chunks`."""
    if not len(block.owner):
        return set()
    names = block.arrays["chunk_id"].dictionary_encode().indices.to_numpy()
    found = [
        _repeated(block.owner, block.position, block.position > 0),
        _repeated(block.owner, block.rank, block.rank > 0),
        _repeated(block.owner, names, np.ones(len(names), np.bool_)),
        np.unique(block.owner[block.known("retrieval_id")]),
        _odd_hex(block, "text_hash", 16),
        _odd_hex(block, "signature", 32),
    ]
    return set(np.concatenate(found).tolist())


def _repeated(owner: Ints, value: Ints, chosen: Bools) -> Ints:
    """Requests in which a value stands twice."""
    owner, value = owner[chosen], value[chosen]
    keys = owner << 32 | value
    if (keys[1:] > keys[:-1]).all():  # as ranks mostly are: chunks are logged best first
        return np.zeros(0, np.int64)
    most = int(value.max(initial=0)) + 1
    if most * (int(owner[-1]) + 1) <= DENSE * len(keys):  # as positions are: counted, not sorted
        return np.flatnonzero(np.bincount(owner * most + value) > 1) // most
    keys.sort()
    return np.unique(keys[1:][keys[1:] == keys[:-1]] >> 32)


def _odd_hex(block: Block, field: str, digits: int) -> Ints:
    """Requests with a fingerprint, where some are not exactly so many hexadecimal digits."""
    known = block.known(field)
    if not known.any() or hexadecimal.evenly(block.arrays[field], digits) is not None:
        return np.zeros(0, np.int64)
    return np.unique(block.owner[known])
