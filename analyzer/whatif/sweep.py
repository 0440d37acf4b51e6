"""Top-k from 1 on: where does a longer prompt stop bringing what answers need?

Recall of cited chunks cannot say what chunks that were never packed would have brought, so beyond
the logged K it is flat by nature; expected chunks, where labels exist, see further.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from analyzer.measures.rows import Scope
from analyzer.whatif.change import Change
from analyzer.whatif.counting import Counting
from analyzer.whatif.table import Route, routes, tabled

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection

FLAT = 0.01  # recall that the rest of a longer prompt would add at most
_ALL_UP_TO = 12
_STEPS = (14, 16, 18, 20, 25, 30, 40, 50, 75, 100)


def sweep_top_k(
    con: Connection, scope: Scope, change: Change, counting: Counting | None = None
) -> pa.Table:
    """A row of `table.SCHEMA` for each route and top-k; everything else as `change` says."""
    rows = [
        route.row(replace(change, top_k=k))
        for route in routes(con, scope, counting or Counting())
        for k in steps(widest(route))
    ]
    return tabled(rows)


def widest(route: Route) -> int:
    """The largest number of candidates that a request of the route logged."""
    return max(int(block.there.sum(axis=1).max()) for block in route.blocks)


def steps(widest: int) -> list[int]:
    """Every top-k up to 12, then in growing steps; the last one holds all candidates."""
    tried = [*range(1, _ALL_UP_TO + 1), *_STEPS]
    return sorted({*(k for k in tried if k < widest), widest})


def flattens_at(rows: Sequence[Mapping[str, Any]], recall: str) -> int | None:
    """The smallest top-k that has all but one in a hundred of the chunks that the largest has.

    `rows` are those of one route, `recall` one of their columns; None where it is not known.
    """
    known = [row for row in rows if row[recall] is not None]
    if not known:
        return None
    most = max(row[recall] for row in known)
    return min(int(row["top_k"]) for row in known if row[recall] >= most - FLAT)
