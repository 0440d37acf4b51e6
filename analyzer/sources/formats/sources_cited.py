"""Sources that a request carried and the parts of them that an answer cites, by their places.

Anthropic and Bedrock's Converse take documents with the request and cite by index. A document of
several blocks is several chunks; any other is one. The place in the request is the position.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from analyzer import markers
from analyzer.sources.identity import distinct, named_after


@dataclass
class Sources:
    """Chunks in the order of the request; `kinds` say by index where a source's blocks are."""

    chunks: list[dict[str, Any]] = field(default_factory=list)
    kinds: dict[str, list[list[int]]] = field(default_factory=dict)
    cited: list[int | str] = field(default_factory=list)

    def add(self, kind: str, document: str | None, texts: list[str]) -> None:
        """A source of a kind; indices count within the kind."""
        own: list[int] = []
        index = len(self.kinds.setdefault(kind, []))
        for text in texts:
            own.append(len(self.chunks))
            chunk = {
                # A file without a title says nothing that lasts: it is known by its place.
                "chunk_id": named_after(document, text) or f"{kind} {index}",
                "doc_id": document,
                "position": len(self.chunks) + 1,
                "text": text,
            }
            self.chunks.append({n: held for n, held in chunk.items() if held not in (None, "")})
        self.kinds[kind].append(own)

    def cite(self, kind: str, index: int | None, start: int | None, end: int | None) -> None:
        """Blocks start to end (without it) of a source; all of it where they are not given.

        What points at no source of the request is stray.
        """
        sources = self.kinds.get(kind, [])
        if index is None or index >= len(sources):
            self.cited.append(f"{kind} {index}")
            return
        blocks = sources[index]
        if start is not None and len(blocks) > 1:
            blocks = blocks[start : max(start + 1, end or 0)]
        self.cited += [at + 1 for at in blocks] or [f"{kind} {index} {start}"]

    def fields(self) -> dict[str, Any]:
        """Chunks and citations of a request."""
        distinct(self.chunks)
        return {
            "chunks": self.chunks,
            "citations": self.cited,
            "origins": {"position": "derived"},
        }


def cited_only(found: list[tuple[str | None, str | None]]) -> dict[str, Any]:
    """Chunks of a response without its request: (document, text) of each citation, once."""
    return cited_named([(named_after(*each), *each) for each in found])


def cited_named(found: list[tuple[str | None, str | None, str | None]]) -> dict[str, Any]:
    """The same of chunks that have names: (name, document, text)."""
    chunks: dict[str, dict[str, Any]] = {}
    for name, document, text in found:
        chunk = {"chunk_id": name, "doc_id": document, "text": text, "cited": True}
        if name is not None:
            chunks.setdefault(name, {key: held for key, held in chunk.items() if held is not None})
    return {"chunks": list(chunks.values()), "exposure": "cited_only"}


def unasked(fields: dict[str, Any]) -> dict[str, Any]:
    """Fields of a call that did not ask for citations: only markers can say what was cited.

    An answer without any says nothing of it, and would be taken for one that cites nothing.
    """
    left = {"citations"} if markers.read(fields["answer"]) else {"citations", "answer"}
    return {name: held for name, held in fields.items() if name not in left}
