"""Spans of OpenTelemetry's GenAI conventions, and Traceloop's, which began from the same names.

A retrieval lists ids and scores, without texts, ranks or citations; so its positions are assumed
and near-copies unknown. Traceloop keeps LangChain's documents whole, without their ids.
"""

from __future__ import annotations

from typing import Any

from analyzer.sources import values
from analyzer.sources.formats.retrieving import Told
from analyzer.sources.formats.seen import Call, Reading, Retrieved, retrieved
from analyzer.sources.formats.spans import Span, attributes_of
from analyzer.sources.formats.tree import Tree

_OUTPUTS = ("traceloop.entity.output", "gen_ai.task.output")
_UNNAMED = ("unknown", "")
_UNITS = (
    "gen_ai.conversation.id",
    "traceloop.association.properties.session_id",
    "traceloop.association.properties.user_id",
    "session.id",
)
_CAME = {
    "route": "traceloop.workflow.name or gen_ai.workflow.name, else the name of the root span",
    "unit_id": "gen_ai.conversation.id, or the session of the association properties",
    "model": "gen_ai.response.model, else gen_ai.request.model, of the same span as prompt_tokens",
    "prompt_tokens": "gen_ai.usage of the model span whose prompt holds the documents",
    "chunks[].rank": "order of the documents that the retrieval gave",
    "chunks[].chunk_id": "id of the document, else metadata, else document and text hash",
}


NAME = "genai"


def told(tree: Tree) -> Told | None:
    """What the spans of a trace tell; None where no retrieval found a document."""
    found = [(span, read.documents) for span in tree.spans if (read := span.by(NAME)).documents]
    outer = tree.outermost([span for span, _ in found])
    if not outer:
        return None
    units = (span.by(NAME).fields.get("unit_id") for span in tree.spans)
    root = tree.root.by(NAME)
    return Told(
        {
            "route": root.fields.get("route") or tree.root.name or None,
            "unit_id": next(filter(None, units), None),
        },
        [(span.id, documents) for span, documents in found if span in outer],
        None,
        [read.call for span in tree.spans if (read := span.by(NAME)).call],
        None,
        root.answer,
        dict(_CAME),
    )


def reading(span: Span, top: bool) -> Reading:
    """What a span tells; where it may be the root of its trace, what it tells as that too."""
    read = Reading("", _documents(span))
    if _said(span) or _tokens(span, "input") is not None:
        read.call = _call(span)
    fields = {"unit_id": _unit(span), "route": _route(span) if top else None}
    read.fields = {name: value for name, value in fields.items() if value is not None}
    read.answer = _root_answer(span) if top else None
    return read


def _call(span: Span) -> Call:
    fields = {
        "model": _model(span),
        "prompt_tokens": _tokens(span, "input"),
        "answer_tokens": _tokens(span, "output"),
    }
    return Call(_messages(span, "input"), _said(span), fields)


def _documents(span: Span) -> list[Retrieved]:
    listed = values.objects(span.attributes.get("gen_ai.retrieval.documents"))
    if not listed and span.attributes.get("gen_ai.operation.name") == "vector_db_retrieve":
        listed = next((found for key in _OUTPUTS if (found := _output(span, key))), [])
    if not listed and span.events:
        listed = list(filter(None, map(_result_of, span.events)))
    documents = [
        retrieved(
            id=values.name(each.get("id")),
            text=values.text(each.get("page_content")) or values.text(each.get("content")),
            score=values.number(each.get("score")),
            about=values.obj(each.get("metadata")),
        )
        for each in listed
    ]
    return documents if any(each.name for each in documents) else []


def _result_of(event: Any) -> dict[str, Any] | None:
    """What a vector database gave back, which Traceloop notes as an event for each result.

    A distance is no score: of distances the lowest is the best. The order of the results holds.
    """
    held = values.obj(event)
    if held.get("name") != "db.query.result":
        return None
    found = attributes_of(held.get("attributes"))
    prefix = "db.query.result."
    told = {name: found.get(prefix + name) for name in ("id", "score", "metadata")}
    return {**told, "content": found.get(prefix + "document")}


def _output(span: Span, key: str) -> list[dict[str, Any]]:
    return values.objects(values.obj(span.attributes.get(key)).get("documents"))


def _route(span: Span) -> str | None:
    about = span.attributes
    return values.name(about.get("traceloop.workflow.name") or about.get("gen_ai.workflow.name"))


def _unit(span: Span) -> str | None:
    return next(filter(None, (values.name(span.attributes.get(key)) for key in _UNITS)), None)


def _model(span: Span) -> str | None:
    for key in ("gen_ai.response.model", "gen_ai.request.model"):
        found = values.text(span.attributes.get(key))
        if found and found not in _UNNAMED:
            return found
    return None


def _tokens(span: Span, which: str) -> int | None:
    older = {"input": "prompt", "output": "completion"}[which]
    return values.count(
        values.first(
            span.attributes.get(f"gen_ai.usage.{which}_tokens"),
            span.attributes.get(f"gen_ai.usage.{older}_tokens"),
        )
    )


def _said(span: Span) -> str | None:
    return _messages(span, "output")


def _messages(span: Span, which: str) -> str | None:
    older = {"input": "prompt", "output": "completion"}[which]
    listed = values.objects(span.attributes.get(f"gen_ai.{which}.messages"))
    parts = [part for message in listed for part in _parts(message)]
    if not parts:
        parts = [
            str(value)
            for key, value in span.attributes.items()
            if key.startswith(f"gen_ai.{older}.") and key.endswith(".content")
        ]
    plain = values.text(span.attributes.get(f"gen_ai.{older}"))
    return "\n".join(parts) or plain


def _parts(message: dict[str, Any]) -> list[str]:
    content = values.text(message.get("content"))
    if content:
        return [content]
    return [
        said
        for part in values.objects(message.get("parts"))
        if (said := values.text(part.get("content")) or values.text(part.get("text")))
    ]


def _root_answer(span: Span) -> str | None:
    if span.attributes.get("traceloop.span.kind") != "workflow":
        return None
    return values.text(values.obj(span.attributes.get(_OUTPUTS[0])).get("outputs"))
