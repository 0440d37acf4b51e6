"""AWS Bedrock: RetrieveAndGenerate, Retrieve and the citations of Converse.

RetrieveAndGenerate lists cited references alone, the same one under several parts of the answer;
no uncited one, no rank, no tokens and no model; as a stream the same, and its events do not say
their end, so one that broke off looks whole. Retrieve ranks, but has no answer. Converse cites the
documents of its request by index, and its stream ends with messageStop.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from analyzer.sources import values
from analyzer.sources.documents import Input
from analyzer.sources.formats.anthropic import FOR_A_TOOL, NO_SOURCES
from analyzer.sources.formats.exchanges import CAME, Exchange, exchange
from analyzer.sources.formats.joining import Notes
from analyzer.sources.formats.retrieving import Told, request_of
from analyzer.sources.formats.seen import Retrieved, retrieved
from analyzer.sources.formats.sources_cited import Sources, cited_named, unasked
from analyzer.sources.formats.streams import assembled, broken_off, streamed
from analyzer.sources.hashing import content_name
from analyzer.sources.records import Record, found_in

_KB = "x-amz-bedrock-kb-"
_CAME = {
    **CAME,
    "model": "modelId of the request, else the address in the wrapper",
    "prompt_tokens": "usage of the response",
    "request_id": "request id of the wrapper, else a hash of the call",
    "chunks": "distinct references of the citations, or documents of the request, or results",
    "chunks[].position": "order in the request; of Retrieve the rank (assumed: it has no prompt)",
    "chunks[].rank": "order of the results of Retrieve",
    "chunks[].score": "score of Retrieve",
    "chunks[].chunk_id": "chunk id of the metadata, else document and hash of the text",
    "chunks[].doc_id": "address of the source",
}


def read_calls(documents: Input, notes: Notes) -> Iterator[Record]:
    """One request for each call that had sources."""
    return found_in(assembled(documents, _event), lambda value: _found(value, notes), _CAME)


def _event(value: Any) -> str | None:
    """Events of RetrieveAndGenerateStream bear no id."""
    return "" if generated(value) or list(values.obj(value)) == ["guardrail"] else None


def generated(value: Any) -> bool:
    """Whether a value is an event of RetrieveAndGenerateStream."""
    held = values.obj(value)
    if len(held) != 1:
        return False
    said = values.obj(held.get("output"))
    cited = values.obj(held.get("citation"))
    return list(said) == ["text"] or bool({"citation", "retrievedReferences"} & cited.keys())


def _found(value: Any, notes: Notes) -> Iterator[dict[str, Any]]:
    call = exchange(value)
    found = _fields(call, notes)
    if found is not None:
        named = values.name(call.about.get("request_id")) or content_name(value)
        yield {**call.fields(), "request_id": named, **found}


def _fields(call: Exchange, notes: Notes) -> dict[str, Any] | None:
    asks = _stop_reason(call.response) == "tool_use"
    found = None if asks else _generated(call) or _retrieved(call) or _conversed(call, notes)
    if found is None:
        notes.left[FOR_A_TOOL if asks else NO_SOURCES] += 1
    return found


def _reference(each: dict[str, Any]) -> Retrieved:
    about = values.obj(each.get("metadata"))
    location = values.obj(each.get("location"))
    places = (values.name(found) for inner in location.values() for found in _ends(inner))
    document = values.name(about.get(_KB + "source-uri")) or next(filter(None, places), None)
    return retrieved(
        id=values.name(about.get(_KB + "chunk-id")),
        text=values.text(values.obj(each.get("content")).get("text")),
        score=values.number(each.get("score")),
        about={"doc_id": document} if document else {},
    )


def _ends(inner: Any) -> list[Any]:
    held = values.obj(inner) if not isinstance(inner, str) else {}
    return [held.get(name) for name in ("uri", "id", "url")]


def _generated(call: Exchange) -> dict[str, Any] | None:
    response = _put_together(call.response) or values.obj(call.response)
    if not isinstance(response.get("citations"), list) or "output" not in response:
        return None
    references = [
        _reference(each)
        for citation in values.objects(response["citations"])
        for each in values.objects(citation.get("retrievedReferences"))
    ]
    return {
        **cited_named([(each.name, each.document, _plain(each)) for each in references]),
        "unit_id": values.name(response.get("sessionId")),
        "answer": values.text(values.obj(response["output"]).get("text")),
    }


def _put_together(response: Any) -> dict[str, Any] | None:
    """The answer whose events these are; None where they are others."""
    events = [
        {str(event["event"]): event.get("data")} if "event" in event else event
        for event in streamed(response)
    ]
    if not any(map(generated, events)):
        return None
    said = [values.text(values.obj(event.get("output")).get("text")) for event in events]
    cited = [values.obj(event.get("citation")) for event in events]
    # The older form holds the same one level deeper, and newer ones hold both.
    citations = [each if "retrievedReferences" in each else each.get("citation") for each in cited]
    return {"output": {"text": "".join(filter(None, said))}, "citations": citations}


def _plain(each: Retrieved) -> str | None:
    return each.text if isinstance(each.text, str) else None


def _retrieved(call: Exchange) -> dict[str, Any] | None:
    results = values.objects(values.obj(call.response).get("retrievalResults"))
    return request_of(Told({}, [("", list(map(_reference, results)))])) if results else None


def _conversed(call: Exchange, notes: Notes) -> dict[str, Any] | None:
    sources = _sources(call.request)
    content, usage = _message(call.response)
    if not sources.chunks or not content:
        return None
    said = []
    for block in content:
        cited = values.obj(block.get("citationsContent"))
        said.append(values.text(block.get("text")) or "")
        said += _texts(cited.get("content"))
        for citation in values.objects(cited.get("citations")):
            _cite(values.obj(citation.get("location")), sources)
    fields = {
        **sources.fields(),
        "model": values.name(call.request.get("modelId")) or _model_of(call.about),
        "answer": "".join(said),
        "prompt_tokens": values.count(usage.get("inputTokens")),
        "answer_tokens": values.count(usage.get("outputTokens")),
    }
    if isinstance(call.response, list) and _stop_reason(call.response) is None:
        return broken_off(fields, notes)
    return fields if sources.cited or _enabled(call.request) else unasked(fields)


def _model_of(about: dict[str, Any]) -> str | None:
    parts = (values.text(about.get("uri")) or "").split("/")
    return parts[parts.index("model") + 1] if "model" in parts[:-1] else None


def _sources(request: dict[str, Any]) -> Sources:
    sources = Sources()
    for document in _documents(request):
        source = values.obj(document.get("source"))
        texts = _texts(source.get("content")) or [values.text(source.get("text")) or ""]
        sources.add("document", values.name(document.get("name")), texts)
    return sources


def _enabled(request: dict[str, Any]) -> bool:
    return any(values.obj(each.get("citations")).get("enabled") for each in _documents(request))


def _documents(request: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        document
        for message in values.objects(request.get("messages"))
        for block in values.objects(message.get("content"))
        if (document := values.obj(block.get("document")))
    ]


def _texts(blocks: Any) -> list[str]:
    return [values.text(each.get("text")) or "" for each in values.objects(blocks)]


def _cite(location: dict[str, Any], sources: Sources) -> None:
    for kind, place in location.items():
        held = values.obj(place)
        index, start, end = (values.count(held.get(n)) for n in ("documentIndex", "start", "end"))
        blocks = kind == "documentChunk"
        sources.cite("document", index, start if blocks else None, end if blocks else None)


def _message(response: Any) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Blocks of the answer and usage; of the events of a stream, put together."""
    if isinstance(response, list):
        return _of_events(response)
    held = values.obj(response)
    message = values.obj(values.obj(held.get("output")).get("message"))
    return values.objects(message.get("content")), values.obj(held.get("usage"))


def _of_events(events: list[Any]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    blocks: list[dict[str, Any]] = []
    usage: dict[str, Any] = {}
    for event in values.objects(events):
        data = _data(event)
        delta = values.obj(data.get("delta"))
        if citation := delta.get("citation"):
            blocks.append({"citationsContent": {"citations": [citation]}})
        elif said := delta.get("text"):
            blocks.append({"text": said})
        usage = values.obj(data.get("usage")) or usage
    return blocks, usage


def _stop_reason(response: Any) -> Any:
    """Why the model stopped; of the events of a stream, None where it did not come to that."""
    ends = map(_data, values.objects(response)) if isinstance(response, list) else [response]
    return values.first(*(values.obj(each).get("stopReason") for each in ends))


def _data(event: dict[str, Any]) -> dict[str, Any]:
    return values.obj(event.get("data")) or values.obj(event.get(str(event.get("event"))))
