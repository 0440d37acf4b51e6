"""Gemini and Vertex grounding: chunks that the service chose and which of them an answer rests on.

The list of chunks is not said to be all that was retrieved or shown, its order is no rank, and the
same text may be listed twice with only one of the two cited. So only which chunks were cited is
taken: neither a cited rate nor a measure of position. Names are camelCase on the wire and
snake_case as the SDK writes them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from analyzer.sources import values
from analyzer.sources.documents import Input
from analyzer.sources.formats.anthropic import NO_SOURCES
from analyzer.sources.formats.exchanges import CAME, Exchange, exchange
from analyzer.sources.formats.joining import Notes
from analyzer.sources.formats.sources_cited import cited_only
from analyzer.sources.hashing import content_name
from analyzer.sources.records import Record, found_in

_CAME = {
    **CAME,
    "requested_at": f"{CAME['requested_at']}, else createTime",
    "model": "modelVersion",
    "request_id": "responseId, else a hash of the call",
    "chunks": "grounding chunks that a grounding support points to, each text of a source once",
    "chunks[].chunk_id": "document and hash of the text",
    "prompt_tokens": "usage: prompt and what tools put into it",
}


def read_calls(documents: Input, notes: Notes) -> Iterator[Record]:
    """One request for each grounded answer."""
    return found_in(documents, lambda value: [_found(value, notes)], _CAME)


def _found(value: Any, notes: Notes) -> dict[str, Any] | None:
    fields = _fields(exchange(value))
    if fields is None:
        notes.left[NO_SOURCES] += 1
    return fields


def _of(held: Any, *names: str) -> Any:
    """A member by its camelCase name, or the snake_case form of it."""
    found = values.obj(held)
    for name in names:
        snake = "".join(f"_{each.lower()}" if each.isupper() else each for each in name)
        value = values.first(found.get(name), found.get(snake))
        if value is not None:
            return value
    return None


def _fields(call: Exchange) -> dict[str, Any] | None:
    response = values.unfolded(call.response)
    parts = response if isinstance(response, list) else [response]  # the chunks of a stream
    grounding: dict[str, Any] = {}
    said: list[str] = []
    for part in parts:
        candidate = (values.objects(_of(part, "candidates")) or [{}])[0]
        grounding = values.obj(_of(candidate, "groundingMetadata")) or grounding
        content = values.obj(candidate.get("content"))
        said += [
            values.text(each.get("text")) or ""
            for each in values.objects(content.get("parts"))
            if not each.get("thought")  # what the model said to itself
        ]
    cited = _cited(grounding)
    if not cited and not _of(grounding, "groundingChunks"):
        return None
    last = values.obj(parts[-1])
    usage = values.obj(_of(last, "usageMetadata"))
    about = call.fields()
    return {
        **about,
        **cited_only(cited),
        "request_id": values.name(_of(last, "responseId")) or content_name([response, call.about]),
        "requested_at": about["requested_at"] or values.time(_of(last, "createTime")),
        "model": values.text(_of(last, "modelVersion")),
        "answer": "".join(said),
        "prompt_tokens": _prompt_tokens(usage),
        "answer_tokens": values.count(_of(usage, "candidatesTokenCount")),
    }


def _cited(grounding: dict[str, Any]) -> list[tuple[str | None, str | None]]:
    chunks = [_source(each) for each in values.objects(_of(grounding, "groundingChunks"))]
    found: list[tuple[str | None, str | None]] = []
    for support in values.objects(_of(grounding, "groundingSupports")):
        for index in values.items(_of(support, "groundingChunkIndices", "supportChunkIndices")):
            at = values.count(index)
            if at is not None and at < len(chunks):
                found.append(chunks[at])
    return found


def _source(chunk: dict[str, Any]) -> tuple[str | None, str | None]:
    held = values.obj(_of(chunk, "retrievedContext")) or values.obj(chunk.get("web"))
    document = next(
        (
            found
            for name in ("documentName", "uri", "title")
            if (found := values.name(_of(held, name)))
        ),
        None,
    )
    inner = values.obj(_of(held, "ragChunk"))
    return document, values.text(held.get("text")) or values.text(inner.get("text"))


def _prompt_tokens(usage: dict[str, Any]) -> int | None:
    prompt = values.count(_of(usage, "promptTokenCount"))
    return (
        None
        if prompt is None
        else prompt + (values.count(_of(usage, "toolUsePromptTokenCount")) or 0)
    )
