"""What the shape of counts by rank and by position says, before a change and since.

Pure arithmetic on counts; rows are those of `queries/watch/evidence`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log2, sqrt

from analyzer.watch.facts import Side, share

BEST_RANKS = 5
MOVES = (-1, 1, -2, 2)  # positions by which a wrong base may move citations
LEAST_OF_A_RANK = 100  # retrieved chunks, for its packed share to count
LEAST_OF_A_CELL = 20  # packed chunks at one K and position, for its cited rate to count

Counts = tuple[int, int]  # packed (or retrieved), cited (or packed)
Positions = Mapping[tuple[int, int], Counts]  # (K, position) -> packed, cited


@dataclass(frozen=True)
class Rank:
    """Counts of one retrieved rank."""

    rank: int
    retrieved: int
    packed: int
    cited: int


def gap_above(ranks: Iterable[Rank]) -> Side:
    """The largest lead of a rank's packed share over that of the next better one, among the best.

    0 where every better rank is packed at least as often.
    """
    held = {each.rank: each for each in ranks if each.retrieved >= LEAST_OF_A_RANK}
    worst = Side(0.0, max((each.retrieved for each in held.values()), default=0))
    for better in range(1, BEST_RANKS + 1):
        if better in held and better + 1 in held:
            here = share(held[better].packed, held[better].retrieved)
            next_one = share(held[better + 1].packed, held[better + 1].retrieved)
            lead = next_one.value - here.value
            if lead > worst.value:
                worst = Side(lead, here.base, here.variance + next_one.variance)
    return worst


def mean_log2_rank(ranks: Iterable[Rank]) -> Side:
    """Mean of log2 of the retrieved rank over cited chunks."""
    cited = [(log2(each.rank), each.cited) for each in ranks if each.rank > 0]
    total = sum(n for _, n in cited)
    if not total:
        return Side(0.0, 0)
    mean = sum(value * n for value, n in cited) / total
    spread = sum((value - mean) ** 2 * n for value, n in cited) / total
    return Side(mean, total, spread)


def place(k: int, position: int) -> str:
    """start, middle or end, in whole numbers; prompts of three chunks or more."""
    if 5 * (position - 1) < k - 1:
        return "start"
    return "end" if 5 * (position - 1) > 4 * (k - 1) else "middle"


def by_place(positions: Positions) -> dict[str, Counts]:
    """Packed and cited chunks at the start, in the middle and at the end."""
    counts = dict.fromkeys(("start", "middle", "end"), (0, 0))
    for (k, position), (packed, cited) in positions.items():
        if k > 2:
            name = place(k, position)
            counts[name] = (counts[name][0] + packed, counts[name][1] + cited)
    return counts


def end_against_start(positions: Positions) -> Side:
    """Cited rate at the end over that at the start; its base is the chunks at the end."""
    counts = by_place(positions)
    (begun, cited_first), (ended, cited_last) = counts["start"], counts["end"]
    if not begun or not ended or not cited_first:
        return Side(0.0, 0)
    return Side(cited_last / ended / (cited_first / begun), ended)


@dataclass(frozen=True)
class Shift:
    """Citations that moved by so many positions: the share of them, and the misfit then.

    left: over the misfit of the rates as they stood.
    """

    moved: int
    share: float
    left: float


def marker_shift(before: Positions, since: Positions) -> Shift:
    """By how many positions citations moved as a whole; (0, 0, 1) where that fits no better.

    Rates since are told by (1 - share) of the rates before and share of their neighbours', by
    least squares with the variances of counts: a week may have been struck in part.
    """
    tried = [_shift(before, since, moved) for moved in MOVES]
    return min(tried, key=lambda each: each.left)


def _shift(before: Positions, since: Positions, moved: int) -> Shift:
    cells = list(_cells(before, since, moved))
    apart = sum(weight * (there - here) ** 2 for here, there, _, weight in cells)
    toward = sum(weight * (there - here) * (now - here) for here, there, now, weight in cells)
    unmoved = sum(weight * (now - here) ** 2 for here, _, now, weight in cells)
    part = min(1.0, max(0.0, toward / apart)) if apart else 0.0
    if not part or not unmoved:
        return Shift(0, 0.0, 1.0)
    left = sum(
        weight * (now - here - part * (there - here)) ** 2 for here, there, now, weight in cells
    )
    return Shift(moved, part, left / unmoved)


def _cells(
    before: Positions, since: Positions, moved: int
) -> Iterator[tuple[float, float, float, float]]:
    """Cited rate before, of the neighbour before, since, and its weight, of every K and position.

    What is moved in from outside the prompt is cited by nobody.
    """
    for (k, position), (packed, cited) in since.items():
        was, all_cited = before.get((k, position), (0, 0))
        if min(packed, was) < LEAST_OF_A_CELL:
            continue
        told, told_cited = before.get((k, position - moved), (1, 0))
        here, there = all_cited / was, told_cited / told
        variance = max(here * (1 - here), 0.01)
        yield here, there, cited / packed, packed / variance


def total_difference(before: Mapping[str, float], since: Mapping[str, float]) -> float:
    """Half the sum of the differences of all shares: the share that is elsewhere now."""
    names = {*before, *since}
    return sum(abs(since.get(name, 0.0) - before.get(name, 0.0)) for name in names) / 2


def tabled(rows: Iterable[tuple[int, int, int, int]]) -> Positions:
    """(K, position, packed, cited) rows as a table."""
    return {(k, position): (packed, cited) for k, position, packed, cited in rows}


@dataclass(frozen=True)
class Pooled:
    """The log risk ratio of several weeks as one; size is their H."""

    value: float
    se: float
    size: float


def pooled(weeks: Sequence[tuple[float, float, float]], weak_se: float) -> Pooled | None:
    """(value, se, H) of weeks as one; None where they say too little: an error above `weak_se`.

    One variance a comparable chunk is taken from all of them: weekly ones are too noisy.
    """
    size = sum(h for _, _, h in weeks)
    if not size:
        return None
    unit = sum(h * se**2 for _, se, h in weeks) / len(weeks)
    value = sum(h * value for value, _, h in weeks) / size
    se = sqrt(unit / size)
    return Pooled(value, se, size) if se <= weak_se else None
