"""Load the files that are new, and make the store where there is none yet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from analyzer import store, updating
from analyzer.errors import UsageError
from analyzer.ingest import Batch
from analyzer.nightly.inputs import Inputs, inputs
from analyzer.nightly.plan import Plan

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection


def loaded(plan: Plan) -> tuple[Inputs, tuple[Batch, ...]]:
    """What was found, and what of it was loaded; every file is told of."""
    config, there = plan.config, plan.store.exists()
    if there:
        with store.reader(plan.store) as con:
            _check_zone(con, plan)
            found = inputs(con, config)
    else:
        found = inputs(None, config)
        with store.writer(plan.store, time_zone=config.time_zone, unit_key=config.inputs.unit_key):
            plan.tell("store", {"made": str(plan.store)})
    for file, why in found.unreadable.items():
        plan.tell("unreadable", {"file": file, "why": why})
    for why in found.unmatched:
        plan.tell("unmatched", {"why": why})
    batches = tuple(_ingested(plan, found.new)) if found.new else ()
    if plan.estimate_again:
        updating.estimate_again(plan.store, config.effect_settings)
    return found, batches


def _ingested(plan: Plan, new: Sequence[Path]) -> Iterator[Batch]:
    asked = plan.config.inputs
    for batch in updating.ingest(
        new,
        plan.store,
        now=plan.now,
        effect=plan.config.effect_settings,
        max_rejected=asked.max_rejected,
        assume_timezone=asked.assume_timezone,
        marker_base=asked.marker_base,
        format=asked.format,
        must_read=False,
        progress=plan.progress,
    ):
        counts = {
            name: getattr(batch, name)
            for name in ("batch", "file", "state", "read", "loaded", "duplicate", "superseded")
        }
        plan.tell("file", {**counts, "rejected": batch.rejected, "note": batch.note})
        yield batch


def _check_zone(con: Connection, plan: Plan) -> None:
    held, wanted = store.settings(con)["time_zone"], plan.config.time_zone
    if wanted is not None and wanted != held:
        raise UsageError(
            f"{plan.store}: cuts its days in {held}, and that is fixed; set time_zone to "
            f'"{held}" or make a new store'
        )
