"""The expected change of citations, with its interval, or why none is given.

A chunk that stays is cited as often as it was, times the ratio of how its new and its old place are
read; that needs no model of what makes chunks worth citing. Of a chunk that was not in the prompt
nothing is known but its rank, copies of better ones not counted; so it is taken to be worth what
packed chunks of that rank were.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from analyzer.stats.arrays import Flags, Floats, Integers, divided
from analyzer.stats.jackknife import Estimate, jackknifed
from analyzer.stats.reading import Reading
from analyzer.whatif.candidates import Candidates
from analyzer.whatif.curve import GROUPS, Curve
from analyzer.whatif.replay import Replayed

RANKS = 64  # what is ranked deeper counts as the last
SEEN = 50  # packed chunks of a rank, for it to be known what such a chunk is worth
UNSEEN = 0.02  # of the packed chunks may enter at ranks that are not known: as the deepest that is


@dataclass(frozen=True)
class Moves:
    """Chunks of answers whose citations are known: m cited, s of them stay, e enter."""

    cited_design: Floats  # [m, column] where they stood
    cited_rank: Integers  # [m] from 0, among candidates that repeat no better one; RANKS: does
    cited_group: Integers  # [m]
    stays_design: Floats  # [s, column] new place less old place
    stays_group: Integers  # [s]
    enters_design: Floats  # [e, column]
    enters_rank: Integers  # [e]
    enters_group: Integers  # [e]
    packed_at: Floats  # [group, rank] packed chunks


def moves(block: Candidates, made: Replayed, usable: Flags, curve: Curve) -> Moves:
    """What the change does to the chunks of the usable requests of a block."""
    rows = (usable & block.known)[:, None]
    packed = block.packed & rows
    cited, enters = packed & block.cited, made.packed & ~block.packed & rows
    stays = cited & made.packed
    old = curve.design(block.position, block.k, block.length_of(block.packed))
    new = curve.design(made.position, made.k, made.length)
    rank = _rank(block)
    group = np.broadcast_to(block.group[:, None], rank.shape)
    at = np.bincount(group[packed] * (RANKS + 1) + rank[packed], minlength=GROUPS * (RANKS + 1))
    return Moves(
        cited_design=old[cited],
        cited_rank=rank[cited],
        cited_group=group[cited],
        stays_design=new[stays] - old[stays],
        stays_group=group[stays],
        enters_design=new[enters],
        enters_rank=rank[enters],
        enters_group=group[enters],
        packed_at=at.reshape(GROUPS, RANKS + 1)[:, :RANKS].astype(np.float64),
    )


def _rank(block: Candidates) -> Integers:
    """[n, w] from 0, the rank among what repeats nothing; what does has RANKS, and no say."""
    first = block.there & ~block.repeats
    order = np.clip(np.cumsum(first, axis=1, dtype=np.int64) - 1, 0, RANKS - 1)
    return np.where(block.repeats & block.packed, RANKS, order)


def together(parts: Sequence[Moves]) -> Moves:
    """The moves of all blocks of a route."""
    columns = {f.name: [getattr(part, f.name) for part in parts] for f in fields(Moves)}
    packed_at: Floats = np.sum(columns.pop("packed_at"), axis=0)
    return Moves(
        **{name: np.concatenate(arrays) for name, arrays in columns.items()}, packed_at=packed_at
    )


def enters_unseen(moved: Moves) -> bool:
    """Whether chunks would enter, more than a few, at ranks that hardly a prompt held."""
    at = moved.packed_at.sum(axis=0)
    unseen = float((at[moved.enters_rank] < SEEN).sum())
    return unseen > UNSEEN * float(at.sum())


def expected(moved: Moves, curve: Reading) -> Estimate | None:
    """Relative change of cited chunks, -0.02 = two in a hundred fewer; None: not comparable.

    Not comparable is what moves along a direction in which the prompts never varied.
    """
    directions = [each for each in (moved.stays_design, moved.enters_design) if len(each)]
    if not all(curve.knows(each) for each in directions):
        return None
    value = _change(moved, curve.coefficients, None)
    others = np.array([_change(moved, curve.others[g], g) for g in range(GROUPS)])
    return jackknifed(value, others, np.bincount(moved.cited_group, minlength=GROUPS) > 0)


def _change(moved: Moves, coefficients: Floats, without: int | None) -> float:
    """The change by a curve, over all unit groups or all but one."""
    stays, enters, cited = (
        np.ones(len(group)) if without is None else (group != without).astype(np.float64)
        for group in (moved.stays_group, moved.enters_group, moved.cited_group)
    )
    stay = float((np.exp(moved.stays_design @ coefficients) * stays).sum())
    read = np.exp(-moved.cited_design @ coefficients)
    worth = np.bincount(moved.cited_rank, read * cited, RANKS + 1)[:RANKS]
    at = moved.packed_at.sum(axis=0) - (0 if without is None else moved.packed_at[without])
    rate = _known(divided(worth, at, otherwise=0.0), moved.packed_at.sum(axis=0))
    enter = float(
        (rate[moved.enters_rank] * np.exp(moved.enters_design @ coefficients) * enters).sum()
    )
    return float(divided(stay + enter, cited.sum())) - 1


def _known(rate: Floats, at: Floats) -> Floats:
    """Rates by rank; one that hardly a prompt held has that of the deepest that is known."""
    known = np.flatnonzero(at >= SEEN)
    if not len(known):
        return np.zeros_like(rate)
    return rate[known[np.clip(np.searchsorted(known, np.arange(RANKS), "right") - 1, 0, None)]]
