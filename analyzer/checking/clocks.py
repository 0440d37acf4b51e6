"""Clocks that disagree: requests of the future, times that go back, chunks indexed after asking."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from analyzer.checking.found import Fault, Finding, Tally
from analyzer.checking.reading import Block

Moments = NDArray[np.int64]

SLACK = 5 * 60 * 10**6  # microseconds by which clocks may differ
HOUR = 3600 * 10**6

_FUTURE = Fault(
    "requested_in_the_future",
    80,
    "`requested_at` is later than now",
    "it counts in a week that is still to come",
    "set the host's clock, and write local time with its offset and not as Z",
)
_AFTER = Fault(
    "requested_after_writing",
    35,
    "`requested_at` is later than the file was last written",
    "some clock is ahead, so days and weeks are cut in the wrong place",
    "set the host's clock, and write local time with its offset and not as Z",
)
_BACK = Fault(
    "times_go_back",
    20,
    "`requested_at` is over an hour before a line above",
    "if these are no late lines, a clock or an offset is wrong and moves requests to another day",
    "compare the clocks of the hosts that write the log, and the offsets that they write",
)
_INDEXED = Fault(
    "indexed_after_asking",
    35,
    "a chunk was indexed after its request (`indexed_at`)",
    "a clock is wrong, and which copy of a document is the old one cannot be told",
    "set the indexer's clock, and write its time with an offset",
)


class Clocks:
    """Counts of times that cannot be."""

    def __init__(self, now: datetime) -> None:
        self._now = _micros(now)
        self._future, self._after, self._back, self._indexed = (Tally() for _ in range(4))
        self._file, self._latest = "", 0

    def count(self, block: Block) -> None:
        """Count the facts of a block."""
        asked = block.facts.requests
        moment = _whole(asked["requested_at"])
        logged = asked["requested_at_origin"] != "assumed"
        future = logged & (moment > self._now + SLACK)
        self._future.add_all(future, logged, block.place)
        if block.written_at is not None:
            after = logged & ~future & (moment > _micros(block.written_at) + SLACK)
            self._after.add_all(after, logged, block.place)
        self._orders(block, moment, logged)
        self._chunks(block, moment, logged)

    def _orders(self, block: Block, moment: Moments, logged: NDArray[np.bool_]) -> None:
        if block.file != self._file:
            self._file, self._latest = block.file, 0
        latest = np.maximum.accumulate(np.r_[self._latest, np.where(logged, moment, 0)])
        self._back.add_all(logged & (moment < latest[:-1] - HOUR), logged, block.place)
        self._latest = int(latest[-1])

    def _chunks(self, block: Block, moment: Moments, logged: NDArray[np.bool_]) -> None:
        counts = [len(request.chunks) for request in block.requests]
        owner = np.repeat(np.arange(len(counts)), counts)
        stamps = block.facts.chunks["indexed_at"]
        late = ~np.isnat(stamps) & (_whole(stamps) > moment[owner] + SLACK)
        wrong = logged & (np.bincount(owner[late], minlength=len(counts)) > 0)
        dated = np.bincount(owner[~np.isnat(stamps)], minlength=len(counts)) > 0
        self._indexed.add_all(wrong, logged & dated, block.place)

    def findings(self) -> Iterator[Finding]:
        """Where any time cannot be."""
        yield from self._future.found(_FUTURE, "requests")
        yield from self._after.found(_AFTER, "requests")
        yield from self._back.found(_BACK, "requests")
        yield from self._indexed.found(_INDEXED, "requests whose chunks are dated")


def _micros(moment: datetime) -> int:
    return int(moment.astimezone(UTC).timestamp() * 10**6)


def _whole(stamps: NDArray[np.datetime64]) -> Moments:
    return stamps.astype("datetime64[us]").astype(np.int64)
