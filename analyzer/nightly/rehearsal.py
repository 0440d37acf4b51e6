"""A dry run: the whole night on a copy of the store, of which nothing is kept and nobody is told.

So what it says is what the night would say, new files included. The copy lies beside the store, is
taken away at the end, and where a dry run was killed by the next night.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from msgspec import structs

from analyzer import storage
from analyzer.config import Config
from analyzer.fetching import beside as fetched_beside
from analyzer.nightly.alone import alone, dry_run_folder
from analyzer.nightly.done import Done
from analyzer.nightly.plan import Plan
from analyzer.nightly.reports import MADE
from analyzer.nightly.running import run_alone, tells
from analyzer.nightly.seen import beside as seen_beside
from analyzer.places import place, within
from analyzer.sources import waiting
from analyzer.watch.events import log_beside


def rehearse(plan: Plan) -> Done:
    """What a night would do."""
    with alone(plan.store), _folder(plan.store) as folder:
        config = _aside(plan.config, folder)
        _copy(plan.config, config)
        done = run_alone(replace(plan, config=config))
    return replace(done, store=str(plan.store), telling=tells(plan.config), rehearsed=True)


@contextmanager
def _folder(store: Path) -> Iterator[Path]:
    place = dry_run_folder(store)
    place.mkdir()
    try:
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _aside(config: Config, folder: Path) -> Config:
    """The same configuration with every output in the folder, and nobody to tell."""
    report = structs.replace(
        config.report, folder=str(folder / "reports") if config.report.folder else None
    )
    return structs.replace(
        config,
        store=folder / config.store.name,
        report=report,
        alerts=structs.replace(config.alerts, file=None, textfile=None),
        webhook=structs.replace(config.webhook, url=None),
    )


def _copy(config: Config, aside: Config) -> None:
    """The store, what lies beside it, and which reports were made of what."""
    if config.store.exists():
        shutil.copyfile(config.store, aside.store)
    waiting.copy(config.store, aside.store)
    for of in (log_beside, seen_beside, fetched_beside):
        if of(config.store).exists():
            shutil.copyfile(of(config.store), of(aside.store))
    if config.report.folder and aside.report.folder:
        made = storage.read(within(place(config.report.folder), MADE))
        if made is not None:
            Path(aside.report.folder).mkdir()
            storage.write(within(place(aside.report.folder), MADE), made)
