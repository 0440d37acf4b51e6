"""Records to facts: what is computed once about a request and its chunks, so that SQL only counts.

Positions are closed up, ranks are counted among the packed, citations are resolved, near-copies are
grouped. Everything is a function of one record alone: how records are spread over files and
blocks changes nothing. A block of some twenty thousand chunks at a time becomes Arrow tables with
the columns of the store's `requests`, `chunks`, `texts` and `judgements`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from analyzer.facts import citing, columns, copying, placing, recognising, requests
from analyzer.record import Judgement, Request, record_hashes

# What is the same for every chunk of a request stands on the chunk too: no question needs a join.
_ON_CHUNKS = (
    "request_id",
    "record_hash",
    "day",
    "route",
    "model",
    "release",
    "index_version",
    "ordering_seen",
    "outcome",
    "unit_group",
    "prompt_bucket",
)


@dataclass(frozen=True)
class Settings:
    """What a store and a load decide about facts.

    `time_zone` cuts days, `unit_key` is the key of the hash that counts distinct units,
    `marker_base` what an answer's markers call the first chunk (0 or 1).
    """

    time_zone: str = "UTC"
    unit_key: bytes = b""
    marker_base: int = 1


@dataclass(frozen=True)
class Facts:
    """Arrow tables of one block; `requests` carries the `line` that each came from."""

    requests: pa.Table
    chunks: pa.Table
    texts: pa.Table


def build(
    records: Sequence[Request],
    lines: Sequence[int],
    settings: Settings,
    block: columns.Block | None = None,
    hashes: Sequence[int] | None = None,
) -> Facts:
    """Facts of checked requests that all have `requested_at`; `lines` are their line numbers.

    `block` is `columns.block(records)` and `hashes` their `record_hash`, where the caller has
    them already.
    """
    block = block or columns.block(records)
    hashes = hashes or record_hashes(records)
    said = requests.fields(records)
    placed = placing.place(block, said)
    cited = citing.cite(records, said, block, placed, settings.marker_base)
    copied = copying.find(block, placed)
    logged = requests.logged(said)
    asked = {
        **logged,
        **requests.dimensions(said, settings.time_zone),
        **requests.units(said, settings.unit_key),
        **placed.request_columns(block, logged["budget_tokens"], logged["prompt_tokens"]),
        **cited.request_columns(block),
        **copied.request_columns(block, placed),
        "prompt_bucket": requests.prompt_buckets(logged["prompt_tokens"]),
        "ordering_seen": pa.array(recognising.orderings(block, said, placed), pa.string()),
        "record_hash": pa.array(hashes, pa.int64()),
        "line": pa.array(lines, pa.int64()),
    }
    owner = pa.array(block.owner)
    chunks = {
        **{name: columns.repeated(asked[name], owner) for name in _ON_CHUNKS},
        **block.columns(),
        **placed.chunk_columns(block),
        **cited.chunk_columns(block, placed),
        **copied.chunk_columns(),
    }
    return Facts(pa.table(asked), pa.table(chunks), copied.texts)


def judgement_table(judgements: Sequence[Judgement]) -> pa.Table:
    """Labels with the columns of `judgements`, batch aside; one row a label line."""
    return pa.table(
        {
            "request_id": pa.array([each.request_id for each in judgements], pa.string()),
            "judged_at": columns.times([each.judged_at for each in judgements]),
            "correct": pa.array([each.correct for each in judgements], pa.bool_()),
            "expected_chunk_ids": pa.array(
                [each.expected_chunk_ids for each in judgements], pa.list_(pa.string())
            ),
            "score": pa.array([each.score for each in judgements], pa.float64()),
            "judge": pa.array([each.judge for each in judgements], pa.string()),
            "judgement_hash": pa.array(np.array(record_hashes(judgements), np.int64)),
        }
    )
