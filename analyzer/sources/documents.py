"""The JSON documents of a file, one at a time: a document a line, or one for the whole file.

Formats of other tools come as JSON lines, as one document (an object, or an array of them, printed
over many lines), and as the text of an event stream. Lines are streamed; what is one document is
held, up to a limit.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import islice
from typing import Any, Literal, NamedTuple, Protocol

import msgspec

from analyzer.errors import CitelogError
from analyzer.record_reasons import not_json
from analyzer.sources.jsonl import cut_lines
from analyzer.sources.lines import Lines
from analyzer.sources.rows import Flaw
from analyzer.sources.stored import Stored
from analyzer.sources.unpacking import EndsEarly, Packing, unpacked

LARGEST_DOCUMENT = 256 * 2**20
SAMPLE = 20
_LONGEST_OPENING = 1000

Layout = Literal["lines", "whole", "stream"]
_EVENTS = (b"event:", b"data:")


class Document(NamedTuple):
    """One value: its number (the line, or the place in the array, from 1), its flaw if any."""

    number: int
    value: Any
    flaw: Flaw | None = None


Names = dict[str, None]  # in the order in which they stand, so that records come in one order


class Keys(NamedTuple):
    """How the names that documents are joined by are found: in bytes, in columns, in a value.

    `pattern` has one group a name can stand in; `of` gives the names within a decoded document;
    `plain` brings spellings of one name together. `otherwise` is the pattern for lines in which
    `pattern` finds nothing.
    """

    pattern: re.Pattern[bytes]
    columns: tuple[str, ...]
    of: Callable[[Any], Iterator[str]]
    plain: Callable[[str], str]
    otherwise: re.Pattern[bytes] | None = None

    def within(self, line: bytes) -> Names:
        """The names in a line of JSON."""
        found = self.pattern.findall(line)
        if not found and self.otherwise:
            found = self.otherwise.findall(line)
        return dict.fromkeys(self.plain(each.decode("utf-8", "replace")) for each in found)


Decode = bool | Callable[[Names], bool]


class Input(Protocol):
    """What an importer reads: documents, and their names without decoding what can be left."""

    name: str

    def __iter__(self) -> Iterator[Document]:
        """Every document, from the start at each call."""

    def keyed(self, keys: Keys, decode: Decode) -> Iterator[tuple[Names, Document]]:
        """The same with the names in each; the values are None unless `decode` says so."""


class Documents:
    """The documents of one open file; each pass starts anew."""

    def __init__(self, stored: Stored, packing: Packing, max_line_bytes: int) -> None:
        self.name = stored.name
        self._stored, self._packing = stored, packing
        self._limit = max_line_bytes
        self._whole: Any = None
        self.layout: Layout = self._looked()

    def __iter__(self) -> Iterator[Document]:
        if self.layout == "lines":
            for number, line, flaw in self.lines():
                yield Document(number, None, flaw) if flaw else decoded(number, line)
        elif isinstance(self._whole, list):
            yield from (Document(at, value) for at, value in enumerate(self._whole, 1))
        else:
            yield Document(1, self._whole)

    def keyed(self, keys: Keys, decode: Decode) -> Iterator[tuple[Names, Document]]:
        """Each document with the names in it, which for lines are found in their bytes."""
        if self.layout != "lines":
            for document in self:
                yield dict.fromkeys(keys.of(document.value)), document
            return
        for number, line, flaw in self.lines():
            names = keys.within(line)
            if flaw or not (decode if isinstance(decode, bool) else decode(names)):
                yield names, Document(number, None, flaw)
            else:
                yield names, decoded(number, line)

    def lines(self) -> Iterator[tuple[int, bytes, Flaw | None]]:
        """Number and bytes of every line that is not blank."""
        for run in cut_lines(unpacked(self._stored, self._packing), self._limit):
            if isinstance(run, Lines):
                for number, line in zip(run.numbers, run.texts, strict=True):
                    yield number, line, None
            else:
                yield run.number, b"", Flaw(run.path, run.reason)

    def opens_objects(self) -> bool:
        """Whether any of the first lines opens an object: then they are damaged lines of JSON.

        A file without lines is empty, and no log says that better.
        """
        first: list[bytes] = []
        try:
            first += [line for _, (_, line, _) in zip(range(SAMPLE), self.lines(), strict=False)]
        except EndsEarly:
            return True
        return not first or any(line.lstrip().startswith(b"{") for line in first)

    def sample(self) -> list[Any]:
        """The first values that can be read."""
        found: list[Any] = []
        try:
            for seen, document in enumerate(self):
                if document.flaw is None:
                    found.append(document.value)
                if seen >= SAMPLE:
                    break
        except EndsEarly:
            pass
        return found

    def _looked(self) -> Layout:
        line, second = self._first_lines()
        if line.startswith(_EVENTS):
            self._whole = self._all().decode("utf-8", "replace")
            return "stream"
        if line.startswith(b"["):
            self._whole = self._decoded_whole()
            return "whole"
        try:
            msgspec.json.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return self._whole_or_lines(line, second)
        return "lines"

    def _whole_or_lines(self, line: bytes, second: bytes) -> Layout:
        # Of an object over many lines the first is short, and the second opens none at its start;
        # what looks otherwise is a damaged line, for which nobody reads the whole file.
        opens = line.startswith(b"{") and not second.startswith(b"{")
        if not opens or len(line) > _LONGEST_OPENING:
            return "lines"
        try:
            self._whole = self._decoded_whole()
        except CitelogError:
            return "lines"
        return "whole"

    def _decoded_whole(self) -> Any:
        try:
            return msgspec.json.decode(self._all())
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            raise CitelogError(
                f"{self.name}: is one JSON array that breaks off or is damaged; write it again, "
                "or one object a line"
            ) from None

    def _first_lines(self) -> tuple[bytes, bytes]:
        first: list[bytes] = []
        with suppress(EndsEarly):
            first += islice((line for _, line, flaw in self.lines() if not flaw), 2)
        line, second = [*first, b"", b""][:2]
        return line.lstrip(), second

    def _all(self) -> bytes:
        held = bytearray()
        try:
            for piece in unpacked(self._stored, self._packing):
                held += piece
                if len(held) > LARGEST_DOCUMENT:
                    raise CitelogError(
                        f"{self.name}: is one JSON document of more than "
                        f"{LARGEST_DOCUMENT >> 20} MiB; write it as JSON lines, one object a line"
                    )
        except EndsEarly:
            pass
        return bytes(held).removeprefix(b"\xef\xbb\xbf")


def decoded(number: int, line: bytes) -> Document:
    """A line as a document; what is no JSON gets its flaw."""
    try:
        return Document(number, msgspec.json.decode(line))
    except RecursionError:
        return Document(number, None, Flaw("", "is nested too deeply to be read"))
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        return Document(number, None, Flaw("", not_json(line, error).reason))
