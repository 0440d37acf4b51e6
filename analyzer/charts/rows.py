"""A table's rows as a chart carries them: plain numbers, few digits, days as UTC milliseconds.

Days are numbers because a browser reads a date text by the rules of its own time zone.
"""

from __future__ import annotations

import math
from datetime import UTC, date, datetime, time
from typing import Any

import pyarrow as pa

DIGITS = 5  # of a number from 1 on
DECIMALS = 4  # of one below: a hundredth of a percent


def chart_rows(table: pa.Table) -> list[dict[str, Any]]:
    return [{name: _plain(value) for name, value in row.items()} for row in table.to_pylist()]


def epoch_ms(day: date) -> int:
    """Midnight UTC of a day, in milliseconds since 1970."""
    return int(datetime.combine(day, time(), UTC).timestamp() * 1000)


def largest(table: pa.Table, *columns: str) -> float:
    """The largest finite value of those columns that the table has; 0 where there is none."""
    present = [name for name in columns if name in table.column_names]
    values = [value for name in present for value in table[name].to_pylist()]
    return max((float(value) for value in values if _finite(value)), default=0.0)


def smallest(table: pa.Table, *columns: str) -> float:
    """The smallest finite value of those columns that the table has; 0 where there is none."""
    present = [name for name in columns if name in table.column_names]
    values = [value for name in present for value in table[name].to_pylist()]
    return min((float(value) for value in values if _finite(value)), default=0.0)


def _finite(value: Any) -> bool:
    return value is not None and math.isfinite(value)


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return _short(value) if math.isfinite(value) else None
    if isinstance(value, date):
        return epoch_ms(value)
    return value


def _short(value: float) -> float:
    return round(value, DECIMALS) if abs(value) < 1 else float(f"{value:.{DIGITS}g}")
