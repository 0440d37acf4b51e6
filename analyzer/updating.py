"""What a writer leaves behind: facts and rollups loaded, estimates made, events taken in.

`ingest` knows nothing of statistics and `watch` nothing of files; here both are done in one go,
so that whatever is published is complete.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from analyzer import elsewhere, erasing, fetching, store
from analyzer import ingest as loader
from analyzer.engine import storing
from analyzer.engine.storing import Loaded
from analyzer.erasing import Erased
from analyzer.ingest import Batch
from analyzer.measures import weekly
from analyzer.places import Place
from analyzer.sources import waiting
from analyzer.stats.settings import EffectSettings
from analyzer.storage import Listed
from analyzer.watch import events

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection


def ingest(
    paths: Sequence[str | Path | Listed],
    path: Path,
    *,
    effect: EffectSettings | None = None,
    **options: Any,
) -> list[Batch]:
    """Load logs; the options are those of `analyzer.ingest.ingest`.

    Objects of a bucket that the store holds and that have not changed are not fetched.
    """
    if path.exists():
        with store.reader(path) as con:
            elsewhere.refuse(con, path)  # before an hour of reading, not after
    asked = fetching.sorted_out(paths, path)
    if asked.known:
        options["must_read"] = False
        if not asked.paths:
            return asked.known
    options["beside"] = [*options.get("beside", ()), *asked.beside]
    then = partial(_settle_own, path=path, effect=effect)
    brought = loader.ingest(asked.paths, path, then=then, **options)
    _clear(path)
    fetching.remember(asked.new, brought, path)
    return asked.known + brought


def forget(names: Sequence[str], path: Path, effect: EffectSettings | None = None) -> list[Batch]:
    """Take batches back, each named by its hash or an unambiguous beginning of it."""
    forgotten = loader.forget(names, path, then=lambda con: _settle_own(con, path, effect))
    _clear(path)
    return forgotten


def erase(
    path: Path,
    *,
    requests: Sequence[str] = (),
    units: Sequence[str] = (),
    today: date,
    effect: EffectSettings | None = None,
) -> Erased:
    """Erase what is held of requests and of units, so that no byte of it is left in the file."""
    with store.writer(path, new=False, rewritten=True) as con:
        erased = erasing.erase(con, requests, units, today)
        waiting.erase(path, requests, units)
        _settle_own(con, path, effect)
    _clear(path)
    return erased


def estimate_again(path: Path, effect: EffectSettings | None = None) -> None:
    """Make the estimates of every week again, after its thresholds were changed."""
    with store.writer(path, new=False) as con:
        con.execute(store.statement("measures/unmake"))
        _settle(con, path, effect)
    _clear(path)


def load_rollups(folder: Place, path: Path, effect: EffectSettings | None = None) -> Loaded:
    """Make a store of published rollups, or bring it up to date with them."""
    made = storing.fixed(folder)
    new = not path.exists()
    zone, key = (made.time_zone, made.unit_key) if new else (None, None)
    with store.writer(path, time_zone=zone, unit_key=key) as con:
        loaded = storing.load(con, folder, str(path))
        _settle(con, path, effect)
    _clear(path)
    return loaded


def _settle_own(con: Connection, path: Path, effect: EffectSettings | None) -> None:
    elsewhere.refuse(con, path)
    _settle(con, path, effect)


def _settle(con: Connection, path: Path, effect: EffectSettings | None = None) -> None:
    weekly.update(con, effect)
    events.merge(con, path)


def _clear(path: Path) -> None:
    """Only what is published may leave the log."""
    with store.reader(path) as con:
        events.forget_log(con, path)
