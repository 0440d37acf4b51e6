"""One file, read piece by piece: lines to records, records to facts, faults to rejected lines.

Only some pieces of a few megabytes of lines are held at a time, so memory stays flat however long
the file is. What comes of a piece is a function of its lines and of `Terms` alone, so a
cluster can read it too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timezone
from itertools import compress, repeat

import numpy as np
import pyarrow as pa

from analyzer import facts, markers
from analyzer.facts import citing, columns, doubts
from analyzer.record import Judgement, Parser, Rejected, Request, record_hashes
from analyzer.sources import Lines, Refused, Source
from analyzer.sources.lines import Uncut, digest_of

BYTES_A_PIECE = 4 * 2**20
BYTES_A_REFUSAL = 500  # about what is held of a refused line

Run = Lines | Uncut | Refused
Piece = list[Run]
Place = tuple[Lines | Uncut, int]  # the run that a line is in, and where it stands there


@dataclass(frozen=True)
class Rules:
    """What a load decides about lines that leave something open.

    `now` is the time of the load; `assume_timezone` is for times without an offset,
    `requested_at` for requests without a time (the file's own time where that is None),
    `marker_base` for what answers call the first chunk (0 or 1; None: found out from the first
    piece of the file that tells).
    """

    now: datetime
    assume_timezone: timezone | None = None
    requested_at: datetime | None = None
    marker_base: int | None = None


@dataclass(frozen=True)
class Terms:
    """What the pieces of one file are read by; `assumed` stands for a time that is not logged."""

    batch: str
    settings: facts.Settings
    assumed: datetime
    assume_timezone: timezone | None = None
    marker_base: int | None = None

    def knowing(self, base: int | None) -> Terms:
        """The same, with what a piece told of the markers where that was not known."""
        return self if self.marker_base is not None else replace(self, marker_base=base)


@dataclass
class Tally:
    """What was met while a file, or a piece of it, was read."""

    read: int = 0
    rejected: int = 0
    judgements: int = 0
    unknown: Counter[str] = field(default_factory=Counter)

    def add(self, other: Tally) -> None:
        """Count what was met in a piece."""
        self.read += other.read
        self.rejected += other.rejected
        self.judgements += other.judgements
        self.unknown.update(other.unknown)


@dataclass
class Block:
    """What came of a piece, ready to be added: Arrow tables, None where they would be empty.

    `marker_base` is the one that its answers were read by; None where none has a marker.
    """

    facts: facts.Facts | None
    judgements: pa.Table | None
    rejected: pa.Table | None
    tally: Tally
    marker_base: int | None


def terms(source: Source, batch: str, rules: Rules, settings: facts.Settings) -> Terms:
    """What the pieces of a file are read by."""
    assumed = rules.requested_at or source.written_at or rules.now
    return Terms(batch, settings, assumed.astimezone(UTC), rules.assume_timezone, rules.marker_base)


def pieces(source: Source) -> Iterator[Piece]:
    """The lines of a file, some megabytes at a time; a longer line ends its piece."""
    piece: Piece = []
    size = 0
    for run in source.runs():
        piece.append(run)
        size += BYTES_A_REFUSAL if isinstance(run, Refused) else run.size
        if size >= BYTES_A_PIECE:
            yield piece
            piece, size = [], 0
    if piece:
        yield piece


def blocks(source: Source, terms: Terms) -> Iterator[Block]:
    """What comes of the pieces of a file, in their order."""
    for piece in pieces(source):
        block = read(piece, terms)
        terms = terms.knowing(block.marker_base)
        yield block


def read(piece: Piece, terms: Terms) -> Block:
    """What comes of a piece."""
    return _Reading(terms).block(piece)


@dataclass
class _Open:
    """What is known of a piece so far."""

    requests: list[Request] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)
    hashes: list[int] = field(default_factory=list)
    laying: columns.Laying = field(default_factory=columns.Laying)
    judgements: list[Judgement] = field(default_factory=list)
    rejected: list[tuple[int, int | None, str, str, str]] = field(default_factory=list)

    def lay(self, records: list[Request], run: Lines | Uncut, rows: Iterable[int]) -> None:
        """Take in a few records while what was decoded of them is in the processor's cache.

        Their chunks, by far the most of them, are let go where nothing will ask for them again.
        """
        self.requests += records
        self.places += zip(repeat(run), rows, strict=False)
        self.hashes += record_hashes(records)
        self.laying.add(records)
        for record in records:
            if not citing.asks_for_chunks(record):
                record.chunks = []

    def reject(self, fault: Rejected, run: Lines, row: int) -> None:
        """Note a line that cannot become a record."""
        offset = run.offsets[row] if run.offsets else None
        digest = digest_of(run.texts[row])
        self.rejected.append((run.numbers[row], offset, fault.path, fault.reason, digest))


class _Reading:
    """One piece being read."""

    def __init__(self, terms: Terms) -> None:
        self._terms = terms
        self._parser, self._second = (
            Parser(terms.assume_timezone, terms.assumed) for _ in range(2)
        )

    def block(self, piece: Piece) -> Block:
        block, read = _Open(), 0
        for run in piece:
            if isinstance(run, Refused):
                read += 1
                block.rejected.append((run.number, run.offset, run.path, run.reason, run.digest))
            else:
                read += len(run)
                self._parse(run, block)
        return self._closed(block, read)

    def _parse(self, run: Lines | Uncut, block: _Open) -> None:
        if isinstance(run, Uncut):
            records = self._parser.decode_lines(run.whole)
            if records is not None and len(records) == len(run):
                block.lay(records, run, range(len(run)))
                return
            run = run.cut
        for start in range(0, len(run), columns.AT_ONCE):
            self._parse_each(run, range(len(run))[start : start + columns.AT_ONCE], block)

    def _parse_each(self, run: Lines, rows: range, block: _Open) -> None:
        """Line by line; labels and faults are put where they belong."""
        requests, found = [], []
        for row in rows:
            try:
                record = self._parser.decode(run.texts[row])
            except Rejected as fault:
                block.reject(fault, run, row)
                continue
            if isinstance(record, Request):
                requests.append(record)
                found.append(row)
            else:
                block.judgements.append(record)
        block.lay(requests, run, found)

    def _closed(self, block: _Open, read: int) -> Block:
        laid = self._checked(block)
        base = self._terms.marker_base
        base = _base(block.requests) if base is None else base
        return Block(
            facts=self._facts(block, laid, base) if block.requests else None,
            judgements=facts.judgement_table(block.judgements) if block.judgements else None,
            rejected=self._rejected_table(block) if block.rejected else None,
            tally=Tally(read, len(block.rejected), len(block.judgements), self._parser.unknown),
            marker_base=base,
        )

    def _checked(self, block: _Open) -> columns.Block:
        """The chunks laid end to end, without the records that break a rule between chunks."""
        laid = block.laying.block()
        sound = np.ones(laid.size, np.bool_)
        for index in sorted(doubts.doubted(laid)):
            run, row = block.places[index]
            lines = run.cut if isinstance(run, Uncut) else run
            try:
                self._second.parse(lines.texts[row])
            except Rejected as fault:
                block.reject(fault, lines, row)
                sound[index] = False
        if sound.all():
            return laid
        block.requests = list(compress(block.requests, sound))
        block.places = list(compress(block.places, sound))
        block.hashes = list(compress(block.hashes, sound))
        return laid.only(sound)

    def _facts(self, block: _Open, laid: columns.Block, base: int | None) -> facts.Facts:
        settings = replace(self._terms.settings, marker_base=1 if base is None else base)
        lines = [run.numbers[row] for run, row in block.places]
        return facts.build(block.requests, lines, settings, laid, block.hashes)

    def _rejected_table(self, block: _Open) -> pa.Table:
        lines, offsets, paths, reasons, digests = zip(*block.rejected, strict=True)
        return pa.table(
            {
                "batch": pa.array([self._terms.batch] * len(lines)),
                "line": pa.array(lines, pa.int64()),
                "byte_offset": pa.array(offsets, pa.int64()),
                "path": pa.array(paths),
                "reason": pa.array(reasons),
                "line_hash": pa.array(digests),
            }
        )


def _base(requests: list[Request]) -> int | None:
    """What these answers call the first chunk; None where no answer with markers is among them."""
    told = [
        (found, sum(chunk.position is not None for chunk in request.chunks))
        for request in requests
        if request.citations is None and request.answer
        if (found := markers.read(request.answer))
    ]
    return markers.detect_base(told) if told else None
