"""What speaks for which cause where two releases stand side by side in the same days.

The table of causes compares before and since. Here one release stands for before and the other for
since: temporary tables under the names of the daily counts put them on two days, so every cause is
weighed by the same statements and the same table.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from datetime import date, timedelta
from typing import TYPE_CHECKING

from analyzer.measures.weekly import WeekEstimate
from analyzer.oncall.measured import Window
from analyzer.parameters import monday_of
from analyzer.stats.settings import EffectSettings
from analyzer.store import statement
from analyzer.watch.asked import Span
from analyzer.watch.cause_table import CauseTable
from analyzer.watch.evidence import Evidence, gathered

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection


def evidence(
    con: Connection,
    window: Window,
    dips: Sequence[WeekEstimate | None],
    table: CauseTable,
    effect: EffectSettings,
) -> Evidence:
    """The facts of the table about two releases; `dips` are their position effects, if known."""
    # No Monday: documents are counted by weeks, of both releases together, and must stay out.
    day = timedelta(days=1)
    start = monday_of(window.start) + day
    span = Span(window.route, start - day, start, start + day, start, start + day)
    with _set_beside(con, window, start):
        for moment, dip in zip((start - day, start), dips, strict=True):
            if dip is not None and dip.estimate.value is not None and dip.verdict == "OK":
                asked = {
                    "day": moment,
                    "route": window.route,
                    "value": dip.estimate.value,
                    "se": dip.estimate.se,
                    "size": dip.size,
                }
                con.execute(statement("oncall/beside/dip"), asked)
        return gathered(con, span, table, effect)


@contextmanager
def _set_beside(con: Connection, window: Window, since_day: date) -> Iterator[None]:
    known = asdict(window) | {"since_day": since_day}
    for part in con.extract_statements(statement("oncall/beside/counts")):
        con.execute(part, {name: known[name] for name in part.named_parameters})
    try:
        yield
    finally:
        con.execute(statement("oncall/beside/drop"))
