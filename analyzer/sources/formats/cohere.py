"""Cohere Chat v2: documents of the request and citations by their ids.

Documents without an id are called doc:0, doc:1, … by the service. A response without its request
tells only what was cited. A call of Rerank, with its request, gives the chat after it in the file
that has its documents their ranks, and what was ranked and not packed; alone it has no answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from analyzer.sources import values
from analyzer.sources.documents import Input
from analyzer.sources.formats.anthropic import FOR_A_TOOL, NO_SOURCES
from analyzer.sources.formats.exchanges import CAME, Exchange, Streamed, calls
from analyzer.sources.formats.joining import Notes
from analyzer.sources.formats.reranking import Reranks, ranked
from analyzer.sources.formats.sources_cited import unasked
from analyzer.sources.formats.streams import broken_off
from analyzer.sources.identity import distinct, named_after
from analyzer.sources.records import Record, found_in

RERANKS = "rerank calls, which have no answer and which no chat with their documents follows"
_CAME = {
    **CAME,
    "request_id": "id of the response",
    "model": "model of the request",
    "chunks": "documents of the request, then those of tool results",
    "chunks[].position": "order in the request (derived)",
    "chunks[].chunk_id": "id of the document, doc:0 and on where it has none",
    "citations": "sources of the citations, by id",
    "chunks[].rank": "place among the results of the rerank call that had these documents",
    "chunks[].rerank_score": "relevance_score of that call",
    "prompt_tokens": "usage.tokens, which hold what billed_units leave out",
}


def read_chats(documents: Input, notes: Notes) -> Iterator[Record]:
    """One request for each chat that had documents."""
    reranks = Reranks()
    yield from found_in(
        documents,
        lambda value: (_fields(call, reranks, notes) for call in calls(value, _messages)),
        _CAME,
    )
    if reranks.waiting:
        notes.left[RERANKS] += reranks.waiting


def _messages(events: Iterator[dict[str, Any]]) -> Iterator[Streamed]:
    """Citations may come after the text or between its pieces."""
    response: dict[str, Any] | None = None
    ended = False
    for event in events:
        delta = values.obj(event.get("delta"))
        message = values.obj(delta.get("message"))
        if event.get("type") == "message-start":
            if response:
                yield Streamed(response, ended)
            ended = False
            response = {"id": event.get("id"), "message": {"content": [], "citations": []}}
        elif response is not None:
            said, cited = values.obj(message.get("content")), values.obj(message.get("citations"))
            response["message"]["content"] += [said] if said else []
            response["message"]["citations"] += [cited] if cited else []
            for name in ("usage", "finish_reason"):
                response[name] = delta.get(name) or response.get(name)
            ended = ended or event.get("type") == "message-end"
    if response:
        yield Streamed(response, ended)


def _fields(call: Exchange, reranks: Reranks, notes: Notes) -> dict[str, Any] | None:
    response = values.obj(call.response)
    message = values.obj(response.get("message"))
    if "results" in response and not message:
        asked = values.items(call.request.get("documents"))
        # The names that the service gives count within one call, so those of the chat are others.
        reranks.add([_chunk(each, None) for each in asked], _results(response))
        return None
    if response.get("finish_reason") == "TOOL_CALL":
        notes.left[FOR_A_TOOL] += 1
        return None
    sources = _sources(call, message, reranks)
    if sources is None:
        notes.left[NO_SOURCES] += 1
        return None
    usage = values.obj(response.get("usage"))
    tokens = values.obj(usage.get("tokens")) or values.obj(usage.get("billed_units"))
    texts = [values.text(block.get("text")) for block in values.objects(message.get("content"))]
    fields = {
        **call.fields(),
        "request_id": values.name(response.get("id")),
        "model": values.text(call.request.get("model")),
        "prompt_tokens": values.count(tokens.get("input_tokens")),
        "answer_tokens": values.count(tokens.get("output_tokens")),
        "answer": "".join(filter(None, texts)),
        **sources,
    }
    if not call.ended:
        return broken_off(fields, notes)
    return unasked(fields) if sources.get("citations") == [] and _off(call.request) else fields


def _off(request: dict[str, Any]) -> bool:
    mode = values.text(values.obj(request.get("citation_options")).get("mode"))
    return mode is not None and mode.upper() == "OFF"


def _results(response: dict[str, Any]) -> list[tuple[int, float]]:
    """For each result the place of its document in the request, and its score."""
    found = (
        (values.count(each.get("index")), values.number(each.get("relevance_score")))
        for each in values.objects(response.get("results"))
    )
    return [(at, score) for at, score in found if at is not None and score is not None]


def _sources(call: Exchange, message: dict[str, Any], reranks: Reranks) -> dict[str, Any] | None:
    """Chunks and citations; of a response alone, what it cites; None where there are none."""
    cited = [
        source
        for citation in values.objects(message.get("citations"))
        for source in values.objects(citation.get("sources"))
    ]
    chunks = [*_documents(call.request), *_tool_documents(call.request)]
    if not chunks:
        alone = bool(cited) and not call.request
        return {"chunks": _cited(cited), "exposure": "cited_only"} if alone else None
    distinct(chunks)
    for position, chunk in enumerate(chunks, 1):
        chunk["position"] = position
    names = [values.name(source.get("id")) or "unnamed" for source in cited]
    origins = {"position": "derived"}
    if (reranked := reranks.of(chunks)) is not None:
        chunks = ranked(chunks, reranked)
        distinct(chunks)
        origins["rank"] = "derived"
    return {"chunks": chunks, "citations": names, "origins": origins}


def _documents(request: dict[str, Any]) -> list[dict[str, Any]]:
    listed = values.items(request.get("documents"))
    return [_chunk(each, f"doc:{at}") for at, each in enumerate(listed)]


def _tool_documents(request: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        _chunk(part.get("document"), None)
        for message in values.objects(request.get("messages"))
        if message.get("role") == "tool"
        for part in values.objects(message.get("content"))
        if part.get("type") == "document"
    ]


def _chunk(document: Any, default: str | None) -> dict[str, Any]:
    held = document if isinstance(document, dict) else {"data": document}
    data = held.get("data", held)
    inner = values.obj(data)
    named = (values.text(inner.get(name)) for name in ("text", "snippet", "content"))
    text = next(filter(None, named), None) or values.text(data)
    chunk = {
        "chunk_id": values.name(held.get("id")) or default or named_after(None, text),
        "doc_id": values.name(inner.get("title")) or values.name(inner.get("url")),
        "text": text,
    }
    return {name: value for name, value in chunk.items() if value is not None}


def _cited(sources: list[dict[str, Any]]) -> list[dict[str, Any]]:
    once: dict[str, dict[str, Any]] = {}
    for source in sources:
        name = values.name(source.get("id"))
        if name and name not in once:
            inner = values.obj(source.get("document"))
            chunk = _chunk({"id": name, "data": inner}, None)
            once[name] = {**chunk, "cited": True}
    return list(once.values())
