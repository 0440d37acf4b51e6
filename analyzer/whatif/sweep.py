"""One limit from tight to loose: where does a longer prompt stop bringing what answers need?

Recall of cited chunks cannot say what chunks that were never packed would have brought, so beyond
what was logged it is flat by nature; expected chunks, where labels exist, see further.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np
import pyarrow as pa

from analyzer.measures.rows import Scope
from analyzer.stats.arrays import Floats
from analyzer.whatif.candidates import Candidates
from analyzer.whatif.change import Change
from analyzer.whatif.counting import Counting
from analyzer.whatif.table import Route, routes, tabled

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection

Swept = Literal["top_k", "budget", "per_document", "dedupe"]  # fields of a `Change`
Value = int | bool | None
R = TypeVar("R", bound=Mapping[str, Any])

FLAT = 0.01  # recall that the rest of a longer prompt would add at most
_ALL_UP_TO = 12
_STEPS = (14, 16, 18, 20, 25, 30, 40, 50, 75, 100)
_CAPS = (1, 2, 3, 4, 5, 6, 8, 10, 15, 20)
_TENTHS = np.arange(1, 11) / 10  # of the 95th percentile of context tokens


def sweep(
    con: Connection, scope: Scope, swept: Swept, change: Change, counting: Counting | None = None
) -> pa.Table:
    """A row of `table.SCHEMA` for each route and value, the tightest first; else as `change`."""
    rows = [
        route.row(_with(change, swept, value))
        for route in routes(con, scope, counting or Counting())
        for value in values(route, swept)
    ]
    return tabled(rows)


def _with(change: Change, swept: Swept, value: Value) -> Change:
    changed: dict[str, Any] = {swept: value}
    return replace(change, **changed)


def values(route: Route, swept: Swept) -> Sequence[Value]:
    """What is tried on a route, from the tightest on; None: no limit."""
    if swept == "top_k":
        return steps(widest(route))
    if swept == "budget":
        return _budgets(contexts(route))
    if swept == "per_document":
        return [*(cap for cap in _CAPS if cap < largest_share(route)), None]
    return [True, False]


def widest(route: Route) -> int:
    """The largest number of candidates that a request of the route logged."""
    return max(int(block.there.sum(axis=1).max()) for block in route.blocks)


def steps(widest: int) -> list[int]:
    """Every top-k up to 12, then in growing steps; the last one holds all candidates."""
    tried = [*range(1, _ALL_UP_TO + 1), *_STEPS]
    return sorted({*(k for k in tried if k < widest), widest})


def contexts(route: Route) -> Floats:
    """Context tokens of the requests whose candidates all have tokens."""
    counted = [block.context[block.counted] for block in route.blocks]
    return np.concatenate(counted).astype(np.float64)


def rounded_budget(tokens: float) -> int:
    """A budget as people set it: in whole hundreds."""
    return max(100, int(round(tokens, -2)))


def largest_share(route: Route) -> int:
    """The most candidates of one document that a request of the route logged."""
    return max(_largest_share(block) for block in route.blocks)


def flattens_at(rows: Sequence[R], recall: str) -> R | None:
    """The tightest row that has all but one in a hundred of the chunks that the loosest has.

    `rows` are those of one route, the tightest first, `recall` one of their columns; None where it
    is not known.
    """
    known = [row for row in rows if row[recall] is not None]
    most = max((row[recall] for row in known), default=0.0)
    return next((row for row in known if row[recall] >= most - FLAT), None)


def _budgets(contexts: Floats) -> Sequence[int | None]:
    """Tenths of a long prompt, and one that holds every prompt; without tokens no limit alone."""
    if not len(contexts):
        return [None]
    tenths = np.quantile(contexts, 0.95) * _TENTHS
    enough = -(-int(contexts.max()) // 100) * 100
    return sorted({*map(rounded_budget, tenths.tolist()), max(100, enough)})


def _largest_share(block: Candidates) -> int:
    named = np.where(block.there & (block.document >= 0), block.document, -1)
    ordered = np.sort(named, axis=1)
    width = ordered.shape[1]
    for size in range(width, 1, -1):
        first = ordered[:, : width - size + 1]
        if ((first == ordered[:, size - 1 :]) & (first >= 0)).any():
            return size
    return 1
