"""One file, read block by block: lines to records, records to facts, faults to rejected lines.

Only one block of some twenty thousand chunks or 32 MB is held at a time, so memory stays flat
however long the file is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timezone

import pyarrow as pa

from analyzer import facts, markers
from analyzer.facts import columns, doubts
from analyzer.record import Judgement, Parser, Rejected, Request, check_chunks
from analyzer.sources import Lines, Refused, Source
from analyzer.sources.lines import digest_of

CHUNKS_A_BLOCK = 20_000
BYTES_A_BLOCK = 32 * 2**20


@dataclass(frozen=True)
class Rules:
    """What a load decides about lines that leave something open.

    `now` is the time of the load; `assume_timezone` is for times without an offset,
    `requested_at` for requests without a time (the file's own time where that is None),
    `marker_base` for what answers call the first chunk (0 or 1; None: found out from the first
    block of the file).
    """

    now: datetime
    assume_timezone: timezone | None = None
    requested_at: datetime | None = None
    marker_base: int | None = None


@dataclass
class Tally:
    """What was met while a file was read."""

    read: int = 0
    rejected: int = 0
    judgements: int = 0
    marker_base: int | None = None
    unknown: Counter[str] = field(default_factory=Counter)


@dataclass
class Block:
    """A run of records, ready to be added: facts, labels and rejected lines as Arrow tables."""

    facts: facts.Facts | None
    judgements: pa.Table | None
    rejected: pa.Table | None


@dataclass
class _Open:
    """The block that is being filled."""

    requests: list[Request] = field(default_factory=list)
    places: list[tuple[bytes, int, int | None]] = field(default_factory=list)
    judgements: list[Judgement] = field(default_factory=list)
    rejected: list[tuple[int, int | None, str, str, str]] = field(default_factory=list)
    chunks: int = 0
    size: int = 0

    def reject(self, fault: Rejected, text: bytes, number: int, offset: int | None) -> None:
        """Note a line that cannot become a record."""
        self.rejected.append((number, offset, fault.path, fault.reason, digest_of(text)))

    def full(self) -> bool:
        """Whether it holds enough to be worth a trip to the database."""
        entries = len(self.requests) + len(self.judgements) + len(self.rejected)
        return self.chunks + entries >= CHUNKS_A_BLOCK or self.size >= BYTES_A_BLOCK


class Reading:
    """The blocks of one file; `tally` is complete once they are all taken."""

    def __init__(self, source: Source, batch: str, rules: Rules, settings: facts.Settings) -> None:
        self.rules = rules
        self.tally = Tally(marker_base=rules.marker_base)
        self._source, self._batch, self._settings = source, batch, settings
        assumed = rules.requested_at or _file_time(source) or rules.now
        self._parser = Parser(rules.assume_timezone, assumed.astimezone(UTC))
        self.tally.unknown = self._parser.unknown

    def __iter__(self) -> Iterator[Block]:
        block = _Open()
        for run in self._source.blocks():
            if isinstance(run, Refused):
                self.tally.read += 1
                block.rejected.append((run.number, run.offset, run.path, run.reason, run.digest))
            else:
                self.tally.read += len(run.texts)
                block.size += sum(map(len, run.texts))
                self._parse(run, block)
            if block.full():
                yield self._closed(block)
                block = _Open()
        yield self._closed(block)

    def _parse(self, run: Lines, block: _Open) -> None:
        offsets: Sequence[int | None] = run.offsets or [None] * len(run.texts)
        decode = self._parser.decode
        for text, number, offset in zip(run.texts, run.numbers, offsets, strict=True):
            try:
                record = decode(text)
            except Rejected as fault:
                block.reject(fault, text, number, offset)
                continue
            if isinstance(record, Request):
                block.requests.append(record)
                block.places.append((text, number, offset))
                block.chunks += len(record.chunks)
            else:
                block.judgements.append(record)

    def _closed(self, block: _Open) -> Block:
        laid = self._checked(block)
        self.tally.rejected += len(block.rejected)
        self.tally.judgements += len(block.judgements)
        return Block(
            facts=self._facts(block, laid) if block.requests else None,
            judgements=facts.judgement_table(block.judgements) if block.judgements else None,
            rejected=self._rejected_table(block) if block.rejected else None,
        )

    def _checked(self, block: _Open) -> columns.Block:
        """The chunks laid end to end, without the records that break a rule between chunks."""
        laid = columns.block(block.requests)
        faulty = set()
        for index in sorted(doubts.doubted(laid)):
            try:
                check_chunks(block.requests[index].chunks)
            except Rejected as fault:
                block.reject(fault, *block.places[index])
                faulty.add(index)
        if not faulty:
            return laid
        block.requests = [each for i, each in enumerate(block.requests) if i not in faulty]
        block.places = [each for i, each in enumerate(block.places) if i not in faulty]
        return columns.block(block.requests)

    def _facts(self, block: _Open, laid: columns.Block) -> facts.Facts:
        if self.tally.marker_base is None:
            self.tally.marker_base = _base(block.requests)
        base = 1 if self.tally.marker_base is None else self.tally.marker_base
        settings = replace(self._settings, marker_base=base)
        lines = [number for _, number, _ in block.places]
        return facts.build(block.requests, lines, settings, laid)

    def _rejected_table(self, block: _Open) -> pa.Table:
        lines, offsets, paths, reasons, digests = zip(*block.rejected, strict=True)
        return pa.table(
            {
                "batch": pa.array([self._batch] * len(lines)),
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


def _file_time(source: Source) -> datetime | None:
    if source.path is None:
        return None
    try:
        return datetime.fromtimestamp(source.path.stat().st_mtime, UTC)
    except OSError:  # renamed by a rotation or deleted since it was opened
        return None
