"""What is said of a file that was set aside: how much of it is faulty, and what lets it in."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from analyzer import numbers
from analyzer.ingest.loading import Batch, rejected_lines

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection


def explained(con: Connection, batch: Batch, path: Path, max_rejected: float) -> Batch:
    """The batch, with a note where it was set aside; `path` is the store's."""
    if batch.state != "set_aside":
        return batch
    faults = rejected_lines(con, batch.batch)
    lines, are = numbers.counted(batch.read, "line"), "is" if faults == 1 else "are"
    words = ["citelog", "rejected", "--batch", batch.batch[:12], "--store", str(path)]
    larger = f"max_rejected={numbers.rounded_up(faults, batch.read):g}"
    others = f", and {larger} loads the others" if faults < batch.read else ""
    note = (
        f"{batch.file}: {faults:,} of its {lines} {are} faulty, more than max_rejected "
        f"{max_rejected:g} allows, so nothing of it is loaded; {shlex.join(words)} says why{others}"
    )
    return replace(batch, note=note)
