"""By what a document of each format is known: names that no other format puts together."""

from __future__ import annotations

from typing import Any

from analyzer.sources import values
from analyzer.sources.formats.azure import is_piece
from analyzer.sources.formats.bedrock import generated
from analyzer.sources.formats.exchanges import exchange
from analyzer.sources.formats.spans import spans_in
from analyzer.sources.formats.streams import streamed
from analyzer.sources.formats.trec import is_candidates

_EVENTS = 50  # of a stream are looked at
_OBSERVED = {
    "SPAN",
    "GENERATION",
    "EVENT",
    "AGENT",
    "TOOL",
    "CHAIN",
    "RETRIEVER",
    "EVALUATOR",
    "EMBEDDING",
    "GUARDRAIL",
}


def record(value: Any) -> bool:
    """A citation log record, or one that lacks something."""
    held = value if isinstance(value, dict) else {}
    judged = "request_id" in held and "judged_at" in held
    return judged or ("chunks" in held and isinstance(held["chunks"], list | type(None)))


def _written_by(value: Any, *beginnings: str) -> bool:
    return any(name.startswith(beginnings) for span in spans_in(value) for name in span.attributes)


def openinference(value: Any) -> bool:
    """Spans with OpenInference's attributes."""
    return _written_by(value, "openinference.", "retrieval.", "llm.")


def traceloop(value: Any) -> bool:
    """Spans with Traceloop's attributes."""
    return _written_by(value, "traceloop.")


def spans(value: Any) -> bool:
    """Any spans."""
    return next(spans_in(value), None) is not None


def phoenix_annotations(value: Any) -> bool:
    """An annotation of a span, alone or in the answer of a server."""
    listed = values.objects(values.obj(value).get("data")) or [values.obj(value)]
    return "span_id" in listed[0] and (
        "annotation_name" in listed[0] or "annotator_kind" in listed[0]
    )


def phoenix_documents(value: Any) -> bool:
    """A row of Phoenix's retrieved documents."""
    return {"document_position", "context.span_id"} <= values.obj(value).keys()


def phoenix_traces(value: Any) -> bool:
    """Phoenix's list of traces, whose spans have no attributes."""
    listed = values.objects(values.obj(value).get("data"))
    return bool(listed) and {"trace_id", "spans", "project_id"} <= listed[0].keys()


def langsmith(value: Any) -> bool:
    """A run, or several."""
    held = values.obj(value)
    listed = values.objects(held.get("runs")) or [held]
    return "run_type" in listed[0] and ("trace_id" in listed[0] or "dotted_order" in listed[0])


def langsmith_feedback(value: Any) -> bool:
    """A row of a feedback export."""
    return {"run_id", "key", "score"} <= values.obj(value).keys()


def langfuse(value: Any) -> bool:
    """A trace as it is downloaded, or a row of an export."""
    held = values.obj(value)
    if isinstance(held.get("observations"), list):
        return True
    if held.get("trace_id") is None and held.get("traceId") is None:
        return {"timestamp", "bookmarked", "tags"} <= held.keys()
    return values.name(held.get("type")) in _OBSERVED or bool(
        {"data_type", "dataType"} & held.keys()
    )


def anthropic(value: Any) -> bool:
    """A message, with or without its request; or the events of one."""
    response = exchange(value).response
    if isinstance(response, str):
        return "message_start" in response
    held = values.obj(response)
    return held.get("type") == "message" and isinstance(held.get("content"), list)


def cohere(value: Any) -> bool:
    """A chat or a rerank call."""
    response = exchange(value).response
    if isinstance(response, str):
        return '"message-start"' in response
    held = values.obj(response)
    message = values.obj(held.get("message"))
    ranked = values.objects(held.get("results"))
    chat = bool(message) and "finish_reason" in held and "choices" not in held
    return chat or (bool(ranked) and "relevance_score" in ranked[0] and "meta" in held)


def trec_rag(value: Any) -> bool:
    """A run of TREC RAG, a report of RAGTIME, or the candidates of a topic."""
    held = values.obj(value)
    if is_candidates(held):
        return True
    topic = {**held, **values.obj(held.get("metadata"))}
    said = any(isinstance(held.get(name), list) for name in ("answer", "responses", "sentences"))
    return (
        said
        and isinstance(held.get("references"), list)
        and ("topic_id" in topic or "narrative_id" in topic)
    )


def bedrock(value: Any) -> bool:
    """A call of a knowledge base, or of Converse with documents."""
    call = exchange(value)
    if isinstance(values.obj(value).get("response_events"), list):
        return True
    if any(map(generated, [values.obj(value), *streamed(call.response)[:_EVENTS]])):
        return True
    held = values.obj(call.response)
    made = "output" in held and ("sessionId" in held or "stopReason" in held)
    return "retrievalResults" in held or made


def gemini(value: Any) -> bool:
    """A generated answer of Gemini or Vertex."""
    response = exchange(value).response
    held = values.obj(response[0] if isinstance(response, list) and response else response)
    listed = values.objects(held.get("candidates"))
    return bool(listed) and ("content" in listed[0] or "finishReason" in listed[0])


def openai(value: Any) -> bool:
    """A response of the Responses API."""
    response = exchange(value).response
    if isinstance(response, str):
        return '"response.created"' in response or '"response.completed"' in response
    held = values.obj(response)
    return held.get("object") == "response" and isinstance(held.get("output"), list)


def azure(value: Any) -> bool:
    """A completion with the context of On Your Data."""
    response = exchange(value).response
    held = values.obj(response)
    pieces = [each for each in [held, *streamed(response)[:_EVENTS]] if is_piece(each)]
    if any(map(_has_context, pieces)):
        return True
    for status in values.obj(values.obj(value).get("responses")).values():
        held = values.obj(values.obj(status).get("body")) or held
    for choice in values.objects(held.get("choices")):
        message = values.obj(choice.get("message"))
        listed = values.objects(choice.get("messages"))
        if "context" in message or any(each.get("role") == "tool" for each in listed):
            return True
    return False


def _has_context(piece: dict[str, Any]) -> bool:
    for choice in values.objects(piece.get("choices")):
        listed = [choice.get("delta"), *values.items(choice.get("messages"))]
        told = [values.obj(values.obj(each).get("delta")) or values.obj(each) for each in listed]
        if any("context" in each or each.get("role") == "tool" for each in told):
            return True
    return False
