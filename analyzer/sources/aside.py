"""Traces that are not complete, kept aside until their other spans come in a later load.

A span is written when it ends, so where one file of logs ends and the next begins, traces are cut:
what was retrieved stands in one, the model's answer or the root in the other. Files of one load are
looked through for each other's spans. For files of different loads, what a trace lacks is waited
for: what is known of its spans is kept in a folder beside the store, `<store>.aside`, and when any
later file holds spans of it, it is read as if those had stood there too.

- A trace is complete with a root, every parent that a span names, a retrieval and a call of a
  model. A trace that is complete in one file, as nearly all are, leaves nothing here. Of others
  the part is kept, whether it could be loaded as far as it goes or not; the fuller record has the
  higher revision and counts.
- What is kept of a span is what a request is made of (`formats.seen`), and of each text only its
  imprint (`formats.imprints`): a fingerprint, tokens, the markers of an answer, the order in which
  a prompt held its texts. A trace that would need a text itself, as a prompt that came before what
  it is to be searched for, is refused and counted; with `encrypt` everything is kept, encrypted.
- A file a batch, `<batch>.jsonl`, written beside its place and renamed before the store is
  published: a load that is broken off is done again, and writes the same. Forgetting the batch
  removes its file.
- What completed a trace is marked in its own batch's file and the parts stay, so that forgetting
  that batch waits for the trace again, and that what came in parts may come in more of them.
- After some days a file goes, complete or not. How many traces were given up that way is counted.

Any order and any split of the spans of a trace over files and loads makes the request that one file
would have made; with imprints, where texts are needed, what could be loaded without. One thing
cannot be known: whether a trace goes on that is complete in one file. A further retrieval or call
in a later load than all of that is of no request, waits here, and is given up.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Literal, NamedTuple

import msgspec

from analyzer.errors import CitelogError
from analyzer.numbers import counted
from analyzer.sources.formats.seen import Seen
from analyzer.sources.secrecy import Secrecy

if TYPE_CHECKING:
    from analyzer.config.settings import Inputs

Mode = Literal["keep", "encrypt", "refuse"]
_DAYS_GIVEN_UP = 100  # so long it is remembered how many traces were given up


class Incomplete(NamedTuple):
    """What becomes of incomplete traces: how, for how many days, and with which key."""

    mode: Mode = "keep"
    days: int = 7
    key: str | None = None
    key_file: Path | None = None

    @classmethod
    def of(cls, asked: Inputs) -> Incomplete:
        """As the settings say."""
        key, file = asked.incomplete_key, asked.incomplete_key_file
        return cls(asked.incomplete_traces, asked.incomplete_days, key, file)


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
            said.append(f"{vain} given up in {_DAYS_GIVEN_UP} days, whose other spans never came")
        return "; ".join(said) or None


class _Begin(msgspec.Struct):
    kept_on: date


class _Line(msgspec.Struct, omit_defaults=True):
    """A trace of a family of formats: its spans, plain or sealed; or that it was completed."""

    of: str
    trace: str
    seen: msgspec.Raw = msgspec.Raw()
    sealed: str = ""
    complete: bool = False
    waits: bool = True


class _Place(NamedTuple):
    batch: str
    offset: int


_Name = tuple[str, str]  # family and trace
_SEEN = msgspec.json.Decoder(list[Seen])
_LINE = msgspec.json.Decoder(_Line)


class Aside:
    """The folder of one store during one load; `today` is the day of the load."""

    def __init__(self, store: Path, asked: Incomplete, today: date) -> None:
        self.folder = folder_of(store)
        self.mode = asked.mode
        self._today = today
        self._secrecy = Secrecy.of(asked.key, asked.key_file, asked.mode == "encrypt")
        give_up(store, asked.days, today)
        self._places: dict[_Name, list[_Place]] = {}
        self._complete: dict[_Name, set[str]] = {}
        self._batch = ""
        self._part: BinaryIO | None = None
        self._written: list[str] = []
        for batch, offset, line in _lines(self.folder):
            if line.complete:
                self._complete.setdefault((line.of, line.trace), set()).add(batch)
            else:
                self._places.setdefault((line.of, line.trace), []).append(_Place(batch, offset))

    def parts(self, of: str, trace: str) -> list[Seen] | None:
        """The spans of a trace from other batches; None where the key opens them not."""
        found: list[Seen] = []
        for batch, offset in self._places.get((of, trace), ()):
            if batch != self._batch:
                spans = self._opened(batch, offset)
                if spans is None:
                    return None
                found += spans
        return found

    def completed(self, of: str, trace: str) -> bool:
        """Whether another batch completed a trace."""
        return bool(self._complete.get((of, trace), set()) - {self._batch})

    @contextmanager
    def begun(self, batch: str) -> Iterator[None]:
        """What is kept in the block is of this batch, and waits for `publish` if it ends well."""
        self._batch = batch
        try:
            yield
            self._end()
        finally:
            self.drop()

    def keep(self, of: str, trace: str, seen: Sequence[Seen], *, waits: bool) -> None:
        """Keep spans of a trace; `waits`: it is counted as one that lacks others."""
        spans = msgspec.json.encode(seen)
        if self.mode == "encrypt":
            self._write(_Line(of, trace, sealed=self._secrecy.seal(spans), waits=waits))
        else:
            self._write(_Line(of, trace, seen=msgspec.Raw(spans), waits=waits))

    def complete(self, of: str, trace: str) -> None:
        """Note that the batch completed a trace of which something is kept."""
        if (of, trace) in self._places:
            self._write(_Line(of, trace, complete=True))

    def drop(self) -> None:
        """Nothing of the batch is kept after all."""
        if self._part is not None:
            self._part.close()
            self._part = None
            _part_of(self.folder, self._batch).unlink(missing_ok=True)
        self._batch = ""

    def publish(self, batches: Collection[str]) -> None:
        """Put what was kept of these in its place; right before the store is published."""
        for batch in [each for each in self._written if each in batches]:
            _part_of(self.folder, batch).replace(_file_of(self.folder, batch))
            self._written.remove(batch)

    def close(self) -> None:
        """Remove what was not published."""
        self.drop()
        for batch in self._written:
            _part_of(self.folder, batch).unlink(missing_ok=True)

    def _end(self) -> None:
        if self._part is not None:
            self._part.flush()
            os.fsync(self._part.fileno())
            self._part.close()
            self._part = None
            self._written.append(self._batch)

    def _opened(self, batch: str, offset: int) -> list[Seen] | None:
        with _file_of(self.folder, batch).open("rb") as file:
            file.seek(offset)
            line = _LINE.decode(file.readline())
        if not line.sealed:
            return _SEEN.decode(line.seen)
        plain = self._secrecy.opened(line.sealed)
        return None if plain is None else _SEEN.decode(plain)

    def _write(self, line: _Line) -> None:
        if self._part is None:
            self.folder.mkdir(mode=0o700, exist_ok=True)
            path = _part_of(self.folder, self._batch)
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            self._part = os.fdopen(handle, "wb")
            self._part.write(msgspec.json.encode(_Begin(self._today)) + b"\n")
        self._part.write(msgspec.json.encode(line) + b"\n")


def folder_of(store: Path) -> Path:
    """Where the incomplete traces of a store are kept."""
    home = store.resolve()
    return home.with_name(f"{home.name}.aside")


def waiting(store: Path) -> Waiting:
    """How many traces wait for their other spans, and how many did so in vain."""
    folder = folder_of(store)
    given_up = sum(_given_up(folder).values())
    return Waiting(len(_unfinished(list(_lines(folder)))), given_up)


def forget(store: Path, batch: str) -> None:
    """Remove what is kept of a batch."""
    _file_of(folder_of(store), batch).unlink(missing_ok=True)


def give_up(store: Path, days: int, today: date) -> int:
    """Remove what is older than so many days; how many traces never became complete."""
    folder = folder_of(store)
    old = {file.stem for file in _files(folder) if _kept_on(file) + timedelta(days) < today}
    if not old:
        return 0
    lost = _unfinished(list(_lines(folder)), only=old)
    counts = {
        day: count
        for day, count in _given_up(folder).items()
        if day >= today - timedelta(_DAYS_GIVEN_UP)
    }
    counts[today] = counts.get(today, 0) + len(lost)
    _write_given_up(folder, counts)
    for batch in old:
        _file_of(folder, batch).unlink(missing_ok=True)
    return len(lost)


def erase(store: Path, requests: Sequence[str], units: Sequence[str]) -> None:
    """Remove whatever is kept of requests, or of units; what is sealed cannot be told, and goes."""
    for file in _files(folder_of(store)):
        lines = file.read_bytes().splitlines(keepends=True)
        kept = [line for line in lines[1:] if not _is_of(_LINE.decode(line), requests, units)]
        if len(kept) + 1 < len(lines):
            _replaced(file, lines[:1] + kept)


def copy(store: Path, other: Path) -> None:
    """The same beside another store, for a rehearsal."""
    if folder_of(store).exists():
        shutil.copytree(folder_of(store), folder_of(other))


def _is_of(line: _Line, requests: Sequence[str], units: Sequence[str]) -> bool:
    if line.trace in requests or (units and line.sealed):
        return True
    if not units or line.complete:
        return False
    readings = (read for seen in _SEEN.decode(line.seen) for read in seen.readings.values())
    return any(read.fields.get("unit_id") in units for read in readings)


def _unfinished(
    lines: Sequence[tuple[str, int, _Line]], only: set[str] | None = None
) -> set[_Name]:
    """Traces that no batch completed; of `only` these batches, and not kept by any other."""
    done = {(line.of, line.trace) for _, _, line in lines if line.complete}
    open_ = {
        (line.of, line.trace)
        for batch, _, line in lines
        if line.waits and (only is None or batch in only)
    } - done
    if only is not None:
        open_ -= {(line.of, line.trace) for batch, _, line in lines if batch not in only}
    return open_


def _lines(folder: Path) -> Iterator[tuple[str, int, _Line]]:
    """Every line: the batch, where the line begins, and what it says."""
    for file in _files(folder):
        with file.open("rb") as lines:
            offset = len(lines.readline())
            for text in lines:
                try:
                    yield file.stem, offset, _LINE.decode(text)
                except (msgspec.DecodeError, UnicodeDecodeError):
                    raise _damaged(file) from None
                offset += len(text)


def _kept_on(file: Path) -> date:
    with file.open("rb") as lines:
        try:
            return msgspec.json.decode(lines.readline(), type=_Begin).kept_on
        except (msgspec.DecodeError, UnicodeDecodeError):
            raise _damaged(file) from None


def _damaged(file: Path) -> CitelogError:
    return CitelogError(
        f"{file}: is no list of incomplete traces any more; remove it, and its traces stay as "
        "they were loaded"
    )


def _files(folder: Path) -> list[Path]:
    return sorted(folder.glob("[!.]*.jsonl"))


def _file_of(folder: Path, batch: str) -> Path:
    return folder / f"{batch}.jsonl"


def _part_of(folder: Path, batch: str) -> Path:
    return folder / f".{batch}.part"


def _given_up(folder: Path) -> dict[date, int]:
    try:
        return msgspec.json.decode((folder / "given_up.json").read_bytes(), type=dict[date, int])
    except (FileNotFoundError, msgspec.DecodeError):
        return {}


def _write_given_up(folder: Path, counts: dict[date, int]) -> None:
    _replaced(folder / "given_up.json", [msgspec.json.encode(counts)])


def _replaced(file: Path, pieces: Sequence[bytes]) -> None:
    part = file.with_name(f".{file.name}.part")
    handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "wb") as out:
        out.writelines(pieces)
        out.flush()
        os.fsync(handle)
    part.replace(file)
