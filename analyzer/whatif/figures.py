"""Sums over the prompts of a route as the figures that people compare: a prompt, or in all."""

from __future__ import annotations

import math

from analyzer.whatif.counting import Counting
from analyzer.whatif.tally import Pair, Tally

Figures = dict[str, float | int | None]
_THOUSAND = 1000


def figures(found: Tally, counting: Counting, weight: int) -> Figures:
    """By the names of `table.SCHEMA`; `weight` is that of all answers, in thousandths."""
    return {
        "replayed": found.requests,
        "uncounted": found.uncounted,
        "entering": found.entering,
        **_both("packed", _each(found.chunks, found.requests)),
        **_costs(found, counting, weight),
        **_citations(found),
        **_labels(found),
    }


def _costs(found: Tally, counting: Counting, weight: int) -> Figures:
    tokens, cost = _each(found.tokens, found.weight), _money(found)
    saved = None if tokens is None else tokens.now - tokens.then
    return {
        **_both("tokens", tokens),
        **_both("cost", cost),
        "tokens_saved": None if saved is None else round(saved * weight / _THOUSAND),
        "cost_saved": None if cost is None else (cost.now - cost.then) * weight / _THOUSAND**2,
        "prefill_ms_saved": None if saved is None else 1000 * saved / counting.tokens_per_second,
        "tokens_per_second": counting.tokens_per_second,
    }


def _citations(found: Tally) -> Figures:
    stays, out = found.cited - found.lost, found.out_of_middle - found.into_middle
    return {
        "cited": found.cited,
        "cited_lost": found.lost,
        "lost_with_copy": found.lost_copies,
        "cited_recall": stays / found.cited if found.cited else None,
        "middle": found.middle,
        "out_of_middle": found.out_of_middle,
        "into_middle": found.into_middle,
        "out_of_middle_share": out / stays if stays else None,
    }


def _labels(found: Tally) -> Figures:
    labelled = bool(found.expected)
    return {
        "expected": found.expected,
        **_both("expected_recall", _each(found.found, found.expected)),
        "expected_packed": round(found.found.now) if labelled else None,
        "expected_lost": found.expected_lost if labelled else None,
        "expected_lost_with_copy": found.expected_lost_copies if labelled else None,
    }


def _each(sums: Pair, whole: float) -> Pair | None:
    return Pair(sums.now / whole, sums.then / whole) if whole else None


def _both(name: str, pair: Pair | None) -> dict[str, float | None]:
    return {
        f"{name}_now": pair.now if pair else None,
        f"{name}_then": pair.then if pair else None,
    }


def _money(found: Tally) -> Pair | None:
    """For a thousand prompts; None where a model of the route has no price."""
    cost = _each(found.cost, found.weight)
    if cost is None or math.isnan(cost.now):
        return None
    return Pair(cost.now / _THOUSAND, cost.then / _THOUSAND)  # of a million tokens, of a thousand
