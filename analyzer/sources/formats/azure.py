"""Azure OpenAI On Your Data: the documents shown to the model, which answers cite as [doc1].

`citations` are the documents of the prompt, not only the cited ones; `all_retrieved_documents`,
where it was asked for, holds those that were filtered out too. `chunk_id` is an ordinal within a
file and names nothing alone. The older form keeps the context as JSON in a tool message.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from analyzer.sources import values
from analyzer.sources.documents import Input
from analyzer.sources.formats.anthropic import NO_SOURCES
from analyzer.sources.formats.exchanges import CAME, DONE, exchange
from analyzer.sources.formats.joining import Notes
from analyzer.sources.formats.streams import assembled, broken_off, streamed
from analyzer.sources.identity import distinct, named_after
from analyzer.sources.records import Record, found_in

_MARKER = re.compile(r"\[doc(\d{1,3})\]")
_CAME = {
    **CAME,
    "request_id": "id of the completion",
    "requested_at": "created of the completion",
    "model": "model of the completion",
    "prompt_tokens": "usage of the completion",
    "chunks[].score": "original_search_score",
    "chunks[].rerank_score": "rerank_score",
    "chunks": "citations of the context, then the other documents that were retrieved",
    "chunks[].position": "place among the citations, which [docN] names",
    "chunks[].rank": "order of all_retrieved_documents, where it was asked for",
    "chunks[].chunk_id": "file, its chunk_id and the hash of the text",
    "citations": "markers [docN] of the answer (parsed)",
}


def read_completions(documents: Input, notes: Notes) -> Iterator[Record]:
    """One request for each completion with a context."""
    return found_in(assembled(documents, _event), lambda value: _found(value, notes), _CAME)


def _event(value: Any) -> str | None:
    held = values.obj(value)
    return (values.name(held.get("id")) or "") if is_piece(held) else None


def is_piece(completion: dict[str, Any]) -> bool:
    """Whether a completion is a piece of one that was streamed."""
    return str(completion.get("object")).endswith(".chunk")


def _found(value: Any, notes: Notes) -> Iterator[dict[str, Any]]:
    call = exchange(value)
    for completion in _completions(value, call.response):
        fields = _fields(completion)
        if fields is None:
            notes.left[NO_SOURCES] += 1
        else:
            broke_off = is_piece(completion) and not completion.get("done")
            yield (broken_off(fields, notes) if broke_off else fields) | call.said()


def _completions(value: Any, response: Any) -> Iterator[dict[str, Any]]:
    # The examples of the specification keep bodies by status.
    statuses = values.obj(values.obj(value).get("responses"))
    bodies = [values.obj(values.obj(each).get("body")) for each in statuses.values()]
    pieces = [event for event in streamed(response) if is_piece(event) or event == DONE]
    yield from bodies or list(_put_together(pieces)) or [values.obj(response)]


def _put_together(pieces: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Completions whose messages are the pieces of one, by the id that these share."""
    by_id: dict[str, dict[str, Any]] = {}
    for piece in pieces:
        name = values.name(piece.get("id")) or next(reversed(by_id), "")
        whole = by_id.setdefault(name, {"choices": []})
        whole |= {key: held for key, held in piece.items() if held and key != "choices"}
        for choice in values.objects(piece.get("choices")):
            listed = [choice.get("delta"), *values.items(choice.get("messages"))]
            said = [
                values.obj(values.obj(each).get("delta")) or values.obj(each) for each in listed
            ]
            whole["choices"].append({"messages": said})
            whole |= DONE if _ends(choice) else {}
    yield from (each for each in by_id.values() if each["choices"])


def _ends(choice: dict[str, Any]) -> bool:
    """Whether a piece is the last of an answer, which the older form says of a message's turn."""
    turns = (choice, *values.objects(choice.get("messages")))
    return any(turn.get("finish_reason") or turn.get("end_turn") for turn in turns)


def _fields(completion: dict[str, Any]) -> dict[str, Any] | None:
    answer, context = _said(completion)
    shown = values.objects(context.get("citations"))
    if not shown:
        return None
    usage = values.obj(completion.get("usage"))
    chunks, ranked = _chunks(shown, values.objects(context.get("all_retrieved_documents")))
    origins = {"position": "derived", "cited": "parsed", **({"rank": "derived"} if ranked else {})}
    return {
        "request_id": values.name(completion.get("id"))
        or values.name(completion.get("apim-request-id")),
        "requested_at": values.time(completion.get("created")),
        "model": values.text(completion.get("model")),
        "answer": answer,
        "citations": [int(each) for each in _MARKER.findall(answer)],
        "prompt_tokens": values.count(usage.get("prompt_tokens")),
        "answer_tokens": values.count(usage.get("completion_tokens")),
        "chunks": chunks,
        "origins": origins,
    }


def _said(completion: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    answer = ""
    context: dict[str, Any] = {}
    for choice in values.objects(completion.get("choices")):
        for message in (values.obj(choice.get("message")), *values.objects(choice.get("messages"))):
            context = values.obj(message.get("context")) or context
            inner = values.obj(message.get("content")) if message.get("role") == "tool" else {}
            if inner:
                context = inner
            elif message.get("role") != "tool":
                answer += values.text(message.get("content")) or ""
            for nested in values.objects(values.obj(message.get("context")).get("messages")):
                context = values.obj(nested.get("content")) or context
    return answer, context


def _chunks(
    shown: list[dict[str, Any]], retrieved: list[dict[str, Any]]
) -> tuple[list[dict[str, Any]], bool]:
    chunks = [{**_chunk(each), "position": at} for at, each in enumerate(shown, 1)]
    by_name = {chunk.get("chunk_id"): chunk for chunk in reversed(chunks)}
    for rank, each in enumerate(retrieved, 1):
        chunk = _chunk(each)
        known = by_name.setdefault(chunk.get("chunk_id"), chunk)
        if known is chunk:
            chunks.append(chunk)
        known.setdefault("rank", rank)
        known.setdefault("score", values.number(each.get("original_search_score")))
    distinct(chunks)
    return chunks, bool(retrieved)


def _chunk(each: dict[str, Any]) -> dict[str, Any]:
    names = ("filepath", "url", "title")
    file = next((found for name in names if (found := values.name(each.get(name)))), None)
    text = values.text(each.get("content"))
    ordinal = values.name(each.get("chunk_id"))
    own = f"{file}#{ordinal}" if file and ordinal else file
    chunk = {
        "chunk_id": named_after(own, text) or own,
        "doc_id": file,
        "rerank_score": values.number(each.get("rerank_score")),
        "text": text,
    }
    return {name: held for name, held in chunk.items() if held is not None}
