"""Reading a long file in several processes, because one Python process reads on one core only.

The pieces are handed out in the order of the file and taken back in it, so what is loaded is what
one process would have loaded. The first piece is read here: most files are no longer, it tells
what the markers count from, and meanwhile the others start.
"""

from __future__ import annotations

import gc
import os
import signal
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from types import TracebackType

from analyzer.errors import CitelogError
from analyzer.ingest.reading import Block, Piece, Terms, read

WORTH = 32 * 2**20  # bytes as stored; a shorter file is read before other processes have started
AHEAD = 2  # pieces that wait for each process


def cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Readers:
    """As many reading processes as are asked for, started when a file is worth it."""

    def __init__(self, processes: int) -> None:
        self._processes = processes
        self._started: ProcessPoolExecutor | None = None

    def __enter__(self) -> Readers:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._started:
            self._started.shutdown(wait=error is None, cancel_futures=True)

    def blocks(self, pieces: Iterable[Piece], terms: Terms, size: int) -> Iterator[Block]:
        """What comes of the pieces of a file of `size` bytes, in their order.

        Raises CitelogError where a reading process ends by itself.
        """
        if self._processes < 2 or size < WORTH:
            return _here(pieces, terms)
        return self._together(pieces, terms)

    def _together(self, pieces: Iterable[Piece], terms: Terms) -> Iterator[Block]:
        pool = self._pool()
        waiting: deque[tuple[Piece, Future[Block]]] = deque()
        for number, piece in enumerate(pieces):
            if number == 0:
                block = read(piece, terms)
                terms = terms.knowing(block.marker_base)
                yield block
                continue
            waiting.append((piece, pool.submit(read, piece, terms)))
            if len(waiting) > AHEAD * self._processes:
                block = _taken(*waiting.popleft(), terms)
                terms = terms.knowing(block.marker_base)
                yield block
        while waiting:
            block = _taken(*waiting.popleft(), terms)
            terms = terms.knowing(block.marker_base)
            yield block

    def _pool(self) -> ProcessPoolExecutor:
        if self._started is None:
            self._started = ProcessPoolExecutor(self._processes, get_context("spawn"), _prepare)
            for _ in range(self._processes):
                self._started.submit(_prepare)  # so that it starts at once
        return self._started


def _here(pieces: Iterable[Piece], terms: Terms) -> Iterator[Block]:
    for piece in pieces:
        block = read(piece, terms)
        terms = terms.knowing(block.marker_base)
        yield block


def _taken(piece: Piece, future: Future[Block], terms: Terms) -> Block:
    """A block; one that was read before it was known what markers count from may be read again."""
    try:
        block = future.result()
    except BrokenProcessPool:
        raise CitelogError(
            "a process that read a part of the file was ended from outside, perhaps for want of "
            "memory; nothing of this load is kept; run it again with --processes 1"
        ) from None
    told = block.marker_base
    return block if told is None or terms.knowing(told).marker_base == told else read(piece, terms)


def _prepare() -> None:
    """Ctrl-C is for the process that was asked; and records hold no cycles."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.disable()
