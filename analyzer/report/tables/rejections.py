"""Why lines were rejected, one row a field and kind of fault, whatever the value and the file.

A file a day with the same fault is one thing to mend; so rows are grouped by what holds instead,
and name the file in which most of them stand.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from analyzer import numbers
from analyzer.report.tables.columns import column

SCHEMA = pa.schema(
    [
        column("path", pa.string(), "the field without its place in a list; empty: the line"),
        column("reason", pa.string(), "what is wrong with it, with the commonest value"),
        column("values", pa.int64(), "how many different values were found there"),
        column("lines", pa.int64(), "lines rejected for it"),
        column("files", pa.int64(), "files that hold such lines"),
        column("file", pa.string(), "the file with most of them"),
        column("file_lines", pa.int64(), "how many of them it holds"),
        column("first_line", pa.int64(), "the first of them there, from 1"),
    ]
)

Row = dict[str, Any]

_AGAIN = " a second time"
_DIGITS = re.compile(r"\d+")


def rejection_rows(asked: pa.Table) -> pa.Table:
    """`asked`, the answer of `rejected_reasons`, put together; the most frequent first."""
    kinds: dict[tuple[str, str], list[Row]] = {}
    for row in asked.to_pylist():
        kinds.setdefault((row["path"], _kind(row["reason"])), []).append(row)
    rows = [_row(path, found) for (path, _), found in kinds.items()]
    rows.sort(key=lambda row: (-row["lines"], row["path"], row["reason"]))
    return pa.Table.from_pylist(rows, SCHEMA)


def _kind(reason: str) -> str:
    """`is 1 a second time, but …` without the value; what has no such form without its digits."""
    value, but, rule = reason.rpartition(", but ")
    if not but:
        return _DIGITS.sub("0", reason)
    return f"{_AGAIN if value.endswith(_AGAIN) else ''}{but}{rule}"


def _row(path: str, found: Sequence[Row]) -> Row:
    files: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    for row in found:
        files[row["file"]] += row["lines"]
        reasons[row["reason"]] += row["lines"]
    file = _most(files)
    others = numbers.counted(len(reasons) - 1, "other value") if len(reasons) > 1 else ""
    return {
        "path": path,
        "reason": f"{_most(reasons)}{f' (and {others})' if others else ''}",
        "values": len(reasons),
        "lines": files.total(),
        "files": len(files),
        "file": file,
        "file_lines": files[file],
        "first_line": min(row["first_line"] for row in found if row["file"] == file),
    }


def _most(counts: Counter[str]) -> str:
    return min(counts, key=lambda name: (-counts[name], name))
