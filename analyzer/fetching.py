"""Which objects of a bucket a load has to fetch: those whose content the store does not hold.

A batch is known by its content, and content is known only by fetching it. So beside the store it is
remembered which content an address had under which ETag and size. What is listed with the same
ones, and is in the store, is not fetched; anything else is, and is then known by its content as a
file is. An ETag is compared and never read as a hash, which it need not be. The store has the last
word: the file only saves fetching, and may be removed at any time.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from analyzer import files, store
from analyzer.ingest import Batch
from analyzer.places import is_address
from analyzer.sources import expand
from analyzer.sources.together import neighbours
from analyzer.storage import Listed

NOTE = "this object was loaded before and has not changed since; nothing of it was fetched"


class Entry(msgspec.Struct, array_like=True, frozen=True):
    """What an object was listed as when it was loaded, and the batch that it brought."""

    etag: str
    size: int
    batch: str


class Remembered:
    """The objects that were loaded into a store."""

    def __init__(self, store: Path) -> None:
        self._file = beside(store)
        self._held = _read(self._file)

    def batch(self, found: Listed) -> str | None:
        """The batch that the object brought; None where only fetching it can tell."""
        held = self._held.get(found.address)
        same = held is not None and (held.etag, held.size) == (found.etag, found.size)
        return held.batch if held is not None and same else None

    def note(self, loaded: Iterable[tuple[Listed, str]]) -> None:
        """Remember objects and what they brought."""
        for found, batch in loaded:
            if found.etag:
                self._held[found.address] = Entry(found.etag, found.size, batch)
        files.write_text(self._file, msgspec.json.encode(self._held).decode())


def beside(store: Path) -> Path:
    """Where the objects that were loaded into a store are remembered."""
    home = store.resolve()
    return home.with_name(f".{home.name}.objects.json")


@dataclass(frozen=True)
class Sorted:
    """What a load is asked for: `paths` are to be loaded, `new` are the objects among them.

    `known` are in the store already; those in `beside` stand next to a new one by name.
    """

    paths: list[str | Path | Listed]
    new: list[Listed]
    known: list[Batch]
    beside: list[Listed]


def sorted_out(paths: Sequence[str | Path | Listed], path: Path) -> Sorted:
    """What of `paths` has to be loaded into the store at `path`; nothing is asked of paths here."""
    named = [each for each in paths if _is_object(each)]
    if not named:
        return Sorted(list(paths), [], [], [])
    objects = [each for each in expand(named) if isinstance(each, Listed)]
    remembered, held = Remembered(path), _held(path)
    batches = {each: remembered.batch(each) for each in objects}
    new = [each for each in objects if batches[each] not in held]
    known = [
        Batch(batch, str(each), held[batch], each.size, "known", note=NOTE)
        for each, batch in batches.items()
        if batch and batch in held
    ]
    roomy = [replace(each, room=path.absolute().parent) for each in new]
    others = [each for each in paths if not _is_object(each)]
    return Sorted([*others, *roomy], new, known, neighbours(objects, set(new)))


def remember(new: Iterable[Listed], brought: Iterable[Batch], path: Path) -> None:
    """Remember what objects brought; of what could not be read there is nothing to remember."""
    objects = {str(each): each for each in new}
    loaded = [
        (objects[one.file], one.batch) for one in brought if one.batch and one.file in objects
    ]
    if loaded:
        Remembered(path).note(loaded)


def _is_object(named: str | Path | Listed) -> bool:
    return isinstance(named, Listed) or is_address(named)


def _held(path: Path) -> dict[str, str]:
    """The batches of a store, each with its format."""
    if not path.exists():
        return {}
    with store.reader(path) as con:
        return dict(con.execute(store.statement("store/load/held")).fetchall())


def _read(file: Path) -> dict[str, Entry]:
    try:
        return msgspec.json.decode(file.read_bytes(), type=dict[str, Entry])
    except (FileNotFoundError, msgspec.MsgspecError, UnicodeDecodeError):
        return {}
