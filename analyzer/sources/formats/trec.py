"""Runs of TREC RAG (Ragnarök) and reports of RAGTIME: an answer in sentences with their citations.

`references` are the passages that the answer used, pruned and in an order of the system's own, so
the index into them is no prompt position, and no uncited passage is known: such a record has the
exposure `pruned`, for which neither a cited rate nor a measure of position is made.

Files of candidates, which Ragnarök and RankLLM read and rerank, hold what was retrieved for a topic
in the order of the last ranking, with scores and texts. They are requests without an answer; in a
load with the runs, the references of a topic get the rank of its candidates, and the others of
these stand beside them as retrieved.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from analyzer.sources import values
from analyzer.sources.documents import Input, Keys
from analyzer.sources.formats.joining import Notes
from analyzer.sources.identity import distinct
from analyzer.sources.records import Record

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
    "chunks[].rank": "order of the candidates of the topic",
    "chunks[].score": "score of the candidate",
    "chunks[].text": "segment of the candidate",
    "citations": "those of every sentence, in order",
}


class Sentence(NamedTuple):
    """A sentence of an answer and what it cites: indices into the references, or their names."""

    text: str
    citations: list[int | str]


TOPICS = Keys(
    pattern=re.compile(rb'"(?:topic_id|narrative_id|qid)"\s*:\s*"?([^",}\s]+)'),
    columns=("topic_id", "narrative_id", "qid"),
    of=lambda value: filter(None, [_topic(values.obj(value))]),
    plain=str,
)


def read_runs(documents: Input, notes: Notes) -> Iterator[Record]:
    """One request a topic."""
    candidates: dict[str, list[dict[str, Any]]] | None = None
    for document in documents:
        if document.flaw:
            yield Record(document.number, {}, document.flaw)
            continue
        found = values.obj(document.value)
        if is_candidates(found):
            yield Record(document.number, _retrieved(found), None, _CAME)
        else:
            candidates = _elsewhere(documents, notes) if candidates is None else candidates
            fields = _joined(_fields(found), candidates.get(_topic(found) or "", []))
            yield Record(document.number, fields, None, _CAME)


def is_candidates(held: dict[str, Any]) -> bool:
    """Whether a document is a topic with the passages that were retrieved for it."""
    listed = values.objects(held.get("candidates"))
    return "qid" in values.obj(held.get("query")) and bool(listed) and "docid" in listed[0]


def _topic(held: dict[str, Any]) -> str | None:
    about = {**held, **values.obj(held.get("metadata")), **values.obj(held.get("query"))}
    names = ("topic_id", "narrative_id", "request_id", "qid")
    return next((found for name in names if (found := values.name(about.get(name)))), None)


def _elsewhere(documents: Input, notes: Notes) -> dict[str, list[dict[str, Any]]]:
    """By topic of this file the candidates that other files of the load hold."""
    found: dict[str, list[dict[str, Any]]] = {}
    if notes.elsewhere is None:
        return found
    topics = {name for names, _ in documents.keyed(TOPICS, decode=False) for name in names}
    for document in notes.elsewhere.parts(documents.name, TOPICS, topics):
        held = values.obj(document.value)
        topic = _topic(held)
        if topic in topics and is_candidates(held):
            found.setdefault(topic, _ranked(held))
    return found


def _ranked(held: dict[str, Any]) -> list[dict[str, Any]]:
    chunks = []
    for rank, each in enumerate(values.objects(held.get("candidates")), 1):
        inner = values.obj(each.get("doc"))
        name = values.name(each.get("docid"))
        texts = (values.text(inner.get(key)) for key in ("segment", "contents", "content", "text"))
        chunk = {
            "chunk_id": name,
            "doc_id": name.split("#", 1)[0] if name else None,
            "rank": rank,
            "score": values.number(each.get("score")),
            "text": next(filter(None, texts), None),
        }
        chunks.append({key: value for key, value in chunk.items() if value is not None})
    return chunks


def _retrieved(held: dict[str, Any]) -> dict[str, Any]:
    """A topic without an answer: what was packed of it is not known."""
    chunks = _ranked(held)
    distinct(chunks)
    return {
        "request_id": f"candidates/{_topic(held)}",
        "route": "candidates",
        "exposure": "pruned",
        "chunks": chunks,
        "origins": {"rank": "derived"},
    }


def _joined(fields: dict[str, Any], candidates: list[dict[str, Any]]) -> dict[str, Any]:
    if not candidates:
        return fields
    by_name = {chunk.get("chunk_id"): chunk for chunk in candidates}
    for chunk in fields["chunks"]:
        chunk |= by_name.pop(chunk["chunk_id"], {})
    return {
        **fields,
        "chunks": [*fields["chunks"], *by_name.values()],
        "origins": {**fields["origins"], "rank": "derived"},
    }


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
    run, topic = values.name(about.get("run_id")), _topic(report)
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
