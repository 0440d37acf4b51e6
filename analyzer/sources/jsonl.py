"""Cut unpacked bytes into lines and say where each stands, at the speed of the disk.

A block of lines costs one split and a few list operations. A line over the limit is hashed as it
passes and never held. What a line says is not looked at: bytes that are not UTF-8 are for the
record's parser to reject.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from analyzer.sources.lines import (
    RUN_LINES,
    UNCUT_BYTES,
    Lines,
    Refused,
    Uncut,
    between_objects,
    digest_of,
    too_long,
)
from analyzer.sources.unpacking import EndsEarly

BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def cut_lines(pieces: Iterable[bytes], max_line_bytes: int) -> Iterator[Lines | Refused]:
    """`runs_of_lines`, every run of them cut into lines."""
    for run in runs_of_lines(pieces, max_line_bytes):
        yield run.cut if isinstance(run, Uncut) else run


def runs_of_lines(
    pieces: Iterable[bytes], max_line_bytes: int
) -> Iterator[Lines | Uncut | Refused]:
    """The lines of a stream of bytes in order, blank ones left out but counted.

    Raises EndsEarly again when `pieces` raises it, after everything before the cut.
    """
    cutter = _Cutter(max_line_bytes)
    try:
        for piece in pieces:
            yield from cutter.take(piece)
    except EndsEarly:
        yield from cutter.stop()
        raise
    yield from cutter.finish()


class _Cutter:
    """Where the cutting stands: the number and offset of the line that is open."""

    def __init__(self, max_line_bytes: int) -> None:
        self._limit = max_line_bytes
        self._number = 1
        self._offset = 0
        self._start: bytes | None = b""
        self._open: list[bytes] = []
        self._open_bytes = 0
        self._passing: _PassingLine | None = None

    def take(self, piece: bytes) -> Iterator[Lines | Uncut | Refused]:
        if self._start is not None:
            self._start += piece
            if len(self._start) < len(BYTE_ORDER_MARK):
                return
            piece, self._start = self._start, None
            if piece.startswith(BYTE_ORDER_MARK):
                piece = piece[len(BYTE_ORDER_MARK) :]
                self._offset = len(BYTE_ORDER_MARK)
        yield from self._cut(piece)

    def _cut(self, piece: bytes) -> Iterator[Lines | Uncut | Refused]:
        if self._passing:
            end = piece.find(b"\n")
            self._passing.add(piece if end < 0 else piece[:end])
            if end < 0:
                return
            yield self._passed(self._passing)
            piece = piece[end + 1 :]
        end = piece.rfind(b"\n")
        if end >= 0:
            yield from self._whole(b"".join([*self._open, memoryview(piece)[:end]]))
            self._open, self._open_bytes = [], 0
        self._keep_open(piece[end + 1 :])

    def finish(self) -> Iterator[Lines | Uncut | Refused]:
        """A last line without a line end is a line."""
        yield from self._cut(self._start or b"")
        if self._passing:
            yield self._passed(self._passing)
        elif self._open:
            yield from self._whole(b"".join(self._open))

    def stop(self) -> Iterator[Refused]:
        """The file was cut: what is open is half a line."""
        text = (self._start or b"") + b"".join(self._open)
        if self._passing or text.strip():
            digest = self._passing.digest() if self._passing else digest_of(text)
            reason = "is cut off: the file ends in the middle of this line"
            yield Refused(self._number, self._offset, "", reason, digest)

    def _keep_open(self, part: bytes) -> None:
        if not part:
            return
        self._open.append(part)
        self._open_bytes += len(part)
        # One byte more may still be the carriage return.
        if self._open_bytes > self._limit + 1:
            self._passing = _PassingLine()
            for held in self._open:
                self._passing.add(held)
            self._open, self._open_bytes = [], 0

    def _passed(self, line: _PassingLine) -> Refused:
        refused = Refused(
            self._number, self._offset, "", too_long(line.size, self._limit), line.digest()
        )
        self._number += 1
        self._offset += line.bytes_seen + 1
        self._passing = None
        return refused

    def _whole(self, block: bytes) -> Iterator[Lines | Uncut | Refused]:
        feeds = between_objects(block) if len(block) <= self._limit else None
        if feeds is None:
            yield from self._one_by_one(block)
        else:
            yield from self._uncut(block, feeds)

    def _uncut(self, block: bytes, feeds: NDArray[np.intp]) -> Iterator[Uncut]:
        start = first = 0
        while start <= len(block):
            last = int(np.searchsorted(feeds, start + UNCUT_BYTES))
            end = int(feeds[last]) if last < len(feeds) else len(block)
            run = Uncut(block[start:end], last - first + 1, self._number, self._offset)
            self._number += run.lines
            self._offset += len(run.whole) + 1
            start, first = end + 1, last + 1
            yield run

    def _one_by_one(self, block: bytes) -> Iterator[Lines | Uncut | Refused]:
        texts = block.split(b"\n")
        lengths = list(map(len, texts))
        offsets = list(accumulate(map((1).__add__, lengths), initial=self._offset))
        numbers = list(range(self._number, self._number + len(texts)))
        self._number += len(texts)
        self._offset = offsets.pop()
        lines = Lines(texts, numbers, offsets)
        if b"\r" in block:
            lines = Lines([text.removesuffix(b"\r") for text in texts], numbers, offsets)
        yield from _runs(_without_blanks(lines), self._limit)


def _without_blanks(lines: Lines) -> Lines:
    texts, numbers, offsets = lines.texts, lines.numbers, lines.offsets or []
    kept = [at for at, text in enumerate(texts) if text and not text.isspace()]
    if len(kept) == len(texts):
        return lines
    return Lines(
        [texts[at] for at in kept], [numbers[at] for at in kept], [offsets[at] for at in kept]
    )


def _runs(lines: Lines, limit: int) -> Iterator[Lines | Uncut | Refused]:
    texts, numbers, offsets = lines.texts, lines.numbers, lines.offsets or []
    start = 0
    for at in [at for at, text in enumerate(texts) if len(text) > limit]:
        yield from _slices(lines, start, at)
        reason = too_long(len(texts[at]), limit)
        yield Refused(numbers[at], offsets[at], "", reason, digest_of(texts[at]))
        start = at + 1
    yield from _slices(lines, start, len(texts))


def _slices(lines: Lines, start: int, stop: int) -> Iterator[Lines]:
    for low in range(start, stop, RUN_LINES):
        run = slice(low, min(low + RUN_LINES, stop))
        yield Lines(lines.texts[run], lines.numbers[run], (lines.offsets or [])[run])


class _PassingLine:
    """A line too long to hold: its size and hash, without its carriage return."""

    def __init__(self) -> None:
        self.bytes_seen = 0
        self._hash = hashlib.sha256()
        self._carriage_return = False

    def add(self, part: bytes) -> None:
        if not part:
            return
        self.bytes_seen += len(part)
        if self._carriage_return:
            self._hash.update(b"\r")
        self._carriage_return = part.endswith(b"\r")
        self._hash.update(part.removesuffix(b"\r"))

    @property
    def size(self) -> int:
        return self.bytes_seen - self._carriage_return

    def digest(self) -> str:
        return self._hash.hexdigest()[:16]
