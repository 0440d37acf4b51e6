"""From paths to findings: every file read once, every check shown every block."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timezone
from pathlib import Path

from analyzer.checking.beside import Beside
from analyzer.checking.clocks import Clocks
from analyzer.checking.fields import Fields
from analyzer.checking.found import Checked, Fault, SetAside, Tally, ordered
from analyzer.checking.lengths import Lengths
from analyzer.checking.numbering import Numbering
from analyzer.checking.orders import Orders
from analyzer.checking.reading import Block, blocks
from analyzer.checking.refusals import Refusals, set_aside, unknown_fields
from analyzer.checking.repeats import Repeats
from analyzer.errors import CitelogError, UsageError
from analyzer.record import Parser
from analyzer.sources import asked, expand, open_source
from analyzer.sources.asking import Asking
from analyzer.storage import Listed

_CUT = Fault(
    "cut",
    75,
    "the compressed file ends early",
    "what came after the cut is lost",
    "write the file whole before it is shipped, or ship it again",
)

Progress = Callable[[str, int, int], None]


def check(
    paths: Sequence[str | Path],
    *,
    now: datetime,
    assume_timezone: timezone | None = None,
    marker_base: int | None = None,
    format: str | None = None,
    mapping: str | None = None,
    tokenizer: str | None = None,
    max_rejected: float = 0.05,
    progress: Progress | None = None,
) -> Checked:
    """What files, folders, globs or stdin ("-") lack or get wrong as citation logs.

    `now` is the time that nothing may be later than; the other options are those of a load,
    which sets a file aside of whose lines a larger share than `max_rejected` is rejected.
    Raises `CitelogError` where nothing of any file could be read.
    """
    files = expand(paths)
    if not files:
        raise UsageError("no files are named; name log files, folders of them, globs, or -")
    looking = _Looking(now, assume_timezone, marker_base, max_rejected)
    asking = asked(files, format, mapping, tokenizer)
    for file in files:
        try:
            looking.at(file, asking, progress or (lambda name, done, size: None))
        except (CitelogError, UnicodeError) as error:
            looking.refusals.files.append(str(error))
    if len(looking.refusals.files) == len(files):
        raise CitelogError("; ".join(looking.refusals.files))
    return looking.said(len(files))


class _Looking:
    """All checks, and the counts of lines."""

    def __init__(
        self, now: datetime, zone: timezone | None, base: int | None, max_rejected: float
    ) -> None:
        self.refusals = Refusals()
        self._max_rejected = max_rejected
        self._aside: list[SetAside] = []
        self._base = base
        self._parser = Parser(zone, now.astimezone(UTC))
        self._requests = self._judgements = 0
        self._cut = Tally()
        self._beside, self._orders = Beside(), Orders()
        fields, lengths, numbering, repeats = Fields(), Lengths(), Numbering(), Repeats()
        clocks = Clocks(now)
        self._readers = (repeats, self._beside, numbering, self._orders, lengths, fields)
        self._counters = (fields, self._orders, lengths, clocks)
        self._checks = (fields, self._beside, numbering, self._orders, lengths, clocks, repeats)

    def at(self, file: str | Path | Listed, asking: Asking, tell: Progress) -> None:
        """Read one file."""
        lines, rejected = self._lines(), self.refusals.lines
        with open_source(file, asking=asking) as source:
            for block in blocks(source, self._parser, self.refusals, self._base):
                self._see(block)
                tell(source.name, source.consumed, source.size)
            self._cut.add(source.cut is not None, 1, source.name)
        torn = 1 if source.cut else 0  # a load holds that against no file
        one = SetAside(source.name, self.refusals.lines - rejected, self._lines() - lines)
        if one.rejected - torn > self._max_rejected * one.lines:
            self._aside.append(one)

    def _lines(self) -> int:
        return self._requests + self._judgements + self.refusals.lines

    def _see(self, block: Block) -> None:
        """The records first: their texts do not outlive the facts."""
        self._requests += len(block.requests)
        self._judgements += len(block.judgements)
        for reader in self._readers:
            reader.see(block)
        if block.requests:
            for counter in self._counters:
                counter.count(block)

    def said(self, files: int) -> Checked:
        """What all checks found."""
        lines = self._lines()
        found = [finding for check in self._checks for finding in check.findings()]
        found += set_aside(self._aside, files, self._max_rejected)
        found += self.refusals.findings(lines)
        found += unknown_fields(self._parser.unknown, lines)
        found += self._cut.found(_CUT, "files")
        unchecked = [*self._beside.unchecked(), *self._orders.unchecked()]
        return Checked(
            files=files,
            lines=lines,
            requests=self._requests,
            judgements=self._judgements,
            rejected=self.refusals.lines,
            findings=ordered(found),
            unchecked=tuple(unchecked) if self._requests else (),
            set_aside=tuple(self._aside),
        )
