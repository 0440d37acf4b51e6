"""The shop's answers as spans: OpenInference, Phoenix, OpenTelemetry GenAI, Traceloop."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from shop import CHUNKS, Asked, Folder, Json, everything


def write(folder: Folder) -> None:
    """Write the files of these formats."""
    folder.lines("openinference.otlp.jsonl", otlp(openinference(), "shop"))
    folder.lines("otel_genai.otlp.jsonl", otlp(genai(), "shop"))
    folder.lines("traceloop.otlp.jsonl", otlp(traceloop(), "shop"))
    phoenix(folder)


def otlp(spans: Iterator[Json], service: str) -> Iterator[Json]:
    """Spans as a collector's file exporter writes them, one a line."""
    resource = {"attributes": _attributes({"service.name": service, "service.version": "41"})}
    for span in spans:
        yield {"resourceSpans": [{"resource": resource, "scopeSpans": [{"spans": [span]}]}]}


def _attributes(values: Json) -> list[Json]:
    return [{"key": name, "value": _value(value)} for name, value in values.items()]


def _value(value: Any) -> Json:
    if isinstance(value, int):
        return {"intValue": str(value)}
    return {"doubleValue": value} if isinstance(value, float) else {"stringValue": value}


def _span(asked: Asked, at: int, name: str, attributes: Json) -> Json:
    span: Json = {
        "traceId": asked.trace,
        "spanId": asked.span_id(at),
        "name": name,
        "kind": 1,
        "startTimeUnixNano": str(asked.nanoseconds(at)),
        "endTimeUnixNano": str(asked.nanoseconds(at + 9)),
        "attributes": _attributes(attributes),
    }
    if at:
        span["parentSpanId"] = asked.span_id(0)
    return span


def openinference_attributes(asked: Asked) -> list[tuple[int, str, Json]]:
    """Retriever, model and root, children first."""
    documents = {
        f"retrieval.documents.{at}.document.{field}": value
        for at, name in enumerate(asked.retrieved)
        for field, value in (
            ("id", name),
            ("content", CHUNKS[name][1]),
            ("score", asked.score(at)),
            ("metadata", json.dumps({"source": CHUNKS[name][0]})),
        )
    }
    model = {
        "openinference.span.kind": "LLM",
        "llm.model_name": "sample-1",
        "llm.input_messages.0.message.role": "user",
        "llm.input_messages.0.message.content": asked.prompt,
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.content": asked.answer,
        "llm.token_count.prompt": len(asked.prompt) // 4,
        "llm.token_count.completion": len(asked.answer) // 4,
    }
    root = {
        "openinference.span.kind": "CHAIN",
        "input.value": asked.question,
        "output.value": asked.answer,
        "session.id": asked.session,
        "metadata": json.dumps({"route": "shop"}),
    }
    return [
        (1, "retrieve", {"openinference.span.kind": "RETRIEVER", **documents}),
        (2, "generate", model),
        (0, "answer", root),
    ]


def openinference() -> Iterator[Json]:
    """OpenInference."""
    for asked in everything():
        for at, name, attributes in openinference_attributes(asked):
            yield _span(asked, at, name, attributes)


def phoenix_rows() -> list[Json]:
    """Phoenix's data frame: lists of structures, tokens as floats."""
    rows = []
    for asked in everything():
        for at, name, held in openinference_attributes(asked):
            kind = held["openinference.span.kind"]
            documents = [
                {
                    "document.id": chunk,
                    "document.content": CHUNKS[chunk][1],
                    "document.score": asked.score(place),
                    "document.metadata": {"source": CHUNKS[chunk][0]},
                }
                for place, chunk in enumerate(asked.retrieved)
            ]
            message = held.get("llm.output_messages.0.message.content")
            prompt = held.get("llm.input_messages.0.message.content")
            rows.append(
                {
                    "name": name,
                    "span_kind": kind,
                    "parent_id": asked.span_id(0) if at else None,
                    "start_time": asked.at + timedelta(milliseconds=at),
                    "status_code": "OK",
                    "context.span_id": asked.span_id(at),
                    "context.trace_id": f"{0xF0E0 + asked.number:032x}",
                    "attributes.session.id": held.get("session.id"),
                    "attributes.output.value": held.get("output.value"),
                    "attributes.llm.model_name": held.get("llm.model_name"),
                    "attributes.llm.token_count.prompt": _float(held, "prompt"),
                    "attributes.llm.token_count.completion": _float(held, "completion"),
                    "attributes.llm.input_messages": _messages("user", prompt),
                    "attributes.llm.output_messages": _messages("assistant", message),
                    "attributes.retrieval.documents": documents if kind == "RETRIEVER" else None,
                }
            )
    return rows


