"""One request twice, with the same content or another; labels older than what they judge.

Ids are remembered by their hashes, and where they are too many only those of a smaller and smaller
share of hashes: all lines of one request fall into the share or none, so shares stay right and
memory stays flat.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import NamedTuple, TypeVar

from analyzer.checking.found import Fault, Finding, Tally
from analyzer.checking.reading import Block
from analyzer.record import record_hash

MOST = 100_000
SLACK = timedelta(minutes=5)

_SAME = Fault(
    "duplicate",
    10,
    "the same record again",
    "it counts once",
    "nothing, if lines are delivered at least once; else log each request once",
)
_OTHER = Fault(
    "same_id_other_content",
    70,
    "another record under an id that was used, without a higher `revision`",
    "one of the two counts, the one with the smaller hash",
    "give each request its own id, and a later version of one a higher `revision`",
)
_EARLY = Fault(
    "judged_before_asked",
    60,
    "`judged_at` is before the request's `requested_at`",
    "a clock is wrong, and of several labels the wrong one may count",
    "write both times with their offsets, and set the clocks",
)
_ALONE = Fault(
    "judged_but_not_here",
    5,
    "a judgement of a request that is not in these files",
    "it waits until its request comes",
    "nothing, if the request is in another file; else log the id that the request had",
)

Kept = TypeVar("Kept")


class _Request(NamedTuple):
    content: int
    revision: int
    asked_at: datetime | None


class _Label(NamedTuple):
    judged_at: datetime
    place: str


class Repeats:
    """What is remembered of ids."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._mask = 0
        self._requests: dict[int, _Request] = {}
        self._labels: dict[int, _Label] = {}
        self._same, self._other = Tally(), Tally()

    def see(self, block: Block) -> None:
        """Remember the ids of a block."""
        for index, request in enumerate(block.requests):
            key = _key(request.request_id)
            if not key & self._mask:
                logged = request.origins is None or request.origins.requested_at != "assumed"
                asked_at = request.requested_at if logged else None
                found = _Request(record_hash(request), request.revision or 0, asked_at)
                self._add(key, found, block.place(index))
        for label, line in block.judgements:
            key = _key(label.request_id)
            known = self._labels.get(key)
            if not key & self._mask and (known is None or label.judged_at < known.judged_at):
                self._labels[key] = _Label(label.judged_at, f"{block.file}:{line}")
        while len(self._requests) + len(self._labels) > self._most:
            self._mask = 2 * self._mask + 1
            self._requests = _thinned(self._requests, self._mask)
            self._labels = _thinned(self._labels, self._mask)

    def _add(self, key: int, found: _Request, place: str) -> None:
        known = self._requests.setdefault(key, found)
        again = known is not found
        self._same.add(again and known.content == found.content, 1, place)
        changed = again and known.content != found.content
        self._other.add(changed and known.revision == found.revision, 1, place)
        if changed and found.revision > known.revision:
            self._requests[key] = found

    def findings(self) -> Iterator[Finding]:
        """What came twice, and labels that cannot be."""
        share = f" (one id in {self._mask + 1} was looked at)" if self._mask else ""
        yield from self._same.found(_SAME, f"requests{share}")
        yield from self._other.found(_OTHER, f"requests{share}")
        early, alone = Tally(), Tally()
        for key, label in self._labels.items():
            request = self._requests.get(key)
            alone.add(request is None, 1, label.place)
            if request is not None and request.asked_at is not None:
                early.add(label.judged_at < request.asked_at - SLACK, 1, label.place)
        yield from early.found(_EARLY, f"judged requests{share}")
        yield from alone.found(_ALONE, f"judged requests{share}")


def _key(name: str) -> int:
    digest = hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little")


def _thinned(kept: dict[int, Kept], mask: int) -> dict[int, Kept]:
    return {key: value for key, value in kept.items() if not key & mask}
