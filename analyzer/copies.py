"""Which packed chunks of a request are copies of each other, for many requests at once.

Two chunks are near-copies where their `text_hash` is equal, or where their signatures differ in
at most 25 of 128 bits (a Jaccard similarity of about .6 between their shingles), or, for
embeddings, where the cosine reaches .95. A group of copies is a connected component of such pairs,
so a chain of small edits is one group. Each group has one best-ranked chunk; all others are
redundant: the prompt would have lost little without them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]
Pairs = tuple[NDArray[np.intp], NDArray[np.intp]]

FARTHEST = 25  # differing bits of 128 between near-copies
COSINE = 0.95
PAIRS_AT_ONCE = 4_000_000


@dataclass(frozen=True)
class Packed:
    """Packed chunks, one a row; the rows of a request stand together. Arrays of one length."""

    request: Integers  # any number that is the request's own, ascending
    position: Integers  # 1 = first
    order: Integers  # packed rank, or position where that is missing; the smallest is the best
    text_hash: Integers
    hashed: Flags  # whether text_hash is known
    s0: Integers  # the signature's first 64 bits
    s1: Integers  # its last
    signed: Flags  # whether the signature is known


@dataclass(frozen=True)
class Copies:
    """What was found about each row; 0 stands for none."""

    copies: Integers  # chunks in its group, itself included; 1 = no copy; 0 = not compared
    copy_of: Integers  # position of the group's best-ranked chunk; 0 for that chunk itself
    exact_copy_of: Integers  # the same among chunks of equal text_hash


def find(packed: Packed) -> Copies:
    """Copies within each request.

    A request is compared where all its chunks have a text_hash, or all a signature, or where it
    has one chunk; otherwise nothing is said of any of its chunks, so that shares have one base.
    Equal best ranks are decided by position.
    """
    near = np.arange(len(packed.request))
    exact = near.copy()
    some_signed = bool(packed.signed.any())
    for left, right in _pairs_of_requests(packed.request):
        same = _same_text(packed, left, right)
        close = same | _near_signatures(packed, left, right) if some_signed else same
        exact = _joined(exact, left[same], right[same])
        near = _joined(near, left[close], right[close])
    compared = _compared(packed)
    return Copies(
        np.bincount(near, minlength=len(near))[near] * compared,
        _best_of_group(near, packed.position, packed.order) * compared,
        _best_of_group(exact, packed.position, packed.order) * compared,
    )


def by_embedding(
    vectors: NDArray[np.float64], position: Integers, order: Integers, threshold: float = COSINE
) -> Copies:
    """Copies among the chunks of one request: cosine of their vectors (rows) >= threshold.

    A vector of zeros is like no other. Equal vectors are no proof of equal texts, so
    `exact_copy_of` is 0 throughout.
    """
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    directions = vectors / np.where(lengths > 0, lengths, 1)
    groups = np.arange(len(directions))
    rows = max(1, PAIRS_AT_ONCE // max(1, len(directions)))
    for start in range(0, len(directions), rows):
        near = directions[start : start + rows] @ directions.T >= threshold
        left, right = np.nonzero(near)
        groups = _joined(groups, left + start, right)
    copies = np.bincount(groups, minlength=len(groups))[groups]
    return Copies(copies, _best_of_group(groups, position, order), np.zeros_like(copies))


def _pairs_of_requests(request: Integers) -> Iterator[Pairs]:
    """Every pair of rows of one request, as (earlier, later), by growing distance."""
    starts, sizes = _runs(request)
    after = np.repeat(starts + sizes, sizes) - np.arange(len(request)) - 1
    left = np.arange(len(request))
    for distance in range(1, int(sizes.max(initial=0))):
        left = left[after[left] >= distance]
        for start in range(0, len(left), PAIRS_AT_ONCE):
            part = left[start : start + PAIRS_AT_ONCE]
            yield part, part + distance


def _runs(request: Integers) -> tuple[Integers, Integers]:
    """First row and number of rows of each request."""
    starts = np.flatnonzero(np.diff(request, prepend=request[:1] - 1))
    return starts, np.diff(starts, append=len(request))


def _same_text(packed: Packed, left: NDArray[np.intp], right: NDArray[np.intp]) -> Flags:
    same: Flags = packed.text_hash[left] == packed.text_hash[right]
    return same & packed.hashed[left] & packed.hashed[right]


def _near_signatures(packed: Packed, left: NDArray[np.intp], right: NDArray[np.intp]) -> Flags:
    first = _differing_bits(packed.s0[left], packed.s0[right])
    near: Flags = first + _differing_bits(packed.s1[left], packed.s1[right]) <= FARTHEST
    return near & packed.signed[left] & packed.signed[right]


def _differing_bits(left: Integers, right: Integers) -> NDArray[np.uint8]:
    # As unsigned, because of a negative number numpy counts the bits of its absolute value.
    return np.bitwise_count((left ^ right).view(np.uint64))


def _joined(
    groups: NDArray[np.intp], left: NDArray[np.intp], right: NDArray[np.intp]
) -> NDArray[np.intp]:
    """Groups, each named by its first row, after joining those of every left and right row."""
    while True:
        apart = groups[left] != groups[right]
        if not apart.any():
            return groups
        left, right = left[apart], right[apart]
        first, second = groups[left], groups[right]
        groups = groups.copy()
        np.minimum.at(groups, np.maximum(first, second), np.minimum(first, second))
        while (groups[groups] != groups).any():
            groups = groups[groups]


def _compared(packed: Packed) -> Flags:
    starts, sizes = _runs(packed.request)
    if not len(starts):
        return np.zeros(0, dtype=np.bool_)
    hashed = np.logical_and.reduceat(packed.hashed, starts)
    signed = np.logical_and.reduceat(packed.signed, starts)
    return np.repeat(hashed | signed | (sizes == 1), sizes)


def _best_of_group(groups: NDArray[np.intp], position: Integers, order: Integers) -> Integers:
    """Position of the best-ranked row of each row's group; 0 for that row itself."""
    best_position = np.zeros(len(groups), dtype=np.int64)
    shared = np.flatnonzero(np.bincount(groups, minlength=len(groups))[groups] > 1)
    by_rank = shared[np.lexsort((position[shared], order[shared], groups[shared]))]
    starts, sizes = _runs(groups[by_rank])
    best_position[by_rank] = np.repeat(position[by_rank[starts]], sizes)
    best_position[by_rank[starts]] = 0
    return best_position
