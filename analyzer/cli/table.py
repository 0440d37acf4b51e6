"""A result as text that people or programs read.

For people the columns are aligned and cut to the width of the terminal; for programs CSV and JSON
carry every digit.
"""

from __future__ import annotations

import csv
import io
import json
import math
import shutil
import sys
from collections.abc import Callable, Iterator
from datetime import date, datetime, time
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from analyzer import numbers
from analyzer.cli import say

if TYPE_CHECKING:
    import pyarrow as pa

_GAP = "  "
_NARROWEST_CUT = 16


def aligned(result: pa.Table, width: int | None = None) -> str:
    """Columns under their names, numbers to the right; NULL is "-", a bare share in per cent.

    With a `width` columns are left out from the right and named in a last line; the last one that
    is shown may end in an ellipsis.
    """
    writers = {"share": numbers.rate} if "low" not in result.column_names else {}
    columns = [
        _column(name, values, writers.get(name, _cell))
        for name, values in zip(result.column_names, result.columns, strict=True)
    ]
    shown = columns if width is None else _within(columns, width)
    lines = [_GAP.join(row).rstrip() for row in zip(*shown, strict=True)]
    return "\n".join(lines + _left_out(result, len(shown)))


def terminal_width() -> int | None:
    """Columns of the terminal on stdout; None where stdout is none, so that nothing is cut."""
    return shutil.get_terminal_size().columns if say.to_terminal(sys.stdout) else None


def json_lines(result: pa.Table) -> Iterator[str]:
    """A JSON array, one object a line for each row; times as RFC 3339, NaN as null."""
    yield "["
    rows = result.num_rows
    for number, row in enumerate(result.to_pylist(), start=1):
        yield json.dumps(exact(row), ensure_ascii=False) + ("," if number < rows else "")
    yield "]"


def csv_lines(result: pa.Table) -> Iterator[str]:
    """CSV with a header; NULL is empty, times as RFC 3339, lists as JSON."""
    line = io.StringIO()
    writer = csv.writer(line, lineterminator="")
    for row in [result.column_names, *result.to_pylist()]:
        writer.writerow(row if isinstance(row, list) else map(_field, row.values()))
        yield line.getvalue()
        line.seek(0)
        line.truncate()


def _column(name: str, values: pa.ChunkedArray, write: Callable[[Any], str]) -> list[str]:
    from pyarrow.types import is_decimal, is_floating, is_integer

    cells = [name, *map(write, values.to_pylist())]
    to_right = any(is_kind(values.type) for is_kind in (is_integer, is_floating, is_decimal))
    widest = max(map(width_of, cells))
    return [padded(cell, widest, to_right=to_right) for cell in cells]


def padded(cell: str, widest: int, *, to_right: bool) -> str:
    """A cell as wide as its column."""
    space = " " * (widest - width_of(cell))
    return space + cell if to_right else cell + space


def width_of(cell: str) -> int:
    """How many columns of a terminal a text takes."""
    from rich.cells import cell_len

    return cell_len(cell)


def _cell(value: Any) -> str:
    match value:
        case None:
            return "-"
        case bool():
            return "yes" if value else "no"
        case int() | Decimal() if value == int(value):
            return f"{int(value):,}"
        case float():
            return f"{value:.4f}" if abs(value) < 1000 else f"{value:,.1f}"
        case datetime():
            return value.isoformat(sep=" ", timespec="seconds")
        case _:
            return say.plain(str(value))


def _shortened(text: str, width: int) -> str:
    from rich.cells import set_cell_size

    whole = text.rstrip()
    return whole if width_of(whole) <= width else set_cell_size(whole, width - 1) + "…"


def _within(columns: list[list[str]], width: int) -> list[list[str]]:
    shown: list[list[str]] = []
    for column in columns:
        if width_of(column[0]) > width:
            return [*shown, *_cut(column, width)] or [column]
        shown.append(column)
        width -= width_of(column[0]) + len(_GAP)
    return shown


def _cut(column: list[str], width: int) -> list[list[str]]:
    """The column cut to `width`, as a list of one; of none where too little of it would be left."""
    if width < _NARROWEST_CUT or width < width_of(column[0].strip()):
        return []
    return [[_shortened(cell, width) for cell in column]]


def _left_out(result: pa.Table, kept: int) -> list[str]:
    names = result.column_names[kept:]
    if not names:
        return []
    return [f"not shown for want of width: {', '.join(names)} (--format csv has them)"]


def exact(value: Any) -> Any:
    """A value as JSON holds it: times as RFC 3339, NaN and infinities as null, bytes as hex."""
    match value:
        case None | bool() | int() | str():
            return value
        case dict():
            return {name: exact(inner) for name, inner in value.items()}
        case list() | tuple():
            return [exact(inner) for inner in value]
        case float():
            return value if math.isfinite(value) else None
        case Decimal():
            return int(value) if value == int(value) else float(value)
        case datetime() | date() | time():
            return value.isoformat()
        case bytes():
            return value.hex()
        case _:
            return str(value)


def _field(value: Any) -> Any:
    match exact(value):
        case bool() | list() | dict() as nested:
            return json.dumps(nested, ensure_ascii=False)
        case other:
            return other
