"""Options that several commands share, so that one word means one thing everywhere."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

DEFAULT_STORE = Path("citations.duckdb")


class Format(StrEnum):
    """How a result is written."""

    table = "table"
    csv = "csv"
    json = "json"
    parquet = "parquet"


Store = Annotated[
    Path,
    typer.Option("--store", envvar="CITELOG_STORE", help="The store: one DuckDB file."),
]
AsFormat = Annotated[
    Format | None,
    typer.Option(
        "--format", help="How to write it; by default as the ending of -o says, else as a table."
    ),
]
Output = Annotated[
    Path | None, typer.Option("--output", "-o", help="Write to this file, not to stdout.")
]
