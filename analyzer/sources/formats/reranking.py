"""Calls of a reranker, remembered until the chat that was given their documents.

A chat tells what it was packed with and in which order; the rank is in the answer of the reranker,
which knows its documents by their place in its own request. Both hold the texts, so these join
them: the last call before the chat that had all the documents of it. Of a text only its hash is
remembered.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import Any, NamedTuple

from analyzer.text import normalise, text_hash

_CALLS = 1_000  # so many wait for their chats; the oldest go first


class Ranked(NamedTuple):
    """A document as a reranker ranked it, the best first; `score` is None below its top."""

    hash: int
    chunk: dict[str, Any]
    score: float | None


class Reranks:
    """The last calls of a file; `waiting` counts those that no chat was given."""

    def __init__(self) -> None:
        self._calls: OrderedDict[int, list[Ranked]] = OrderedDict()
        self._joined: set[int] = set()
        self._by_text: dict[int, list[int]] = {}
        self._number = 0

    @property
    def waiting(self) -> int:
        """How many calls no chat followed."""
        return self._number - len(self._joined)

    def add(self, chunks: Sequence[dict[str, Any]], results: Sequence[tuple[int, float]]) -> None:
        """A call: its documents, and for each result the place of its document and the score."""
        self._number += 1
        order = [at for at, _ in results if at < len(chunks)]
        order += [at for at in range(len(chunks)) if at not in set(order)]
        scores = dict(results)
        ranked = []
        for at in order:
            if (named := hash_of(chunks[at].get("text"))) is not None:
                ranked.append(Ranked(named, chunks[at], scores.get(at)))
        self._calls[self._number] = ranked
        for each in ranked:
            self._by_text.setdefault(each.hash, []).append(self._number)
        if len(self._calls) > _CALLS:
            self._forget_oldest()

    def of(self, chunks: Sequence[dict[str, Any]]) -> list[Ranked] | None:
        """What the last call ranked that had all of these documents."""
        hashes = [hash_of(chunk.get("text")) for chunk in chunks]
        if not hashes or None in hashes:
            return None
        common = set.intersection(*(set(self._by_text.get(each or 0, ())) for each in hashes))
        if not common:
            return None
        self._joined.add(max(common))
        return self._calls[max(common)]

    def _forget_oldest(self) -> None:
        number, ranked = self._calls.popitem(last=False)
        for each in ranked:
            kept = [other for other in self._by_text.pop(each.hash, ()) if other != number]
            if kept:
                self._by_text[each.hash] = kept


def hash_of(text: Any) -> int | None:
    """By what two texts are known to be one; None of what says nothing."""
    normalised = normalise(text) if isinstance(text, str) else ""
    return text_hash(normalised) if normalised else None


def ranked(chunks: Sequence[dict[str, Any]], call: Sequence[Ranked]) -> list[dict[str, Any]]:
    """Packed chunks with the ranks of a call, and after them what it ranked and was not packed."""
    places: dict[int, list[int]] = {}
    for at, each in enumerate(call):
        places.setdefault(each.hash, []).append(at)
    found = []
    for chunk in chunks:
        left = places.get(hash_of(chunk.get("text")) or 0) or []
        found.append({**chunk, **(_rank(call, left.pop(0)) if left else {})})
    for at in sorted(at for left in places.values() for at in left):
        found.append({**call[at].chunk, **_rank(call, at)})
    return found


def _rank(call: Sequence[Ranked], at: int) -> dict[str, Any]:
    score = call[at].score
    return {} if score is None else {"rank": at + 1, "rerank_score": score}
