"""The folder beside a store in which incomplete traces wait: a file a batch, a line a trace.

What is written there, and why, says `analyzer.sources.aside`. The first line of a file is the day
on which the batch was loaded.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Collection, Iterator, Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import NamedTuple

import msgspec

from analyzer.errors import CitelogError
from analyzer.numbers import counted
from analyzer.sources import values
from analyzer.sources.formats.seen import Seen

DAYS_REMEMBERED = 100  # how many traces were given up

Name = tuple[str, str]  # family of formats, and trace


class Begin(msgspec.Struct):
    """The first line of a file."""

    kept_on: date


class Line(msgspec.Struct, omit_defaults=True):
    """A trace of a family of formats: its spans, plain or sealed; or that it was completed.

    `waits`: it is counted as one that lacks spans.
    """

    of: str
    trace: str
    seen: msgspec.Raw = msgspec.Raw()
    sealed: str = ""
    complete: bool = False
    waits: bool = True

    @property
    def name(self) -> Name:
        """What traces are told apart by."""
        return self.of, self.trace


SEEN = msgspec.json.Decoder(list[Seen])
LINE = msgspec.json.Decoder(Line)


class Waiting(NamedTuple):
    """How many traces wait, and how many were given up in the days that are remembered."""

    traces: int = 0
    given_up: int = 0

    def told(self) -> str | None:
        """What is to be said of them; None where there are none."""
        said = []
        if self.traces:
            wait = "waits" if self.traces == 1 else "wait"
            said.append(f"{counted(self.traces, 'incomplete trace')} {wait} for other spans")
        if self.given_up:
            vain = counted(self.given_up, "trace")
            said.append(f"{vain} given up in {DAYS_REMEMBERED} days, whose other spans never came")
        return "; ".join(said) or None


def folder_of(store: Path) -> Path:
    """Where the incomplete traces of a store are kept."""
    home = store.resolve()
    return home.with_name(f"{home.name}.aside")


def file_of(folder: Path, batch: str) -> Path:
    """Where what is kept of a batch lies."""
    return folder / f"{batch}.jsonl"


def part_of(folder: Path, batch: str) -> Path:
    """Where it is written to."""
    return folder / f".{batch}.part"


def waiting(store: Path) -> Waiting:
    """How many traces wait for their other spans, and how many did so in vain."""
    folder = folder_of(store)
    return Waiting(len(_unfinished(folder, set())), sum(_given_up(folder).values()))


def forget(store: Path, batch: str) -> None:
    """Remove what is kept of a batch."""
    file_of(folder_of(store), batch).unlink(missing_ok=True)


def keep_only(store: Path, batches: Collection[str]) -> None:
    """Remove what is kept of others: a load or a forgetting of them was killed at its end."""
    for file in _files(folder_of(store)):
        if file.stem not in batches:
            file.unlink(missing_ok=True)


def give_up(store: Path, days: int, today: date) -> None:
    """Remove what is older than so many days; count the traces that never became complete.

    Only for who holds the store's lock: parts of loads that were broken off are removed too.
    """
    folder = folder_of(store)
    for part in folder.glob(".*.part"):
        part.unlink(missing_ok=True)
    old = {file.stem for file in _files(folder) if (today - _kept_on(file)).days > days}
    if not old:
        return
    lost = len(_unfinished(folder, set()) - _unfinished(folder, old))
    since = today - timedelta(DAYS_REMEMBERED)
    counts = {day: count for day, count in _given_up(folder).items() if day >= since}
    counts[today] = counts.get(today, 0) + lost
    _replaced(folder / "given_up.json", [msgspec.json.encode(counts)])
    for batch in old:
        file_of(folder, batch).unlink(missing_ok=True)


def erase(store: Path, requests: Sequence[str], units: Sequence[str]) -> None:
    """Remove traces of requests, or of units; of what is sealed that cannot be told, so it goes.

    One span may name the unit where the others of its trace do not.
    """
    folder = folder_of(store)
    erased = {line.name for _, _, line in lines_in(folder) if _is_of(line, requests, units)}
    for file in _files(folder):
        lines = file.read_bytes().splitlines(keepends=True)
        kept = [line for line in lines[1:] if _read(line, file).name not in erased]
        if len(kept) + 1 < len(lines):
            _replaced(file, lines[:1] + kept)


def copy(store: Path, other: Path) -> None:
    """The same beside another store, for a rehearsal."""
    if folder_of(store).exists():
        shutil.copytree(folder_of(store), folder_of(other))


def lines_in(folder: Path) -> Iterator[tuple[str, int, Line]]:
    """Every line: the batch, where the line begins, and what it says."""
    for file in _files(folder):
        try:
            opened = file.open("rb")
        except FileNotFoundError:  # forgotten or given up just now
            continue
        with opened as lines:
            offset = len(lines.readline())
            for text in lines:
                yield file.stem, offset, _read(text, file)
                offset += len(text)


def _unfinished(folder: Path, without: set[str]) -> set[Name]:
    """Traces that no batch completed, as if some batches were not there."""
    done, open_ = set(), set()
    for batch, _, line in lines_in(folder):
        if line.complete:
            done.add(line.name)  # what was completed is not given up when that is forgotten
        elif line.waits and batch not in without:
            open_.add(line.name)
    return open_ - done


def _is_of(line: Line, requests: Sequence[str], units: Sequence[str]) -> bool:
    if line.trace in requests or (units and line.sealed):
        return True
    if not units or line.complete:
        return False
    try:
        spans = SEEN.decode(line.seen)
    except msgspec.DecodeError:  # no load reads it either
        return True
    # Tools call a unit by names of their own, and some keep two: a session and a user.
    readings = (read for seen in spans for read in seen.readings.values())
    return any(values.name(value) in units for read in readings for value in read.fields.values())


def _read(text: bytes, file: Path) -> Line:
    try:
        return LINE.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise _damaged(file) from None


def _kept_on(file: Path) -> date:
    with file.open("rb") as lines:
        try:
            return msgspec.json.decode(lines.readline(), type=Begin).kept_on
        except (msgspec.DecodeError, UnicodeDecodeError):
            raise _damaged(file) from None


def _damaged(file: Path) -> CitelogError:
    return CitelogError(
        f"{file}: is no list of incomplete traces any more; remove it, and its traces stay as "
        "they were loaded"
    )


def _files(folder: Path) -> list[Path]:
    return sorted(folder.glob("[!.]*.jsonl"))


def _given_up(folder: Path) -> dict[date, int]:
    try:
        return msgspec.json.decode((folder / "given_up.json").read_bytes(), type=dict[date, int])
    except (FileNotFoundError, msgspec.DecodeError):
        return {}


def _replaced(file: Path, pieces: Sequence[bytes]) -> None:
    part = file.with_name(f".{file.name}.part")
    handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "wb") as out:
        out.writelines(pieces)
        out.flush()
        os.fsync(handle)
    part.replace(file)
