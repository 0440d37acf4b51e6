"""Anthropic Messages with citations: the response, as JSON or as its event stream, and its request.

Documents and search results are counted apart, from 0, in the order in which they appear across
all turns and tool results; blocks are half-open. The response alone tells only what was cited.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from analyzer.sources import values
from analyzer.sources.documents import Input
from analyzer.sources.formats.exchanges import CAME, Exchange, Streamed, calls
from analyzer.sources.formats.joining import Notes
from analyzer.sources.formats.sources_cited import Sources, cited_only, unasked
from analyzer.sources.formats.streams import broken_off
from analyzer.sources.records import Record, found_in

NO_SOURCES = "calls without sources"
FOR_A_TOOL = "calls that end by asking for a tool, which the answer comes after"
_CAME = {
    **CAME,
    "request_id": "id of the message",
    "model": "model of the message",
    "chunks": "documents and search results of the request, a chunk for each of their blocks",
    "chunks[].position": "order in the request (derived)",
    "chunks[].chunk_id": "title or source, and hash of the text",
    "prompt_tokens": "usage: input_tokens and what was read from or written to the cache",
}


def read_messages(documents: Input, notes: Notes) -> Iterator[Record]:
    """One request for each message that had sources."""
    return found_in(
        documents,
        lambda value: (_fields(call, notes) for call in calls(value, _messages)),
        _CAME,
    )


def _messages(events: Iterator[dict[str, Any]]) -> Iterator[Streamed]:
    message: dict[str, Any] | None = None
    ended = False
    for event in events:
        if event.get("type") == "message_start":
            if message:
                yield Streamed(message, ended)
            message = {**values.obj(event.get("message")), "content": []}
            ended = False
        elif message is not None:
            _apply(event, message)
            ended = ended or event.get("type") == "message_stop" or bool(message.get("stop_reason"))
    if message:
        yield Streamed(message, ended)


def _apply(event: dict[str, Any], message: dict[str, Any]) -> None:
    blocks = message["content"]
    if event.get("type") == "content_block_start":
        blocks.append({**values.obj(event.get("content_block")), "citations": []})
    elif event.get("type") == "content_block_delta" and blocks:
        delta = values.obj(event.get("delta"))
        if delta.get("type") == "citations_delta":
            blocks[-1]["citations"].append(delta.get("citation"))
        else:
            blocks[-1]["text"] = f"{blocks[-1].get('text') or ''}{delta.get('text') or ''}"
    elif event.get("type") == "message_delta":
        # The count at the start is a stub; this one is final.
        message["usage"] = {**values.obj(message.get("usage")), **values.obj(event.get("usage"))}
        stopped = values.obj(event.get("delta")).get("stop_reason")
        message["stop_reason"] = stopped or message.get("stop_reason")


def _fields(call: Exchange, notes: Notes) -> dict[str, Any] | None:
    message = values.obj(call.response)
    if message.get("stop_reason") == "tool_use":
        notes.left[FOR_A_TOOL] += 1
        return None
    about = _about(call, message)
    if about is None:
        notes.left[NO_SOURCES] += 1
        return None
    usage = values.obj(message.get("usage"))
    fields = {
        **call.fields(),
        "request_id": values.name(message.get("id")),
        "model": values.text(message.get("model")),
        "prompt_tokens": _prompt_tokens(usage),
        "answer_tokens": values.count(usage.get("output_tokens")),
        "answer": _text(values.items(message.get("content"))),
        **about,
    }
    if not call.ended:
        return broken_off(fields, notes)
    asked = about.get("citations") or about.get("exposure") or _enabled(call.request)
    return fields if asked else unasked(fields)


def _about(call: Exchange, message: dict[str, Any]) -> dict[str, Any] | None:
    """Chunks and citations; of a response alone, what it cites; None where there are none."""
    citations = [
        values.obj(each)
        for block in values.objects(message.get("content"))
        for each in values.items(block.get("citations"))
    ]
    sources = _sources(call.request)
    if not sources.chunks:
        found = [(_title(each), values.text(each.get("cited_text"))) for each in citations]
        return cited_only(found) if found and not call.request else None
    for citation in citations:
        _cite(citation, sources)
    return sources.fields()


def _text(content: list[Any]) -> str:
    return "".join(values.text(block.get("text")) or "" for block in values.objects(content))


def _prompt_tokens(usage: dict[str, Any]) -> int | None:
    names = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    found = [values.count(usage.get(name)) for name in names]
    return None if found[0] is None else sum(count or 0 for count in found)


def _sources(request: dict[str, Any]) -> Sources:
    sources = Sources()
    for block in _blocks(request):
        if block.get("type") == "document":
            source = values.obj(block.get("source"))
            title = values.name(block.get("title")) or values.name(source.get("file_id"))
            sources.add("document", title, _texts(source))
        elif block.get("type") == "search_result":
            name = values.name(block.get("source")) or values.name(block.get("title"))
            sources.add("search result", name, _texts(block))
    return sources


def _enabled(request: dict[str, Any]) -> bool:
    return any(values.obj(block.get("citations")).get("enabled") for block in _blocks(request))


def _blocks(request: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for message in values.objects(request.get("messages")):
        for block in values.objects(message.get("content")):
            yield block
            if block.get("type") == "tool_result":
                yield from values.objects(block.get("content"))


def _texts(held: dict[str, Any]) -> list[str]:
    """The blocks of a source; of what is not text, such as a PDF, one empty block."""
    listed = [values.text(each.get("text")) or "" for each in values.objects(held.get("content"))]
    plain = values.text(held.get("content")) or values.text(held.get("data"))
    return listed or [plain if plain and held.get("type") in ("text", "content") else ""]


def _cite(citation: dict[str, Any], sources: Sources) -> None:
    kind = str(citation.get("type"))
    start, end = (values.count(citation.get(f"{edge}_block_index")) for edge in ("start", "end"))
    if kind == "search_result_location":
        sources.cite("search result", values.count(citation.get("search_result_index")), start, end)
    elif kind != "web_search_result_location":
        sources.cite("document", values.count(citation.get("document_index")), start, end)


def _title(citation: dict[str, Any]) -> str | None:
    for name in ("source", "document_title", "title", "url"):
        if found := values.name(citation.get(name)):
            return found
    return None
