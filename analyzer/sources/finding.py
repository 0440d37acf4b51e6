"""From what was named on the command line to the files that are meant."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

from analyzer import storage
from analyzer.errors import CitelogError, UsageError
from analyzer.places import is_address
from analyzer.sources.stored import unreadable
from analyzer.storage import Listed

STDIN: Literal["-"] = "-"

File = Path | Listed | Literal["-"]

# Plain .json is left out: folders of logs also hold reports and settings under that name.
_LOGS = (".jsonl", ".ndjson", ".parquet", ".csv")
_PACKED = (".gz", ".zst")
_NAMED_SO = f"logs are named {', '.join(_LOGS)}, also with {' or '.join(_PACKED)}"


def expand(paths: Sequence[str | Path | Listed]) -> list[File]:
    """The files that `paths` mean, sorted by name, each once; objects come later, stdin last.

    A path is a file (of any name), a folder (searched through, for names that end as logs do;
    names that begin with . or _ are left out), a glob, or "-"; an address is the same of objects.
    What is listed already is taken as it is. Raises CitelogError for a path that is not there, a
    folder without logs and a glob that matches nothing.
    """
    named = [path if isinstance(path, Listed) else str(path) for path in paths]
    if "" in named:  # a variable of a shell that holds nothing; the system takes it for "."
        raise UsageError("a path is empty; name log files, folders of them, globs, or -")
    found: list[Path] = []
    objects: list[Listed] = []
    for path in named:
        if isinstance(path, Listed):
            objects.append(path)
        elif is_address(path):
            objects.extend(_objects(path))
        elif path != STDIN:
            found.extend(_meant(path))
    # Not Path.resolve: it stops at links that lead round in a circle.
    once = {os.path.realpath(path): path for path in sorted(found, reverse=True)}
    files: list[File] = [*sorted(once.values()), *sorted(set(objects), key=str)]
    return [*files, STDIN] if STDIN in named else files


def _meant(path: str) -> list[Path]:
    if Path(path).is_dir():
        return _logs_in(Path(path)) or _raise(f"{path}: this folder holds no logs; {_NAMED_SO}")
    if os.path.lexists(path):
        return [Path(path)]
    if not glob.has_magic(path):
        raise unreadable(path, FileNotFoundError())
    return list(_matches(path)) or _raise(
        f"{path}: no file matches; check the pattern and the folder it starts from"
    )


def _matches(pattern: str) -> Iterator[Path]:
    # Not Path.glob: it takes no absolute patterns.
    for match in map(Path, glob.iglob(pattern, recursive=True)):  # noqa: PTH207
        if match.is_dir():
            yield from _logs_in(match)
        else:
            yield match


def _logs_in(folder: Path) -> list[Path]:
    logs = []
    for here, folders, files in os.walk(folder, onerror=_unreadable_folder):
        folders[:] = [name for name in folders if not name.startswith((".", "_"))]
        logs += [Path(here, name) for name in files if _is_log(name)]
    return logs


def _objects(address: str) -> list[Listed]:
    storage.check(address)
    folder = address.rstrip("/")
    if not glob.has_magic(folder):
        return _logs_below(folder)
    named, folders = storage.matching(folder)
    found = [each for each in named if not each.address.rpartition("/")[2].startswith(".")]
    for inner in folders:
        found += _logs_below(inner)
    return found or _logs_below(folder)  # a key may hold what means something in a glob


def _logs_below(folder: str) -> list[Listed]:
    """The logs among the objects below an address, or the object that has just this address."""
    there = storage.under(folder)
    if not there:
        raise CitelogError(
            f"{folder}: no object is there; check the bucket and what stands after it"
        )
    logs = [
        each
        for each in there
        if each.address == folder or _is_log_below(each.address.removeprefix(f"{folder}/"))
    ]
    if not logs:
        raise CitelogError(f"{folder}: none of the objects below it is a log; {_NAMED_SO}")
    return logs


def _is_log_below(path: str) -> bool:
    *folders, name = path.split("/")
    return _is_log(name) and not any(each.startswith((".", "_")) for each in folders)


def _is_log(name: str) -> bool:
    plain = name.lower()
    for packed in _PACKED:
        plain = plain.removesuffix(packed)
    return plain.endswith(_LOGS) and not plain.startswith((".", "_"))


def _unreadable_folder(error: OSError) -> None:
    raise unreadable(str(error.filename), error) from error


def _raise(message: str) -> list[Path]:
    raise CitelogError(message)
