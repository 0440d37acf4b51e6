"""The table of false alarms and power, beside the published one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from math import sqrt

from .drift import WANDERING, WITHIN, Report, drawn_report, whole_report
from .planted import PLANTED, Planted
from .table import Row, mean

SEED = 100
MOST_FALSE = 1.0
NEAR = 0.10
HEADLINE = 3  # weeks within which power is compared
# At 5,000 requests a week: spread of the weekly values / mean standard error.
PUBLISHED_WANDERING = {
    "dip": ".0264 / .0282",
    "involved_rate": ".0010 / .0006",
    "citation_free_rate": ".0104 / .0058",
    "ln_p95_context_tokens": ".0233 / .0187",
}


def rows(reports: int, whole: int, pool: ProcessPoolExecutor) -> list[Row]:
    """`reports` drawn reports, the first `whole` of which are made chunk by chunk as well."""
    drawn = list(pool.map(drawn_report, range(SEED, SEED + reports)))
    made = list(pool.map(whole_report, range(SEED, SEED + whole)))
    return [
        _false("false alarms a report, drawn", drawn, ".141 ± .041"),
        _false("false alarms a report, chunk by chunk", made, ".141 ± .041"),
        *(_wandering(measure, drawn[:whole], made) for measure in WANDERING),
        *(_power(planted, drawn) for planted in PLANTED),
    ]


def _false(what: str, reports: Sequence[Report], published: str) -> Row:
    if not reports:
        return Row(what, "none made", published, None)
    average, error = mean([float(len(report.false)) for report in reports])
    by = Counter(measure for report in reports for measure in report.false)
    said = ", ".join(f"{measure} {n}" for measure, n in by.most_common()) or "none"
    measured = f"{average:.3f} ± {error:.3f} in {len(reports)} ({said})"
    return Row(what, measured, f"{published}; at most 1", average <= MOST_FALSE)


def _wandering(measure: str, drawn: Sequence[Report], made: Sequence[Report]) -> Row:
    """Drawn weeks must wander, and know it, as weeks made chunk by chunk do."""
    if not made:
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
    waited = [weeks for report in reports for weeks in report.waited[planted.name]]
    shares = [sum(w is not None and w <= limit for w in waited) / len(waited) for limit in WITHIN]
    at = WITHIN.index(HEADLINE)
    published = planted.published[at]
    error = sqrt(_variance(shares[at], len(waited)) + _variance(published, planted.reports))
    far = abs(shares[at] - published)
    return Row(
        f"{planted.name}, alarms within 1 / 2 / 3 / 4 / 6 weeks",
        f"{_listed(shares)} of {len(waited)}; {far:.2f} ± {error:.2f} away after {HEADLINE}",
        _listed(planted.published),
        far <= NEAR + 2 * error,
    )


def _variance(share: float, count: int) -> float:
    return max(share * (1 - share), 1 / count) / count


def _listed(shares: Sequence[float]) -> str:
    return " / ".join(f"{share:.2f}" for share in shares)
