"""Which packed chunks the answer cites: by flags, else by the citation list, else by markers.

A citation of something that was not packed is a stray citation. Requests that were not answered,
that had nothing packed, or that say nothing about citations have none of these numbers: unknown
is not "uncited".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from analyzer import markers
from analyzer.facts.columns import Block, Bools, Ints, masked, told_of
from analyzer.facts.placing import Placed
from analyzer.record import Request


@dataclass(frozen=True)
class Cited:
    """`cited` per chunk; per request whether citations are known, how many, how many stray."""

    cited: Bools
    known: Bools
    citations: Ints
    stray: Ints
    origins: list[str]

    def chunk_columns(self, block: Block, placed: Placed) -> dict[str, pa.Array]:
        """Cited or not; null where that is not known or the chunk was not packed."""
        known = self.known[block.owner]
        return {
            "cited": pa.array(self.cited, mask=~(placed.packed & known)),
            "citations_known": pa.array(known),
        }

    def request_columns(self, block: Block) -> dict[str, pa.Array]:
        """Counts of cited chunks, of citations and of stray ones."""
        unknown = ~self.known
        return {
            "cited": masked(block.per_request(self.cited), unknown),
            "citations": masked(self.citations, unknown),
            "stray": masked(self.stray, unknown),
            "cited_origin": pa.array(self.origins, pa.string()),
        }


def cite(
    records: Sequence[Request],
    said: Mapping[str, Sequence[Any]],
    block: Block,
    placed: Placed,
    base: int,
) -> Cited:
    """Resolve the citations of every request; `said` are the fields of the records.

    `base` is what the first chunk's marker is called.
    """
    flags = block.arrays["cited"]
    flagged = block.per_request(block.known("cited")) > 0
    says = np.asarray(flags.fill_null(False))
    answered = told_of(said["outcome"], lambda outcome: outcome == "answered", absent=True)
    open_ = answered & placed.listed & (placed.k > 0)
    cited = says & placed.packed & open_[block.owner]
    stray = block.per_request(says & ~placed.packed)
    citations = block.per_request(says)
    told = flagged.copy()
    origins: list[str | None] = [each and each.cited for each in said["origins"]]
    starts = np.searchsorted(block.owner, np.arange(block.size))
    for index in np.flatnonzero(~flagged & open_).tolist():
        targets = _targets(records[index], origins, index)
        if targets is not None:
            told[index] = True
            parsed = records[index].citations is None
            found = _resolve(records[index], targets, base if parsed else 1)
            cited[starts[index] + np.array(sorted(found.chunks), np.int64)] = True
            stray[index], citations[index] = found.stray, len(targets)
    known = open_ & told
    cited &= known[block.owner]
    return Cited(cited, known, citations, stray, [origin or "logged" for origin in origins])


def asks_for_chunks(record: Request) -> bool:
    """Whether the record's citations are a list or stand in its answer, so that `cite` resolves."""
    return record.citations is not None or record.answer is not None


def _targets(record: Request, origins: list[str | None], index: int) -> Sequence[int | str] | None:
    """What the answer points to, or None where the record does not say; marks parsed markers."""
    if record.citations is not None:
        return record.citations
    if record.answer is None:
        return None
    origins[index] = "parsed"
    return markers.read(record.answer)


@dataclass(frozen=True)
class _Found:
    chunks: set[int]
    stray: int


def _resolve(record: Request, targets: Sequence[int | str], base: int) -> _Found:
    """Targets to indices of packed chunks. A number is what the prompt called the chunk."""
    called: dict[int | str, int] = {}
    for index, chunk in enumerate(record.chunks):
        if chunk.position is not None:
            called.setdefault(chunk.chunk_id, index)
            name = chunk.position + base - 1 if chunk.marker is None else chunk.marker
            called[name] = index
    found = [called.get(target) for target in targets]
    chunks = {index for index in found if index is not None}
    return _Found(chunks, sum(index is None for index in found))
