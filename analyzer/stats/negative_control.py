"""A comparison whose answer is known: between orderings, at one rank, K and position.

Chunks of equal route, K, packed rank and position are cited alike whichever ordering put them
there, so the Mantel-Haenszel ratio between orderings must be 1. Where it is not, the orderings
serve different traffic, and the position effect would be that difference. Each ordering is held
against all others together. Competition between chunks moves a clean control by a few per cent,
so it fails only where the ratio is both unlikely and large.

A control that hardly sees anything clears nothing: best first beside edges first reversed share one
position in ten, or none, and traffic that differs by a quarter then passes for an effect of 11 %.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from analyzer.stats.arrays import Flags, Floats, Integers, numbered, only
from analyzer.stats.cells import PositionCells, joined, kept, summed
from analyzer.stats.distributions import bonferroni
from analyzer.stats.jackknife import Estimate, jackknifed, left_out
from analyzer.stats.mantel_haenszel import comparable, information, log_risk_ratio
from analyzer.stats.settings import EffectSettings


@dataclass(frozen=True)
class Control:
    """One ordering against the others; log_ratio above 0: its chunks are cited more."""

    ordering: str
    log_ratio: Estimate
    h: float  # comparable chunks
    z: float
    failed: bool
    information: float  # of the sharpest comparison of any ordering, about 1 / variance


def negative_control(cells: PositionCells, settings: EffectSettings) -> Control | None:
    """The most telling comparison of an ordering with the others; None where there is none.

    A failed one comes first, then the largest |z|. With more than two orderings the limit of z is
    raised so that their comparisons together fail as rarely as one (Bonferroni).
    """
    cells, strata = _shared(cells)
    present: list[int] = np.unique(cells.ordering).tolist()
    asked = present if len(present) > 2 else present[:1]
    limit = bonferroni(settings.control_z, len(asked))
    found = [_against_others(cells, strata, index, limit, settings) for index in asked]
    tested = [control for control in found if control is not None]
    if not tested:
        return None
    telling = max(tested, key=lambda one: (one.failed, abs(one.z), one.ordering))
    return replace(telling, information=max(one.information for one in tested))


def _shared(cells: PositionCells) -> tuple[PositionCells, Integers]:
    """Only the strata that more than one ordering reached, and the stratum of each row."""
    strata, n = joined(cells.route, cells.k, cells.rank, cells.position)
    reached = np.zeros((n, len(cells.orderings)), dtype=np.bool_)
    reached[strata, cells.ordering] = True
    several: Flags = (reached.sum(axis=1) > 1)[strata]
    return kept(cells, several), numbered(strata[several])[0]


def _against_others(
    cells: PositionCells,
    strata: Integers,
    ordering: int,
    limit: float,
    settings: EffectSettings,
) -> Control | None:
    packed, cited = _tables(cells, strata, ordering, settings.groups)
    informative = comparable(packed.sum(axis=0)) > 0
    packed, cited = only(packed, informative), only(cited, informative)
    value = float(log_risk_ratio(packed.sum(axis=0), cited.sum(axis=0)))
    others = log_risk_ratio(left_out(packed), left_out(cited))
    estimate = jackknifed(value, others, packed.sum(axis=(1, 2)) > 0)
    if estimate.value is None or not estimate.se:
        return None
    z = estimate.value / estimate.se
    failed = abs(z) > limit and abs(estimate.value) > settings.control_effect
    h = float(comparable(packed.sum(axis=0)).sum())
    known = float(information(packed.sum(axis=0), cited.sum(axis=0)))
    return Control(cells.orderings[ordering], estimate, h, z, failed, known)


def _tables(
    cells: PositionCells, strata: Integers, ordering: int, groups: int
) -> tuple[Floats, Floats]:
    """packed, cited as [unit group, stratum, 0 others / 1 this ordering]."""
    key = (cells.group, strata, (cells.ordering == ordering).astype(np.int64))
    shape = (groups, int(strata.max(initial=-1)) + 1, 2)
    return summed(key, cells.packed, shape), summed(key, cells.cited, shape)
