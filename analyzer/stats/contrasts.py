"""Start, middle and end against each other, each contrast with its own verdict.

Where the scope as a whole refuses middle against edge, two places may still be comparable: best
first beside best last exchanges start and end and leaves the middle alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analyzer.stats.arrays import Floats, divided, only
from analyzer.stats.cells import END, MIDDLE, PLACES, START, Dense
from analyzer.stats.comparability import effective_sizes
from analyzer.stats.jackknife import Estimate, jackknifed, left_out
from analyzer.stats.profile import fitted, newton_step
from analyzer.stats.settings import EffectSettings
from analyzer.stats.verdicts import Code, Evidence, Verdict

PAIRS = ((MIDDLE, START), (MIDDLE, END), (END, START))


@dataclass(frozen=True)
class Contrast:
    """One place against another."""

    place: str
    against: str
    h: float  # comparable chunks behind it (effective size)
    log_ratio: Estimate | None  # None: refused
    code: Code


@dataclass(frozen=True)
class _Fit:
    """Tables [unit group, stratum, place], log theta [place], leave-one-outs [group, place]."""

    packed: Floats
    cited: Floats
    log_theta: Floats
    others: Floats


def contrasts(
    table: Dense, evidence: Evidence, said: Verdict, settings: EffectSettings
) -> tuple[Contrast, ...]:
    """Middle against start, middle against end, end against start."""
    several = (table.packed.sum(axis=0) > 0).sum(axis=-1) > 1
    fit = _fit(only(table.packed, several), only(table.cited, several))
    return tuple(_contrast(*pair, fit, evidence, said, settings) for pair in PAIRS)


def _fit(packed: Floats, cited: Floats) -> _Fit:
    log_theta = fitted(packed.sum(axis=0), cited.sum(axis=0))
    if log_theta is None:
        nothing = np.full(len(PLACES), np.nan)
        return _Fit(packed, cited, nothing, np.tile(nothing, (len(packed), 1)))
    step = newton_step(left_out(packed), left_out(cited), log_theta)
    return _Fit(packed, cited, log_theta, log_theta + step)


def _contrast(
    place: int,
    against: int,
    fit: _Fit,
    evidence: Evidence,
    said: Verdict,
    settings: EffectSettings,
) -> Contrast:
    direction = np.zeros(len(PLACES))
    direction[place], direction[against] = 1.0, -1.0
    h = float(effective_sizes(fit.packed.sum(axis=0), direction))
    without = effective_sizes(left_out(fit.packed), direction)
    estimate = jackknifed(
        float(fit.log_theta @ direction),
        np.where(without > 0, fit.others @ direction, np.nan),
        fit.packed.sum(axis=(1, 2)) > 0,
    )
    rarer = float(fit.cited.sum(axis=(0, 1))[[place, against]].min())
    largest = 1 - float(divided(without.min(initial=h), h, 1.0))
    code = (
        _refused(h, evidence, said)
        or _few(largest, evidence, settings)
        or ("CONFOUNDED_POLICIES" if evidence.unchecked else None)
        or _sized(h, rarer, estimate, settings)
    )
    return Contrast(
        PLACES[place], PLACES[against], h, estimate if code in ("OK", "WEAK") else None, code
    )


def _refused(h: float, evidence: Evidence, said: Verdict) -> Code | None:
    if evidence.content_ordered:
        return "CONTENT_ORDERED"
    if evidence.control is not None and evidence.control.failed:
        return "CONFOUNDED_POLICIES"
    if said.code in ("FEW_UNITS", "TOO_FEW"):
        return said.code  # what is refused as a whole is not told in parts
    if h > 0:
        return None
    return said.code if evidence.comparability.h == 0 else "DISCONNECTED"


def _few(largest_group: float, evidence: Evidence, settings: EffectSettings) -> Code | None:
    few = evidence.units < settings.least_units or largest_group > settings.largest_group
    return "FEW_UNITS" if few else None


def _sized(h: float, rarer: float, estimate: Estimate, settings: EffectSettings) -> Code:
    if h < settings.least_h or rarer < settings.least_cited or estimate.se is None:
        return "TOO_FEW"
    return "WEAK" if estimate.se > settings.weak_se else "OK"
