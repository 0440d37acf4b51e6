"""Position-swap evaluation: the same question, its expected chunk moved to start, middle and end.

The only source of an absolute dip, in points of accuracy. A set is planned (`questions`, `logged`,
`planning`), asked (`evaluating`, over `endpoint` or `command`), judged (`judging`, `verdicts`) and
scored (`scoring`, `gating`). `keeping` puts what came out into the store, and from there come the
two tables that others ask for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import date

    import pyarrow as pa
    from duckdb import DuckDBPyConnection as Connection


def panel(con: Connection, week: date) -> pa.Table:
    """The last evaluation of each model, prompt version and route, asked before the week ended.

    The columns are those of `tables.PROFILES` and `tables.GATE`; `week` is its Monday.
    """
    from analyzer.swap import tables

    return tables.panel(con, week)


def coverage(con: Connection, week: date, before: date | None = None) -> pa.Table:
    """What answered in the week, and whether an evaluation asked before a day covers it.

    The columns are those of `covering.COVERAGE`; `before` None: any evaluation.
    """
    from analyzer.swap import covering

    return covering.coverage(con, week, before)
