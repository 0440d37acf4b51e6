"""Whether a position effect may be said at all, and the sentence for people that says so.

A refusal is a result like any other. The first condition that holds decides; each of them was
found to print a confident wrong number in simulations of models that treat all positions alike.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from analyzer.numbers import bounds, counted, mean, percent, rate
from analyzer.numbers import change as shift
from analyzer.stats.cells import END, MIDDLE, PLACES, START
from analyzer.stats.comparability import Comparability
from analyzer.stats.jackknife import Estimate
from analyzer.stats.negative_control import Control
from analyzer.stats.settings import EffectSettings

Code = Literal[
    "CONTENT_ORDERED",
    "ONLY_K_VARIATION",
    "NO_POSITION_VARIATION",
    "CONFOUNDED_POLICIES",
    "DISCONNECTED",
    "FEW_UNITS",
    "TOO_FEW",
    "WEAK",
    "OK",
]

_ONE_ORDERING = (
    "Every rank always sits in the same place for a given K (one ordering). Rank and position "
    "cannot be separated; no dip is reported. Shuffle 1 to 5% of requests or run two orderings."
)
_EDGES_ONLY = (
    "No rank is found both at an edge and in the middle for a given K. Rank and position cannot "
    "be separated; no dip is reported. Shuffle 1 to 5% of requests or run another ordering."
)
_NO_MIDDLE = (
    "No answer with known citations had three or more ranked chunks in its prompt; there is no "
    "middle to compare."
)
_THROUGH_K = " Variation through K exists but is confounded with relevance and prompt length."
_UNCHECKED = (
    "The orderings share too few positions at equal ranks to tell whether they serve the same "
    "traffic; no dip is reported. Shuffle 1 to 5% of requests, or run orderings that share some."
)
_CONTENT = (
    "Positions follow the documents, or an order that was not recognised; they say nothing about "
    "the model."
)


@dataclass(frozen=True)
class Evidence:
    """What a verdict rests on."""

    content_ordered: bool  # nothing was left but orderings that can follow content
    comparability: Comparability
    places: tuple[int, ...]  # of start, middle, end: the first place that strata join it to
    units: int  # distinct units that chose the ordering, counted up to 40
    control: Control | None
    unchecked: bool  # orderings chosen by rules, and no control that could tell their traffic apart
    effect: Estimate  # log risk ratio, middle against edge


@dataclass(frozen=True)
class Verdict:
    """A code for machines and a sentence for people."""

    code: Code
    sentence: str

    @property
    def reported(self) -> bool:
        """Whether the number may be shown; only OK may alarm."""
        return self.code in ("OK", "WEAK")


def verdict(evidence: Evidence, settings: EffectSettings) -> Verdict:
    """The first verdict that holds."""
    return (
        _not_identified(evidence)
        or _not_comparable(evidence)
        or _too_little(evidence, settings)
        or (Verdict("CONFOUNDED_POLICIES", _UNCHECKED) if evidence.unchecked else None)
        or _as_found(evidence, settings)
    )


def assumed(field: str, answers: int, of: int) -> Verdict:
    """The refusal where `field`, rank or position, of most answers was made from the other."""
    other = "rank" if field == "position" else "position"
    return Verdict(
        "NO_POSITION_VARIATION",
        f"The {field} of {answers:,} of {counted(of, 'answer')} with three or more packed chunks "
        f"is assumed to be the {other}, so the two cannot be separated; no dip is reported. Log "
        f"the {field} of every packed chunk.",
    )


def _not_identified(evidence: Evidence) -> Verdict | None:
    size = evidence.comparability
    if evidence.content_ordered:
        return Verdict("CONTENT_ORDERED", _CONTENT)
    if size.h > 0:
        return None
    if size.middle == 0:
        return Verdict("NO_POSITION_VARIATION", _NO_MIDDLE)
    sentence = _EDGES_ONLY if evidence.places[START] == evidence.places[END] else _ONE_ORDERING
    if size.h_rank_alone > 0:
        return Verdict("ONLY_K_VARIATION", sentence + _THROUGH_K)
    return Verdict("NO_POSITION_VARIATION", sentence)


def _not_comparable(evidence: Evidence) -> Verdict | None:
    control = evidence.control
    if control is not None and control.failed:
        return Verdict(
            "CONFOUNDED_POLICIES",
            f"The orderings serve different traffic (z = {mean(control.z)}). Log what decides the "
            "ordering as part of the route, so that like is held against like, or randomise.",
        )
    for place in (START, END):
        if evidence.places[place] != evidence.places[MIDDLE]:
            return Verdict(
                "DISCONNECTED",
                f"No rank is found both in the middle and at the {PLACES[place]} for a given K; "
                "only places that share ranks are compared.",
            )
    return None


def _too_little(evidence: Evidence, settings: EffectSettings) -> Verdict | None:
    size = evidence.comparability
    if evidence.units < settings.least_units:
        return Verdict(
            "FEW_UNITS",
            f"Only {counted(evidence.units, 'unit')} chose the ordering; an interval would be too "
            "narrow.",
        )
    if size.largest_group_share > settings.largest_group:
        return Verdict(
            "FEW_UNITS",
            f"Units are put by a hash into {settings.groups} groups, which the interval leaves out "
            f"in turn; one group holds {_over(size.largest_group_share, settings.largest_group)} "
            f"of the comparable chunks, and over {percent(settings.largest_group)} the interval "
            "would be too narrow.",
        )
    if size.h < settings.least_h:
        return Verdict("TOO_FEW", f"Only {counted(math.floor(size.h), 'comparable chunk')}.")
    cited, side = min((size.cited_edge, "at the edge"), (size.cited_middle, "in the middle"))
    if cited < settings.least_cited:
        return Verdict("TOO_FEW", f"Of the comparable chunks {side} only {cited} {settings.few}.")
    return None


def _as_found(evidence: Evidence, settings: EffectSettings) -> Verdict:
    size, interval = evidence.comparability, evidence.effect.interval(settings.level)
    if evidence.effect.value is None or evidence.effect.se is None or interval is None:
        return Verdict("TOO_FEW", "All comparable citations come from one group of units.")
    said = _said(math.expm1(evidence.effect.value), interval, settings)
    if evidence.effect.se > settings.weak_se or size.top_stratum_share > settings.weak_stratum:
        return Verdict("WEAK", f"Too little to tell: {said}.")
    if interval[0] <= 0 <= interval[1]:
        return Verdict("OK", f"No effect of position was seen: {said}.")
    return Verdict("OK", f"{said[0].upper()}{said[1:]}.")


def _said(change: float, interval: tuple[float, float], settings: EffectSettings) -> str:
    low, high = (math.expm1(end) for end in interval)
    return (
        f"in the middle {settings.says} {percent(change)} {_more(change)} often than one of the "
        f"same rank at an edge ({percent(settings.level)} interval {bounds(low, high, shift)})"
    )


def _over(share: float, limit: float) -> str:
    """A share that is beyond a limit, never rounded to the limit itself."""
    return rate(share) if rate(share) != rate(limit) else f"just over {percent(limit)}"


def _more(change: float) -> str:
    return "less" if change < 0 else "more"
