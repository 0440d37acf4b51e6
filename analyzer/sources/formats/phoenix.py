"""What Phoenix exports beside OTLP: annotations as judgements, the columns of its data frame."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from analyzer.sources import values
from analyzer.sources.documents import Input, Keys
from analyzer.sources.formats.joining import Notes
from analyzer.sources.formats.judging import judgement
from analyzer.sources.formats.spans import plain_id, spans_in
from analyzer.sources.records import Record
from analyzer.sources.rows import Flaw

_READ = (
    "name",
    "span_kind",
    "parent_id",
    "start_time",
    "status_code",
    "context.span_id",
    "context.trace_id",
    "attributes.output.value",
    "attributes.metadata",
    "attributes.session.id",
    "attributes.user.id",
)
_READ_UNDER = (
    "attributes.openinference.",
    "attributes.retrieval.",
    "attributes.reranker.output",
    "attributes.llm.input_messages",
    "attributes.llm.output_messages",
    "attributes.llm.prompts",
    "attributes.llm.model_name",
    "attributes.llm.token_count.prompt",
    "attributes.llm.token_count.completion",
    "attributes.gen_ai.",
    "attributes.traceloop.",
)


def columns(names: Sequence[str]) -> list[str]:
    """The columns of a data frame that say something about retrieval, prompt and answer."""
    return [name for name in names if name in _READ or name.startswith(_READ_UNDER)]


SPANS = Keys(
    pattern=re.compile(rb'"(?:spanId|span_id|context\.span_id)"\s*:\s*"([^"\\]+)"'),
    columns=("context.span_id", "span_id"),
    of=lambda value: (span.id for span in spans_in(value)),
    plain=plain_id,
)


def read_annotations(documents: Input, notes: Notes) -> Iterator[Record]:
    """The judgements of annotations; the trace of a span is looked up in the file of the spans."""
    rows = [
        (document.number, values.obj(row), document.flaw)
        for document in documents
        for row in _rows(document.value)
    ]
    traces = _traces({_span(row) for _, row, _ in rows} - {""}, documents.name, notes)
    for number, row, flaw in rows:
        if flaw is None and "document_position" in row:
            notes.left["labels of single documents"] += 1
            continue
        trace = traces.get(_span(row))
        result = {**row, **_exploded(row)}
        found = None
        if flaw is None:
            found = judgement(
                trace,
                row.get("created_at"),
                row.get("annotation_name") or row.get("name"),
                result.get("label"),
                result.get("score"),
                notes,
            )
        if found and trace is None:
            flaw = Flaw("span_id", "is of no span in these files; name the spans in one ingest too")
        if flaw or found:
            yield Record(number, found or {}, flaw)


def _rows(value: Any) -> list[Any]:
    return values.objects(values.obj(value).get("data")) or [value]


def _span(row: dict[str, Any]) -> str:
    return plain_id(values.text(row.get("span_id")) or "")


def _exploded(row: dict[str, Any]) -> dict[str, Any]:
    whole = values.obj(row.get("result"))
    return whole or {name: row.get(f"result.{name}") for name in ("label", "score")}


def _traces(spans: set[str], name: str, notes: Notes) -> dict[str, str]:
    found: dict[str, str] = {}
    if notes.elsewhere is not None and spans:
        for document in notes.elsewhere.parts(name, SPANS, spans):
            found |= {span.id: span.trace for span in spans_in(document.value) if span.id in spans}
    return found