def _float(held: Json, which: str) -> float | None:
    tokens = held.get(f"llm.token_count.{which}")
    return None if tokens is None else float(tokens)


def _messages(role: str, content: str | None) -> list[Json] | None:
    return [{"message.role": role, "message.content": content}] if content else None


def phoenix(folder: Folder) -> None:
    """Phoenix: the data frame as Parquet and as CSV, REST spans, and annotations."""
    rows = phoenix_rows()
    pq.write_table(pa.Table.from_pylist(rows), folder.path / "phoenix_spans.parquet")
    with (folder.path / "phoenix_spans.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        for row in rows:
            trace = row["context.trace_id"].replace("f0e", "f0d")
            writer.writerow({**row, "context.trace_id": trace})
    spans = [
        {
            "name": name,
            "context": {
                "trace_id": f"{0xF0C0 + a.number:032x}",
                "span_id": f"{a.number:012x}f{at}",
            },
            "span_kind": held["openinference.span.kind"],
            "parent_id": f"{a.number:012x}f0" if at else None,
            "start_time": (a.at + timedelta(milliseconds=at)).isoformat(),
            "attributes": {k: v for k, v in held.items() if k != "openinference.span.kind"},
        }
        for a in everything()
        for at, name, held in openinference_attributes(a)
    ]
    folder.document("phoenix_rest_spans.json", {"data": spans, "next_cursor": None})
    annotations = [
        {
            "span_id": f"{number:012x}f0",
            "annotation_name": "correctness",
            "annotator_kind": "HUMAN",
            "result.label": label,
            "result.score": score,
            "created_at": "2026-11-12T08:00:00+00:00",
        }
        for number, label, score in ((0, "correct", 1.0), (2, "incorrect", 0.0))
    ]
    folder.lines("phoenix_annotations.jsonl", annotations)


def genai() -> Iterator[Json]:
    """OpenTelemetry GenAI: ids and scores in a string, no texts."""
    for asked in everything():
        listed = [{"id": n, "score": asked.score(at)} for at, n in enumerate(asked.retrieved)]
        retrieval = {
            "gen_ai.operation.name": "retrieval",
            "gen_ai.retrieval.documents": json.dumps(listed),
        }
        chat = {
            "gen_ai.operation.name": "chat",
            "gen_ai.request.model": "sample-1",
            "gen_ai.usage.input_tokens": len(asked.prompt) // 4,
            "gen_ai.output.messages": json.dumps(
                [{"role": "assistant", "parts": [{"type": "text", "content": asked.answer}]}]
            ),
        }
        root = {"gen_ai.operation.name": "invoke_workflow", "gen_ai.workflow.name": "shop"}
        for at, name, held in ((1, "retrieval", retrieval), (2, "chat", chat), (0, "shop", root)):
            yield {**_span(asked, at, name, held), "traceId": f"{0x6E0 + asked.number:032x}"}


def traceloop() -> Iterator[Json]:
    """Traceloop: documents without their ids."""
    for asked in everything():
        documents = [
            {"page_content": CHUNKS[n][1], "metadata": {"source": CHUNKS[n][0], "chunk_id": n}}
            for n in asked.retrieved
        ]
        common = {"traceloop.workflow.name": "shop"}
        retrieval = common | {
            "gen_ai.operation.name": "vector_db_retrieve",
            "traceloop.entity.output": json.dumps({"documents": documents}),
        }
        chat = common | {
            "gen_ai.operation.name": "chat",
            "gen_ai.response.model": "sample-1",
            "gen_ai.input.messages": json.dumps([{"role": "user", "content": asked.prompt}]),
            "gen_ai.output.messages": json.dumps([{"role": "assistant", "content": asked.answer}]),
            "gen_ai.usage.input_tokens": len(asked.prompt) // 4,
        }
        root = common | {"traceloop.span.kind": "workflow"}
        for at, name, held in ((1, "retrieve", retrieval), (2, "chat", chat), (0, "shop", root)):
            yield {**_span(asked, at, name, held), "traceId": f"{0x7E0 + asked.number:032x}"}
