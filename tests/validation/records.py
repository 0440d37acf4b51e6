"""The requests of synthetic traffic as records.

Their chunks are left out: those are laid out as whole columns. Only where citations are logged as
a list does a record carry them, for the list to be resolved.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TypeVar

import numpy as np

from analyzer.record import Chunk, Request
from analyzer.simulate.arrays import Bools, Ints
from analyzer.simulate.asking import OUTCOMES
from analyzer.simulate.generate import Traffic
from analyzer.simulate.logged import Logged, cited_markers, labels, request_ids

_T = TypeVar("_T")

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def requests(period: Traffic, logged: Logged) -> list[Request]:
    """One a request, in order."""
    asked, route = period.asked, period.route
    unit_ids = [f"{route.name}-u{unit:05d}" for unit in asked.unit.tolist()]
    made = [
        Request(
            request_id=name,
            chunks=[],
            requested_at=_moment(ms),
            route=route.name,
            model=route.model,
            release=route.release,
            prompt_version=route.prompt_version,
            index_version=route.index_version,
            unit_id=unit,
            ordering=ordering,
            explored=explored or None,
            outcome=OUTCOMES[outcome] if outcome else None,
            question_tokens=question,
            prompt_tokens=prompt,
            answer_tokens=answer,
            budget_tokens=route.packer.budget_tokens or None,
        )
        for name, ms, unit, ordering, explored, outcome, question, prompt, answer in zip(
            request_ids(period),
            period.requested_ms.tolist(),
            _unless(_missing(period, logged, "unit_id"), unit_ids),
            _declared(period),
            asked.explored.tolist(),
            asked.outcome.tolist(),
            asked.question_tokens.tolist(),
            _unless(_missing(period, logged, "prompt_tokens"), period.prompt_tokens.tolist()),
            asked.answer_tokens.tolist(),
            strict=True,
        )
    ]
    _label_inline(period, made)
    if route.logging.marker_shift:
        _list_citations(period, logged, made)
    return made


def _moment(ms: int) -> datetime:
    return _EPOCH + timedelta(milliseconds=ms)


def _expected(name: str | None) -> list[str] | None:
    return None if name is None else [name]


def _missing(period: Traffic, logged: Logged, field: str) -> Bools:
    return np.asarray(logged.faulty & (field in period.route.logging.missing))


def _unless(absent: Bools, values: list[_T]) -> list[_T | None]:
    if not absent.any():
        return list(values)
    return [None if gone else value for gone, value in zip(absent.tolist(), values, strict=True)]


def _declared(period: Traffic) -> list[str | None]:
    if not period.route.declares_ordering:
        return [None] * len(period.k)
    return [period.orderings[index] for index in period.asked.ordering.tolist()]


def _label_inline(period: Traffic, made: list[Request]) -> None:
    judged, ids = period.judged, labels(period)
    for label in np.flatnonzero(judged.inline).tolist():
        record = made[int(judged.row[label])]
        record.correct = bool(judged.correct[label])
        record.expected_chunk_ids = _expected(ids[label])


def _list_citations(period: Traffic, logged: Logged, made: list[Request]) -> None:
    """Citations as a list of what the log calls them, and chunks enough to find them by."""
    starts = np.searchsorted(period.chunks.request, np.arange(len(made) + 1)).tolist()
    markers = cited_markers(period, logged)
    for index in np.flatnonzero(logged.citations).tolist():
        rows = slice(starts[index], starts[index + 1])
        made[index].citations = list(markers[index])
        made[index].chunks = _named(period, logged.position[rows], period.chunks.code[rows])


def _named(period: Traffic, position: Ints, code: Ints) -> list[Chunk]:
    return [
        Chunk(chunk_id=period.pool.chunk_id(each), position=where or None)
        for where, each in zip(position.tolist(), code.tolist(), strict=True)
    ]
