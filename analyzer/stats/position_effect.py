"""The position effect of one scope: is a chunk cited less because it stood in the middle?

From additive counts alone: the Mantel-Haenszel risk ratio of middle against edge over exact
(route, K, packed rank), the profile of start, middle and end beside it, jackknife errors over unit
groups, and the verdict that says whether any of it may be shown. The contrast is the one at the
positions that the orderings really used; it is relative, never a loss in points.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analyzer.stats.arrays import Flags, Floats, number, only
from analyzer.stats.cells import (
    MIDDLE,
    Cells,
    Dense,
    PositionCells,
    counted,
    dense,
    follow_content,
    kept,
)
from analyzer.stats.comparability import Comparability, comparability, components
from analyzer.stats.contrasts import Contrast, contrasts
from analyzer.stats.jackknife import Estimate, jackknifed, left_out
from analyzer.stats.mantel_haenszel import (
    density_ratio,
    independence_se,
    information,
    lift_ratio,
    log_risk_ratio,
    risk_difference,
)
from analyzer.stats.negative_control import Control, negative_control
from analyzer.stats.settings import EXPLORED, EffectSettings
from analyzer.stats.verdicts import Evidence, Verdict, verdict


@dataclass(frozen=True)
class PositionEffect:
    """Everything a table, a chart or a sentence says about one scope."""

    verdict: Verdict
    comparability: Comparability
    log_ratio: Estimate | None  # middle against edge; None: refused
    risk_difference: Estimate | None  # citations lost per comparable chunk; None: refused
    independence_se: float | None  # of log_ratio, were chunks independent
    profile: tuple[Contrast, ...]
    control: Control | None
    units: int  # distinct, counted up to 40
    density_ratio: float | None  # the plain histogram, middle against edge: mostly ordering
    lift_ratio: float | None  # the plain cited rates, middle against edge: mostly ordering


def position_effect(
    cells: Cells,
    positions: PositionCells | None,
    units: int,
    settings: EffectSettings | None = None,
) -> PositionEffect:
    """Estimate one scope (a route and any set of days, say), or refuse.

    cells, positions: the scope's rows; of orderings that do not count only the existence matters.
    positions may be None where no two orderings were used. units: distinct units up to 40.
    For accuracy by place give judged expected chunks as `packed` and right answers as `cited`.
    """
    settings = settings or EffectSettings()
    useful = counted(cells, settings)
    table = dense(useful, settings.groups)
    packed, cited = table.two_sided()
    control = None if positions is None else _control(positions, settings)
    evidence = Evidence(
        content_ordered=not len(useful.packed) and follow_content(cells, settings),
        comparability=comparability(table),
        places=components(table.packed.sum(axis=0)),
        units=units,
        control=control,
        unchecked=_unchecked(useful, positions, control, settings),
        effect=log_ratio(packed, cited),
    )
    return _result(cells, evidence, table, settings)


def _control(positions: PositionCells, settings: EffectSettings) -> Control | None:
    return negative_control(counted(positions, settings), settings)


def _unchecked(
    useful: Cells,
    positions: PositionCells | None,
    control: Control | None,
    settings: EffectSettings,
) -> bool:
    """Whether orderings chosen by rules stand beside each other and no control can clear them.

    An order that was drawn needs none: chance serves all traffic alike.
    """
    if positions is None or not len(positions.packed):
        return False
    drawn = [index for index, name in enumerate(useful.orderings) if name == EXPLORED]
    ruled = dense(kept(useful, ~np.isin(useful.ordering, drawn)), settings.groups)
    packed, cited = (table.sum(axis=0) for table in ruled.two_sided())
    known = 0.0 if control is None else control.information
    return known < settings.control_information * float(information(packed, cited))


def _result(
    cells: Cells, evidence: Evidence, table: Dense, settings: EffectSettings
) -> PositionEffect:
    packed, cited = table.two_sided()
    said = verdict(evidence, settings)
    shown, plain = said.reported, _by_side(cells)
    return PositionEffect(
        verdict=said,
        comparability=evidence.comparability,
        log_ratio=evidence.effect if shown else None,
        risk_difference=_difference(packed, cited) if shown else None,
        independence_se=_independent(packed, cited) if shown else None,
        profile=contrasts(table, evidence, said, settings),
        control=evidence.control,
        units=evidence.units,
        density_ratio=number(density_ratio(plain[1])),
        lift_ratio=number(lift_ratio(*plain)),
    )


def _independent(packed: Floats, cited: Floats) -> float | None:
    return number(independence_se(packed.sum(axis=0), cited.sum(axis=0)))


def _by_side(cells: Cells) -> tuple[Floats, Floats]:
    """packed, cited of one stratum [1, edge / middle], whatever the ordering, rank and K."""
    longer = kept(cells, cells.k > 2)
    middle = (longer.place == MIDDLE).astype(np.int64)
    packed = np.bincount(middle, longer.packed, minlength=2)
    cited = np.bincount(middle, longer.cited, minlength=2)
    return packed[None].astype(np.float64), cited[None].astype(np.float64)


def log_ratio(packed: Floats, cited: Floats) -> Estimate:
    """log Mantel-Haenszel risk ratio of [unit group, stratum, edge / middle], with jackknife.

    Only groups with chunks in strata seen on both sides count. Its floor is what one citation more
    moves it by: 1 / citations on the rarer side.
    """
    packed, cited = _both_sides(packed, cited)
    value = float(log_risk_ratio(packed.sum(axis=0), cited.sum(axis=0)))
    others = log_risk_ratio(left_out(packed), left_out(cited))
    estimate = jackknifed(value, others, packed.sum(axis=(1, 2)) > 0)
    rarer = cited.sum(axis=(0, 1)).min(initial=np.inf)
    return estimate if estimate.value is None else estimate.floored(float(1 / rarer))


def _difference(packed: Floats, cited: Floats) -> Estimate:
    packed, cited = _both_sides(packed, cited)
    value = float(risk_difference(packed.sum(axis=0), cited.sum(axis=0)))
    others = risk_difference(left_out(packed), left_out(cited))
    return jackknifed(value, others, packed.sum(axis=(1, 2)) > 0)


def _both_sides(packed: Floats, cited: Floats) -> tuple[Floats, Floats]:
    both: Flags = (packed.sum(axis=0) > 0).all(axis=-1)
    return only(packed, both), only(cited, both)
