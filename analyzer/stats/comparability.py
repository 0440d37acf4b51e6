"""What can be compared with what, before any number is made.

Places are joined by the strata in which both were seen. With n the packed chunks of stratum s at
each place and N their sum, L = diag(sum n_s) - sum n_s n_s' / N_s is the Laplacian of that graph:
places can be compared where a path joins them, and a contrast c has the effective size
1 / (c' L+ c). For two places that is H = sum n1 n0 / N.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analyzer.stats.arrays import Floats, Integers, divided, only, over_places
from analyzer.stats.cells import Dense
from analyzer.stats.jackknife import left_out
from analyzer.stats.mantel_haenszel import comparable

_NO_PATH = 1e-6


@dataclass(frozen=True)
class Comparability:
    """How much of a scope speaks about middle against edge."""

    middle: int  # packed chunks in the middle
    h: float  # comparable chunks
    h_rank_alone: float  # the same if K were ignored: confounded, only to explain a refusal
    overlap_share: float  # middle chunks in strata that were also seen at the edge / all of them
    top_stratum_share: float  # of H
    largest_group_share: float  # of H: what is lost when that unit group is left out
    cited_edge: int  # in strata seen on both sides
    cited_middle: int


def comparability(table: Dense) -> Comparability:
    """Over all strata of a scope."""
    packed, cited = table.two_sided()
    total, cited_total = packed.sum(axis=0), cited.sum(axis=0)
    weight = comparable(total)
    h, both = float(weight.sum()), weight > 0
    without = comparable(left_out(only(packed, both))).sum(axis=-1)
    return Comparability(
        middle=int(total[:, 1].sum()),
        h=h,
        h_rank_alone=_h_rank_alone(total, table.rank_alone),
        overlap_share=float(divided(total[both, 1].sum(), total[:, 1].sum(), 0.0)),
        top_stratum_share=float(divided(weight.max(initial=0.0), h, 0.0)),
        largest_group_share=1 - float(divided(without.min(initial=h), h, 1.0)),
        cited_edge=int(cited_total[both, 0].sum()),
        cited_middle=int(cited_total[both, 1].sum()),
    )


def _h_rank_alone(packed: Floats, rank_alone: Integers) -> float:
    merged = np.zeros((int(rank_alone.max(initial=-1)) + 1, 2))
    np.add.at(merged, rank_alone, packed)
    return float(comparable(merged).sum())


def laplacian(packed: Floats) -> Floats:
    """[..., stratum, place] -> [..., place, place]."""
    scaled = divided(packed, over_places(packed)[..., None], otherwise=0.0)
    shared = np.einsum("...sa,...sb->...ab", packed, scaled)
    own: Floats = packed.sum(axis=-2)[..., None] * np.eye(packed.shape[-1])
    result: Floats = own - shared
    return result


def components(packed: Floats) -> tuple[int, ...]:
    """Of each place of [stratum, place], the first place that a path of strata joins it to."""
    seen = (packed > 0).astype(np.int64)
    joined = seen.T @ seen + np.eye(packed.shape[-1], dtype=np.int64) > 0
    for _ in range(packed.shape[-1]):
        joined = (joined.astype(np.int64) @ joined.astype(np.int64)) > 0
    return tuple(int(first) for first in joined.argmax(axis=0))


def effective_sizes(packed: Floats, contrast: Floats) -> Floats:
    """Comparable chunks behind a contrast of places, 1 / (c' L+ c); [..., stratum, place] -> [...].

    0 where no path of strata joins the places that the contrast (which sums to 0) compares.
    """
    size, axes = np.linalg.eigh(laplacian(packed))
    along = np.einsum("...ba,b->...a", axes, contrast) ** 2
    # One chunk that joins two places makes an eigenvalue of about a half; rounding makes far less.
    joined = size > _NO_PATH
    lost = np.where(joined, 0.0, along).sum(axis=-1)
    spread = divided(along, np.where(joined, size, 0.0), otherwise=0.0).sum(axis=-1)
    return np.where(lost < _NO_PATH, divided(1.0, spread, otherwise=0.0), 0.0)
