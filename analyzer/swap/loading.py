"""Outcomes from a file: answers of `citelog swap run`, or a sweep that others published.

A published sweep is a JSON array or JSON lines, also packed with gzip: one record a question and
position, with whether the answer was right. Its records name the question, the position and the
judgement in any of the usual words; positions from 0 or from 1, by the smallest one.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from analyzer.errors import CitelogError, NothingThere, UsageError
from analyzer.swap import results
from analyzer.swap.judging import Judge, judge
from analyzer.swap.outcomes import UNKNOWN, Outcome, Run
from analyzer.swap.questions import name_of_text
from analyzer.swap.results import Line

_QUESTION = ("question_id", "q_idx", "qid", "id", "question")
_POSITION = ("position", "gold_index", "gold_idx")
_CORRECT = ("correct", "match", "is_correct")
_K = ("k", "n_docs", "total_documents", "num_documents")

Verdict = Callable[[Line], bool | None]


@dataclass(frozen=True)
class Told:
    """What a file of others does not say of itself."""

    model: str | None = None
    model_otherwise: str | None = None  # where neither the file nor anybody says it
    prompt_version: str | None = None
    chunks: int | None = None  # K
    position_base: int | None = None  # 0 or 1; None: as the smallest position says


def load(path: Path, told: Told, how: Judge | None = None, verdict: Verdict | None = None) -> Run:
    """The run that a file holds; raises `CitelogError` for another file.

    `how` judges answers (by default `span`, or `cited` where a question has no known answer);
    `verdict` does so in its place.
    """
    content = _unpacked(path)
    if b'"citelog_swap_results"' in content[:200]:
        return _of_results(path, content, told, how, verdict)
    if b'"citelog_swap_set"' in content[:200]:
        raise CitelogError(
            f"{path}: holds questions and no answers yet; citelog swap run asks them"
        )
    return _of_sweep(path, content, told)


def _of_results(
    path: Path, content: bytes, told: Told, how: Judge | None, verdict: Verdict | None
) -> Run:
    head, held = results.read(path, content)
    broken = {(line.question_id, line.draw) for line in held if line.under_way}
    lines = [line for line in held if (line.question_id, line.draw) not in broken]
    not_known = sum(line.under_way for line in held)
    if not lines:
        raise _no_answers(path, not_known)
    how = how or (Judge.span if any(line.answers for line in lines) else Judge.cited)
    days = [line.asked_at for line in lines if line.asked_at]
    return Run(
        model=told.model or head.model,
        prompt_version=told.prompt_version or head.prompt_version,
        route=head.route,
        question_set=head.question_set,
        judge="command" if verdict else how.value,
        source=path.name,
        asked_on=datetime.fromisoformat(max(days)).date() if days else None,
        not_known=not_known,
        unpaired=len(held) - len(lines) - not_known,
        outcomes=[_outcome(line, how, verdict) for line in lines],
    )


def _no_answers(path: Path, not_known: int) -> NothingThere:
    if not_known:
        return NothingThere(
            f"{path}: holds no answer that can be scored; citelog swap run --ask-again asks once "
            "more what was under way"
        )
    return NothingThere(f"{path}: holds no answers yet; citelog swap run asks for them")


def _outcome(line: Line, how: Judge, verdict: Verdict | None) -> Outcome:
    correct = None
    if line.answer is not None:
        given = judge(how, line.answer, line.answers, line.position) if not verdict else None
        correct = verdict(line) if verdict else given
    return Outcome(line.question_id, line.draw, line.position, line.k, correct, line.tokens)


def _of_sweep(path: Path, content: bytes, told: Told) -> Run:
    records = _records(path, content)
    if not records:
        raise NothingThere(f"{path}: holds no answers")
    model = told.model or told.model_otherwise
    if model is None:
        raise UsageError(f"{path}: does not say which model was asked; add --model")
    positions = [_field(path, n, record, _POSITION) for n, record in enumerate(records, start=1)]
    if not all(isinstance(position, int) for position in positions):
        raise CitelogError(f"{path}: has a position that is no whole number")
    base = told.position_base
    if base is None:
        base = 0 if min(positions) == 0 else 1
    return Run(
        model=model,
        prompt_version=told.prompt_version or UNKNOWN,
        source=path.name,
        outcomes=[
            _swept(path, number, record, position - base + 1, told.chunks)
            for number, (record, position) in enumerate(zip(records, positions, strict=True), 1)
        ],
    )


def _swept(
    path: Path, number: int, record: dict[str, Any], position: int, chunks: int | None
) -> Outcome:
    k = chunks or _optional(record, _K)
    if not isinstance(k, int):
        raise UsageError(f"{path}: does not say how many chunks a prompt had; add --chunks")
    if not 1 <= position <= k:
        raise CitelogError(
            f"{path}: record {number} has its answer at position {position} of {k} chunks, "
            "counted from 1; say --chunks or --position-base"
        )
    return Outcome(
        question_id=_name(_field(path, number, record, _QUESTION)),
        draw=_whole(record.get("draw")) or 0,
        position=position,
        k=k,
        correct=_right(path, number, record),
        tokens=_whole(record.get("tokens")),
    )


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and value >= 0 else None


def _right(path: Path, number: int, record: dict[str, Any]) -> bool | None:
    said = _field(path, number, record, _CORRECT)
    if said is None:
        return None
    if not isinstance(said, int | float) or said not in (0, 1):
        raise CitelogError(f"{path}: record {number} is neither right nor wrong but {said!r}")
    return bool(said)


def _name(said: object) -> str:
    """Its id; a question that has none but its text is named without repeating it."""
    text = str(said)
    return name_of_text(text) if isinstance(said, str) and " " in text else text


def _field(path: Path, number: int, record: dict[str, Any], names: tuple[str, ...]) -> Any:
    for name in names:
        if name in record:
            return record[name]
    raise CitelogError(f"{path}: record {number} has none of {', '.join(names)}")


def _optional(record: dict[str, Any], names: tuple[str, ...]) -> object:
    return next((record[name] for name in names if name in record), None)


def _records(path: Path, content: bytes) -> list[dict[str, Any]]:
    try:
        if content.lstrip().startswith(b"["):
            return msgspec.json.decode(content, type=list[dict[str, Any]])
        return msgspec.json.Decoder(dict[str, Any]).decode_lines(content)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        raise CitelogError(
            f"{path}: is neither what citelog swap run writes nor JSON records of a sweep"
        ) from None


def _unpacked(path: Path) -> bytes:
    content = path.read_bytes()
    if not content.startswith(b"\x1f\x8b"):
        return content
    try:
        return gzip.decompress(content)
    except (OSError, EOFError, zlib.error):
        raise CitelogError(f"{path}: its gzip packing is damaged; fetch it again") from None
