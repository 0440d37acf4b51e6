"""From a record's fields to its JSON line, and what JSON cannot say.

msgspec writes NaN and infinities as null, which would turn a fault into an absent field; so a
line that holds a null (those of absent fields were left out before) is looked at once more.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from analyzer.sources.lines import RUN_BYTES, RUN_LINES, Lines, Refused, digest_of, too_long
from analyzer.sources.rows import Flaw
from analyzer.sources.unpacking import EndsEarly

if TYPE_CHECKING:
    from analyzer.sources.documents import Document

_ENCODE = msgspec.json.Encoder(decimal_format="number").encode


class Record(NamedTuple):
    """A record: the number of its first row, its fields, its flaw if any, where they came from."""

    number: int
    fields: dict[str, Any]
    flaw: Flaw | None = None
    came: dict[str, str] | None = None


def found_in(
    documents: Iterable[Document],
    find: Callable[[Any], Iterable[dict[str, Any] | None]],
    came: dict[str, str] | None = None,
) -> Iterator[Record]:
    """A record of all fields that `find` gives for a document; a flawed one is refused in place."""
    for document in documents:
        if document.flaw:
            yield Record(document.number, {}, document.flaw)
            continue
        for fields in find(document.value):
            if fields is not None:
                yield Record(document.number, fields, None, came)


def record_lines(records: Iterable[Record], max_line_bytes: int) -> Iterator[Lines | Refused]:
    """Runs of JSON lines; a record that cannot be one is refused in its place.

    Raises EndsEarly again when `records` raises it, after everything before the cut.
    """
    run = _Run()
    try:
        for record in records:
            line = _line(record, max_line_bytes)
            if isinstance(line, Refused):
                yield from run.hand_out()
                yield line
            elif run.add(record.number, line):
                yield from run.hand_out()
    except EndsEarly:
        yield from run.hand_out()
        raise
    yield from run.hand_out()


class _Run:
    def __init__(self) -> None:
        self._texts: list[bytes] = []
        self._numbers: list[int] = []
        self._bytes = 0

    def add(self, number: int, text: bytes) -> bool:
        """True when the run is full."""
        self._texts.append(text)
        self._numbers.append(number)
        self._bytes += len(text)
        return len(self._texts) >= RUN_LINES or self._bytes >= RUN_BYTES

    def hand_out(self) -> Iterator[Lines]:
        if self._texts:
            yield Lines(self._texts, self._numbers, None)
        self._texts, self._numbers, self._bytes = [], [], 0


def _line(record: Record, limit: int) -> bytes | Refused:
    fields = present(record.fields)
    flaw = record.flaw
    text = _ENCODE(fields)
    if not flaw and b"null" in text:
        flaw = _not_finite(fields, "")
    if not flaw and len(text) > limit:
        flaw = Flaw("", too_long(len(text), limit))
    if flaw:
        return Refused(record.number, None, flaw.path, flaw.reason, digest_of(text))
    return text


def present(fields: dict[str, Any]) -> dict[str, Any]:
    """Fields without those that are null, inside objects too; lists are left as they are."""
    return {
        name: present(value) if isinstance(value, dict) else value
        for name, value in fields.items()
        if value is not None
    }


def _not_finite(value: Any, path: str) -> Flaw | None:
    if isinstance(value, float) and not math.isfinite(value):
        return Flaw(path, f"is {_NAMES[str(value)]}, but a number is finite; leave it out")
    members: Iterable[tuple[str, Any]] = ()
    if isinstance(value, dict):
        members = ((f"{path}.{name}".removeprefix("."), inner) for name, inner in value.items())
    elif isinstance(value, list):
        members = ((f"{path}[{at}]", inner) for at, inner in enumerate(value))
    return next((flaw for name, inner in members if (flaw := _not_finite(inner, name))), None)


_NAMES = {"nan": "NaN", "inf": "infinite", "-inf": "minus infinite"}
