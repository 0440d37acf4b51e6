"""Simulated traffic straight to facts, without writing and reading a log in between.

What a log would say is laid out as the columns that reading one gives; from there on the real
`analyzer.facts` works. A test holds the result against a store that read the same traffic from
files: only the hash of a record differs, for the record is never made whole here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from analyzer import facts
from analyzer.facts import columns
from analyzer.record import Chunk, Judgement, Request
from analyzer.simulate.arrays import Ints, stream
from analyzer.simulate.asking import OUTCOMES
from analyzer.simulate.generate import Traffic
from analyzer.simulate.logged import Logged, as_logged, cited_markers, labels, request_ids
from analyzer.simulate.pool import Pool
from analyzer.simulate.retrieve import SCORE_STEPS
from analyzer.simulate.scenario import Scenario

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_OF_DOCUMENT = ("doc_id", "ordinal", "indexed_at", "doc_version")


@dataclass(frozen=True)
class Loaded:
    """What reading the log of a period would add to a store."""

    facts: facts.Facts | None  # None: nothing of it became a record
    labels: pa.Table | None
    lines: int  # requests logged
    unsound: int  # of them, those whose line is rejected


def index_of(pool: Pool) -> dict[str, pa.Array]:
    """Columns over all codes of a pool: what the index says about its chunks."""
    codes = range(pool.size * pool.editions)
    documents = [pool.document_fields(code) for code in codes]
    indexed = [datetime.fromisoformat(str(each["indexed_at"])) for each in documents]
    return {
        "chunk_id": pa.array([pool.chunk_id(code) for code in codes]),
        "doc_id": pa.array([str(each["doc_id"]) for each in documents]),
        "ordinal": pa.array([pool.ordinal(code) for code in codes], pa.int64()),
        "doc_version": pa.array([str(each["doc_version"]) for each in documents]),
        "indexed_at": columns.times(indexed),
        "tokens": pa.array(pool.tokens, pa.int64()),
        "text_hash": pa.array(pool.hashes),
        "signature": pa.array(pool.signatures),
    }


def loaded(
    scenario: Scenario, traffic: Traffic, known: dict[str, pa.Array], settings: facts.Settings
) -> Loaded:
    """The facts and labels of a period as its application logs it; `known` is its `index_of`."""
    rng = stream(scenario.seed, "logged", traffic.route.name, traffic.stretch.start.isoformat())
    logged = as_logged(traffic, rng)
    sound = logged.sound
    judgements = _judgements(scenario, traffic)
    told = facts.judgement_table(judgements) if judgements else None
    lost = int((~sound).sum())
    if not sound.any():
        return Loaded(None, told, len(sound), lost)
    whole = _Log(traffic, logged, known)
    made = facts.build(whole.records, whole.lines, settings, whole.block)
    return Loaded(made, told, len(sound), lost)


@dataclass(frozen=True)
class _Log:
    """The sound requests of a period as a log names them."""

    traffic: Traffic
    logged: Logged
    known: dict[str, pa.Array]

    @cached_property
    def _kept(self) -> Ints:
        """The sound requests."""
        return np.flatnonzero(self.logged.sound)

    @cached_property
    def _chunks(self) -> Ints:
        """The chunks of the sound requests."""
        return np.flatnonzero(self.logged.sound[self.traffic.chunks.request])

    @property
    def lines(self) -> list[int]:
        """The line of each kept request."""
        return (self._kept + 1).tolist()

    @cached_property
    def records(self) -> list[Request]:
        """Records without their chunks, which stand in the block."""
        traffic, asked = self.traffic, self.traffic.asked
        route = traffic.route
        gone = {name: self._gone(name) for name in ("unit_id", "prompt_tokens")}
        names, labelled = request_ids(traffic), self._inline_labels()
        cited = self._citation_lists()
        return [
            Request(
                request_id=names[row],
                chunks=self._named_chunks(row) if cited else [],
                requested_at=_EPOCH + timedelta(milliseconds=int(traffic.requested_ms[row])),
                route=route.name,
                model=route.model,
                release=route.release,
                prompt_version=route.prompt_version,
                index_version=route.index_version,
                unit_id=None if gone["unit_id"][row] else f"{route.name}-u{asked.unit[row]:05d}",
                ordering=(
                    traffic.orderings[asked.ordering[row]] if route.declares_ordering else None
                ),
                explored=bool(asked.explored[row]) or None,
                outcome=OUTCOMES[asked.outcome[row]],
                question_tokens=int(asked.question_tokens[row]),
                prompt_tokens=None
                if gone["prompt_tokens"][row]
                else int(traffic.prompt_tokens[row]),
                answer_tokens=int(asked.answer_tokens[row]),
                budget_tokens=route.packer.budget_tokens or None,
                citations=cited.get(row),
                **labelled.get(row, {}),
            )
            for row in self._kept.tolist()
        ]

    def _gone(self, field: str) -> np.ndarray[Any, Any]:
        return self.logged.faulty & (field in self.traffic.route.logging.missing)

    def _inline_labels(self) -> Mapping[int, dict[str, Any]]:
        judged, ids = self.traffic.judged, labels(self.traffic)
        return {
            int(judged.row[label]): _label(bool(judged.correct[label]), ids[label])
            for label in np.flatnonzero(judged.inline).tolist()
        }

    def _citation_lists(self) -> Mapping[int, list[int | str]]:
        """Citations by marker, where those are not simply flags on the chunks."""
        if not self.traffic.route.logging.marker_shift:
            return {}
        known = self.logged.citations
        lists = cited_markers(self.traffic, self.logged)
        return {row: list(lists[row]) for row in np.flatnonzero(known).tolist()}

    def _named_chunks(self, row: int) -> list[Chunk]:
        """The chunks of a request with nothing but what a list of citations refers to."""
        first, last = np.searchsorted(self.traffic.chunks.request, [row, row + 1])
        positions = self.logged.position[first:last].tolist()
        return [Chunk(chunk_id="-", position=at or None) for at in positions]

    @cached_property
    def block(self) -> columns.Block:
        """The chunks as they would be read."""
        chunks, logged = self.traffic.chunks, self.logged
        kept = self._chunks
        number = np.cumsum(logged.sound) - 1
        arrays = self._of_the_index() | self._of_the_request()
        return columns.Block(
            size=len(self._kept),
            owner=number[chunks.request[kept]],
            arrays=arrays,
            texts=(),
            embeddings=[None] * len(kept),
            rank=columns.filled(arrays["rank"])[0],
            position=columns.filled(arrays["position"])[0],
        )

    def _of_the_index(self) -> dict[str, pa.Array]:
        """What the index says about each chunk."""
        faulty = self._faulty_chunks
        missing = self.traffic.route.logging.missing
        absent = dict.fromkeys(_OF_DOCUMENT, "doc_id" in missing)
        absent |= dict.fromkeys(("text_hash", "signature"), "text" in missing)
        absent |= {"tokens": "tokens" in missing, "chunk_id": False}
        code = self.traffic.chunks.code[self._chunks]
        return {
            name: self.known[name].take(pa.array(code, mask=faulty if gone else None))
            for name, gone in absent.items()
        }

    @cached_property
    def _faulty_chunks(self) -> np.ndarray[Any, Any]:
        faulty: np.ndarray[Any, Any] = self.logged.faulty[self.traffic.chunks.request]
        return faulty[self._chunks]

    def _of_the_request(self) -> dict[str, pa.Array]:
        """What the retrieval and the answer say about each chunk."""
        chunks, kept, faulty = self.traffic.chunks, self._chunks, self._faulty_chunks
        missing = self.traffic.route.logging.missing
        nobody = np.zeros(len(kept), np.bool_)
        position = self.logged.position[kept]
        no_reranker = np.full(len(kept), not self.traffic.route.reranker)
        return {
            "rank": pa.array(chunks.rank[kept], mask=faulty if "rank" in missing else nobody),
            "position": pa.array(position, mask=position == 0),
            "score": _score(chunks.score[kept], faulty if "score" in missing else nobody),
            "rerank_score": _score(chunks.rerank_score[kept], no_reranker),
            "cited": pa.array(chunks.cited[kept], mask=~self._flagged),
            "marker": pa.nulls(len(kept), pa.int64()),
            "retrieval_id": pa.nulls(len(kept), pa.string()),
        }

    @property
    def _flagged(self) -> np.ndarray[Any, Any]:
        """Chunks on which the log says whether they were cited."""
        chunks, kept = self.traffic.chunks, self._chunks
        if self.traffic.route.logging.marker_shift:
            return np.zeros(len(kept), np.bool_)
        said = self.logged.citations[chunks.request[kept]] & (chunks.position[kept] > 0)
        return np.asarray(said, np.bool_)


def _score(steps: Ints, absent: np.ndarray[Any, Any]) -> pa.Array:
    return pa.array(np.clip(steps, 0, SCORE_STEPS) / SCORE_STEPS, pa.float64(), mask=absent)


def _label(correct: bool, expected: str | None) -> dict[str, Any]:
    return {"correct": correct, "expected_chunk_ids": None if expected is None else [expected]}


def _judgements(scenario: Scenario, traffic: Traffic) -> list[Judgement]:
    """The labels that come later, if they come before the logs end."""
    judged, names, ids = traffic.judged, request_ids(traffic), labels(traffic)
    moment = traffic.requested_ms[judged.row] + judged.delay_ms
    end = (scenario.first_day + timedelta(weeks=scenario.weeks)).timestamp() * 1000
    later = np.flatnonzero(~judged.inline & (moment < end))
    at = moment[later]
    return [
        Judgement(
            request_id=names[int(judged.row[label])],
            judged_at=_EPOCH + timedelta(milliseconds=ms),
            judge="panel",
            **_label(bool(judged.correct[label]), ids[label]),
        )
        for label, ms in zip(later.tolist(), at.tolist(), strict=True)
    ]
