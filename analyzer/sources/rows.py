"""Rows of a table as columns of Python values: what Parquet and CSV have in common."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import pyarrow as pa

ROWS_AT_ONCE = 5000


class Flaw(NamedTuple):
    """Why a row or record cannot be used: the field's path ("" for all of it) and the reason."""

    path: str
    reason: str


@dataclass(frozen=True)
class Rows:
    """Some rows of a table. `numbers` count from 1; `flaws` are kept by row number."""

    numbers: Sequence[int]
    columns: dict[str, list[Any]]
    flaws: dict[int, Flaw] = field(default_factory=dict)


def python_values(column: pa.Array | pa.ChunkedArray) -> list[Any]:
    """The values of a column; maps become dictionaries."""
    # Only where there are maps, as the option makes everything five times slower.
    maps = "strict" if "map<" in str(column.type) else None
    return column.to_pylist(maps_as_pydicts=maps)  # type: ignore[no-any-return]


class Table(Protocol):
    """A file of rows that can be read more than once."""

    name: str

    @property
    def schema(self) -> pa.Schema:
        """Names and types of the columns that `batches` gives."""

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[Rows]:
        """All rows from the start; of all columns or of those named that the table has."""

    def typed(self, columns: dict[str, list[Any]]) -> dict[str, list[Any]]:
        """The values as the record's fields have them, None for what is absent."""
