"""Fields that are missing, and what each costs: what is absent narrows what can be said."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from analyzer.checking.found import Finding, Tally
from analyzer.checking.missing import FAULTS, LABELS, ONLY_PACKED
from analyzer.checking.reading import Block
from analyzer.record import Chunk, Request

Counts = NDArray[np.int64]

_NAMED = ("route", "model", "release", "prompt_version", "index_version")
_COUNTED = ("prompt_tokens", "budget_tokens")
_WORKED_OUT = ("rank", "position", "cited")
_GUESSED = ("derived", "estimated", "assumed")  # of what is parsed or counted nothing is guessed
_OF_CHUNKS = {"rank": "missing_rank", "tokens": "missing_tokens", "doc_id": "missing_document"}


class Fields:
    """Counts of what is missing."""

    def __init__(self) -> None:
        self._tallies = {name: Tally() for name in FAULTS}
        self._only_packed = Tally()
        self._labelled = False
        self._requests = 0

    def see(self, block: Block) -> None:
        """Look at the records: labels, and chunks that bring nothing to compare them by."""
        self._labelled |= bool(block.judgements) or any(map(_labelled, block.requests))
        for index, request in enumerate(block.requests):
            if request.exposure in (None, "packed"):
                packed = [chunk for chunk in request.chunks if chunk.position is not None]
                without = sum(map(_without_text, packed))
                self._tallies["text"].add(without, len(packed), block.place(index))

    def count(self, block: Block) -> None:
        """Count the facts of a block."""
        everybody = np.ones(len(block.requests), np.int64)
        self._requests += len(block.requests)
        self._of_requests(block, everybody)
        listed = block.facts.requests["packed"] >= 0
        self._of_chunks(block, listed)
        self._of_answers(block, listed)
        self._count(block, "exposure", ~listed, everybody)

    def _of_requests(self, block: Block, everybody: Counts) -> None:
        asked = block.facts.requests
        self._count(block, "requested_at", asked["requested_at_origin"] == "assumed", everybody)
        self._count(block, "unit_id", ~asked["unit_logged"], everybody)
        for name in _NAMED:
            self._count(block, name, asked[name] == "unknown", everybody)
        for name in _COUNTED:
            self._count(block, name, asked[name] < 0, everybody)
        for name in _WORKED_OUT:
            self._count(
                block, f"{name}_origin", np.isin(asked[f"{name}_origin"], _GUESSED), everybody
            )

    def _of_chunks(self, block: Block, listed: NDArray[np.bool_]) -> None:
        asked = block.facts.requests
        packed = np.where(listed, asked["packed"], 0)
        for name, column in _OF_CHUNKS.items():
            self._count(block, name, np.where(listed, asked[column], 0), packed)

    def _of_answers(self, block: Block, listed: NDArray[np.bool_]) -> None:
        asked = block.facts.requests
        here = (asked["outcome"] == "answered") & listed & (asked["retrieved"] > 0)
        base = here & (asked["packed"] > 0)
        self._count(block, "cited", base & (asked["cited"] < 0), base)
        self._count(block, "position", here & (asked["packed"] == 0), here)
        stray, made = np.maximum(asked["stray"], 0), np.maximum(asked["citations"], 0)
        self._count(block, "stray", stray, made)
        only = base & (asked["retrieved"] == asked["packed"])
        self._only_packed.add_all(only, base, block.place)

    def _count(self, block: Block, name: str, wrong: NDArray[np.generic], of: Counts) -> None:
        self._tallies[name].add_all(wrong, of, block.place)

    def findings(self) -> Iterator[Finding]:
        """What is missing anywhere; what is only a pity where it is missing everywhere."""
        for name, (fault, base) in FAULTS.items():
            yield from self._tallies[name].found(fault, base)
        if self._only_packed.share == 1:
            yield from self._only_packed.found(ONLY_PACKED, "answers")
        if self._requests and not self._labelled:
            yield from Tally(self._requests, self._requests).found(LABELS, "requests")


def _labelled(request: Request) -> bool:
    return request.correct is not None or bool(request.expected_chunk_ids)


def _without_text(chunk: Chunk) -> bool:
    return not (chunk.text or chunk.text_hash or chunk.signature or chunk.embedding)
