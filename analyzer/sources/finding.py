"""From what was named on the command line to the files that are meant."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

from analyzer.errors import CitelogError, UsageError
from analyzer.sources.stored import unreadable

STDIN: Literal["-"] = "-"

# Plain .json is left out: folders of logs also hold reports and settings under that name.
_LOGS = (".jsonl", ".ndjson", ".parquet", ".csv")
_PACKED = (".gz", ".zst")


def expand(paths: Sequence[str]) -> list[Path | Literal["-"]]:
    """The files that `paths` mean, sorted by name, each once; "-" (stdin) comes last.

    A path is a file (of any name), a folder (searched through, for names that end as logs do;
    names that begin with . or _ are left out), a glob, or "-". Raises CitelogError for a path
    that is not there, a folder without logs and a glob that matches nothing.
    """
    if "" in paths:  # a variable of a shell that holds nothing; the system takes it for "."
        raise UsageError("a path is empty; name log files, folders of them, globs, or -")
    found: list[Path] = []
    for path in paths:
        if path != STDIN:
            found.extend(_meant(path))
    # Not Path.resolve: it stops at links that lead round in a circle.
    once = {os.path.realpath(path): path for path in sorted(found, reverse=True)}
    files: list[Path | Literal["-"]] = [*sorted(once.values())]
    return [*files, STDIN] if STDIN in paths else files


def _meant(path: str) -> list[Path]:
    if Path(path).is_dir():
        return _logs_in(Path(path)) or _raise(
            f"{path}: this folder holds no logs; logs are named {', '.join(_LOGS)}, "
            f"also with {' or '.join(_PACKED)}"
        )
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


def _is_log(name: str) -> bool:
    plain = name.lower()
    for packed in _PACKED:
        plain = plain.removesuffix(packed)
    return plain.endswith(_LOGS) and not plain.startswith((".", "_"))


def _unreadable_folder(error: OSError) -> None:
    raise unreadable(str(error.filename), error) from error


def _raise(message: str) -> list[Path]:
    raise CitelogError(message)
