"""What one span tells, whichever tool wrote it: all that a request is made of, and nothing else.

A span is put into this form when its trace is put together. Of a trace that is not complete it is
also what is kept of the span until the others come, so every field is one that JSON can hold.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from analyzer.sources import values
from analyzer.sources.formats.imprints import Imprint
from analyzer.sources.identity import named_after

_DOCUMENT_KEYS = (
    "doc_id",
    "document_id",
    "ref_doc_id",
    "source",
    "file_path",
    "file_name",
    "file",
    "url",
    "title",
)
_SCORE_KEYS = ("relevance_score", "_score", "score")
_CHUNK_KEYS = ("chunk_id", "chunk", "id", "_id")

Text = str | Imprint


class Retrieved(msgspec.Struct, omit_defaults=True):
    """A document as a retriever or a reranker gave it.

    `name` is its id, else the one in its metadata, else its document and the hash of its text;
    `document` the first metadata that names one; `score` its own, else the one in its metadata.
    """

    name: str | None = None
    document: str | None = None
    score: float | None = None
    text: Text | None = None


class Call(msgspec.Struct, omit_defaults=True):
    """A call of a model: what it was given, what it said, and what is known of it.

    Where `known` is there, the prompt is only what is left of one: the texts with these names, in
    the order and with the labels that they had in it.
    """

    prompt: str | None = None
    answer: Text | None = None
    fields: dict[str, Any] = {}
    known: list[str] | None = None


class Reading(msgspec.Struct, omit_defaults=True):
    """What a reader makes of a span.

    `fields` and `answer` are those of the trace, if the span is its root.
    """

    kind: str = ""
    documents: list[Retrieved] = []
    call: Call | None = None
    fields: dict[str, Any] = {}
    answer: Text | None = None


NOTHING = Reading()


class Seen(msgspec.Struct, omit_defaults=True):
    """One span. `of_model`: something of it is about models or retrieval.

    `order`: of several copies of a span the one counts that is the last by it. `route` is what
    stands in the attribute that is said to name one.
    """

    id: str
    parent: str | None = None
    name: str = ""
    start: str | int | None = None
    failed: bool = False
    release: str | None = None
    of_model: bool = True
    order: str = ""
    route: str | None = None
    readings: dict[str, Reading] = {}

    def by(self, reader: str) -> Reading:
        """What a reader makes of it."""
        return self.readings.get(reader, NOTHING)


def route_in(asked: str, *places: dict[str, Any]) -> str | None:
    """The route in the first place that has the asked attribute."""
    return next(filter(None, (values.name(place.get(asked)) for place in places)), None)


def retrieved(
    id: str | None,
    text: str | None,
    score: float | None = None,
    about: dict[str, Any] | None = None,
) -> Retrieved:
    """A document, with what its metadata tells beside."""
    about = about or {}
    document = _named(about, _DOCUMENT_KEYS)
    name = id or _named(about, _CHUNK_KEYS) or named_after(document, text)
    return Retrieved(name, document, _scored(score, about), text)


def _scored(score: float | None, about: dict[str, Any]) -> float | None:
    if score is None:
        score = next((about[key] for key in _SCORE_KEYS if key in about), None)
    plain = isinstance(score, int | float) and not isinstance(score, bool)
    return float(score) if score is not None and plain and score == score else None


def _named(about: dict[str, Any], keys: Iterable[str]) -> str | None:
    if about.keys().isdisjoint(keys):  # most metadata names neither, and this is asked of all
        return None
    for key in keys:
        found = about.get(key)
        if isinstance(found, int) and not isinstance(found, bool):
            return str(found)
        if isinstance(found, str) and found:
            return found
    return None
