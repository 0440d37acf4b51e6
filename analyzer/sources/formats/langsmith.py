"""LangSmith runs, one a line or a row; feedback, exported beside them, as judgements.

A run names its trace and its parent. A retriever within a retriever is the base that the outer one
reranked. Times of the bulk export have no offset and are UTC.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import Any

from analyzer.sources import values
from analyzer.sources.documents import Input, Keys
from analyzer.sources.formats.completing import leave_out, may_be_loaded, requested, seen_in
from analyzer.sources.formats.joining import Group, Notes, joined
from analyzer.sources.formats.judging import about_right, judgement
from analyzer.sources.formats.langchain_documents import documents_in, prompt_in, said
from analyzer.sources.formats.retrieving import Told
from analyzer.sources.formats.seen import Call, Reading, Seen, route_in
from analyzer.sources.formats.spans import Span
from analyzer.sources.formats.tree import Tree
from analyzer.sources.records import Record, found_in

NAME = "langsmith"
_RUN = ("inputs", "outputs", "extra", "run_type", "feedback_stats", "tags")


def _runs_in(value: Any) -> Iterator[dict[str, Any]]:
    held = values.obj(value)
    yield from values.objects(held["runs"]) if "runs" in held else [held]


def _named(value: object) -> Iterator[tuple[str, Span]]:
    for run in _runs_in(value):
        trace = values.name(run.get("trace_id")) or values.name(run.get("id"))
        if trace and "run_type" in run:
            yield trace, _span(run, trace)


RUNS = Keys(
    pattern=re.compile(rb'"trace_id"\s*:\s*"([^"\\]{1,80})"'),
    otherwise=re.compile(rb'"id"\s*:\s*"([^"\\]{1,80})"'),
    columns=("trace_id",),
    of=lambda value: (name for name, _ in _named(value)),
    plain=str,
)


def read_runs(documents: Input, notes: Notes) -> Iterator[Record]:
    """The requests of a file of runs, one a trace."""
    for group in joined(documents, RUNS, _named, notes, NAME):
        if group.flaw:
            yield Record(group.number, {}, group.flaw)
        elif record := _record(group, notes):
            yield record


def read_feedback(documents: Input, notes: Notes) -> Iterator[Record]:
    """The judgements of a feedback export; each names its trace, or its run where that is one."""
    return found_in(documents, lambda value: [_judged(values.obj(value), notes)])


def _judged(row: dict[str, Any], notes: Notes) -> dict[str, Any] | None:
    trace = values.name(row.get("trace_id")) or values.name(row.get("run_id"))
    at, key = row.get("created_at"), row.get("key")
    return judgement(trace, at, key, row.get("value"), row.get("score"), notes)


def _span(run: dict[str, Any], trace: str) -> Span:
    return Span(
        trace=trace,
        id=values.name(run.get("id")) or "",
        parent=values.name(run.get("parent_run_id")),
        name=values.text(run.get("name")) or "",
        start=values.time(run.get("start_time")) or "",
        failed=bool(run.get("error")),
        attributes=run,
    )


def _seen(route: str | None, span: Span, top: bool) -> Seen:
    run = span.attributes
    return Seen(
        id=span.id,
        parent=span.parent,
        name=span.name,
        start=span.start,
        failed=span.failed,
        route=route_in(route, _metadata(run), values.obj(run.get("extra"))) if route else None,
        readings={NAME: _reading(run, top)},
    )


def _reading(run: dict[str, Any], top: bool) -> Reading:
    read = Reading(str(run.get("run_type")))
    if read.kind == "retriever":
        read.documents = documents_in(run.get("outputs"))
    elif read.kind == "llm":
        read.call = _call(run)
    if top:
        about = _metadata(run)
        fields = {
            "route": values.name(about.get("route")),
            "unit_id": next(filter(None, map(values.name, map(about.get, _UNITS))), None),
            "release": values.name(about.get("revision_id")),
            "correct": _stats(run),
        }
        read.fields = {name: value for name, value in fields.items() if value is not None}
        read.answer = said(values.obj(run.get("outputs")))
    return read


def _record(group: Group[Span], notes: Notes) -> Record | None:
    seen = seen_in(group, partial(_seen, notes.route))
    tree = Tree(seen)
    told = _told(tree)
    if not may_be_loaded(group, NAME, seen, tree, told, notes):
        return None
    if told is None or (not told.answered and not tree.whole):
        leave_out(notes, told is not None or not tree.whole)
        return None
    told.fields |= {
        "route": tree.root.name or None,
        **tree.root.by(NAME).fields,
        "request_id": group.name,
        "revision": len(tree.spans),
        "requested_at": tree.started,
        "outcome": "error" if tree.root.failed and not told.answered else None,
    }
    fields = requested(told, tree, notes)
    return Record(group.number, fields, None, told.came) if fields else None


_UNITS = ("session_id", "thread_id", "conversation_id", "user_id")
_CAME = {
    "request_id": "trace_id",
    "revision": "number of runs of the trace",
    "requested_at": "start_time of the root run",
    "route": "route in the metadata of the root run, else its name",
    "release": "revision_id in the metadata of the root run",
    "outcome": "error of the root run, where nothing answered",
    "correct": "feedback_stats of the root run",
    "unit_id": "session_id, thread_id or user_id in the metadata of the root run",
    "model": "ls_model_name or model of the llm run whose prompt holds the documents",
    "answer": "outputs of the root run, else of the last llm run",
    "prompt_tokens": "of the llm run whose prompt holds the documents",
    "chunks[].rank": "order of the documents of the outermost retriever run",
    "chunks[].chunk_id": "id of the document, else metadata, else document and text hash",
}


def _told(tree: Tree) -> Told | None:
    retrievers = [(span, found) for span in tree.spans if (found := span.by(NAME).documents)]
    outer = tree.outermost([span for span, _ in retrievers])
    if not outer:
        return None
    inner = [(span.id, found) for span, found in retrievers if span not in outer]
    own = [(span.id, found) for span, found in retrievers if span in outer]
    return Told(
        {},
        inner if inner and len(own) == 1 else own,
        own[0][1] if inner and len(own) == 1 else None,
        [call for span in tree.spans if (call := span.by(NAME).call)],
        None if tree.root in outer else tree.root.by(NAME).answer,
        None,
        dict(_CAME),
    )


def _call(run: dict[str, Any]) -> Call:
    fields = {"model": _model(run), **_tokens(run)}
    return Call(prompt_in(run.get("inputs")), said(run.get("outputs")), fields)


def _metadata(run: dict[str, Any]) -> dict[str, Any]:
    return values.obj(values.obj(run.get("extra")).get("metadata"))


def _model(run: dict[str, Any]) -> str | None:
    extra = values.obj(run.get("extra"))
    output = values.obj(values.obj(run.get("outputs")).get("llm_output"))
    return (
        values.text(_metadata(run).get("ls_model_name"))
        or values.text(values.obj(extra.get("invocation_params")).get("model"))
        or values.text(output.get("model_name"))
        or values.text(values.obj(_message(run).get("response_metadata")).get("model_name"))
    )


def _message(run: dict[str, Any]) -> dict[str, Any]:
    outer = values.items(values.obj(run.get("outputs")).get("generations"))
    inner = values.items(outer[0]) if outer else []
    message = values.obj(values.obj(inner[0] if inner else None).get("message"))
    return values.obj(message.get("kwargs")) or message


def _tokens(run: dict[str, Any]) -> dict[str, int | None]:
    usage = values.obj(_message(run).get("usage_metadata"))
    output = values.obj(values.obj(run.get("outputs")).get("llm_output"))
    older = values.obj(output.get("token_usage"))
    return {
        name: next(
            (
                found
                for held, key in ((run, own), (usage, used), (older, own))
                if (found := values.count(held.get(key))) is not None
            ),
            None,
        )
        for name, own, used in (
            ("prompt_tokens", "prompt_tokens", "input_tokens"),
            ("answer_tokens", "completion_tokens", "output_tokens"),
        )
    }


def _stats(root: dict[str, Any]) -> bool | None:
    for name, about in values.obj(root.get("feedback_stats")).items():
        mean = values.number(values.obj(about).get("avg"))
        if "correct" in str(name).lower() and about_right(str(name)) and mean in (0, 1):
            return bool(mean)
    return None
