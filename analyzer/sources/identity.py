"""Names for chunks that a log does not name: their document and a hash of their text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from analyzer.text import normalise, text_hash


def named_after(document: str | None, text: str | None) -> str | None:
    """`document#hash` of a chunk; texts of one normal form have one name. None for no text."""
    normalised = normalise(text) if isinstance(text, str) else ""
    if not normalised:
        return document if isinstance(document, str) else None
    digits = f"{text_hash(normalised) & (2**64 - 1):016x}"
    return f"{document}#{digits}" if isinstance(document, str) else digits


def distinct(chunks: Sequence[dict[str, Any]]) -> None:
    """Tell chunks of one name within one retrieval apart: the second of `a` becomes `a~2`.

    A retriever that gives a chunk twice packs it twice; the copy is seen by its text.
    """
    seen: dict[tuple[Any, Any], int] = {}
    for chunk in chunks:
        name = chunk.get("chunk_id")
        if not isinstance(name, str):
            continue
        key = (chunk.get("retrieval_id"), name)
        seen[key] = seen.get(key, 0) + 1
        if seen[key] > 1:
            chunk["chunk_id"] = f"{name}~{seen[key]}"
