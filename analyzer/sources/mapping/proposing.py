"""A mapping proposed by looking at the first documents of a file, for a person to look over."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from analyzer.errors import CitelogError
from analyzer.sources import values

_CHUNK = {
    "chunk_id": "chunk_id id id_ docid passage_id node_id pid _id uid",
    "doc_id": "doc_id document_id source url title file filename file_name path",
    "rank": "rank retrieval_rank",
    "position": "position prompt_position place slot",
    "score": "score similarity retrieval_score",
    "rerank_score": "rerank_score reranker_score relevance_score",
    "tokens": "tokens n_tokens num_tokens token_count",
    "text": "text content page_content passage chunk_text body snippet segment contents",
    "cited": "cited is_cited referenced used",
}
_REQUEST = {
    "request_id": "request_id id query_id trace_id qid question_id uuid",
    "requested_at": "requested_at timestamp ts time created_at created date",
    "route": "route pipeline endpoint service app",
    "model": "model model_name llm",
    "release": "release version app_version",
    "unit_id": "unit_id user_id session_id tenant user",
    "prompt_tokens": "prompt_tokens input_tokens",
    "answer_tokens": "answer_tokens completion_tokens output_tokens",
    "answer": "answer output response completion generation result",
    "citations": "citations cited_ids cited_documents references",
    "correct": "correct is_correct",
}
_FAN_OUT = "results answers outputs responses models"
_DEEPEST = 4
_LABELLED = re.compile(r"^\[(\d+)\] ", re.MULTILINE)


def proposed(sample: Sequence[Any]) -> str:
    """The text of a mapping for documents like these; what was not found is said in comments."""
    documents = [each for each in sample if isinstance(each, dict)]
    if not documents:
        raise CitelogError("a mapping is for JSON objects or rows, and the file holds none")
    found = dict(_paths(documents[0], ""))
    chunks = _chunk_list(found)
    each = _fan_out(documents[0])
    request = _named(found, _REQUEST, lambda path: _outside(path, chunks, each))
    if each:
        request |= {"request_id": _by_key(request), "model": "$key", "answer": "$value"}
    chunk, cut = _of_chunks(found, chunks)
    return _written(request, chunk, chunks, each, cut)


def _paths(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Every path to a member with its value, to a depth, the first member standing for a list."""
    if path.count(".") >= _DEEPEST:
        return
    if isinstance(value, dict):
        for name, inner in value.items():
            step = str(name) if re.fullmatch(r"[\w$ -]+", str(name)) else f'"{name}"'
            own = f"{path}.{step}" if path else step
            yield own, inner
            yield from _paths(inner, own)
    elif isinstance(value, list) and value:
        yield from _paths(value[0], f"{path}[]")


def _chunk_list(found: dict[str, Any]) -> str | None:
    """The list of objects with the most names that chunks have; else a list of ids."""
    best, most = None, 0
    for path, value in found.items():
        first = value[0] if isinstance(value, list) and value and "[]" not in path else None
        if isinstance(first, dict):
            inner = dict(_paths(first, ""))
            score = len(_named(inner, _CHUNK, lambda path: True)) * 2 + 1
        else:
            score = 1 if isinstance(first, str) else 0
        if score > most:
            best, most = path, score
    return best


def _fan_out(document: dict[str, Any]) -> str | None:
    for name, value in document.items():
        several = isinstance(value, dict) and len(value) > 1
        if several and name in _FAN_OUT.split() and all(isinstance(v, str) for v in value.values()):
            return str(name)
    return None


def _outside(path: str, chunks: str | None, each: str | None) -> bool:
    inner = [place for place in (chunks, each) if place]
    return "[]" not in path and not any(path == p or path.startswith(p + ".") for p in inner)


def _named(found: dict[str, Any], known: dict[str, str], allowed: Any) -> dict[str, str]:
    """For each field the shallowest path whose last name says it."""
    named = {}
    for field, words in known.items():
        candidates = [
            (words.split().index(path.rsplit(".", 1)[-1]), path.count("."), path)
            for path, value in found.items()
            if path.rsplit(".", 1)[-1] in words.split() and allowed(path) and _fits(field, value)
        ]
        if candidates:
            named[field] = min(candidates)[2]
    return named


def _fits(field: str, value: Any) -> bool:
    if field == "citations":
        return isinstance(value, list)
    if field in ("text", "answer"):
        return isinstance(value, str)
    if field in ("cited", "correct"):
        return isinstance(value, bool)
    return not isinstance(value, dict | list) and value is not None


def _by_key(request: dict[str, str]) -> str:
    return "{$key}/{" + request.get("request_id", "$hash") + "}"


def _of_chunks(
    found: dict[str, Any], chunks: str | None
) -> tuple[dict[str, str], tuple[str, str] | None]:
    """The fields of a chunk; for a list of ids, the prompt and what stands before its passages."""
    listed = values.items(found.get(chunks)) if chunks else []
    if not listed or isinstance(listed[0], dict):
        inner = dict(_paths(listed[0], "")) if listed else {}
        chunk = _named(inner, _CHUNK, lambda path: True)
        chunk.setdefault("position", "rank" if "rank" in chunk else "order")
        return chunk, None
    chunk = {"chunk_id": "$item", "position": "order"}
    for path, value in found.items():
        labels = _LABELLED.findall(value) if isinstance(value, str) else []
        if len(labels) >= len(listed) > 1:
            start = _LABELLED.search(value)
            before = value[: start.start()].rstrip("\n").rsplit("\n", 1)[-1] if start else ""
            return {**chunk, "text": "$passage"}, (path, before)
    return chunk, None


def _written(
    request: dict[str, str],
    chunk: dict[str, str],
    chunks: str | None,
    each: str | None,
    cut: tuple[str, str] | None,
) -> str:
    lines = ["# Proposed by looking at the first documents; check it before you load with it.", ""]
    if each:
        lines += ["[records]", f"each = {_quoted(each)}", ""]
    request.setdefault("request_id", "$hash")
    lines += ["[request]", *(f"{name} = {_quoted(path)}" for name, path in request.items())]
    lines += [f"# {name}: not found" for name in _REQUEST if name not in request]
    lines += ["", "[chunks]", f"from = {_quoted(chunks or 'chunks')}"]
    if chunks is None:
        lines.append("# no list of chunks was found; name its path")
    lines += ["", "[chunk]", *(f"{name} = {_quoted(path)}" for name, path in chunk.items())]
    lines += [f"# {name}: not found" for name in _CHUNK if name not in chunk]
    if chunk.get("position") in ("order", "rank"):
        lines.append(
            "# position is taken from the "
            + ("rank (assumed)" if chunk["position"] == "rank" else "order of the list")
            + ": keep it only if the prompt has that order"
        )
    if cut:
        lines += ["", "[passages]", f"from = {_quoted(cut[0])}", f"after = {_quoted(cut[1])}"]
        lines.append(r"split = '(?m)^\[\d+\] '")
    lines += ["", "[markers]", "base = 1  # what the prompt calls the first chunk, 0 or 1", ""]
    return "\n".join(lines)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
