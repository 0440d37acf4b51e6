"""Labelled questions: a question, the chunk that holds its answer, and other chunks beside it.

A line of a labelled file is a JSON object:

    {"question_id": "q1", "question": "Who ...?", "answers": ["Ada Lovelace", "Lovelace"],
     "expected_chunk_ids": ["d1#2"],
     "chunks": [{"chunk_id": "d1#2", "text": "...", "tokens": 120}, {"chunk_id": "d7#1", ...}]}

the same words as in a log line, so a log that carries `question` and `text` is one as well.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import msgspec
from msgspec import Struct

from analyzer.sources import Lines, expand, open_source

CHARACTERS_A_TOKEN = 4


class Piece(Struct, frozen=True):
    """A chunk to be put into a prompt."""

    chunk_id: str
    text: str
    tokens: int


class Question(Struct, frozen=True):
    """What is asked, the chunk that is moved, and what may stand around it, in its own order."""

    question_id: str
    question: str
    expected: Piece
    fillers: tuple[Piece, ...] = ()
    answers: tuple[str, ...] = ()
    route: str | None = None


class Unfit(Exception):
    """Why a line is no labelled question; counted, never shown with its text."""


class Found(Struct):
    """The questions of some files, and why other lines brought none."""

    questions: list[Question]
    left_out: Counter[str]
    estimated: bool  # tokens of at least one chunk were not given


def read(paths: Iterable[str], route: str | None = None) -> Found:
    """The labelled questions of files, folders and globs, each id once.

    Of those that name a route only the ones of `route`, where one is asked.
    """
    lines = (line for _, line in objects(paths))
    mine = (line for line in lines if route is None or line.get("route") in (None, route))
    return gathered(mine, question_of)


def gathered(lines: Iterable[dict[str, Any]], made: Callable[[dict[str, Any]], Question]) -> Found:
    """Questions that `made` makes of lines; a line that it finds unfit is counted by its reason."""
    found: dict[str, Question] = {}
    left_out: Counter[str] = Counter()
    estimated = False
    for line in lines:
        try:
            question = made(line)
        except Unfit as why:
            left_out[str(why)] += 1
            continue
        if question.question_id in found:
            left_out["its id came before"] += 1
            continue
        found[question.question_id] = question
        estimated = estimated or any(
            tokens_of(chunk) is None for chunk in line["chunks"] if _is_chunk(chunk)
        )
    return Found(list(found.values()), left_out, estimated)


def objects(paths: Iterable[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """File and object of every line that holds one; other lines count as {}."""
    for path in expand(list(paths)):
        with open_source(path) as source:
            for block in source.blocks():
                texts = block.texts if isinstance(block, Lines) else [b""]
                yield from ((source.name, _object(text)) for text in texts)


def question_of(line: dict[str, Any]) -> Question:
    """One line as a question; raises `Unfit`."""
    question = line.get("question")
    if not isinstance(question, str) or not question.strip():
        raise Unfit("it has no question")
    ids = line.get("expected_chunk_ids")
    expected = {name for name in ids if isinstance(name, str)} if isinstance(ids, list) else set()
    if not expected:
        raise Unfit("it names no expected chunk")
    chunks = pieces_of(line)
    holding = [piece for piece in chunks if piece.chunk_id in expected]
    if not holding:
        raise Unfit("none of its chunks with a text is the expected one")
    return Question(
        question_id=_id_of(line, question),
        question=question,
        expected=holding[0],
        fillers=tuple(piece for piece in chunks if piece.chunk_id not in expected),
        answers=answers_of(line),
        route=line.get("route") if isinstance(line.get("route"), str) else None,
    )


def pieces_of(line: dict[str, Any]) -> list[Piece]:
    """The chunks that carry a text, each once: packed ones in their order, then the others."""
    chunks = line.get("chunks")
    if not isinstance(chunks, list):
        raise Unfit("it has no chunks")
    kept = [chunk for chunk in chunks if _is_chunk(chunk)]
    pieces = [_piece(chunk) for chunk in sorted(kept, key=_place)]
    return list({piece.chunk_id: piece for piece in reversed(pieces)}.values())[::-1]


def answers_of(line: dict[str, Any]) -> tuple[str, ...]:
    """`answers`, a list, or `answer_key`, one text; the first one is the answer, others aliases."""
    given = line.get("answers")
    texts = given if isinstance(given, list) else [line.get("answer_key")]
    return tuple(text for text in texts if isinstance(text, str) and text.strip())


def _object(text: bytes) -> dict[str, Any]:
    try:
        value = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _is_chunk(chunk: object) -> bool:
    text = chunk.get("text") if isinstance(chunk, dict) else None
    return isinstance(text, str) and bool(text.strip())


def _place(chunk: dict[str, Any]) -> tuple[float, float]:
    return _number(chunk.get("position")), _number(chunk.get("rank"))


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else float("inf")


def _piece(chunk: dict[str, Any]) -> Piece:
    text, tokens = chunk["text"], tokens_of(chunk)
    return Piece(
        chunk_id=str(chunk.get("chunk_id") or name_of_text(text)),
        text=text,
        tokens=estimated_tokens(text) if tokens is None else tokens,
    )


def tokens_of(chunk: dict[str, Any]) -> int | None:
    """The tokens that a chunk names; None where they are no count."""
    tokens = chunk.get("tokens")
    known = isinstance(tokens, int) and not isinstance(tokens, bool) and tokens >= 0
    return tokens if known else None


def estimated_tokens(text: str) -> int:
    """A quarter of the characters: only for texts whose tokens nobody counted."""
    return -(-len(text) // CHARACTERS_A_TOKEN)


def _id_of(line: dict[str, Any], question: str) -> str:
    given = line.get("question_id") or line.get("request_id")
    return str(given) if given else name_of_text(question)


def name_of_text(text: str) -> str:
    """Names what has no name without repeating its text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
