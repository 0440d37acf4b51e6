"""The changes most worth trying on a route, found by trying the usual ones on its logged prompts.

First those that raise citations, the whole interval above 0 and not by a trifle; then those that
save tokens and lose hardly any cited chunk. Neither may lose more than hardly any expected chunk,
where labels exist. A lost chunk of which a near-copy stays counts as kept here, as its text does;
the expected change of citations counts it as lost.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from analyzer.measures.rows import Scope, week_of
from analyzer.ordering import BY_RANK
from analyzer.whatif.change import Change
from analyzer.whatif.counting import Counting
from analyzer.whatif.sweep import contexts, rounded_budget, steps, widest
from analyzer.whatif.table import SCHEMA, Route, answered, routes

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection

BEST = 3  # changes of a route
LOSABLE = 0.01  # share of cited chunks, and of expected ones
LEAST = 50  # answers of known citations; from fewer no change of a route is proposed
WORTH_CITING = 0.005  # relative change of citations
WORTH_SAVING = 0.01  # share of tokens
USUAL = 0.8  # share of the prompts that have an ordering already
REQUESTS = 2_000  # of a route: a report must not wait for more
ORDERINGS = ("edges_first", "best_first", "best_last")
_BUDGETS = (0.5, 0.75, 0.9)  # of the 95th percentile of context tokens

BEST_SCHEMA = SCHEMA.append(pa.field("why", pa.string()))  # more citations, or fewer tokens


def best_changes(
    con: Connection, week: date, route: str | None = None, counting: Counting | None = None
) -> pa.Table:
    """At most three changes a route, the best first: rows of `SCHEMA`, and `why`.

    A route with none of them has nothing to gain from what was tried, as far as its log can tell.
    """
    return best_of(con, week_of(week, route), counting or Counting(requests=REQUESTS))


def best_of(con: Connection, scope: Scope, counting: Counting) -> pa.Table:
    """The same over any span of days."""
    rows = [
        row
        for each in routes(con, scope, counting)
        if each.known >= LEAST
        for row in sorted(_worth(each), key=_order)[:BEST]
    ]
    return pa.Table.from_pylist(rows, BEST_SCHEMA)


def too_few(con: Connection, scope: Scope) -> dict[str, int]:
    """Routes with answers that can be packed again, but too few of known citations: how many."""
    return {
        row["route"]: row["known"]
        for row in answered(con, scope)
        if row["unranked"] < row["answers"] and row["known"] < LEAST
    }


def enough(con: Connection, scope: Scope) -> bool:
    """Whether there is a route that a change could be proposed for."""
    return any(row["known"] >= LEAST for row in answered(con, scope))


def _worth(route: Route) -> Iterator[dict[str, Any]]:
    for change in _tried(route):
        row = route.row(change)
        why = _why(row)
        if why:
            yield {**row, "why": why}


def _why(row: dict[str, Any]) -> str | None:
    if row["replayed"] < LEAST or not _hardly_loses_expected(row):
        return None
    if row["low"] is not None and row["low"] > 0 and row["citations_change"] >= WORTH_CITING:
        return "more citations"
    saves = row["tokens_saved"] and row["tokens_then"] <= (1 - WORTH_SAVING) * row["tokens_now"]
    return "fewer tokens" if saves and _hardly_loses(row) else None


def _hardly_loses(row: dict[str, Any]) -> bool:
    """Whether nearly all cited and expected chunks stay, or leave a near-copy.

    Where nothing is cited, nothing tells what can be spared.
    """
    lost, cited = row["cited_lost"] - row["lost_with_copy"], row["cited"]
    return bool(cited and lost <= LOSABLE * cited) and _hardly_loses_expected(row)


def _hardly_loses_expected(row: dict[str, Any]) -> bool:
    """The same of expected chunks that are packed; without labels nothing is held against it."""
    if row["expected_packed"] is None:
        return True
    lost = row["expected_lost"] - row["expected_lost_with_copy"]
    return bool(lost <= LOSABLE * row["expected_packed"])


def _order(row: dict[str, Any]) -> tuple[int, float]:
    more = row["why"] == "more citations"
    return (0, -row["citations_change"]) if more else (1, -row["tokens_saved"])


def _tried(route: Route) -> Iterator[Change]:
    """The usual changes; of limits only the tightest that loses hardly anything."""
    yield from (Change(ordering=name) for name in ORDERINGS if _share(route, name) < USUAL)
    yield Change(dedupe=True)
    limits = (
        [Change(top_k=k) for k in steps(widest(route))],
        [Change(per_document=cap) for cap in (2, 3)],
        [Change(budget=budget) for budget in _budgets(route)],
    )
    for several in limits:
        fine = (change for change in several if _hardly_loses(route.facts(change)))
        yield from islice(fine, 1)


def _budgets(route: Route) -> list[int]:
    counted = contexts(route)
    if not len(counted):
        return []
    p95 = float(np.quantile(counted, 0.95))
    return sorted({rounded_budget(share * p95) for share in _BUDGETS})


def _share(route: Route, ordering: str) -> float:
    """Of the prompts, those that have this ordering."""
    laid = np.concatenate([block.ordering for block in route.blocks])
    return float((laid == BY_RANK.index(ordering)).mean())
