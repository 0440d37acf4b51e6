"""Runs of TREC RAG (Ragnarök) and reports of RAGTIME: an answer in sentences with their citations.

`references` are the passages that the answer used, pruned and in an order of the system's own, so
the index into them is no prompt position, and no uncited passage is known: such a record has the
exposure `pruned`, for which neither a cited rate nor a measure of position is made.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from analyzer.sources import values
from analyzer.sources.documents import Input
from analyzer.sources.formats.joining import Notes
from analyzer.sources.identity import distinct
from analyzer.sources.records import Record, found_in

_CAME = {
    "request_id": "run and topic",
    "route": "run",
    "answer": "the sentences",
    "exposure": "references are pruned to what was used",
    "chunks[].chunk_id": "the name of the reference",
    "chunks[].position": "place in references (derived), which is no place in the prompt",
    "chunks": "references, the passages that the answer used (pruned)",
    "chunks[].marker": "index into references, from 0",
    "chunks[].doc_id": "the name of the reference up to #",
    "citations": "those of every sentence, in order",
}


class Sentence(NamedTuple):
    """A sentence of an answer and what it cites: indices into the references, or their names."""

    text: str
    citations: list[int | str]


def read_runs(documents: Input, notes: Notes) -> Iterator[Record]:
    """One request a topic."""
    return found_in(documents, lambda value: [_fields(values.obj(value))], _CAME)


def sentences(report: dict[str, Any]) -> list[Sentence]:
    """The sentences of a report in any of its forms."""
    listed = next(
        (
            found
            for key in ("answer", "responses", "sentences")
            if (found := values.items(report.get(key)))
        ),
        [],
    )
    return [
        Sentence(values.text(each.get("text")) or "", _citations(each.get("citations")))
        for each in values.objects(listed)
    ]


def _citations(cited: Any) -> list[int | str]:
    # A list of indices or names; or a dictionary from names to scores or texts.
    found = [*cited] if isinstance(cited, dict) else values.items(cited)
    return [each for each in found if isinstance(each, str | int) and not isinstance(each, bool)]


def _fields(report: dict[str, Any]) -> dict[str, Any]:
    about = {**report, **values.obj(report.get("metadata"))}
    run, topic = (
        next((found for name in names if (found := values.name(about.get(name)))), None)
        for names in (("run_id",), ("topic_id", "narrative_id", "request_id"))
    )
    said = sentences(report)
    references = [values.name(each) for each in values.items(report.get("references"))]
    if not references:
        references = list(dict.fromkeys(str(c) for each in said for c in each.citations))
    chunks = [
        {"chunk_id": name, "doc_id": name.split("#", 1)[0], "position": at + 1, "marker": at}
        for at, name in enumerate(references)
        if name
    ]
    distinct(chunks)
    return {
        "request_id": f"{run or 'run'}/{topic}" if topic else None,
        "route": run,
        "answer": " ".join(each.text for each in said),
        "citations": [each for sentence in said for each in sentence.citations],
        "exposure": "pruned",
        "chunks": chunks,
        "origins": {"position": "derived"},
    }
