"""The changes most worth trying on each route, as what-if finds them in the logs of the week.

A route that gains nothing has a row too, so that it is not taken for one that was forgotten.
"""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from analyzer import names
from analyzer.measures.rows import week_of
from analyzer.report.prices import Prices
from analyzer.report.tables.columns import column
from analyzer.stats.settings import EffectSettings
from analyzer.whatif import TOKENS_PER_SECOND, Counting, best_changes, speed
from analyzer.whatif.best import LEAST, REQUESTS
from analyzer.whatif.table import answered

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection

SCHEMA = pa.schema(
    [
        column("route", pa.string(), "the route"),
        column("change", pa.string(), "the change, everything else as logged; none: see told"),
        column("why", pa.string(), "what it gains: more citations, or fewer tokens; NULL: none"),
        column("answers", pa.int64(), "answers of the week with something packed, as held"),
        column("replayed", pa.int64(), "of them, those packed and ordered again"),
        column("citations_change", pa.float64(), "expected relative change; NULL: not told"),
        column("low", pa.float64(), "of its 95% interval"),
        column("high", pa.float64(), "of its 95% interval"),
        column("cited", pa.int64(), "cited chunks of those answers"),
        column("cited_lost", pa.int64(), "of them, those that would not be packed"),
        column("lost_with_copy", pa.int64(), "of those, with a near-copy that would be"),
        column("cited_gone", pa.int64(), "cited chunks lost of which no near-copy would be packed"),
        column("expected_packed", pa.int64(), "packed expected chunks; NULL: none is labelled"),
        column("expected_lost", pa.int64(), "of them, those that would not be packed"),
        column("expected_lost_with_copy", pa.int64(), "of those, with a near-copy that would be"),
        column("expected_gone", pa.int64(), "those lost of which no near-copy would be packed"),
        column("tokens_saved", pa.int64(), "of all answers of the week, scaled by sample weight"),
        column("cost_saved", pa.float64(), "of those tokens, in the currency of the prices"),
        column("prefill_ms_saved", pa.float64(), "milliseconds a prompt until it is read"),
        column("told", pa.string(), "what the change of citations rests on, or why none is told"),
        column("speed", pa.string(), "what milliseconds are told by; NULL: none are told"),
    ]
)


def what_if_rows(
    con: Connection,
    week: date,
    prices: Prices,
    effect: EffectSettings | None = None,
    tokens_per_second: float = TOKENS_PER_SECOND,
) -> pa.Table:
    """At most three changes a route, the best first; none where no answer of the week is held."""
    counting = Counting(
        prices=prices.models,
        price=prices.input,
        tokens_per_second=tokens_per_second,
        requests=REQUESTS,
        effect=effect or EffectSettings(),
    )
    found = best_changes(con, week, None, counting).to_pylist()
    rows = [{**row, **_rounded(row), **_gone(row), **_said(row)} for row in found]
    gaining = {row["route"] for row in rows}
    rows += [
        _none(row) for row in answered(con, week_of(week, None)) if row["route"] not in gaining
    ]
    return pa.Table.from_pylist(rows, SCHEMA)


def _none(row: dict[str, Any]) -> dict[str, Any]:
    """A route without a change, and why."""
    if row["unranked"] == row["answers"]:
        why = "no prompt can be packed again, as packed chunks lack a rank of one retrieval"
    elif row["known"] < LEAST:
        why = (
            f"no change is proposed from fewer than {LEAST} answers of known citations whose "
            f"prompts can be packed again, and it has {row['known']:,}"
        )
    else:
        why = "no change that was tried gains anything"
    told = f"{names.shown(row['route'])}: {why}."
    return {"route": row["route"], "change": "none", "answers": row["answers"], "told": told}


def _rounded(row: dict[str, Any]) -> dict[str, float | None]:
    """Without the last digits, in which machines may differ: a page made again is the same."""
    told = ("citations_change", "low", "high")
    return {name: None if row[name] is None else round(row[name], 6) for name in told}


def _gone(row: dict[str, Any]) -> dict[str, int | None]:
    """What is lost for good: the text of a chunk that leaves a near-copy is still there."""
    gone = {"cited_gone": row["cited_lost"] - row["lost_with_copy"], "expected_gone": None}
    if row["expected_packed"] is not None:
        gone["expected_gone"] = row["expected_lost"] - row["expected_lost_with_copy"]
    return gone


def _said(row: dict[str, Any]) -> dict[str, str | None]:
    return {"told": _told(row), "speed": _speed(row)}


def _told(row: dict[str, Any]) -> str:
    if row["citations_change"] is not None:
        return "Changes of citations are told from how a route's own model read its prompts."
    return f"{names.shown(row['route'])}: no change of citations is told. {row['sentence']}"


def _speed(row: dict[str, Any]) -> str | None:
    return speed(row["tokens_per_second"]) if row["prefill_ms_saved"] else None
