"""Position effects as one table, for the terminal, for JSON and for the report's panel.

A refusal has its row like any other: the verdict, its sentence, and what would make the effect
measurable. Effects are relative: -0.2 is cited a fifth less often than the same rank at an edge.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from analyzer import numbers
from analyzer.measures.effect import RouteEffect
from analyzer.stats.contrasts import Contrast
from analyzer.stats.exploration import requests_needed, weeks_needed
from analyzer.stats.jackknife import Estimate

SHARES = (0.02, 0.05)  # of the requests, to be shuffled
UNITS_COUNTED = 40  # no more are counted
HANDFUL = 300  # comparable chunks; with fewer an effect is weak at best
LONGEST_WAIT = 52  # weeks that are still worth naming

_LONGER = "More weeks together tell more: citelog effect --since WEEK."
_ASSIGNED = (
    "Log as unit_id whom the ordering is chosen for: the user rather than the tenant, or nothing "
    "where each request draws its own. Where other units ask in other weeks, more weeks together "
    "tell more: citelog effect --since WEEK."
)

_SCHEMA = pa.schema(
    [
        ("route", pa.string()),
        ("verdict", pa.string()),
        ("middle_against_edge", pa.float64()),  # relative change of the cited rate
        ("low", pa.float64()),  # 95 % interval
        ("high", pa.float64()),
        ("comparable_chunks", pa.float64()),  # H
        ("answers", pa.int64()),  # with known citations
        ("units", pa.int64()),  # distinct, counted up to 40
        ("middle_against_start", pa.float64()),
        ("start_low", pa.float64()),
        ("start_high", pa.float64()),
        ("start_verdict", pa.string()),
        ("middle_against_end", pa.float64()),
        ("end_low", pa.float64()),
        ("end_high", pa.float64()),
        ("end_verdict", pa.string()),
        ("lift", pa.float64()),  # raw cited rates, middle against edge: mostly ordering
        ("histogram", pa.float64()),  # raw cited counts by place: mostly ordering
        ("orderings", pa.string()),
        ("shuffled_for_5", pa.int64()),  # requests to shuffle until a dip of 5 % shows
        ("shuffled_for_10", pa.int64()),
        ("sentence", pa.string()),
    ]
)


def effect_table(found: Mapping[str, RouteEffect]) -> pa.Table:
    """One row a route, sorted by name."""
    return pa.Table.from_pylist([_row(route, found[route]) for route in sorted(found)], _SCHEMA)


def advice(row: Mapping[str, Any], weeks: int) -> list[str]:
    """What would make an effect measurable, or surer, where its verdict does not say so itself.

    `row` is one of `effect_table`, `weeks` how many weeks with requests it is of.
    """
    return [*_by_verdict(row), *shuffling(row, weeks)]


def shuffling(row: Mapping[str, Any], weeks: int) -> list[str]:
    """Where an effect is refused, the shuffling that would show one: none, or one sentence.

    `row` is one of `effect_table`, `weeks` how many weeks with requests it is of.
    """
    needed = (row["shuffled_for_10"], row["shuffled_for_5"])
    told = row["middle_against_edge"] is not None
    if told or _few(row) or None in needed or not row["answers"]:
        return []
    ten, five = needed
    return [
        f"To see a dip of 10% shuffle {ten:,} requests ({_waits(ten, row['answers'] / weeks)}); "
        f"of 5%, {five:,}."
    ]


def _by_verdict(row: Mapping[str, Any]) -> list[str]:
    if row["verdict"] == "FEW_UNITS" and _few(row):
        return [_ASSIGNED]
    if row["verdict"] in ("FEW_UNITS", "TOO_FEW", "WEAK"):
        return [_LONGER]
    return []


def _few(row: Mapping[str, Any]) -> bool:
    """Whether too few units choose the ordering, which more shuffling does not help.

    One group that holds much of a handful of comparable chunks is chance.
    """
    if row["verdict"] != "FEW_UNITS":
        return False
    return bool(row["units"] < UNITS_COUNTED or row["comparable_chunks"] >= HANDFUL)


def _waits(requests: int, a_week: float) -> str:
    """How long that takes at the shares that cost little."""
    weeks = {share: weeks_needed(requests, a_week, share) for share in SHARES}
    told = [
        f"{numbers.counted(n, 'week')} at {share:.0%}"
        for share, n in weeks.items()
        if n <= LONGEST_WAIT
    ]
    traffic = f"of {numbers.count(a_week)} a week"
    return f"{' or '.join(told)} {traffic}" if told else f"more than a year at 5% {traffic}"


def _row(route: str, found: RouteEffect) -> dict[str, object]:
    effect = found.effect
    against = {contrast.against: contrast for contrast in effect.profile if _of_middle(contrast)}
    return {
        "route": route,
        "verdict": effect.verdict.code,
        **_relative("middle_against_edge", ("low", "high"), effect.log_ratio),
        "comparable_chunks": effect.comparability.h,
        "answers": found.requests,
        "units": effect.units,
        **_place(against.get("start"), "start"),
        **_place(against.get("end"), "end"),
        "lift": _change(effect.lift_ratio),
        "histogram": _change(effect.density_ratio),
        "orderings": ", ".join(f"{name} {share:.0%}" for name, share in found.orderings.items()),
        "shuffled_for_5": _needed(0.05, found.error_of_one),
        "shuffled_for_10": _needed(0.10, found.error_of_one),
        "sentence": effect.verdict.sentence,
    }


def _of_middle(contrast: Contrast) -> bool:
    return contrast.place == "middle"


def _place(contrast: Contrast | None, name: str) -> dict[str, float | str | None]:
    estimate = contrast.log_ratio if contrast else None
    told = _relative(f"middle_against_{name}", (f"{name}_low", f"{name}_high"), estimate)
    return {**told, f"{name}_verdict": contrast.code if contrast else None}


def _relative(
    name: str, ends: tuple[str, str], estimate: Estimate | None
) -> dict[str, float | None]:
    interval = estimate.interval() if estimate else None
    if estimate is None or estimate.value is None or interval is None:
        return dict.fromkeys((name, *ends))
    low, high = interval
    return {
        name: math.expm1(estimate.value),
        ends[0]: math.expm1(low),
        ends[1]: math.expm1(high),
    }


def _change(ratio: float | None) -> float | None:
    return None if ratio is None else ratio - 1


def _needed(dip: float, error_of_one: float | None) -> int | None:
    return None if error_of_one is None else requests_needed(dip, error_of_one)
