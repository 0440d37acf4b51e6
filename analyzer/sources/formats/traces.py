"""Traces as requests: one request a trace, whichever instrumentation wrote its spans."""

from __future__ import annotations

from collections.abc import Iterator

from analyzer.sources import values
from analyzer.sources.documents import Input
from analyzer.sources.formats import genai, openinference
from analyzer.sources.formats.joining import Group, Notes, joined
from analyzer.sources.formats.retrieving import request_of
from analyzer.sources.formats.spans import TRACES, Span, spans_in
from analyzer.sources.formats.tree import Tree
from analyzer.sources.records import Record

UNFINISHED = (
    "traces whose other spans are not in these files; one ingest that names the other files too "
    "joins them"
)
_MODEL_WORDS = ("openinference.", "llm.", "gen_ai.", "traceloop.", "retrieval.", "reranker.")
NO_RETRIEVAL = "traces without a retrieved document"


def read_traces(documents: Input, notes: Notes) -> Iterator[Record]:
    """The requests of a file of spans.

    The revision is the number of spans: where more of a trace comes later, that counts.
    """
    for group in joined(documents, TRACES, _named, notes):
        if group.flaw:
            yield Record(group.number, {}, group.flaw)
        elif record := _record(group, notes):
            yield record


def _named(value: object) -> Iterator[tuple[str, Span]]:
    return ((span.trace, span) for span in spans_in(value))


def _of_a_model(span: Span) -> bool:
    return any(name.startswith(_MODEL_WORDS) for name in span.attributes)


def _record(group: Group[Span], notes: Notes) -> Record | None:
    tree = Tree(group.parts)
    told = openinference.told(tree) or genai.told(tree)
    if told is None:
        unfinished = not tree.whole and any(map(_of_a_model, tree.spans))
        notes.left[UNFINISHED if unfinished else NO_RETRIEVAL] += 1
        return None
    if not told.answered and not tree.whole:
        notes.left[UNFINISHED] += 1
        return None
    root = tree.root
    told.fields |= {
        "request_id": root.trace,
        "revision": len(tree.spans),
        "requested_at": tree.started,
        "outcome": "error" if root.failed and not told.answered else None,
        "release": values.name(root.resource.get("service.version")),
    }
    told.came |= {
        "request_id": "trace id",
        "revision": "number of spans of the trace",
        "requested_at": "start of the root span",
        "release": "service.version of the resource",
        "outcome": "status of the root span, where nothing answered",
        "answer": "output of the model span whose prompt holds the documents, else the root's",
    }
    return Record(group.number, request_of(told), None, told.came)
