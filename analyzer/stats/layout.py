"""When the ordering changed: how much of the new position shares the ordering alone explains.

The position-based model is fitted before the change; with its rates and theta the citations that
the new places should bring are predicted. Predicted minus old share is the layout, observed minus
predicted the behaviour of the model. Where the position effect was not known before, nothing can
be separated, and that is said.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analyzer.stats.arrays import Flags, Floats, divided, only, over_places
from analyzer.stats.cells import PLACES, Cells, aligned, counted, kept
from analyzer.stats.jackknife import Estimate, jackknifed, left_out
from analyzer.stats.profile import fitted, newton_step, stratum_rates
from analyzer.stats.settings import EffectSettings
from analyzer.stats.verdicts import Verdict

NOT_SEPARABLE = "Positions changed with the ordering; the model's share is not separable."


@dataclass(frozen=True)
class Moved:
    """The share of cited chunks at one place, before and after."""

    place: str
    old: float
    new: float
    layout: Estimate  # explained by the ordering
    behaviour: Estimate  # the rest: the model


@dataclass(frozen=True)
class Layout:
    """Start, middle and end; covered: share of the new packed chunks in strata known before."""

    places: tuple[Moved, ...]
    covered: float


def layout(
    before: Cells, after: Cells, known: Verdict, settings: EffectSettings | None = None
) -> Layout | None:
    """Split the change of position shares; None: not separable.

    known: the verdict of the position effect before. Prompts of one or two chunks are left out.
    """
    settings = settings or EffectSettings()
    if known.code != "OK":
        return None
    rows = [counted(before, settings), kept(before, before.k > 2), kept(after, after.k > 2)]
    fit, old, new = aligned(rows, settings.groups)
    log_theta = fitted(fit.packed.sum(axis=0), fit.cited.sum(axis=0))
    if log_theta is None:
        return None
    shared: Flags = old.packed.sum(axis=(0, 2)) > 0
    tables = [only(t, shared) for t in (old.packed, old.cited, new.packed, new.cited)]
    step = newton_step(left_out(fit.packed), left_out(fit.cited), log_theta)
    whole = _shares([table.sum(axis=0) for table in tables], log_theta)
    others = _shares([left_out(table) for table in tables], (log_theta + step)[:, None, :])
    filled = (old.packed.sum(axis=(1, 2)) > 0) | (new.packed.sum(axis=(1, 2)) > 0)
    covered = divided(tables[2].sum(), new.packed.sum(), otherwise=0.0)
    moved = tuple(_moved(place, whole, others, filled) for place in range(len(PLACES)))
    return Layout(moved, float(covered))


def _shares(tables: list[Floats], log_theta: Floats) -> tuple[Floats, Floats, Floats]:
    """Old, predicted and observed share of cited chunks by place; [..., place] each.

    tables: packed and cited before, packed and cited after.
    """
    packed, cited, new_packed, new_cited = tables
    rates = stratum_rates(packed, cited, log_theta)
    predicted = (new_packed * rates[..., None] * np.exp(log_theta)).sum(axis=-2)
    return _share(cited.sum(axis=-2)), _share(predicted), _share(new_cited.sum(axis=-2))


def _share(cited: Floats) -> Floats:
    return divided(cited, over_places(cited)[..., None])


def _moved(
    place: int,
    whole: tuple[Floats, Floats, Floats],
    others: tuple[Floats, Floats, Floats],
    filled: Flags,
) -> Moved:
    old, predicted, new = (float(share[place]) for share in whole)
    before, foretold, after = (share[:, place] for share in others)
    return Moved(
        PLACES[place],
        old,
        new,
        jackknifed(predicted - old, foretold - before, filled),
        jackknifed(new - predicted, after - foretold, filled),
    )
