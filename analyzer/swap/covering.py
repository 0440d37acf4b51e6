"""What answers in production and has not been evaluated as it answers now.

An evaluation covers traffic of its model and prompt version whose typical prompt is as long as
those that it asked. So a new model, a new prompt version and a prompt that has grown each leave
their traffic uncovered, from the day on which they came until an evaluation is kept.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from analyzer.numbers import rounded
from analyzer.stats.percentiles import log_percentile
from analyzer.store import statement
from analyzer.swap.keeping import kept, token_ranges
from analyzer.swap.outcomes import UNKNOWN, Range, Run

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection

LEAST = 50  # requests in the week; fewer are no traffic to evaluate for
APART = 1.25  # a median within this factor of what was asked is as long

COVERAGE = pa.schema(
    [
        ("route", pa.string()),
        ("model", pa.string()),
        ("prompt_version", pa.string()),
        ("requests", pa.int64()),  # in the week
        ("since", pa.date32()),  # first day on which the route had both
        ("median_tokens", pa.int64()),  # context tokens of the route and model in the week
        ("covered", pa.bool_()),
        ("run", pa.string()),  # the latest that covers it; else the one that comes nearest
        ("why", pa.string()),  # what is missing; null where it is covered
    ]
)


def coverage(con: Connection, week: date, before: date | None = None) -> pa.Table:
    """One row a route, model and prompt version that had 50 requests in the week.

    `before`: only evaluations asked before that day count.
    """
    asked = {"first_day": week, "next_day": week + timedelta(days=7), "least": LEAST}
    traffic = con.execute(statement("swap/traffic"), asked).fetchall()
    typical = typical_tokens(con, week)
    seen = {model for _, model, *_ in traffic}
    runs = {name: run for name, run in kept(con, before).items() if run.model in seen}
    asked_of = token_ranges(con) if runs else {}
    rows = []
    for route, model, prompt_version, requests, since in traffic:
        median = typical.get((route, model))
        row = {
            "route": route,
            "model": model,
            "prompt_version": prompt_version,
            "requests": requests,
            "since": since,
            "median_tokens": median,
        }
        rows.append(row | held_by(runs, asked_of, model, prompt_version, median))
    return pa.Table.from_pylist(rows, COVERAGE)


def typical_tokens(con: Connection, week: date) -> dict[tuple[str, str], int]:
    """Median context tokens of each route and model in a week, where they are known."""
    asked = {"first_day": week, "next_day": week + timedelta(days=7), "route": None}
    bins: dict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)
    for route, model, context_bin, requests in con.execute(
        statement("swap/lengths"), asked
    ).fetchall():
        bins[route, model].append((context_bin, requests))
    medians = {scope: _median(mine) for scope, mine in bins.items()}
    return {scope: median for scope, median in medians.items() if median is not None}


def _median(bins: list[tuple[int, int]]) -> int | None:
    at, counts = (np.array(column) for column in zip(*bins, strict=True))
    found = float(log_percentile(at.astype(np.int64), counts.astype(np.float64), 50))
    return round(float(np.exp(found))) if np.isfinite(found) else None


def held_by(
    runs: Mapping[str, Run],
    asked_of: Mapping[str, Range],
    model: str,
    prompt_version: str,
    median: int | None,
) -> dict[str, Any]:
    """Whether one of the runs, the latest first, covers such traffic; and if not, why not.

    `asked_of`: the context tokens of those that say them.
    """
    if model == UNKNOWN:
        why = "requests do not say which model answered; log `model`"
        return {"covered": False, "run": None, "why": why}
    of_model = {name: run for name, run in runs.items() if run.model == model}
    alike = {name: run for name, run in of_model.items() if _same_prompt(run, prompt_version)}
    for name in alike:
        if _is_as_long(asked_of.get(name), median):
            return {"covered": True, "run": name, "why": None}
    if alike:
        name = next(iter(alike))
        return {"covered": False, "run": name, "why": _too_far(asked_of[name], median)}
    if of_model:
        why = f"prompt version {prompt_version} was never evaluated with this model"
        return {"covered": False, "run": next(iter(of_model)), "why": why}
    return {"covered": False, "run": None, "why": "this model was never evaluated"}


def _same_prompt(run: Run, prompt_version: str) -> bool:
    return UNKNOWN in (run.prompt_version, prompt_version) or run.prompt_version == prompt_version


def _is_as_long(asked: Range | None, median: int | None) -> bool:
    if asked is None or median is None:
        return True  # nothing is known that speaks against it
    return asked[0] / APART <= median <= asked[2] * APART


def _too_far(asked: Range, median: int | None) -> str:
    low, _, high = asked
    return (
        f"a typical prompt has about {rounded(median or 0)} context tokens, "
        f"and {low:,} to {high:,} were evaluated"
    )
