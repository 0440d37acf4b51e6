"""The table of false alarms and power, beside the published one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from math import sqrt

from . import lengths, uncited
from .drift import WANDERING, WITHIN, Report, drawn_report, whole_report
from .planted import PLANTED, Planted
from .table import Row, mean

SEED = 100
MOST_FALSE = 1.0
FEW = 8  # years; what fewer show is told, but decides nothing
NEAR = 0.10
HEADLINE = 3  # weeks within which power is compared
# At 5,000 requests a week: spread of the weekly values / mean standard error.
PUBLISHED_WANDERING = {
    "dip": ".0264 / .0282",
    "involved_rate": ".0010 / .0006",
    "citation_free_rate": ".0104 / .0058",
    "ln_p95_context_tokens": ".0233 / .0187",
}


@dataclass(frozen=True)
class Years:
    """How many are made of each kind."""

    drawn: int  # from a stock of requests
    whole: int  # of them, made chunk by chunk as well
    uncited: int  # chunk by chunk, answers without a citation alone
    told: int  # estimates of the length of prompts alone, as published


def rows(years: Years, pool: ProcessPoolExecutor) -> list[Row]:
    """False alarms, how weeks wander, power."""
    drawn = list(pool.map(drawn_report, range(SEED, SEED + years.drawn)))
    made = list(pool.map(whole_report, range(SEED, SEED + years.whole)))
    free = list(pool.map(uncited.false_alarms, range(SEED, SEED + years.uncited)))
    return [
        _false("false alarms a report, drawn", drawn, ".141 ± .041"),
        _false("false alarms a report, chunk by chunk", made, ".141 ± .041"),
        _false_of_one("citation-free rate alone, chunk by chunk", free, ".09"),
        *(_wandering(measure, drawn[: years.whole], made) for measure in WANDERING),
        *(_power(planted, drawn) for planted in PLANTED),
        *(_as_published(planted, years.told, pool) for planted in PLANTED if not planted.held),
    ]


def _false(what: str, reports: Sequence[Report], published: str) -> Row:
    if not reports:
        return Row(what, "none made", published, None)
    average, error = mean([float(len(report.false)) for report in reports])
    by = Counter(measure for report in reports for measure in report.false)
    said = ", ".join(f"{measure} {n}" for measure, n in by.most_common()) or "none"
    measured = f"{average:.3f} ± {error:.3f} in {len(reports)} ({said})"
    kept = average <= MOST_FALSE if len(reports) >= FEW else None
    return Row(what, measured, f"{published}; at most 1", kept)


def _false_of_one(what: str, alarms: Sequence[float], published: str) -> Row:
    if not alarms:
        return Row(what, "none made", published, None)
    average, error = mean(list(alarms))
    measured = f"{average:.3f} ± {error:.3f} in {len(alarms)}"
    return Row(what, measured, f"{published}; at most 1", average <= MOST_FALSE)


def _wandering(measure: str, drawn: Sequence[Report], made: Sequence[Report]) -> Row:
    """Drawn weeks must wander, and know it, as weeks made chunk by chunk do."""
    if not (drawn and made):
        return Row(f"week to week, {measure}", "none made", PUBLISHED_WANDERING[measure], None)
    shown = [
        tuple(sum(each.wandering[measure][i] for each in group) / len(group) for i in (0, 1))
        for group in (drawn, made)
    ]
    # The lengths of drawn weeks have a noise of their own; their standard errors have not.
    compared = (1,) if measure == "ln_p95_context_tokens" else (0, 1)
    alike = all(0.75 <= shown[0][i] / shown[1][i] <= 1.33 for i in compared)
    said = " and ".join(f"{sd:.4f} / {se:.4f}" for sd, se in shown)
    return Row(
        f"week to week, {measure}: drawn and made", said, PUBLISHED_WANDERING[measure], alike
    )


def _power(planted: Planted, reports: Sequence[Report]) -> Row:
    return _seen(planted, [weeks for report in reports for weeks in report.waited[planted.name]])


def _as_published(planted: Planted, reports: int, pool: ProcessPoolExecutor) -> Row:
    """The same change where errors and weeks are those of the published years."""
    alike = replace(planted, name=f"{planted.name}, errors and weeks as published", held=True)
    return _seen(alike, list(pool.map(lengths.weeks_to_alarm, range(SEED, SEED + reports))))


def _seen(planted: Planted, waited: Sequence[int | None]) -> Row:
    if not waited:
        return Row(planted.name, "none made", _listed(planted.published), None)
    shares = [sum(w is not None and w <= limit for w in waited) / len(waited) for limit in WITHIN]
    at = WITHIN.index(HEADLINE)
    published = planted.published[at]
    error = sqrt(_variance(shares[at], len(waited)) + _variance(published, planted.reports))
    far = abs(shares[at] - published)
    return Row(
        f"{planted.name}, alarms within 1 / 2 / 3 / 4 / 6 weeks",
        f"{_listed(shares)} of {len(waited)}; {far:.2f} ± {error:.2f} away after {HEADLINE}",
        _listed(planted.published),
        far <= NEAR + 2 * error if planted.held else None,
    )


def _variance(share: float, count: int) -> float:
    return max(share * (1 - share), 1 / count) / count


def _listed(shares: Sequence[float]) -> str:
    return " / ".join(f"{share:.2f}" for share in shares)
