"""Counts of packed chunks by stratum and place, from rows of the rollup to dense tables.

A stratum is one route, one exact K and one exact packed rank (and one prompt-token bucket where
asked): within it all chunks have the same claim to be cited but for where they stood. Buckets of K
or the retrieved rank would let position vary with content, and print a confident wrong number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import TypeVar

import numpy as np

from analyzer.stats.arrays import Flags, Floats, Integers, numbered
from analyzer.stats.settings import EffectSettings

PLACES = ("start", "middle", "end")
START, MIDDLE, END = 0, 1, 2


@dataclass(frozen=True)
class _Rows:
    """One row a cell, in any order; rows of one key add up. Arrays of one length."""

    ordering: Integers  # index into `orderings`
    orderings: tuple[str, ...]  # as recognised over the route and day
    route: Integers  # any number that is the route's own
    k: Integers
    rank: Integers  # packed rank, 1..K
    group: Integers  # unit group, from 0
    packed: Integers  # chunks whose citations are known (for accuracy: judged expected chunks)
    cited: Integers  # of those (for accuracy: judged right)


@dataclass(frozen=True)
class Cells(_Rows):
    """Counts by place."""

    place: Integers  # 0 start, 1 middle, 2 end; requests with K = 1 have none and are left out
    bucket: Integers  # prompt-token bucket; all 0 where strata are not to be split by it


@dataclass(frozen=True)
class PositionCells(_Rows):
    """Counts by exact position."""

    position: Integers


Rows = TypeVar("Rows", Cells, PositionCells)


def kept(rows: Rows, keep: Flags) -> Rows:
    """Only the rows flagged."""
    arrays = {f.name: getattr(rows, f.name) for f in fields(rows) if f.name != "orderings"}
    return replace(rows, **{name: array[keep] for name, array in arrays.items()})


def counted(rows: Rows, settings: EffectSettings) -> Rows:
    """Rows of orderings that say something about the model: by packed rank alone, or by chance.

    Prompts of one or two chunks have no middle and are left out.
    """
    useful = np.isin(rows.ordering, _named(rows, settings.counted))
    return kept(rows, useful & (rows.packed > 0) & (rows.k > 2))


def follow_content(rows: Cells, settings: EffectSettings) -> bool:
    """Whether any row's ordering can be controlled by content: by document, source order, other."""
    innocent = _named(rows, settings.counted + settings.silent)
    return bool((~np.isin(rows.ordering, innocent) & (rows.packed > 0)).any())


def _named(rows: _Rows, names: tuple[str, ...]) -> list[int]:
    return [index for index, name in enumerate(rows.orderings) if name in names]


@dataclass(frozen=True)
class Dense:
    """Counts as tables [unit group, stratum, place]."""

    packed: Floats
    cited: Floats
    rank_alone: Integers  # of each stratum: its route and packed rank, whatever K

    def two_sided(self) -> tuple[Floats, Floats]:
        """packed, cited as [unit group, stratum, 0 edge / 1 middle]."""
        return edge_and_middle(self.packed), edge_and_middle(self.cited)


def edge_and_middle(table: Floats) -> Floats:
    """[..., start / middle / end] -> [..., edge / middle]."""
    return np.stack([table[..., START] + table[..., END], table[..., MIDDLE]], axis=-1)


def dense(cells: Cells, groups: int) -> Dense:
    """The table of these cells; strata in the order of (route, bucket, packed rank, K)."""
    return aligned([cells], groups)[0]


def aligned(several: Sequence[Cells], groups: int) -> list[Dense]:
    """Tables whose strata are the same: every stratum of any of them."""
    route, bucket, rank, k = (
        np.concatenate([getattr(cells, name) for cells in several])
        for name in ("route", "bucket", "rank", "k")
    )
    by_rank, _ = joined(route, bucket, rank)
    stratum, strata = joined(by_rank, k)
    rank_alone = np.zeros(strata, dtype=np.int64)
    rank_alone[stratum] = by_rank
    parts = np.split(stratum, np.cumsum([len(cells.k) for cells in several])[:-1])
    shape = (groups, strata, len(PLACES))
    return [
        Dense(
            summed((cells.group, part, cells.place), cells.packed, shape),
            summed((cells.group, part, cells.place), cells.cited, shape),
            rank_alone,
        )
        for cells, part in zip(several, parts, strict=True)
    ]


def joined(*columns: Integers) -> tuple[Integers, int]:
    """The index of each row's combination among the distinct ones, in the order of the columns."""
    code, distinct = numbered(columns[0])
    for column in columns[1:]:
        index, names = numbered(column)
        code, distinct = numbered(code * names + index)
    return code, distinct


def summed(key: tuple[Integers, ...], counts: Integers, shape: tuple[int, ...]) -> Floats:
    """Counts added up at their keys."""
    flat = np.ravel_multi_index(key, shape)
    total = np.bincount(flat, counts, minlength=int(np.prod(shape)))
    return total.astype(np.float64).reshape(shape)
