"""Ranks that are not the last scorer's, prompts sorted by the wrong score, prompts of one order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from analyzer.checking.found import Fault, Finding, Tally, Unchecked
from analyzer.checking.reading import Block
from analyzer.record import Chunk

FEWEST = 3  # chunks below which two orders are too often the same
LEAST = 20  # prompts that show a habit
NEARLY_ALL = 0.99
NO_CHANCE = 0.25  # of three shuffled chunks one in six is in the order of any score
BY_RANK = (
    "best_first",
    "best_last",
    "edges_first",
    "edges_first_reversed",
    "middle_first",
    "middle_first_reversed",
)
_NOT_TOLD = ("short", "unranked", "explored")

_RANK_BY_SCORE = Fault(
    "rank_by_first_score",
    90,
    "`rank` follows `score` although `rerank_score` would have it otherwise",
    "ranks are those of the first stage, so position is adjusted for the wrong rank",
    "log the order of the last scorer before packing",
)
_PROMPT_BY_SCORE = Fault(
    "packed_by_first_score",
    75,
    "the prompt is sorted by `score` although a reranker ran",
    "what the reranker put first does not stand first",
    "sort by the reranker's score before packing",
)
_ONE_CHUNK = Fault(
    "one_position",
    60,
    "one chunk alone is packed",
    "there is no position to compare with another",
    "log every chunk of the prompt",
)


class Orders:
    """Counts of what the order of ranks and positions follows."""

    def __init__(self) -> None:
        self._rank_by_score, self._prompt_by_score = Tally(), Tally()
        self._one_chunk = Tally()
        self._seen: Counter[str] = Counter()
        self._told = self._other = 0

    def see(self, block: Block) -> None:
        """Look at the scores."""
        for index, request in enumerate(block.requests):
            scored = [chunk for chunk in request.chunks if _has_both(chunk)]
            if len(scored) >= FEWEST:
                wrong = _follows_first_stage(scored)
                self._rank_by_score.add(wrong, 1, block.place(index))

    def count(self, block: Block) -> None:
        """Count the orderings that were recognised."""
        asked = block.facts.requests
        labels = [str(label) for label in asked["ordering_seen"]]
        by_score = np.array(["score_order" in label.split("|") for label in labels])
        told = np.array([label not in _NOT_TOLD for label in labels])
        self._prompt_by_score.add_all(by_score, told, block.place)
        packed = (asked["packed"] > 0) & (asked["outcome"] == "answered")
        self._one_chunk.add_all(packed & (asked["packed"] == 1), packed, block.place)
        for label in np.array(labels)[told].tolist():
            self._seen.update(label.split("|"))
        self._told += int(told.sum())
        self._other += labels.count("explored")

    def findings(self) -> Iterator[Finding]:
        """Where ranks or prompts follow the wrong score, and where one order is all there is."""
        yield from self._rank_by_score.found(_RANK_BY_SCORE, "requests with both scores")
        if self._prompt_by_score.of >= LEAST and self._prompt_by_score.share >= NO_CHANCE:
            yield from self._prompt_by_score.found(_PROMPT_BY_SCORE, "prompts")
        if self._one_chunk.of >= LEAST and self._one_chunk.share >= NEARLY_ALL:
            yield from self._one_chunk.found(_ONE_CHUNK, "answers")
        yield from self._one_order()

    def _one_order(self) -> Iterator[Finding]:
        name = max(BY_RANK, key=lambda each: self._seen[each])
        count = self._seen[name]
        if self._told >= LEAST and count >= NEARLY_ALL * self._told and not self._other:
            fault = Fault(
                "one_ordering",
                65,
                f"every prompt is packed {name.replace('_', ' ')}",
                "rank and position are one thing, so no effect of position can be told",
                "shuffle a small, known share with analyzer.ordering.explore and log `explored`",
            )
            yield from Tally(count, self._told).found(fault, "prompts")

    def unchecked(self) -> Iterator[Unchecked]:
        """Too few prompts for a habit."""
        if self._told < LEAST and not self._other:
            yield Unchecked(
                "orderings",
                f"whether prompts have more than one order: {self._told} of them show theirs, "
                f"and {LEAST} are needed",
            )


def _has_both(chunk: Chunk) -> bool:
    return None not in (chunk.rank, chunk.score, chunk.rerank_score) and not chunk.retrieval_id


def _follows_first_stage(scored: Sequence[Chunk]) -> bool:
    by_rank = sorted(scored, key=lambda chunk: chunk.rank or 0)
    first = [chunk.score or 0.0 for chunk in by_rank]
    last = [chunk.rerank_score or 0.0 for chunk in by_rank]
    return _falls(first) and not _falls(last)


def _falls(scores: Sequence[float]) -> bool:
    return all(one >= two for one, two in pairwise(scores))
