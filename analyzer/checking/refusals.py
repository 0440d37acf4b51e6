"""Lines that no load would take, grouped by their reason; fields that the record does not have."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from analyzer import names
from analyzer.checking.found import PLACES, Fault, Finding, Reason, SetAside, Tally
from analyzer.numbers import counted, rounded_up
from analyzer.record import Chunk, Judgement, Request
from analyzer.record_fields import nearest

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
_ELSE = "log what the record asks for; citelog ingest would reject the same lines"
_COSTS = "such a line is not loaded, and a file with too many of them is set aside whole"
_LEFT_OUT = "it is counted and left out"
_LET_BE = "leave it out, or let it be"
_KNOWN = {name for kind in (Request, Chunk, Judgement) for name in kind.__struct_fields__}

Kind = tuple[str, str]  # path and reason, without the values in them


class Refusals:
    """What could not be read: rejected lines by reason, and files."""

    def __init__(self) -> None:
        self.lines = 0
        self.files: list[str] = []
        self._kinds: dict[Kind, Tally] = {}
        self._examples: dict[Kind, str] = {}

    def add(self, file: str, number: int, path: str, reason: str) -> None:
        """A rejected line."""
        self.lines += 1
        kind = _kind(path, reason)
        if kind not in self._kinds and len(self._kinds) >= KINDS:
            kind = ("", "other reasons")
        self._examples.setdefault(kind, f"{path or 'it'} {reason}")
        self._kinds.setdefault(kind, Tally()).add(1, 0, f"{file}:{number}")

    def findings(self, lines: int) -> Iterator[Finding]:
        """Every file, and the reasons by what is to be done; `lines`: how many there were."""
        for said in self.files:
            fault = Fault("unreadable", 100, said, "it is left out", "see what is said of it")
            yield from Tally(1, 1, []).found(fault, "file")
        groups: dict[str, list[Kind]] = {}
        for kind in sorted(self._kinds, key=lambda kind: (-self._kinds[kind].count, kind)):
            groups.setdefault(self._hint(kind), []).append(kind)
        for do, kinds in groups.items():
            yield from self._together(do, kinds, lines)

    def _hint(self, kind: Kind) -> str:
        path, _ = kind
        said = self._examples[kind]
        return next((do for end, sign, do in _HINTS if path.endswith(end) and sign in said), _ELSE)

    def _together(self, do: str, kinds: Sequence[Kind], lines: int) -> list[Finding]:
        """One finding of all that is mended in one way."""
        tallies = [self._kinds[kind] for kind in kinds]
        places = [place for tally in tallies for place in tally.at][:PLACES]
        all_of_them = Tally(sum(tally.count for tally in tallies), lines, places)
        if len(kinds) == 1:
            fault = Fault("rejected", 99, f"rejected, as {self._examples[kinds[0]]}", _COSTS, do)
            return all_of_them.found(fault, "lines")
        reasons = [
            Reason(self._examples[kind], tally.count, tuple(tally.at))
            for kind, tally in zip(kinds, tallies, strict=True)
        ]
        fault = Fault("rejected", 99, f"rejected for {len(kinds):,} reasons", _COSTS, do)
        return all_of_them.found(fault, "lines", reasons)


def set_aside(asides: Sequence[SetAside], files: int, allowed: float) -> list[Finding]:
    """The files that a load would set aside: an error however few they are of all `files`."""
    if not asides:
        return []
    shares = [rounded_up(one.rejected, one.lines) for one in asides if one.rejected < one.lines]
    others = f", or load the others with --max-rejected {max(shares):g}" if shares else ""
    return [
        Finding(
            name="set_aside",
            level="error",
            count=len(asides),
            of=files,
            base="file" if files == 1 else "files",
            says="citelog ingest would set a file aside, as too many of its lines are rejected",
            costs="nothing of it is loaded",
            do="mend the rejected lines" + others,
            at=tuple(aside.file for aside in asides[:PLACES]),
            weight=100,
            reasons=tuple(_share(aside, allowed) for aside in asides),
        )
    ]


def _share(aside: SetAside, allowed: float) -> Reason:
    lines, are = counted(aside.lines, "line"), "is" if aside.rejected == 1 else "are"
    said = f"{aside.rejected:,} of its {lines} {are} rejected, {100 * allowed:g}% allowed"
    return Reason(said, 1, (aside.file,))


def _kind(path: str, reason: str) -> Kind:
    """A reason without the values in it, so that those of one kind are counted together."""
    place = re.sub(r"\[\d+\]", "[]", path)
    plain = re.sub(r'"[^"]*"|\d[\d:.TZ+-]*', "_", reason)
    return place, plain


def unknown_fields(counts: Counter[str], lines: int) -> Iterator[Finding]:
    """Fields that are left out, and above all those that are like a field of the record."""
    near = {name: nearest(name, _KNOWN) for name in counts}
    ranked = sorted(counts, key=lambda name: (near[name] is None, -counts[name], name))
    for name in ranked[:UNKNOWN]:
        fault = Fault(
            "unknown_field",
            40 if near[name] else 5,
            f"the record has no field {names.shown(name)}",
            _LEFT_OUT,
            f"call it {near[name]}, if that is what it is" if near[name] else _LET_BE,
        )
        yield from Tally(counts[name], max(lines, counts[name]), []).found(fault, "lines")
    if len(ranked) > UNKNOWN:
        more = Tally(len(ranked) - UNKNOWN, len(ranked), [])
        said = "more fields that the record does not have"
        yield from more.found(Fault("unknown_field", 5, said, _LEFT_OUT, _LET_BE), "names")
