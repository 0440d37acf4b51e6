"""The files of one load, so that what belongs together is found in whichever of them it stands.

A file is only read for another one where an index of the names in both says that they share some;
an index holds eight bytes a name.
"""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from analyzer.errors import CitelogError
from analyzer.sources.documents import Document, Input, Keys
from analyzer.sources.unpacking import EndsEarly
from analyzer.storage import Listed

File = Path | Listed
Named = TypeVar("Named", bound=File)
Opened = Callable[[File], AbstractContextManager[Input | None]]
_Index = NDArray[np.uint64]
_NONE: _Index = np.zeros(0, np.uint64)


def neighbours(files: Sequence[Named], new: set[Named]) -> list[Named]:
    """Others right before or after a new one: a trace may go on over the end of a file."""
    return [
        file
        for at, file in enumerate(files)
        if file not in new and not new.isdisjoint(files[max(0, at - 1) : at + 2])
    ]


class Together:
    """Files that are loaded in one go; `opened` gives the documents of one, None for our own."""

    def __init__(self, files: Sequence[File | str], opened: Opened) -> None:
        self._files = [
            file if isinstance(file, Listed) else Path(file) for file in files if str(file) != "-"
        ]
        self._opened = opened
        self._indexes: dict[tuple[File, bytes], _Index] = {}
        self._several: dict[bytes, _Index] = {}

    def parts(self, name: str, keys: Keys, wanted: set[str]) -> Iterator[Document]:
        """Documents of the other files that hold one of the wanted names."""
        # Hardly any name is in several files, so all others are settled by one look.
        asked = np.intersect1d(_hashed(wanted), self._in_several(keys))
        for file in self._files if len(asked) else ():
            if str(file) == name or not np.isin(asked, self._index(file, keys)).any():
                continue
            with self._opened(file) as documents:
                if documents is not None:
                    yield from _holding(documents, keys, wanted)

    def _in_several(self, keys: Keys) -> _Index:
        """The names that more than one of the files hold."""
        known = keys.pattern.pattern
        if known not in self._several:
            every = [self._index(file, keys) for file in self._files]
            found, counts = np.unique(np.concatenate([_NONE, *every]), return_counts=True)
            self._several[known] = found[counts > 1]
        return self._several[known]

    def _index(self, file: File, keys: Keys) -> _Index:
        known = (file, keys.pattern.pattern)
        if known not in self._indexes:
            self._indexes[known] = self._made(file, keys)
        return self._indexes[known]

    def _made(self, file: File, keys: Keys) -> _Index:
        held = array("Q")
        try:
            with self._opened(file) as documents:
                for names, _ in documents.keyed(keys, decode=False) if documents else ():
                    held.extend(map(_hash, names))
        except (EndsEarly, CitelogError):
            pass  # what is wrong with it is said when it is its turn
        return np.unique(np.frombuffer(held, dtype=np.uint64))


def _holding(documents: Input, keys: Keys, wanted: set[str]) -> Iterator[Document]:
    try:
        for names, document in documents.keyed(
            keys, decode=lambda names: not wanted.isdisjoint(names)
        ):
            if document.flaw is None and not wanted.isdisjoint(names):
                yield document
    except (EndsEarly, CitelogError):
        return


def _hashed(names: set[str]) -> _Index:
    return np.fromiter(map(_hash, names), np.uint64, len(names))


def _hash(name: str) -> int:
    plain = name.encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(plain, digest_size=8).digest(), "little")
