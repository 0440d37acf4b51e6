"""Labelled questions from raw logs: requests whose expected chunk is known and was retrieved.

The store keeps no texts, so the log files themselves are read. A log line says what was retrieved;
its question, its answers and its expected chunks may stand in the line, or come as later lines of
the logs (judgements) or of a file of labels, joined by `request_id`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from analyzer.errors import UsageError
from analyzer.swap.questions import (
    Found,
    Question,
    Unfit,
    gathered,
    objects,
    question_of,
    tokens_of,
)

_NEVER = datetime.min.replace(tzinfo=UTC)
_EXPECTED = "expected_chunk_ids"
_OF_LABELS = ("question", "answers", "answer_key", _EXPECTED)
# The answer of a line, and the chunks of one that nobody labelled, would only fill the memory.
_OF_OTHERS = ("request_id", "route", "outcome", *_OF_LABELS)
_OF_RECORDS = ("chunks", *_OF_OTHERS)


def read_logs(logs: Sequence[str], labels: Iterable[str] = (), route: str | None = None) -> Found:
    """The questions that answered requests of the logs give, of one route where asked.

    Of several records of one request the highest revision counts, of several labels the latest.
    The logs are read twice, so that of months of them only what is labelled is held.
    """
    if "-" in logs:
        raise UsageError("logs are read more than once, and stdin only once; name files")
    said: dict[str, dict[str, Any]] = {}
    for _, line in objects(logs):
        if _is_label(line):
            _keep_label(said, line)
    for _, line in objects(labels):  # said on purpose, so they win
        name = _name(line)
        said[name] = said.get(name, {}) | _told(line)
    return gathered(_joined(_requests(logs, said), said, route), _question)


def packed_tokens(logs: Iterable[str], route: str | None = None) -> list[int]:
    """Context tokens of each logged prompt whose packed chunks all have theirs, ascending."""
    found = []
    for _, line in objects(logs):
        chunks = line.get("chunks")
        if isinstance(chunks, list) and (route is None or line.get("route") == route):
            packed = [c for c in chunks if isinstance(c, dict) and c.get("position") is not None]
            counts = [tokens_of(chunk) for chunk in packed]
            known = [count for count in counts if count is not None]
            if known and len(known) == len(counts):
                found.append(sum(known))
    return sorted(found)


def _requests(logs: Sequence[str], said: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    requests: dict[str, dict[str, Any]] = {}
    for _, line in objects(logs):
        name = _name(line)
        held = requests.get(name)
        if name and not _is_label(line) and (not held or _revision(line) > _revision(held)):
            labelled = said.get(name, {}).get(_EXPECTED) or line.get(_EXPECTED)
            fields = _OF_RECORDS if labelled else _OF_OTHERS
            kept = {field: line[field] for field in fields if field in line}
            requests[name] = {"chunks": []} | kept | {"revision": _revision(line)}
    return requests


def _is_label(line: dict[str, Any]) -> bool:
    return line.get("judged_at") is not None and line.get("chunks") is None


def _keep_label(said: dict[str, dict[str, Any]], line: dict[str, Any]) -> None:
    name, judged_at = _name(line), _judged_at(line)
    held = said.get(name, {"judged_at": _NEVER})
    told = _told(line) | {"judged_at": judged_at}
    said[name] = held | told if judged_at >= held["judged_at"] else told | held


def _judged_at(line: dict[str, Any]) -> datetime:
    try:
        moment = datetime.fromisoformat(str(line["judged_at"]))
    except ValueError:
        return _NEVER
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _told(line: dict[str, Any]) -> dict[str, Any]:
    return {field: line[field] for field in _OF_LABELS if line.get(field) is not None}


def _name(line: dict[str, Any]) -> str:
    return str(line.get("request_id") or line.get("question_id") or "")


def _joined(
    requests: dict[str, dict[str, Any]], said: dict[str, dict[str, Any]], route: str | None
) -> Iterator[dict[str, Any]]:
    for name, line in requests.items():
        if route is None or line.get("route") == route:
            yield line | said.get(name, {})


def _question(line: dict[str, Any]) -> Question:
    if line.get("outcome") not in (None, "answered"):
        raise Unfit("it was not answered")
    return question_of(line)


def _revision(line: dict[str, Any]) -> int:
    revision = line.get("revision")
    return revision if isinstance(revision, int) else 0
