"""Files as blocks of checked records, each with its place; what is no record goes to the refusals.

Only one block is held at a time, so memory stays flat however long a log is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analyzer import facts, markers
from analyzer.checking.refusals import Refusals
from analyzer.record import Judgement, Parser, Rejected, Request
from analyzer.sources import Lines, Refused, Source

CHUNKS_A_BLOCK = 20_000
BYTES_A_BLOCK = 32 * 2**20
_FINGERPRINTS = ("text", "text_hash", "signature", "embedding")


@dataclass
class Block:
    """A run of records of one file. `written_at` is when the file was last written."""

    file: str
    written_at: datetime | None
    base: int = 1  # what answers call the first chunk
    requests: list[Request] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    judgements: list[tuple[Judgement, int]] = field(default_factory=list)
    chunks: int = 0
    size: int = 0

    def place(self, index: int) -> str:
        """Where the request of this index stands, as file:line."""
        return f"{self.file}:{self.lines[index]}"

    def full(self) -> bool:
        entries = len(self.requests) + len(self.judgements)
        return self.chunks + entries >= CHUNKS_A_BLOCK or self.size >= BYTES_A_BLOCK

    @cached_property
    def facts(self) -> Facts:
        """The records as a load would see them, but for copies; texts are gone afterwards.

        To fingerprint texts takes longer than all else together, and no check counts copies.
        """
        for request in self.requests:
            for chunk in request.chunks:
                for name in _FINGERPRINTS:
                    setattr(chunk, name, None)
        settings = facts.Settings(marker_base=self.base)
        built = facts.build(self.requests, self.lines, settings)
        return Facts(_columns(built.requests), _columns(built.chunks))


@dataclass(frozen=True)
class Facts:
    """Columns of requests and of their chunks, each with what stands for null: -1, "" or False."""

    requests: dict[str, NDArray[Any]]
    chunks: dict[str, NDArray[Any]]


def _columns(table: Any) -> dict[str, NDArray[Any]]:
    return {name: _filled(table[name].combine_chunks()) for name in table.column_names}


def _filled(column: Any) -> NDArray[Any]:
    from pyarrow import types

    kind = column.type
    if types.is_dictionary(kind):
        column = column.dictionary_decode()
        kind = column.type
    if types.is_boolean(kind):
        column = column.fill_null(False)
    elif types.is_integer(kind):
        column = column.fill_null(-1)
    elif types.is_floating(kind):
        column = column.fill_null(np.nan)
    elif types.is_string(kind):
        column = column.fill_null("")
    return np.asarray(column.to_numpy(zero_copy_only=False))


def blocks(source: Source, parser: Parser, refusals: Refusals, base: int | None) -> Iterator[Block]:
    """The blocks of one file; `base` None: what the first block's answers count from."""
    written_at = source.written_at
    block = Block(source.name, written_at)
    for run in source.blocks():
        if isinstance(run, Refused):
            refusals.add(source.name, run.number, run.path, run.reason)
        else:
            _parse(run, block, parser, refusals)
        if block.full():
            base = _settle_base(block, base)
            yield block
            block = Block(source.name, written_at)
    _settle_base(block, base)
    yield block


def _parse(run: Lines, block: Block, parser: Parser, refusals: Refusals) -> None:
    for text, number in zip(run.texts, run.numbers, strict=True):
        block.size += len(text)
        try:
            record = parser.parse(text)
        except Rejected as fault:
            refusals.add(block.file, number, fault.path, fault.reason)
            continue
        if isinstance(record, Request):
            block.requests.append(record)
            block.lines.append(number)
            block.chunks += len(record.chunks)
        else:
            block.judgements.append((record, number))


def _settle_base(block: Block, base: int | None) -> int | None:
    """What the block's answers call their first chunk, as a load finds it out."""
    if base is None:
        told = list(_marked(block.requests))
        base = markers.detect_base(told) if told else None
    block.base = 1 if base is None else base
    return base


def _marked(requests: Sequence[Request]) -> Iterator[tuple[list[int], int]]:
    for request in requests:
        if request.citations is None and request.answer:
            found = markers.read(request.answer)
            if found:
                yield found, sum(chunk.position is not None for chunk in request.chunks)
