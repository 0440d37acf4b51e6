"""Documents as frameworks write them: plain, in LangChain's constructor form, or with a score."""

from __future__ import annotations

from typing import Any

from analyzer.sources import values
from analyzer.sources.formats.seen import Retrieved, retrieved

_TEXTS = ("page_content", "content", "text", "document")
_IDS = ("id", "chunk_id", "_id", "id_")
_LISTS = ("documents", "output", "outputs", "results", "source_documents", "context", "matches")


def documents_in(value: Any) -> list[Retrieved]:
    """The documents that an output holds; none where it is no list of them."""
    value = values.unfolded(value)
    if isinstance(value, dict):
        value = next((value[name] for name in _LISTS if values.items(value.get(name))), None)
    found = [document_of(each) for each in values.items(value)]
    return [each for each in found if each is not None]


def document_of(value: Any) -> Retrieved | None:
    """One document; None for what has no text."""
    score = None
    if isinstance(value, list) and len(value) == 2:
        value, score = value[0], values.number(value[1])
    held = values.obj(value)
    held = values.obj(held.get("kwargs")) or values.obj(held.get("node")) or held
    text = next((found for name in _TEXTS if (found := values.text(held.get(name)))), None)
    if text is None:
        return None
    about = values.obj(held.get("metadata")) or values.obj(held.get("meta"))
    named = next((found for name in _IDS if (found := values.name(held.get(name)))), None)
    own = values.number(values.obj(value).get("score"))
    return retrieved(named, text, own if score is None else score, about)


def said(value: Any) -> str | None:
    """The text of a message or of what a model put out, in any of its wrappings.

    JSON that is none of them, and lists no documents, is what an application had its model write.
    """
    if isinstance(value, str):
        inner = values.unfolded(value)
        if isinstance(inner, str):
            return values.text(inner)
        return said(inner) or (None if documents_in(inner) else values.text(value))
    if isinstance(value, list):
        return next((found for each in value if (found := said(each))), None)
    held = values.obj(value)
    if not held:
        return None
    for name in ("content", "text", "output", "answer", "result", "response", "kwargs", "message"):
        if found := said(held.get(name)):
            return found
    for name in ("generations", "choices", "messages"):
        listed = values.items(held.get(name))
        if found := said(listed[-1] if listed and name == "messages" else listed):
            return found
    return None


def prompt_in(value: Any) -> str | None:
    """All that a model was given, as one text; names and types, which have no spaces, left out."""
    parts = [each for each in values.strings(values.unfolded(value)) if " " in each or "\n" in each]
    return "\n".join(parts) or None
