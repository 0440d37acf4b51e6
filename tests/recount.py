"""Count again, the slow way: from the JSON of a log straight to measures, one request at a time.

The second witness to ingest, rollups and SQL. It shares no code with them but the fingerprint of a
text and the reading of `[n]` markers, which have witnesses of their own, and it follows the
description of the record word by word.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from itertools import combinations
from typing import Any
from zoneinfo import ZoneInfo

from analyzer.markers import read as read_markers
from analyzer.text import fingerprint

Json = dict[str, Any]
Prints = tuple[int | None, int | None]  # hash and signature of a text


@dataclass
class Request:
    """One request that counts, with what can be said of it."""

    record: Json
    day: date
    correct: bool | None
    expected: list[str] | None
    packed: list[Json] = field(default_factory=list)  # in prompt order
    ranks: list[int | None] = field(default_factory=list)  # packed ranks, beside `packed`
    listed: bool = True
    known: bool = False  # answered, something packed, and citations known
    cited: set[int] = field(default_factory=set)  # indices into `packed`
    citations: int = 0
    stray: int = 0

    @property
    def chunks(self) -> list[Json]:
        chunks: list[Json] = self.record["chunks"]
        return chunks

    @property
    def route(self) -> str:
        return self.record.get("route") or "unknown"

    @property
    def outcome(self) -> str:
        return self.record.get("outcome") or "answered"

    @property
    def k(self) -> int:
        return len(self.packed)

    @property
    def week(self) -> date:
        return self.day - timedelta(days=self.day.weekday())

    @property
    def tokens(self) -> int | None:
        counts = [chunk["tokens"] for chunk in self.packed if chunk.get("tokens") is not None]
        return sum(counts) if self.listed and len(counts) == self.k else None

    @property
    def weight(self) -> int:
        return max(1, round(1000 * (self.record.get("sample_weight") or 1)))


def read(log: str, time_zone: str) -> list[Request]:
    """Every request that counts: the highest revision of each, with its latest labels."""
    lines = [json.loads(line) for line in log.splitlines()]
    records: dict[str, Json] = {}
    for line in lines:
        if "chunks" in line:
            held = records.get(line["request_id"])
            if held is None or (line.get("revision") or 0) > (held.get("revision") or 0):
                records[line["request_id"]] = line
    judgements = [line for line in lines if "judged_at" in line]
    return [_request(record, judgements, time_zone) for record in records.values()]


def _request(record: Json, judgements: list[Json], time_zone: str) -> Request:
    moment = datetime.fromisoformat(record["requested_at"]).astimezone(UTC)
    said = [(moment, record)]
    said += [
        (datetime.fromisoformat(each["judged_at"]).astimezone(UTC), each)
        for each in judgements
        if each["request_id"] == record["request_id"]
    ]
    latest_first = [label for _, label in sorted(said, key=lambda pair: pair[0], reverse=True)]
    correct = [label["correct"] for label in latest_first if label.get("correct") is not None]
    expected = [
        label["expected_chunk_ids"] for label in latest_first if label.get("expected_chunk_ids")
    ]
    request = Request(
        record,
        moment.astimezone(ZoneInfo(time_zone)).date(),
        correct[0] if correct else None,
        expected[0] if expected else None,
    )
    request.listed = (record.get("exposure") or "packed") == "packed"
    if request.listed:
        placed = [chunk for chunk in request.chunks if chunk.get("position") is not None]
        request.packed = sorted(placed, key=lambda chunk: chunk["position"])
        request.ranks = _packed_ranks(request.packed)
        _cite(request)
    return request


def _packed_ranks(packed: list[Json]) -> list[int | None]:
    if len({chunk.get("retrieval_id") for chunk in packed}) > 1:
        return [None] * len(packed)
    ranks = sorted(chunk["rank"] for chunk in packed if chunk.get("rank") is not None)
    return [ranks.index(c["rank"]) + 1 if c.get("rank") is not None else None for c in packed]


def _cite(request: Request) -> None:
    """Flags, else the list, else markers. A chunk is called by its marker, position or id."""
    record, packed = request.record, request.packed
    if request.outcome != "answered" or not packed:
        return
    targets: list[int | None]
    if any(chunk.get("cited") is not None for chunk in request.chunks):
        flagged = [chunk for chunk in request.chunks if chunk.get("cited")]
        targets = [packed.index(chunk) if chunk in packed else None for chunk in flagged]
    elif record.get("citations") is not None:
        targets = [_called(packed, name) for name in record["citations"]]
    elif record.get("answer") is not None:
        targets = [_called(packed, number) for number in read_markers(record["answer"])]
    else:
        return
    request.known = True
    request.citations = len(targets)
    request.stray = targets.count(None)
    request.cited = {target for target in targets if target is not None}


def _called(packed: list[Json], name: int | str) -> int | None:
    for index, chunk in enumerate(packed):
        number = chunk["position"] if chunk.get("marker") is None else chunk["marker"]
        if name in (number, chunk["chunk_id"]):
            return index
    return None


# -- one request


def place(position: int, k: int) -> str:
    """Start, middle or end by (position - 1) / (k - 1): below .2, above .8, in whole numbers."""
    if k == 1:
        return "only"
    if 5 * (position - 1) < k - 1:
        return "start"
    return "end" if 5 * (position - 1) > 4 * (k - 1) else "middle"


def depth(position: int, k: int) -> int:
    """The tenth of the prompt that holds a position of a prompt of two chunks or more."""
    return next(
        tenth for tenth in range(1, 11) if tenth == 10 or 10 * (position - 1) < tenth * (k - 1)
    )


def fate(request: Request) -> str | None:
    """The best fate of a chunk that is known to hold the answer; None without a label."""
    if request.expected is None or not request.listed or request.outcome != "answered":
        return None
    places = [i for i, chunk in enumerate(request.packed) if chunk["chunk_id"] in request.expected]
    if places and not request.known:
        return "unknown_citation"
    if places:
        return "cited" if request.cited & set(places) else "uncited"
    retrieved = {chunk["chunk_id"] for chunk in request.chunks} & set(request.expected)
    return "cut" if retrieved else "not_retrieved"


def expected_place(request: Request) -> str | None:
    """Where the answer stood: the place of its one packed chunk, else not_packed or None."""
    if fate(request) in ("cut", "not_retrieved"):
        return "not_packed"
    if fate(request) is None or request.expected is None:
        return None
    found = [p for p, c in enumerate(request.packed, 1) if c["chunk_id"] in request.expected]
    return place(found[0], request.k) if len(found) == 1 else None


def groups(request: Request, alike: Callable[[Prints, Prints], bool]) -> list[list[int]]:
    """Connected groups of packed chunks that are alike, two by two, as lists of indices."""
    seen = [prints(chunk) for chunk in request.packed]
    found = [{index} for index in range(request.k)]
    for left, right in combinations(range(request.k), 2):
        if alike(seen[left], seen[right]):
            joined = [each for each in found if left in each or right in each]
            found = [each for each in found if each not in joined] + [set().union(*joined)]
    return [sorted(each) for each in found]


def prints(chunk: Json) -> Prints:
    """Hash and signature of a chunk; those that were logged stand where there is no text."""
    if chunk.get("text") is not None:
        made = fingerprint(chunk["text"])
        return (None, None) if made is None else (int(made.text_hash, 16), int(made.signature, 16))
    logged = chunk.get("text_hash"), chunk.get("signature")
    return tuple(None if each is None else int(each, 16) for each in logged)  # type: ignore[return-value]


def identical(left: Prints, right: Prints) -> bool:
    return left[0] is not None and left[0] == right[0]


def near(left: Prints, right: Prints) -> bool:
    signed = left[1] is not None and right[1] is not None
    return identical(left, right) or (signed and (left[1] ^ right[1]).bit_count() <= 25)  # type: ignore[operator]


def compared(request: Request) -> bool:
    """Whether each packed chunk could be compared with all others."""
    seen = [prints(chunk) for chunk in request.packed]
    return request.k == 1 or (
        request.k > 1 and any(all(each[kind] is not None for each in seen) for kind in (0, 1))
    )


def redundant(request: Request, alike: Callable[[Prints, Prints], bool]) -> list[Json]:
    """All chunks but the best of each group: by packed rank if all have one, else by position."""
    ranked = [rank for rank in request.ranks if rank is not None]
    order = ranked if len(ranked) == request.k else list(range(request.k))
    kept = [min(group, key=lambda index: order[index]) for group in groups(request, alike)]
    return [chunk for index, chunk in enumerate(request.packed) if index not in kept]


# -- many requests


def rate(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def by_route(requests: Iterable[Request]) -> Iterator[tuple[str, list[Request]]]:
    routes = defaultdict(list)
    for request in requests:
        routes[request.route].append(request)
    yield from routes.items()


def by_week_and_route(requests: Iterable[Request]) -> Iterator[tuple[date, str, list[Request]]]:
    weeks = defaultdict(list)
    for request in requests:
        weeks[request.week].append(request)
    for week, held in weeks.items():
        for route, own in by_route(held):
            yield week, route, own
