"""From what a trace tells, whatever wrote it, to the fields of a request.

Rank is the order of the last reranker, else of the retriever. Positions are found in the prompt;
without a prompt the order of the list is taken and marked assumed. What is cited follows from the
markers of the answer, which the record's reader parses.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from analyzer import markers
from analyzer.sources.formats.imprints import Imprint, found_places, stands_in
from analyzer.sources.formats.prompting import Places
from analyzer.sources.formats.seen import Call, Retrieved, Text
from analyzer.sources.identity import distinct

_CAME = {
    "answer_tokens": "where prompt_tokens came from",
    "chunks": "the retrieved documents, each once",
    "chunks[].doc_id": "the first in the metadata that names a document or a source",
    "chunks[].score": "score of the retriever, else in the metadata",
    "chunks[].rerank_score": "score of the reranker",
    "chunks[].text": "content of the document",
    "chunks[].text_hash": "content of the document, which came in an earlier load",
    "chunks[].signature": "content of the document, which came in an earlier load",
    "chunks[].marker": "the label before the text in the prompt",
    "citations": "the markers of the answer, those of parts of a chunk put down to the chunk",
}


@dataclass(slots=True)
class Told:
    """What a trace tells.

    `retrievals` by the name of each, and `calls`, both in time order; `reranked` the last one's.
    `answer` is that of the whole trace; `otherwise` counts where no call has an answer.
    """

    fields: dict[str, Any]
    retrievals: list[tuple[str, list[Retrieved]]]
    reranked: list[Retrieved] | None = None
    calls: list[Call] = field(default_factory=list)
    answer: Text | None = None
    otherwise: Text | None = None
    came: dict[str, str] = field(default_factory=dict)

    @property
    def answered(self) -> bool:
        """Whether anything of the trace is an answer."""
        return bool(self.answer or self.otherwise or any(call.answer for call in self.calls))


def request_of(told: Told) -> dict[str, Any]:
    """The fields of a request; `told.came` learns where those of its chunks came from."""
    found = _ranked(told)
    chunks = [chunk for chunk, _ in found]
    distinct(chunks)
    call, stood = _answering(told, [each.text for _, each in found])
    origins = {"rank": "derived", "position": "derived" if stood else "assumed"}
    if kept := [each.text for _, each in found if isinstance(each.text, Imprint)]:
        origins["tokens"] = "counted" if all(text.counted for text in kept) else "estimated"
    told.came |= _CAME
    if stood:
        _stand(chunks, stood)
        told.came["chunks[].position"] = "where the text stands in the prompt (derived)"
    else:
        _assume(chunks)
        why = "its texts are in no prompt" if call.prompt else "no prompt is logged"
        told.came["chunks[].position"] = f"the rank (assumed: {why})"
    fields = {**told.fields, **call.fields, "chunks": chunks, "origins": origins}
    answer = told.answer or call.answer or told.otherwise
    if answer is not None:
        fields["answer"] = said = answer.markers if isinstance(answer, Imprint) else answer
        cited = _cited(said, chunks, stood)
        if cited is not None:
            fields["citations"] = cited
            origins["cited"] = "parsed"
        told.came["chunks[].cited"] = "the [n] markers of the answer (parsed)"
    return fields


def _answering(told: Told, texts: list[Text | None]) -> tuple[Call, Places | None]:
    """The call that answered, and where the texts stand in its prompt.

    What that call does not tell, as an outer one that wraps it, is taken from the last that does.
    """
    chosen, stood = _chosen(told, texts)
    every = [call for call in (chosen, *reversed(told.calls)) if call]
    fields: dict[str, Any] = {}
    for call in every:
        known = {name: value for name, value in call.fields.items() if value is not None}
        fields = {**known, **fields}
    answer = next((call.answer for call in every if call.answer), None)
    prompt = next((call.prompt for call in every if call.prompt), None)
    return Call(prompt, answer, fields), stood


def _chosen(told: Told, texts: list[Text | None]) -> tuple[Call | None, Places | None]:
    """The last call whose prompt holds what was retrieved: later ones name or check the answer.

    One that checks may be given the texts once more; it says something else than the trace did.
    """
    final = told.answer or told.otherwise
    alone = len(told.calls) == 1
    last: tuple[Call | None, Places | None] = (None, None)
    for call in reversed(told.calls):
        stood = found_places(texts, call.prompt, call.known) if call.prompt is not None else None
        if stood is None:
            continue
        if alone or final is None or (call.answer and stands_in(call.answer, final)):
            return call, stood
        last = last if last[0] else (call, stood)
    return last


def _assume(chunks: list[dict[str, Any]]) -> None:
    ranked = (chunk for chunk in chunks if "rank" in chunk)
    for position, chunk in enumerate(ranked, 1):
        chunk["position"] = position


def _stand(chunks: list[dict[str, Any]], stood: Places) -> None:
    labels = stood.markers or [None] * len(chunks)
    for chunk, position, label in zip(chunks, stood.positions, labels, strict=True):
        if position is not None:
            chunk["position"] = position
            if label is not None and label != position:
                chunk["marker"] = label


def _cited(
    answer: str, chunks: list[dict[str, Any]], stood: Places | None
) -> list[int | str] | None:
    """Markers of the further parts of a chunk cite the chunk; None where there are no parts."""
    if not stood or not stood.parts:
        return None
    of_part = {label: chunks[at].get("chunk_id") for label, at in stood.parts.items()}
    return [of_part.get(marker) or marker for marker in markers.read(answer)]


def _ranked(told: Told) -> list[tuple[dict[str, Any], Retrieved]]:
    """Every chunk once, the reranked first; ranks are unique within one retrieval.

    What has no name keeps its place in the ranking, but is no chunk.
    """
    if told.reranked is None:
        return [
            _chunk(each, rank, name if len(told.retrievals) > 1 else None)
            for name, documents in told.retrievals
            for rank, each in enumerate(documents, 1)
            if each.name
        ]
    found = [_chunk(each, rank, None) for rank, each in enumerate(told.reranked, 1) if each.name]
    by_name = {chunk.get("chunk_id"): chunk for chunk, _ in found}
    for chunk, _ in found:
        chunk["rerank_score"] = chunk.pop("score", None)
    for _, documents in told.retrievals:
        for each in documents:
            if not each.name:
                continue
            chunk, _ = _chunk(each, None, None)
            known = by_name.get(chunk.get("chunk_id"))
            if known is None:
                by_name[chunk.get("chunk_id")] = chunk
                found.append((chunk, each))
            else:
                known.setdefault("score", chunk.get("score"))
    return found


def _chunk(
    each: Retrieved, rank: int | None, retrieval: str | None
) -> tuple[dict[str, Any], Retrieved]:
    named = {
        "chunk_id": each.name,
        "doc_id": each.document,
        "retrieval_id": retrieval,
        "rank": rank,
        "score": each.score,
        **_of_text(each.text),
    }
    return {name: value for name, value in named.items() if value is not None}, each


def _of_text(text: Text | None) -> dict[str, Any]:
    if not isinstance(text, Imprint):
        return {"text": text}
    return {"text_hash": text.text_hash, "signature": text.signature, "tokens": text.tokens}


def texts_of(told: Told) -> list[Text | None]:
    """The texts of the chunks, in their order."""
    return [each.text for _, each in _ranked(told)]
