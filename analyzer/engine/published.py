"""Rollups and facts as they are published: Parquet, and a manifest for each day that says which.

    settings.json               what every day here has in common; written once
    days/2026-11-16.json        the manifest of a day: the only place that says what belongs to it
    weeks/2026-11-16.json       the same of what is counted by week
    runs/<run>.json             what a run read: its files, their rejected lines, labels that wait
    data/<run>/<table>/...      what manifests point to; whatever none points to does not exist

A manifest is put in place by one rename after everything it names is on the disk, so a day that is
half written is never read, and one that is written again changes at one moment. A day whose content
is the same keeps its manifest. This module alone knows how all of it is written and read.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from datetime import date, datetime
from pathlib import Path
from typing import Literal, TypeVar

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from analyzer import storage
from analyzer.errors import CitelogError
from analyzer.places import Place, within

FORMAT = 1


class Settings(msgspec.Struct, frozen=True):
    """What is fixed by the first run: the zone that cuts days, the key that counts units."""

    time_zone: str
    unit_key: str
    format: int = FORMAT


class Manifest(msgspec.Struct, frozen=True):
    """What belongs to a day, a week (`of` is its Monday) or a run (`of` is its day).

    `tables`: where the Parquet of each table lies, below the folder; `digest`: of their rows;
    `days`: of a week, how many requests of each day were in it.
    """

    of: date
    run: str
    made_at: datetime
    engine: str
    digest: str
    tables: dict[str, str]
    requests: int = 0
    days: dict[str, int] = {}  # msgspec makes a new one for each


Shelf = Literal["days", "weeks", "runs"]
_Kind = TypeVar("_Kind", bound=msgspec.Struct)


def place(named: Place) -> Place:
    """Where the client finds what a cluster calls s3a://."""
    if isinstance(named, str) and named.startswith("s3a://"):
        return "s3://" + named.removeprefix("s3a://")
    return named


def settings(folder: Place) -> Settings | None:
    """What is fixed here; None where nothing is published yet."""
    held = _decoded(within(folder, "settings.json"), Settings)
    if held is not None and held.format > FORMAT:
        raise CitelogError(
            f"{folder}: has format {held.format}, and this citelog knows up to {FORMAT}; "
            "upgrade citelog"
        )
    return held


def settle(folder: Place, made: Settings) -> None:
    """Fix it."""
    _put(within(folder, "settings.json"), made)


def unlike(made: Settings, held: Mapping[str, object], called: str, where: str) -> str | None:
    """What a store, which is `called` so and is `where` people look, has otherwise; None: nothing.

    Of the key, which is a secret, not what it is.
    """
    if held["time_zone"] != made.time_zone:
        return f"time zone than {called} ({made.time_zone}, {where} {held['time_zone']})"
    return f"unit key than {called}" if held["unit_key"] != made.unit_key else None


def manifests(folder: Place, shelf: Shelf) -> list[Manifest]:
    """Every manifest of a shelf, by name."""
    found = [_decoded(each, Manifest) for each in _listed(within(folder, shelf))]
    return [each for each in found if each is not None]


def publish(folder: Place, shelf: Shelf, made: Manifest, tables: Mapping[str, pa.Table]) -> bool:
    """Write the tables, then the manifest; False where it stood there with the same content."""
    name = made.run if shelf == "runs" else str(made.of)
    manifest = within(folder, f"{shelf}/{name}.json")
    digest = _digest(tables)
    held = _newest_run(folder) if shelf == "runs" else _decoded(manifest, Manifest)
    if held is not None and (held.digest, held.days) == (digest, made.days):
        return False
    written = {}
    for table, rows in tables.items():
        written[table] = f"data/{made.run}/{table}/{name}.parquet"
        _write(within(folder, written[table]), rows)
    _put(manifest, msgspec.structs.replace(made, digest=digest, tables=written))
    return True


def _newest_run(folder: Place) -> Manifest | None:
    return max(manifests(folder, "runs"), key=lambda one: one.made_at, default=None)


def announce(folder: Place, made: Manifest) -> None:
    """Put the manifest of a day that an engine wrote itself in place."""
    _put(within(folder, f"days/{made.of}.json"), made)


def table(folder: Place, manifest: Manifest, name: str) -> pa.Table:
    """A table that a manifest names."""
    file = within(folder, manifest.tables[name])
    content = storage.read(file)
    try:
        return pq.read_table(pa.BufferReader(content or b""))
    except pa.ArrowException as error:
        raise CitelogError(
            f"{file}: is named by a manifest, but "
            f"{'holds no Parquet' if content else 'is not there'}; "
            f"run citelog rollup for {manifest.of} again"
        ) from error


def _digest(tables: Mapping[str, pa.Table]) -> str:
    """32 hex digits over the rows of tables, whose order is settled."""
    total = hashlib.sha256()
    for name in sorted(tables):
        for column in tables[name].column_names:
            total.update(f"{name}.{column}".encode())
            for part in _plain(tables[name][column].combine_chunks()):
                total.update(part)
    return total.hexdigest()[:32]


def _plain(values: pa.Array) -> Iterator[bytes]:
    """Values as bytes that do not depend on how Arrow holds them."""
    if pa.types.is_list(values.type):
        yield str(values.to_pylist()).encode()
        return
    if pa.types.is_string(values.type):
        values = values.dictionary_encode()
        yield str(values.dictionary.to_pylist()).encode()
        values = values.indices
    yield np.asarray(values.is_valid()).tobytes()
    kind = pa.float64() if pa.types.is_floating(values.type) else pa.int64()
    days = values.cast(pa.int32()) if pa.types.is_date32(values.type) else values
    yield days.cast(kind).fill_null(0).to_numpy(zero_copy_only=False).tobytes()


def _write(file: Place, rows: pa.Table) -> None:
    sink = pa.BufferOutputStream()
    pq.write_table(rows, sink, compression="zstd")
    _save(file, sink.getvalue().to_pybytes())


def _put(file: Place, made: msgspec.Struct) -> None:
    _save(file, msgspec.json.format(msgspec.json.encode(made), indent=1) + b"\n")


def _save(file: Place, content: bytes) -> None:
    if isinstance(file, Path):
        file.parent.mkdir(parents=True, exist_ok=True)
    storage.write(file, content)


def _listed(folder: Place) -> list[Place]:
    """The manifests of a folder; a name that begins with a dot is one that is being written."""
    if isinstance(folder, Path):
        return [*sorted(folder.glob("[!.]*.json"))]
    return [each.address for each in storage.under(folder) if each.address.endswith(".json")]


def _decoded(file: Place, kind: type[_Kind]) -> _Kind | None:
    content = storage.read(file)
    if content is None:
        return None
    try:
        return msgspec.json.decode(content, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise CitelogError(
            f"{file}: is no manifest of citelog rollup; name the folder that it wrote to"
        ) from error
