"""A run from what people name: what is fixed where it writes, which files are meant, an engine."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from zoneinfo import available_timezones

from analyzer import facts
from analyzer.engine import engine, published, rolling
from analyzer.engine.published import Settings
from analyzer.engine.reading import Asked
from analyzer.engine.rolling import Rolled, Span
from analyzer.errors import CitelogError, UsageError
from analyzer.places import Place, is_address, within
from analyzer.reading.pieces import Rules
from analyzer.sources import expand
from analyzer.sources.finding import STDIN
from analyzer.storage import Listed

# What the client lists as well as the cluster; of other storages only the cluster knows.
_OURS = ("s3://", "s3a://")
EVERY_DAY = Span()


@dataclass(frozen=True)
class Wanted:
    """What is asked of a run; None: as it was, or as a load would find out."""

    engine: str
    inputs: Sequence[str]
    output: Place
    now: datetime
    max_rejected: float
    span: Span = EVERY_DAY
    facts: Place | None = None
    time_zone: str | None = None
    unit_key: str | None = None
    assume_timezone: timezone | None = None
    marker_base: int | None = None


def run(wanted: Wanted) -> Rolled:
    """Roll up and publish. Raises `CitelogError`; days that were published until then stand."""
    _check(wanted)
    files = _files(wanted)
    held = _settled(wanted)
    settings = facts.Settings(held.time_zone, bytes.fromhex(held.unit_key))
    rules = Rules(wanted.now, wanted.assume_timezone, None, wanted.marker_base)
    scratch = within(wanted.output, f"scratch/{secrets.token_hex(6)}")
    with engine(wanted.engine, scratch) as one:
        return rolling.roll(
            one,
            files,
            Asked(rules, settings, wanted.max_rejected),
            published.place(wanted.output),
            wanted.span,
            wanted.facts,
        )


def _check(wanted: Wanted) -> None:
    """What cannot be is said before anything is read or written."""
    if STDIN in wanted.inputs:
        raise UsageError("stdin cannot be read by workers; name files, folders of them or globs")
    if wanted.engine == "duckdb" and is_address(wanted.facts):
        raise UsageError(
            f"{wanted.facts}: DuckDB keeps facts in a folder here; name one with --facts"
        )


def _settled(wanted: Wanted) -> Settings:
    """What is fixed where the rollups go, settled now where nothing is."""
    output = published.place(wanted.output)
    held = published.settings(output)
    if held is None:
        zone = wanted.time_zone or "UTC"
        if zone not in available_timezones():
            raise UsageError(
                f"time zone {zone!r} is not known; name one of the IANA zones, as Europe/Berlin"
            )
        held = Settings(zone, wanted.unit_key or secrets.token_hex(16))
    for name, asked, fixed in (
        ("time zone", wanted.time_zone, held.time_zone),
        ("unit key", wanted.unit_key, held.unit_key),
    ):
        if asked is not None and asked != fixed:
            raise UsageError(
                f"{wanted.output}: the {name} of its rollups is fixed and is another; "
                f"leave --{name.replace(' ', '-')} out or name a new folder"
            )
    for folder in (wanted.output, wanted.facts):
        if folder is not None:
            _fix(folder, held)
    return held


def _fix(folder: Place, made: Settings) -> None:
    """Settle what is fixed in a folder; raises where it is another."""
    there = published.settings(published.place(folder))
    if there is None:
        published.settle(published.place(folder), made)
    elif there != made:
        raise UsageError(f"{folder}: is fixed to another time zone or unit key; name a new folder")


def _files(wanted: Wanted) -> list[Place | Listed]:
    if wanted.engine == "duckdb":
        return _apart([file for file in expand(wanted.inputs) if file != STDIN], wanted)
    named: list[Place | Listed] = []
    for path in wanted.inputs:
        if is_address(path) and not path.startswith(_OURS):
            named.append(path)
            continue
        found = expand([str(published.place(path))])
        scheme = path.partition("://")[0]
        named += [
            f"{scheme}://{one.address.partition('://')[2]}"
            if isinstance(one, Listed)
            else Path(one)
            for one in found
        ]
    return _apart(named, wanted)


def _apart(files: list[Place | Listed], wanted: Wanted) -> list[Place | Listed]:
    """What a run wrote is no log, even where logs and rollups share a folder."""
    outputs = [str(each) for each in (wanted.output, wanted.facts) if each is not None]
    inside = [file for file in files if any(str(file).startswith(f"{out}/") for out in outputs)]
    if inside:
        raise CitelogError(
            f"{inside[0]}: lies in the folder that rollups are written to; keep logs and rollups "
            "in folders apart"
        )
    return files
