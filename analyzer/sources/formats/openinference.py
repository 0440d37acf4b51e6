"""OpenInference spans, as Phoenix keeps them: retrievers, rerankers and models of one trace.

Retrievers are nested, and only the outermost one with documents counts. LangChain's spans name no
ids; they stand in the retriever's output. Prompt builders are recorded as models without an answer,
and tokens are on the innermost call.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from analyzer.sources import values
from analyzer.sources.formats.langchain_documents import said
from analyzer.sources.formats.retrieving import Told
from analyzer.sources.formats.seen import Call, Reading, Retrieved, retrieved
from analyzer.sources.formats.spans import Span
from analyzer.sources.formats.tree import Tree

_INDEXED = re.compile(r"\.(\d+)\.(.+)")


NAME = "openinference"


def told(tree: Tree) -> Told | None:
    """What the spans of a trace tell; None where no retriever found a document."""
    found = [(span, span.by(NAME)) for span in tree.spans]
    retrievers = [(span, read.documents) for span, read in found if read.kind == "RETRIEVER"]
    retrievals = [(span, documents) for span, documents in retrievers if documents]
    outer = tree.outermost([span for span, _ in retrievals])
    reranks = [read.documents for _, read in found if read.kind == "RERANKER"]
    reranked = next((documents for documents in reversed(reranks) if documents), None)
    if not outer and reranked is None:
        return None
    root = tree.root.by(NAME)
    return Told(
        {"route": tree.root.name or None, **root.fields},
        [(span.id, documents) for span, documents in retrievals if span in outer],
        reranked,
        [read.call for _, read in found if read.call],
        None,
        root.answer,
        {**_CAME, "route": "metadata of the root span"} if "route" in root.fields else dict(_CAME),
    )


def reading(span: Span, top: bool) -> Reading:
    """What a span tells; where it may be the root of its trace, what it tells as that too."""
    kind = str(span.attributes.get("openinference.span.kind"))
    read = Reading(kind)
    if kind in _DOCUMENTS:
        read.documents = documents_under(span, _DOCUMENTS[kind])
    elif kind == "LLM" and (_answer_of(span) or _tokens(span, "prompt") is not None):
        read.call = _call(span)
    if top:
        read.fields = _fields(span)
        read.answer = said(span.attributes.get("output.value"))  # it holds what was retrieved too
    return read


def _call(span: Span) -> Call:
    fields = {
        "model": values.text(span.attributes.get("llm.model_name")),
        "prompt_tokens": _tokens(span, "prompt"),
        "answer_tokens": _tokens(span, "completion"),
    }
    return Call(_prompt_of(span), _answer_of(span), fields)


def _fields(span: Span) -> dict[str, Any]:
    about = span.attributes
    fields = {
        "route": values.name(about_of(about, "metadata").get("route")),
        "unit_id": values.name(about.get("session.id")) or values.name(about.get("user.id")),
    }
    return {name: value for name, value in fields.items() if value is not None}


_DOCUMENTS = {"RETRIEVER": "retrieval.documents", "RERANKER": "reranker.output_documents"}
_CAME = {
    "route": "name of the root span",
    "model": "llm.model_name of the model span whose prompt holds the documents",
    "unit_id": "session.id, else user.id of the root span",
    "prompt_tokens": "llm.token_count of the model span whose prompt holds the documents",
    "chunks[].rank": "order of the documents that the last reranker, else the retriever gave",
    "chunks[].chunk_id": "document.id, else the retriever's output, else metadata, else "
    "document and hash of the text",
}


def _tokens(span: Span, which: str) -> int | None:
    return values.count(span.attributes.get(f"llm.token_count.{which}"))


def _answer_of(span: Span) -> str | None:
    listed = _listed(span.attributes, "llm.output_messages")
    joined = "\n".join(filter(None, map(_content, listed)))
    if joined:
        return joined
    # Completions have no messages; a prompt builder has neither, nor tokens.
    if _tokens(span, "prompt") is None:
        return None
    output = span.attributes.get("output.value")
    return values.text(output) if not isinstance(values.unfolded(output), dict) else None


def _prompt_of(span: Span) -> str | None:
    listed = _listed(span.attributes, "llm.input_messages")
    joined = "\n".join(filter(None, map(_content, listed)))
    if joined:
        return joined
    prompts = span.attributes.get("llm.prompts") or _listed(span.attributes, "llm.prompts")
    return "\n".join(values.strings(values.unfolded(prompts))) or None


def _content(message: dict[str, Any]) -> str | None:
    plain = values.text(message.get("content"))
    if plain:
        return plain
    parts = [
        part
        for key, part in message.items()
        if key.startswith("contents.") and key.endswith("message_content.text")
    ]
    for part in values.objects(message.get("contents")):
        parts.append(
            part.get("message_content.text") or values.obj(part.get("message_content")).get("text")
        )
    return "\n".join(each for each in parts if isinstance(each, str)) or None


def documents_under(span: Span, prefix: str) -> list[Retrieved]:
    """The documents that the attributes of a span list."""
    listed = _listed(span.attributes, prefix)
    outputs = (
        values.objects(values.obj(span.attributes.get("output.value")).get("documents"))
        if any("id" not in each for each in listed)
        else []
    )
    if len(outputs) != len(listed):
        outputs = [{}] * len(listed)
    documents = [
        retrieved(
            id=values.name(each.get("id")) or values.name(output.get("id")),
            text=values.text(each.get("content")),
            score=values.number(each.get("score")),
            about=about_of(each, "metadata"),
        )
        for each, output in zip(listed, outputs, strict=True)
    ]
    return documents if any(each.name for each in documents) else []


def about_of(held: dict[str, Any], key: str) -> dict[str, Any]:
    """Metadata: JSON in a string, an object, or exploded into keys of their own."""
    whole = values.obj(held.get(key))
    if whole:
        return whole
    prefix = key + "."
    return {name[len(prefix) :]: value for name, value in held.items() if name.startswith(prefix)}


def _listed(attributes: dict[str, Any], prefix: str) -> list[dict[str, Any]]:
    """A list, as one value or exploded into `prefix.0.document.id`, without the inner name."""
    whole = values.items(attributes.get(prefix))
    if whole:
        return [_plain(each) for each in whole if isinstance(each, dict)]
    found: dict[int, dict[str, Any]] = {}
    for name, value in attributes.items():
        if name.startswith(prefix) and (match := _INDEXED.fullmatch(name, len(prefix))):
            found.setdefault(int(match[1]), {})[match[2]] = value
    return [_plain(found[index]) for index in sorted(found)]


def _plain(each: dict[str, Any]) -> dict[str, Any]:
    plain = {_bare(name): value for name, value in each.items() if value is not None}
    for name in ("document", "message"):
        if isinstance(inner := plain.get(name), dict):
            plain |= inner
    return plain


@lru_cache(1000)  # a file has few names, each thousands of times
def _bare(name: object) -> str:
    return str(name).removeprefix("document.").removeprefix("message.")
