"""Labelled questions from raw logs: requests whose expected chunk is known and was retrieved.

The store keeps no texts, so the log files themselves are read. A log line says what was retrieved;
its question, its answers and its expected chunks may stand in the line, or come as later lines of
the logs (judgements) or of a file of labels, joined by `request_id`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from analyzer.swap.questions import Found, Question, Unfit, gathered, objects, question_of

_OF_LABELS = ("question", "answers", "answer_key", "expected_chunk_ids")
_OF_RECORDS = ("request_id", "route", "chunks", *_OF_LABELS)


def read_logs(logs: Iterable[str], labels: Iterable[str] = (), route: str | None = None) -> Found:
    """The questions that answered requests of the logs give, of one route where asked.

    Of several records of one request the highest revision counts, of several labels the latest.
    """
    requests, said = _split(logs)
    for _, line in objects(labels):
        _keep_label(said, line)
    return gathered(_joined(requests, said, route), _question)


def packed_tokens(logs: Iterable[str], route: str | None = None) -> list[int]:
    """Context tokens of each logged prompt whose packed chunks all have theirs, ascending."""
    found = []
    for _, line in objects(logs):
        if line.get("chunks") and (route is None or line.get("route") == route):
            packed = [chunk for chunk in line["chunks"] if chunk.get("position") is not None]
            counts = [chunk.get("tokens") for chunk in packed]
            if counts and all(isinstance(count, int) for count in counts):
                found.append(sum(counts))
    return sorted(found)


def _split(logs: Iterable[str]) -> tuple[dict[str, dict[str, Any]], dict[str, dict[str, Any]]]:
    requests: dict[str, dict[str, Any]] = {}
    said: dict[str, dict[str, Any]] = {}
    for _, line in objects(logs):
        if line.get("judged_at") is not None and line.get("chunks") is None:
            _keep_label(said, line)
            continue
        name = str(line.get("request_id") or "")
        held = requests.get(name)
        if name and (held is None or _revision(line) > _revision(held)):
            # What else a line says, its answer above all, would only fill the memory.
            kept = {field: line[field] for field in _OF_RECORDS if field in line}
            requests[name] = kept | {"revision": _revision(line), "outcome": line.get("outcome")}
    return requests, said


def _keep_label(said: dict[str, dict[str, Any]], line: dict[str, Any]) -> None:
    name = str(line.get("request_id") or line.get("question_id") or "")
    held = said.setdefault(name, {})
    newer = str(line.get("judged_at") or "") >= str(held.get("judged_at") or "")
    told = {field: line[field] for field in _OF_LABELS if line.get(field) is not None}
    said[name] = held | told | {"judged_at": line.get("judged_at")} if newer else told | held


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
