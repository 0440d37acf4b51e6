"""Tables of panels that are worked out rather than asked, or of several answers put together.

Each carries the meaning of its columns in its schema, as a question does in its header.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from functools import cache
from typing import TYPE_CHECKING

import pyarrow as pa

from analyzer import swap
from analyzer.report.prices import Prices
from analyzer.report.tables.effects import effect_rows
from analyzer.report.tables.evaluations import covered_rows, gap_rows, placed_rows
from analyzer.report.tables.lengths import length_rows
from analyzer.report.tables.orderings import ordering_rows
from analyzer.report.tables.rejections import rejection_rows
from analyzer.report.tables.seen import reach_table
from analyzer.report.tables.spending import spending_rows
from analyzer.report.tables.weeks import judged_weeks
from analyzer.report.tables.what_if import what_if_rows
from analyzer.stats.settings import EffectSettings
from analyzer.whatif import TOKENS_PER_SECOND

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection

    from analyzer.watch import Alarms

Make = Callable[[], pa.Table]
Ask = Callable[[str, tuple[str, ...]], pa.Table]


def makers(
    con: Connection,
    week: date,
    weeks: int,
    found: Alarms | None,
    prices: Prices,
    ask: Ask,
    effect: EffectSettings | None = None,
    tokens_per_second: float = TOKENS_PER_SECOND,
) -> Mapping[str, Make]:
    """What a panel may name as `made`; `weeks` are those that are drawn."""
    evaluated = cache(lambda: swap.panel(con, week))
    return {
        "effects": lambda: effect_rows(con, week, effect),
        "orderings": lambda: ordering_rows(con, week),
        "judged_weeks": lambda: judged_weeks(
            con,
            week,
            weeks,
            found,
            ask("weekly_measures", ("week", "weeks", "lengths")),
            ask("context_tokens", ("week", "weeks")),
        ),
        "lengths": lambda: length_rows(con, week, weeks, ask("context_tokens", ("week", "weeks"))),
        "spending": lambda: spending_rows(con, week, prices),
        "what_if": lambda: what_if_rows(con, week, prices, effect, tokens_per_second),
        "evaluated_places": lambda: placed_rows(evaluated()),
        "gaps": lambda: gap_rows(evaluated()),
        "coverage": lambda: covered_rows(con, week),
        "rejections": lambda: rejection_rows(ask("rejected_reasons", ())),
        "reaches": lambda: reach_table(found, week),
    }
