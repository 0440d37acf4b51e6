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
  removes its file, and every load those of batches that the store does not hold.
- What completed a trace is marked in its own batch's file and the parts stay, so that forgetting
  that batch waits for the trace again, and that what came in parts may come in more of them.
- Of a trace whose request was erased nothing is kept, whichever of its spans come later.
- After some days a file goes, complete or not. How many traces were given up that way is counted.

Any order and any split of the spans of a trace over files and loads makes the request that one file
would have made; with imprints, where texts are needed, what could be loaded without. One thing
cannot be known: whether a trace goes on that is complete in one file. A further retrieval or call
in a later load than all of that is of no request, waits here, and is given up.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Literal, NamedTuple

import msgspec

from analyzer.sources.formats.seen import Seen
from analyzer.sources.secrecy import Secrecy
from analyzer.sources.waiting import (
    LINE,
    SEEN,
    Begin,
    Line,
    Name,
    file_of,
    folder_of,
    give_up,
    lines_in,
    part_of,
)

if TYPE_CHECKING:
    from analyzer.config.settings import Inputs

Mode = Literal["keep", "encrypt", "refuse"]


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


class _Place(NamedTuple):
    batch: str
    offset: int


class Aside:
    """The folder of one store during one load.

    `today` is the day of the load; `erased` says of a trace whether its request was erased.
    """

    def __init__(
        self,
        store: Path,
        asked: Incomplete,
        today: date,
        erased: Callable[[str], bool] = lambda trace: False,
    ) -> None:
        self.folder = folder_of(store)
        self.mode = asked.mode
        self._today = today
        self._erased = erased
        self._secrecy = Secrecy.of(asked.key, asked.key_file, asked.mode == "encrypt")
        give_up(store, asked.days, today)
        self._places: dict[Name, list[_Place]] = {}
        self._complete: dict[Name, set[str]] = {}
        self._batch = ""
        self._part: BinaryIO | None = None
        self._written: list[str] = []
        for batch, offset, line in lines_in(self.folder):
            if line.complete:
                self._complete.setdefault(line.name, set()).add(batch)
            else:
                self._places.setdefault(line.name, []).append(_Place(batch, offset))

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

    def keep(self, of: str, trace: str, seen: Sequence[Seen], *, waits: bool) -> bool:
        """Keep spans of a trace, and say whether; `waits`: it is counted as one that lacks others.

        What was erased is not kept, nor what JSON cannot say, as a number beyond all bounds.
        """
        if self._erased(trace):
            return False
        try:
            spans = msgspec.json.encode(seen)
        except (OverflowError, UnicodeEncodeError):
            return False
        if self.mode == "encrypt":
            self._write(Line(of, trace, sealed=self._secrecy.seal(spans), waits=waits))
        else:
            self._write(Line(of, trace, seen=msgspec.Raw(spans), waits=waits))
        return True

    def complete(self, of: str, trace: str) -> None:
        """Note that the batch completed a trace of which something is kept."""
        if (of, trace) in self._places and not self._erased(trace):
            self._write(Line(of, trace, complete=True))

    def drop(self) -> None:
        """Nothing of the batch is kept after all."""
        if self._part is not None:
            self._part.close()
            self._part = None
            part_of(self.folder, self._batch).unlink(missing_ok=True)
        self._batch = ""

    def publish(self, batches: Collection[str]) -> None:
        """Put what was kept of these in its place; right before the store is published."""
        for batch in [each for each in self._written if each in batches]:
            part_of(self.folder, batch).replace(file_of(self.folder, batch))
            self._written.remove(batch)

    def close(self) -> None:
        """Remove what was not published."""
        self.drop()
        for batch in self._written:
            part_of(self.folder, batch).unlink(missing_ok=True)

    def _end(self) -> None:
        if self._part is not None:
            self._part.flush()
            os.fsync(self._part.fileno())
            self._part.close()
            self._part = None
            self._written.append(self._batch)

    def _opened(self, batch: str, offset: int) -> list[Seen] | None:
        try:
            with file_of(self.folder, batch).open("rb") as file:
                file.seek(offset)
                line = LINE.decode(file.readline())
        except FileNotFoundError:  # the batch was forgotten just now
            return []
        plain = self._secrecy.opened(line.sealed) if line.sealed else line.seen
        try:
            return None if plain is None else SEEN.decode(plain)
        except msgspec.DecodeError:  # a log that says a text where a number belongs, or no spans
            return []

    def _write(self, line: Line) -> None:
        if self._part is None:
            self.folder.mkdir(mode=0o700, exist_ok=True)
            path = part_of(self.folder, self._batch)
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            self._part = os.fdopen(handle, "wb")
            self._part.write(msgspec.json.encode(Begin(self._today)) + b"\n")
        self._part.write(msgspec.json.encode(line) + b"\n")
