"""Lines that no load would take, grouped by their reason; fields that the record does not have."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from analyzer import names
from analyzer.checking.found import Fault, Finding, Tally, commonest
from analyzer.record import Chunk, Judgement, Request
from analyzer.record_fields import nearest

REASONS = 12
KINDS = 1000  # more kinds of reasons are counted together, so that memory stays flat
UNKNOWN = 8

_HINTS = (
    ("position", "a second time", "write the place in the prompt, 1, 2, 3 ..., not a constant"),
    ("position", "is 0", "positions start at 1: add 1"),
    ("rank", "is 0", "ranks start at 1: add 1"),
    ("rank", "a second time", "give ranks that are unique, or a retrieval_id to each retrieval"),
    ("requested_at", "without an offset", "log Z or an offset, or give --assume-timezone"),
    ("chunk_id", "a second time", "log each retrieved chunk once, or give each a retrieval_id"),
    ("", "not JSON", "write one JSON object a line, with a library and not by hand"),
)
_KNOWN = {name for kind in (Request, Chunk, Judgement) for name in kind.__struct_fields__}


class Refusals:
    """What could not be read: rejected lines by reason, and files."""

    def __init__(self) -> None:
        self.lines = 0
        self.files: list[str] = []
        self._kinds: dict[tuple[str, str], Tally] = {}
        self._examples: dict[tuple[str, str], str] = {}

    def add(self, file: str, number: int, path: str, reason: str) -> None:
        """A rejected line."""
        self.lines += 1
        kind = _kind(path, reason)
        if kind not in self._kinds and len(self._kinds) >= KINDS:
            kind = ("", "other reasons")
        self._examples.setdefault(kind, f"{path or 'it'} {reason}")
        self._kinds.setdefault(kind, Tally()).add(1, 0, f"{file}:{number}")

    def findings(self, lines: int) -> Iterator[Finding]:
        """Every file, and the commonest reasons; `lines` is how many lines there were in all."""
        for said in self.files:
            fault = Fault("unreadable", 100, said, "it is left out", "see what is said of it")
            yield from Tally(1, 1, []).found(fault, "file")
        counts = Counter({kind: tally.count for kind, tally in self._kinds.items()})
        for kind, _ in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:REASONS]:
            tally = self._kinds[kind]
            tally.of = lines
            yield from tally.found(self._fault(kind), "lines")

    def _fault(self, kind: tuple[str, str]) -> Fault:
        path, _ = kind
        said = self._examples[kind]
        hint = next((do for end, sign, do in _HINTS if path.endswith(end) and sign in said), None)
        return Fault(
            "rejected",
            100,
            f"rejected, as {said}",
            "such a line is not loaded, and a file with too many of them is set aside whole",
            hint or "log what the record asks for; citelog ingest would reject the same lines",
        )


def _kind(path: str, reason: str) -> tuple[str, str]:
    """A reason without the values in it, so that those of one kind are counted together."""
    place = re.sub(r"\[\d+\]", "[]", path)
    plain = re.sub(r'"[^"]*"|\d[\d:.TZ+-]*', "_", reason)
    return place, plain


def unknown_fields(counts: Counter[str], lines: int) -> Iterator[Finding]:
    """Fields that are left out, those first that are like a field of the record."""
    for name, count in commonest(counts, UNKNOWN):
        near = nearest(name, _KNOWN)
        fault = Fault(
            "unknown_field",
            40 if near else 5,
            f"the record has no field {names.shown(name)}",
            "it is counted and left out",
            f"call it {near}, if that is what it is" if near else "leave it out, or let it be",
        )
        yield from Tally(count, max(lines, count), []).found(fault, "lines")
