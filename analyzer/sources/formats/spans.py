"""Spans in their encodings, and traces joined from spans that come on many lines in any order.

A span is written when it ends: children first, the root last, traces interleaved. A first pass
finds the last line of every trace, so a second one holds only the traces that are open.

Encodings: OTLP JSON (`resourceSpans`; camelCase, or snake_case as Phoenix writes it), Phoenix's
REST spans, and rows of its data frame, whose cells of CSV are Python literals.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from analyzer.sources import values
from analyzer.sources.documents import Keys

_LEFT_UNREAD = frozenset(
    (
        "input.value",
        "llm.invocation_parameters",
        "llm.prompt_template.template",
        "llm.prompt_template.variables",
        "gen_ai.task.input",
        "gen_ai.task.output",
        "traceloop.entity.input",
        "gen_ai.tool.definitions",
    )
)
_RESOURCES = ("resourceSpans", "resource_spans", "batches")
_SCOPES = ("scopeSpans", "scope_spans", "instrumentationLibrarySpans")
_KINDS = {"SPAN_KIND_INTERNAL", "SPAN_KIND_CLIENT", "SPAN_KIND_SERVER"}
_UNDER = len("attributes.")
_FAILED = (2, "2", "ERROR", "STATUS_CODE_ERROR")


@dataclass(slots=True)
class Span:
    """One span. `start` is as it was written; `attributes` are flat, by dotted names."""

    trace: str
    id: str
    parent: str | None
    name: str
    start: Any
    failed: bool
    attributes: dict[str, Any]
    resource: dict[str, Any] = field(default_factory=dict)
    events: list[Any] = field(default_factory=list)


def spans_in(value: Any) -> Iterator[Span]:
    """The spans of a document, whatever its encoding; nothing where it holds none."""
    if isinstance(value, list):
        for each in value:
            yield from spans_in(each)
    elif isinstance(value, dict):
        for resources in (value[name] for name in _RESOURCES if name in value):
            for resource in values.objects(resources):
                yield from _of_resource(resource)
        if isinstance(value.get("data"), list):
            yield from spans_in(value["data"])
        elif found := _single(value):
            yield found


def _of_resource(resource: dict[str, Any]) -> Iterator[Span]:
    about = attributes_of(values.obj(resource.get("resource")).get("attributes"))
    for scopes in (resource[name] for name in _SCOPES if name in resource):
        for scope in values.objects(scopes):
            for span in values.objects(scope.get("spans")):
                if found := _single(span):
                    found.resource = about
                    yield found


def _single(span: dict[str, Any]) -> Span | None:
    if "traceId" in span and "spanId" in span:
        return _otlp(span, "traceId", "spanId", "parentSpanId", "startTimeUnixNano")
    if "context.trace_id" in span:
        return _row(span)
    if "context" in span and "span_kind" in span:
        return _rest(span)
    if "trace_id" in span and "span_id" in span and "start_time_unix_nano" in span:
        return _otlp(span, "trace_id", "span_id", "parent_span_id", "start_time_unix_nano")
    return None


def _otlp(span: dict[str, Any], trace: str, own: str, parent: str, start: str) -> Span | None:
    name = values.text(span.get(trace))
    if name is None:
        return None
    return Span(
        trace=plain_id(name),
        id=plain_id(str(span.get(own) or "")),
        parent=plain_id(values.text(span.get(parent)) or "") or None,
        name=values.text(span.get("name")) or "",
        start=span.get(start),
        failed=values.obj(span.get("status")).get("code") in _FAILED,
        attributes=attributes_of(span.get("attributes")),
        events=values.items(span.get("events")),
    )


def _rest(span: dict[str, Any]) -> Span | None:
    context = values.obj(span.get("context"))
    trace = values.text(context.get("trace_id"))
    if trace is None:
        return None
    attributes = dict(values.obj(span.get("attributes")))
    attributes.setdefault("openinference.span.kind", span.get("span_kind"))
    return _found(span, trace, context.get("span_id"), attributes)


def _row(row: dict[str, Any]) -> Span | None:
    trace = values.text(row.get("context.trace_id"))
    if trace is None:
        return None
    attributes = {
        name[_UNDER:]: value
        for name, value in row.items()
        if value is not None and name.startswith("attributes.")
    }
    attributes.setdefault("openinference.span.kind", row.get("span_kind"))
    return _found(row, trace, row.get("context.span_id"), attributes)


def _found(span: dict[str, Any], trace: str, own: Any, attributes: dict[str, Any]) -> Span:
    return Span(
        trace=plain_id(trace),
        id=plain_id(str(own or "")),
        parent=plain_id(values.text(span.get("parent_id")) or "") or None,
        name=values.text(span.get("name")) or "",
        start=span.get("start_time"),
        failed=span.get("status_code") in _FAILED,
        attributes=attributes,
    )


def attributes_of(listed: Any) -> dict[str, Any]:
    """Attributes as a dictionary, from the list of keys and values that OTLP writes."""
    if not isinstance(listed, list):
        return dict(values.obj(listed))
    found = {}
    for each in listed:
        try:
            key, held = each["key"], each["value"]
        except (TypeError, KeyError):
            continue
        if isinstance(key, str) and key not in _LEFT_UNREAD:
            found[key] = _held(held)
    return found


def _held(held: Any) -> Any:
    """The value of an AnyValue; of Phoenix's, which name every kind, the one that is not null."""
    if not isinstance(held, dict):
        return held
    for kind, value in held.items():
        if value is None:
            continue
        match kind:
            case "intValue" | "int_value":
                return values.first(values.whole(value), value)
            case "arrayValue" | "array_value":
                return [_held(each) for each in values.items(values.obj(value).get("values"))]
            case "kvlistValue" | "kvlist_value":
                return attributes_of(values.items(values.obj(value).get("values")))
            case _:
                return value
    return None


def plain_id(written: str) -> str:
    """Ids are hex of any case; what plain protobuf writes as base64 is made hex."""
    if (len(written), written.count("=")) in ((12, 1), (24, 2)):
        try:
            return base64.b64decode(written, validate=True).hex()
        except binascii.Error:
            return written
    return written.lower()


TRACES = Keys(
    pattern=re.compile(rb'"(?:traceId|trace_id|context\.trace_id)"\s*:\s*"([^"\\]+)"'),
    columns=("context.trace_id", "trace_id"),
    of=lambda value: (span.trace for span in spans_in(value)),
    plain=plain_id,
)
