"""What a change makes of logged records, counted again in plain Python from the log lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from analyzer import ordering
from analyzer.whatif import Change

Json = dict[str, Any]


def recounted(records: Iterable[Json], change: Change) -> dict[str, Any]:
    """The facts of one route by the names of the table, of those that are whole numbers."""
    prompts = [_Prompt(record) for record in records if _usable(record)]
    most = max(len(prompt.now) for prompt in prompts)
    total: Counter[str] = Counter()
    for prompt in prompts:
        then = prompt.packed(change, most)
        place = {chunk["chunk_id"]: at for at, chunk in enumerate(_laid(then, change), 1)}
        total.update(_facts(prompt, then, place))
    return {name: total[name] for name in sorted(total)} | {"replayed": len(prompts)}


def _usable(record: Json) -> bool:
    packed = any("position" in chunk for chunk in record["chunks"])
    return record.get("outcome", "answered") == "answered" and packed


class _Prompt:
    def __init__(self, record: Json) -> None:
        self.record = record
        self.candidates = sorted(record["chunks"], key=lambda chunk: chunk["rank"])
        self.now = [chunk for chunk in self.candidates if "position" in chunk]

    def packed(self, change: Change, most: int) -> list[Json]:
        """Best first, as somebody would write it who never heard of arrays."""
        lowest = self.now[-1]["rank"]
        k = len(self.now)
        if change.top_k is not None:
            k = change.top_k if k == most else min(k, change.top_k)
        kept: list[Json] = []
        for chunk in self.candidates:
            if "position" not in chunk and chunk["rank"] < lowest:
                continue
            if len(kept) == k:
                break
            if change.dedupe and any(_copies(chunk, other) for other in kept):
                continue
            siblings = sum(other["doc_id"] == chunk["doc_id"] for other in kept)
            if change.per_document is not None and siblings >= change.per_document:
                continue
            used = sum(other["tokens"] for other in kept)
            if change.budget is not None and used + chunk["tokens"] > change.budget:
                continue
            kept.append(chunk)
        return kept


def _copies(one: Json, other: Json) -> bool:
    if one["text_hash"] == other["text_hash"]:
        return True
    return (int(one["signature"], 16) ^ int(other["signature"], 16)).bit_count() <= 25


def _laid(kept: list[Json], change: Change) -> list[Json]:
    assert change.ordering is not None
    return ordering.arranged(kept, change.ordering)


def _facts(prompt: _Prompt, then: list[Json], place: dict[str, int]) -> Counter[str]:
    expected = set(prompt.record.get("expected_chunk_ids", ()))
    wanted = [chunk for chunk in prompt.candidates if chunk["chunk_id"] in expected]
    cited = [chunk for chunk in prompt.now if chunk.get("cited")]
    stays = [chunk for chunk in cited if chunk["chunk_id"] in place]
    was = [_middle(chunk["position"], len(prompt.now)) for chunk in stays]
    will = [_middle(place[chunk["chunk_id"]], len(then)) for chunk in stays]
    new = [chunk for chunk in then if "position" not in chunk]
    return Counter(
        packed_now=len(prompt.now),
        packed_then=len(then),
        tokens_now=sum(chunk["tokens"] for chunk in prompt.now),
        tokens_then=sum(chunk["tokens"] for chunk in then),
        cited=len(cited),
        cited_lost=len(cited) - len(stays),
        middle=sum(was),
        out_of_middle=sum(a and not b for a, b in zip(was, will, strict=True)),
        into_middle=sum(b and not a for a, b in zip(was, will, strict=True)),
        entering=len(new),
        expected=len(wanted),
        expected_packed=sum("position" in chunk for chunk in wanted),
        expected_lost=sum("position" in c and c["chunk_id"] not in place for c in wanted),
        found=sum(chunk["chunk_id"] in place for chunk in wanted),
    )


def _middle(position: int, k: int) -> bool:
    return k > 2 and 0.2 <= (position - 1) / (k - 1) <= 0.8
