"""What a change does to logged prompts, as facts: sums that add up over blocks of requests."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from analyzer.stats.arrays import Flags, Floats, Integers
from analyzer.whatif.candidates import Candidates
from analyzer.whatif.change import Change
from analyzer.whatif.replay import Replayed


@dataclass(frozen=True)
class Pair:
    """The same sum over the prompts as they were logged, and as the change would have made them."""

    now: float
    then: float

    def __add__(self, other: Pair) -> Pair:
        return Pair(self.now + other.now, self.then + other.then)


@dataclass(frozen=True)
class Tally:
    """Sums over the requests of one route. Citations are those of answers that tell theirs."""

    requests: int  # replayed
    uncounted: int  # left out: a budget was asked for, and a candidate's tokens are not known
    measured: int  # requests whose candidates all have tokens
    weight: int  # their sample weights, thousandths
    chunks: Pair  # packed
    tokens: Pair  # of packed chunks of measured requests, times weight
    cost: Pair  # the same times the price of a million; NaN where a model has none
    cited: int
    lost: int  # cited chunks that would not be packed
    lost_copies: int  # of them, those of which a near-copy would be
    middle: int  # cited chunks in the middle, of those that stay
    out_of_middle: int  # of them, those that would leave it
    into_middle: int  # cited chunks that would come into it
    expected: int  # expected chunks that were retrieved
    found: Pair  # of them, packed
    expected_lost: int  # packed, and would not be
    expected_lost_copies: int  # of them, those of which a near-copy would be
    entering: int  # chunks that would be packed and were not

    def __add__(self, other: Tally) -> Tally:
        return Tally(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))


def tally(block: Candidates, made: Replayed, usable: Flags, price: Floats) -> Tally:
    """Sums over the usable requests of a block; `price` is of a million tokens, by request."""
    rows = usable[:, None]
    measured = usable & block.counted
    cited = block.cited & block.packed & block.known[:, None] & rows
    stays = cited & made.packed
    was, will = in_middle(block.position, block.k), in_middle(made.position, made.k)
    expected = block.expected & block.there & rows
    tokens, weight = _tokens(block, made), block.weight * measured
    cost = np.where(weight > 0, weight * price, 0.0)
    return Tally(
        requests=int(usable.sum()),
        uncounted=int((~usable).sum()),
        measured=int(measured.sum()),
        weight=int(weight.sum()),
        chunks=Pair(float(block.k[usable].sum()), float(made.k[usable].sum())),
        tokens=Pair(*(float((each * weight).sum()) for each in tokens)),
        cost=Pair(*(float((each * cost).sum()) for each in tokens)),
        cited=int(cited.sum()),
        lost=int((cited & ~made.packed).sum()),
        lost_copies=int((cited & made.copied).sum()),
        middle=int((stays & was).sum()),
        out_of_middle=int((stays & was & ~will).sum()),
        into_middle=int((stays & ~was & will).sum()),
        expected=int(expected.sum()),
        found=Pair(float((expected & block.packed).sum()), float((expected & made.packed).sum())),
        expected_lost=int((expected & block.packed & ~made.packed).sum()),
        expected_lost_copies=int((expected & block.packed & made.copied).sum()),
        entering=int((made.packed & ~block.packed & rows).sum()),
    )


def usable(block: Candidates, change: Change) -> Flags:
    """[n] requests that the change can be replayed on: a budget needs the tokens of candidates."""
    return block.counted if change.budget is not None else np.ones_like(block.known)


def in_middle(position: Integers, k: Integers) -> Flags:
    """Whether depth is .2 to .8, by whole numbers; prompts of one or two chunks have no middle."""
    after, last = 5 * (position - 1), (k - 1)[:, None]
    middle: Flags = (position > 0) & (after >= last) & (after <= 4 * last) & (last > 1)
    return middle


def _tokens(block: Candidates, made: Replayed) -> tuple[Integers, Integers]:
    return (
        np.where(block.packed, block.tokens, 0).sum(axis=1),
        np.where(made.packed, block.tokens, 0).sum(axis=1),
    )
