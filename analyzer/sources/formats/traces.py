"""Traces as requests: one request a trace, whichever instrumentation wrote its spans."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from analyzer.sources import values
from analyzer.sources.documents import Input
from analyzer.sources.formats import genai, openinference
from analyzer.sources.formats.completing import leave_out, may_be_loaded, requested, seen_in
from analyzer.sources.formats.joining import Group, Notes, joined
from analyzer.sources.formats.retrieving import Told
from analyzer.sources.formats.seen import Seen, route_in
from analyzer.sources.formats.spans import TRACES, Span, spans_in
from analyzer.sources.formats.tree import Tree
from analyzer.sources.records import Record

_MODEL_WORDS = ("openinference.", "llm.", "gen_ai.", "traceloop.", "retrieval.", "reranker.")
FAMILY = "spans"
_CAME = {
    "request_id": "trace id",
    "revision": "number of spans of the trace",
    "requested_at": "start of the root span",
    "release": "service.version of the resource",
    "outcome": "status of the root span, where nothing answered",
    "answer": "output of the model span whose prompt holds the documents, else the root's",
}


def read_traces(documents: Input, notes: Notes) -> Iterator[Record]:
    """The requests of a file of spans.

    The revision is the number of spans: where more of a trace comes later, that counts.
    """
    for group in joined(documents, TRACES, _named, notes, FAMILY):
        if group.flaw:
            yield Record(group.number, {}, group.flaw)
        elif record := _record(group, notes):
            yield record


def _named(value: object) -> Iterator[tuple[str, Span]]:
    return ((span.trace, span) for span in spans_in(value))


def _seen(route: str | None, span: Span, top: bool) -> Seen:
    return Seen(
        id=span.id,
        parent=span.parent,
        name=span.name,
        start=span.start if isinstance(span.start, str | int) else values.time(span.start),
        failed=span.failed,
        release=values.name(span.resource.get("service.version")),
        of_model=any(name.startswith(_MODEL_WORDS) for name in span.attributes),
        route=_route(route, span) if route else None,
        readings={openinference.NAME: openinference.reading(span, top)},
    )


def _route(asked: str, span: Span) -> str | None:
    about = openinference.about_of(span.attributes, "metadata")
    return route_in(asked, span.attributes, span.resource, about)


def _told(group: Group[Span], seen: list[Seen], tree: Tree) -> Told | None:
    """What a trace tells: by OpenInference, else by the conventions of GenAI."""
    found = openinference.told(tree)
    if found is None:
        for span, each in zip(group.parts, seen, strict=True):
            if isinstance(span, Span):
                each.readings[genai.NAME] = genai.reading(span, True)
        found = genai.told(tree)
    return found


def _record(group: Group[Span], notes: Notes) -> Record | None:
    seen = seen_in(group, partial(_seen, notes.route))
    tree = Tree(seen)
    told = _told(group, seen, tree)
    if not may_be_loaded(group, FAMILY, seen, tree, told, notes):
        return None
    if told is None:
        unfinished = not tree.whole and any(span.of_model for span in tree.spans)
        leave_out(notes, unfinished)
        return None
    if not told.answered and not tree.whole:
        leave_out(notes, True)
        return None
    root = tree.root
    told.fields |= {
        "request_id": group.name,
        "revision": len(tree.spans),
        "requested_at": tree.started,
        "outcome": "error" if root.failed and not told.answered else None,
        "release": root.release,
    }
    told.came |= _CAME
    fields = requested(told, tree, notes)
    return Record(group.number, fields, None, told.came) if fields else None
