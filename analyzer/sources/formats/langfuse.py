"""Langfuse: rows of its exports and the trace that its page downloads; scores as judgements.

What an observation put out is whatever the application logged: retrieved documents are taken from
RETRIEVER observations, else from spans whose name says that they retrieve and whose output is a
list of texts. Strings hold JSON, sometimes twice over or as Python literals. Times of the exports
have no offset and are UTC. A row may repeat; the last one updated counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import Any

from analyzer.sources import values
from analyzer.sources.documents import Input, Keys
from analyzer.sources.formats import openinference
from analyzer.sources.formats.completing import leave_out, may_be_loaded, requested, seen_in
from analyzer.sources.formats.imprints import same
from analyzer.sources.formats.joining import Group, Notes, joined
from analyzer.sources.formats.judging import judgement
from analyzer.sources.formats.langchain_documents import documents_in, prompt_in, said
from analyzer.sources.formats.retrieving import Told
from analyzer.sources.formats.seen import Call, Reading, Retrieved, Seen, route_in
from analyzer.sources.formats.spans import Span
from analyzer.sources.formats.tree import Tree
from analyzer.sources.records import Record

NAME = "langfuse"
_TRACE = "TRACE"
_CAPITAL = re.compile(r"(?<=[a-z0-9])([A-Z])")


def _snake(row: dict[str, Any]) -> dict[str, Any]:
    return {_CAPITAL.sub(r"_\1", str(name)).lower(): value for name, value in row.items()}


def _rows_in(value: Any) -> Iterator[dict[str, Any]]:
    """Trace rows, observation rows and score rows of a document."""
    held = values.obj(value)
    trace = values.obj(held.get("trace"))
    if not trace and not isinstance(held.get("observations"), list):
        yield _snake(held)
        return
    trace = _snake(trace or held)
    # What is embedded in the trace lacks inputs and outputs; the list beside it has them.
    listed = values.objects(held.get("observations")) or values.objects(trace.get("observations"))
    yield {name: value for name, value in trace.items() if name not in ("observations", "scores")}
    for row in (*listed, *values.objects(trace.get("scores"))):
        yield {"trace_id": trace.get("id"), **_snake(row)}


def _named(value: object) -> Iterator[tuple[str, Span]]:
    for row in _rows_in(value):
        observed = "type" in row or "parent_observation_id" in row
        trace = values.name(row.get("trace_id")) or (
            None if observed else values.name(row.get("id"))
        )
        if trace:
            yield trace, _span(row, trace)


ROWS = Keys(
    pattern=re.compile(rb'"trace_?[iI]d"\s*:\s*"([^"\\]{1,80})"'),
    otherwise=re.compile(rb'"id"\s*:\s*"([^"\\]{1,80})"'),
    columns=("trace_id", "traceId", "id"),
    of=lambda value: (name for name, _ in _named(value)),
    plain=str,
)


def read_observations(documents: Input, notes: Notes) -> Iterator[Record]:
    """The requests of a file of observations or traces, and the scores that came with them."""
    for group in joined(documents, ROWS, _named, notes, NAME):
        if group.flaw:
            yield Record(group.number, {}, group.flaw)
            continue
        scores = [part.attributes for part in group.own if _is_score(part.attributes)]
        if len(scores) < len(group.own) and (record := _record(_observed(group), notes)):
            yield record
        for row in scores:
            if found := _judged(row, notes):
                yield Record(group.number, found)


def _observed(group: Group[Span]) -> Group[Span]:
    """A group without its scores."""

    def left(parts: list[Span]) -> list[Span]:
        return [each for each in parts if isinstance(each, Seen) or not _is_score(each.attributes)]

    before = left(group.parts[: group.shared])
    return group._replace(parts=before + left(group.own), shared=len(before))


def _is_score(row: dict[str, Any]) -> bool:
    return "data_type" in row or ("value" in row and "name" in row and "type" not in row)


def _judged(row: dict[str, Any], notes: Notes) -> dict[str, Any] | None:
    at = values.first(row.get("timestamp"), row.get("created_at"))
    value = row.get("value")
    numeric = (
        float(value) if isinstance(value, str) and re.fullmatch(r"[01](\.0)?", value) else value
    )
    trace = values.name(row.get("trace_id"))
    return judgement(trace, at, row.get("name"), row.get("string_value"), numeric, notes)


def _span(row: dict[str, Any], trace: str) -> Span:
    return Span(
        trace=trace,
        id=values.name(row.get("id")) or "",
        parent=values.name(row.get("parent_observation_id")),
        name=values.text(row.get("name")) or "",
        start=values.time(row.get("start_time")) or "",
        failed=row.get("level") == "ERROR",
        attributes=row,
    )


def _seen(route: str | None, span: Span, top: bool) -> Seen:
    row = span.attributes
    read = Reading(str(row.get("type")) if "type" in row else _TRACE, _documents(span))
    if read.kind == "GENERATION":
        read.call = _call(row)
    if top or read.documents:
        read.answer = said(row.get("output"))
    read.fields = {key: row[key] for key in _ABOUT if values.name(row.get(key)) is not None}
    if (at := values.time(row.get("timestamp"))) is not None:
        read.fields["timestamp"] = at
    return Seen(
        id=span.id,
        parent=span.parent,
        name=span.name,
        start=span.start,
        failed=span.failed,
        order=str(row.get("updated_at") or ""),
        route=route_in(route, *_places(row)) if route else None,
        readings={NAME: read},
    )


def _places(row: dict[str, Any]) -> Iterator[dict[str, Any]]:
    about = values.obj(row.get("metadata"))
    yield from (about, values.obj(about.get("attributes")), row)


def _record(group: Group[Span], notes: Notes) -> Record | None:
    seen = seen_in(group, partial(_seen, notes.route))
    rows = sorted(seen, key=lambda each: each.order)
    observed = [each for each in rows if each.by(NAME).kind != _TRACE]
    traces = [each for each in rows if each.by(NAME).kind == _TRACE]
    tree = Tree(observed or traces)
    tree.whole = tree.whole and bool(observed)
    tree.root.route = next((each.route for each in traces if each.route), tree.root.route)
    told = _told(tree, [each.by(NAME) for each in traces])
    if not may_be_loaded(group, NAME, seen, tree, told, notes):
        return None
    if told is None:
        leave_out(notes, not tree.whole)
        return None
    told.fields |= {
        "request_id": group.name,
        "revision": len(tree.spans),
        "outcome": "error" if tree.root.failed and not told.answered else None,
    }
    fields = requested(told, tree, notes)
    return Record(group.number, fields, None, told.came) if fields else None


def _about(tree: Tree, traces: list[Reading]) -> dict[str, Any]:
    """What the rows of the trace tell of the request, else its root observation."""
    readings = (tree.root.by(NAME), *traces)
    about = {name: value for read in readings for name, value in read.fields.items()}
    return {
        "requested_at": about.get("timestamp") or tree.started,
        "route": values.name(about.get("trace_name")) or values.name(about.get("name")),
        "release": values.name(about.get("release")) or None,
        "unit_id": values.name(about.get("session_id")) or values.name(about.get("user_id")),
    }


_ABOUT = ("trace_name", "name", "release", "session_id", "user_id")
_CAME = {
    "request_id": "trace id",
    "revision": "number of observations of the trace",
    "requested_at": "timestamp of the trace, else start of its root observation",
    "route": "name of the trace",
    "release": "release of the trace",
    "prompt_version": "prompt_version of the generation whose input holds the documents",
    "outcome": "level of the root observation, where nothing answered",
    "unit_id": "session, else user of the trace",
    "model": "model of the generation whose input holds the documents",
    "answer": "output of the trace or its root observation, else of the last generation",
    "prompt_tokens": "usage of the generation whose input holds the documents",
    "chunks[].rank": "order of the documents in the output of the retriever observation",
    "chunks[].chunk_id": "id of the document, else metadata, else document and text hash",
}


def _told(tree: Tree, traces: list[Reading]) -> Told | None:
    found = [(span, documents) for span in tree.spans if (documents := span.by(NAME).documents)]
    typed = [each for each in found if each[0].by(NAME).kind == "RETRIEVER"] or found
    outer = tree.outermost([span for span, _ in typed])
    if not outer:
        return None
    said_last = (*reversed(traces), tree.root.by(NAME))
    answer = next((read.answer for read in said_last if read.answer), None)
    put_out = outer[0].by(NAME).answer  # of a retriever that stands alone this is no answer
    own = answer is not None and put_out is not None and same(answer, put_out)
    return Told(
        _about(tree, traces),
        [(span.id, documents) for span, documents in typed if span in outer],
        None,
        [call for span in tree.spans if (call := span.by(NAME).call)],
        None if own else answer,
        None,
        dict(_CAME),
    )


def _call(row: dict[str, Any]) -> Call:
    usage = values.obj(row.get("usage_details")) or values.obj(row.get("usage"))
    fields = {
        "model": values.text(row.get("provided_model_name")) or values.text(row.get("model")),
        "prompt_tokens": _used(usage, "input", "prompt_tokens", "input_tokens"),
        "answer_tokens": _used(usage, "output", "completion_tokens", "output_tokens"),
        "prompt_version": values.name(row.get("prompt_version")),
    }
    return Call(prompt_in(row.get("input")), said(row.get("output")), fields)


def _used(usage: dict[str, Any], *names: str) -> int | None:
    return next((n for name in names if (n := values.count(usage.get(name))) is not None), None)


def _documents(span: Span) -> list[Retrieved]:
    row = span.attributes
    retrieves = "retriev" in span.name.lower() and row.get("type") in ("SPAN", "CHAIN", "TOOL")
    if row.get("type") != "RETRIEVER" and not retrieves:
        return []
    inner = values.obj(values.obj(row.get("metadata")).get("attributes"))
    instrumented = Span(span.trace, span.id, None, span.name, None, False, inner)
    return documents_in(row.get("output")) or openinference.documents_under(
        instrumented, "retrieval.documents"
    )
