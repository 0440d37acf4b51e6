"""Load the files that are new, and make the store where there is none yet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from analyzer import store, updating
from analyzer.config import Config
from analyzer.errors import CitelogError, UsageError
from analyzer.fetching import Remembered
from analyzer.ingest import Batch
from analyzer.nightly.inputs import Inputs, inputs
from analyzer.nightly.plan import Plan
from analyzer.nightly.seen import Seen
from analyzer.places import place
from analyzer.sources import Incomplete
from analyzer.sources.together import File

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection


def loaded(plan: Plan) -> tuple[Inputs, tuple[Batch, ...]]:
    """What was found, and what of it was loaded; every file is told of."""
    _check_outputs(plan.config)
    if plan.config.inputs.rollups is not None:
        return _rolled(plan, plan.config.inputs.rollups)
    if not plan.store.exists():
        _make(plan)
    with store.reader(plan.store) as con:
        _check_zone(con, plan)
        seen, remembered = Seen(plan.store, plan.now), Remembered(plan.store)
        found = inputs(con, plan.config, seen, remembered)
    new = [file for file in found.new if _still_there(file, found)]
    for file, why in found.unreadable.items():
        plan.tell("unreadable", {"file": file, "why": why})
    for why in found.unmatched:
        plan.tell("unmatched", {"why": why})
    batches = tuple(_ingested(plan, new, found.beside)) if new else ()
    if plan.estimate_again:
        updating.estimate_again(plan.store, plan.config.effect_settings)
    return found, batches


def _rolled(plan: Plan, folder: str) -> tuple[Inputs, tuple[Batch, ...]]:
    """Counts that were made elsewhere, in the place of logs."""
    loaded = updating.load_rollups(place(folder), plan.store, plan.config.effect_settings)
    with store.reader(plan.store) as con:
        _check_zone(con, plan)
    for why in loaded.remarks:
        plan.tell("unmatched", {"why": why})
    plan.tell("rollups", {"folder": folder, "days": len(loaded.days), "same": loaded.same})
    if plan.estimate_again:
        updating.estimate_again(plan.store, plan.config.effect_settings)
    return Inputs(known=loaded.same, rolled=len(loaded.days)), ()


def _still_there(file: File, found: Inputs) -> bool:
    """A rotation may take a file away between looking at it and loading it."""
    if isinstance(file, Path) and not file.exists():
        found.unreadable[str(file)] = f"{file}: there is no such file any more; it was just there"
        return False
    return True


def _make(plan: Plan) -> None:
    asked = plan.config
    with store.writer(plan.store, time_zone=asked.time_zone, unit_key=asked.inputs.unit_key):
        plan.tell("store", {"made": str(plan.store)})


def _ingested(plan: Plan, new: Sequence[File], beside: Sequence[File]) -> Iterator[Batch]:
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
        mapping=asked.mapping,
        tokenizer=plan.config.tokenizer or None,
        route_attribute=asked.route_attribute,
        beside=beside,
        incomplete=Incomplete.of(asked),
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


def _check_outputs(config: Config) -> None:
    """What cannot be written is told before an hour of loading, not after."""
    folder = place(config.report.folder) if config.report.folder else None
    for file in (config.alerts.file, config.alerts.textfile, folder):
        if isinstance(file, Path) and not file.absolute().parent.is_dir():
            raise CitelogError(f"{file}: the folder it is to lie in is not there; make it first")
