"""OpenAI Responses with file search: results by score, and citations of whole files.

A citation names a file, and the `index` beside it is a place in the answer, no index of a file. So
which chunk was cited is known only where every listed file has a single result. What of the results
the prompt held is not said: no cited rate and no measure of position is made.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from analyzer.sources import values
from analyzer.sources.documents import Input
from analyzer.sources.formats.anthropic import NO_SOURCES
from analyzer.sources.formats.exchanges import CAME, Streamed, calls
from analyzer.sources.formats.joining import Notes
from analyzer.sources.formats.streams import broken_off
from analyzer.sources.identity import distinct, named_after
from analyzer.sources.records import Record, found_in

_ENDS = ("response.completed", "response.incomplete")
BY_FILE = "citations by file only, where a file has several results"
_CAME = {
    **CAME,
    "request_id": "id of the response",
    "requested_at": "created_at of the response",
    "model": "model of the response",
    "prompt_tokens": "usage of the response",
    "chunks[].rerank_score": "score of the result",
    "chunks": "results of the file searches; without them (include was not asked) the cited files",
    "chunks[].rank": "order of the results (derived)",
    "chunks[].chunk_id": "file and hash of the text",
    "citations": "files of the annotations, where each has one result",
}


def read_responses(documents: Input, notes: Notes) -> Iterator[Record]:
    """One request for each response that searched files."""
    return found_in(documents, lambda value: _found(value, notes), _CAME)


def _found(value: Any, notes: Notes) -> Iterator[dict[str, Any]]:
    for call in calls(value, _responses):
        fields = _fields(values.obj(call.response))
        if fields is None:
            notes.left[NO_SOURCES] += 1
        elif not call.ended:
            yield broken_off(fields, notes) | call.said()
        else:
            if fields["exposure"] == "pruned" and "citations" not in fields:
                notes.left[BY_FILE] += 1
            yield fields | call.said()


def _responses(events: Iterator[dict[str, Any]]) -> Iterator[Streamed]:
    """The last event of a stream holds all of the response; without it, the items that are done."""
    begun: dict[str, Any] | None = None
    for event in events:
        kind = event.get("type")
        if kind in _ENDS:
            yield Streamed(values.obj(event.get("response")), True)
            begun = None
        elif kind == "response.created":
            if begun:
                yield Streamed(begun, False)
            begun = {**values.obj(event.get("response")), "output": []}
        elif kind == "response.output_item.done" and begun:
            begun["output"].append(event.get("item"))
    if begun:
        yield Streamed(begun, False)


def _fields(response: dict[str, Any]) -> dict[str, Any] | None:
    output = values.objects(response.get("output"))
    searches = [item for item in output if item.get("type") == "file_search_call"]
    texts = [part for item in output for part in values.objects(item.get("content"))]
    files = [
        name
        for part in texts
        for note in values.objects(part.get("annotations"))
        if note.get("type") == "file_citation" and (name := values.name(note.get("file_id")))
    ]
    if not searches:
        return None
    usage = values.obj(response.get("usage"))
    return {
        "request_id": values.name(response.get("id")),
        "requested_at": values.time(response.get("created_at")),
        "model": values.text(response.get("model")),
        "answer": "".join(values.text(part.get("text")) or "" for part in texts),
        "prompt_tokens": values.count(usage.get("input_tokens")),
        "answer_tokens": values.count(usage.get("output_tokens")),
        **_sources(searches, files),
    }


def _sources(searches: list[dict[str, Any]], files: list[str]) -> dict[str, Any]:
    chunks = [
        _chunk(result, rank, search if len(searches) > 1 else None)
        for search_at, search_call in enumerate(searches)
        for search in (values.name(search_call.get("id")) or str(search_at),)
        for rank, result in enumerate(values.objects(search_call.get("results")), 1)
    ]
    cited = list(dict.fromkeys(files))
    if not chunks:
        only = [{"chunk_id": name, "doc_id": name, "cited": True} for name in cited]
        return {"chunks": only, "exposure": "cited_only"}
    distinct(chunks)
    found: dict[str, Any] = {
        "chunks": chunks,
        "exposure": "pruned",
        "origins": {"rank": "derived"},
    }
    results = Counter(chunk.get("doc_id") for chunk in chunks)
    if max(results.values()) == 1:
        own = {chunk.get("doc_id"): chunk.get("chunk_id") for chunk in chunks}
        found["origins"]["cited"] = "derived"
        found["citations"] = [own.get(name, name) for name in cited]
    return found


def _chunk(result: dict[str, Any], rank: int, search: str | None) -> dict[str, Any]:
    file = values.name(result.get("file_id")) or values.name(result.get("filename"))
    text = values.text(result.get("text"))
    chunk = {
        "chunk_id": named_after(file, text),
        "doc_id": file,
        "retrieval_id": search,
        "rank": rank,
        "rerank_score": values.number(result.get("score")),
        "text": text,
    }
    return {name: held for name, held in chunk.items() if held is not None}
