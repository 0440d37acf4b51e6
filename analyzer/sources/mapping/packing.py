"""Positions that do not stand with the chunks: in a list of packed ids, or in the prompt itself."""

from __future__ import annotations

from typing import Any

from analyzer.sources import values
from analyzer.sources.formats.prompting import places
from analyzer.sources.mapping.file import Chunks
from analyzer.sources.mapping.paths import rule
from analyzer.sources.rows import Flaw

Listed = list[dict[str, Any]]


class Packing:
    """What a mapping says of where chunks stood; `came` says it of the field."""

    def __init__(self, asked: Chunks, where: str) -> None:
        self._packed = asked.packed if isinstance(asked.packed, str) else None
        self._prompt = asked.prompt
        self._ids = rule(self._packed, where) if self._packed else None
        self._text = rule(self._prompt, where) if self._prompt else None
        listed = f"place of the chunk's id in {self._packed}"
        self.came = listed if self._packed else f"where the text stands in {self._prompt}"

    def placed(self, chunks: Listed, record: Any, names: Any) -> tuple[Listed, Flaw | None]:
        """The chunks with their positions, and why they cannot be told."""
        if self._ids is not None:
            return self._by_ids(chunks, self._ids.of(record, names))
        if self._text is not None:
            return self._by_text(chunks, self._text.of(record, names))
        return chunks, None

    def _by_ids(self, chunks: Listed, listed: Any) -> tuple[Listed, Flaw | None]:
        """What was packed but not retrieved, or twice, is a chunk of its own without a rank."""
        ids = [values.name(each) for each in values.items(listed)]
        if not isinstance(values.unfolded(listed), list) or None in ids:
            return chunks, Flaw("chunks", f"is no list of ids of packed chunks at {self._packed}")
        waiting: dict[Any, list[dict[str, Any]]] = {}
        for chunk in chunks:
            chunk.pop("position", None)
            waiting.setdefault(values.name(chunk.get("chunk_id")), []).append(chunk)
        added = []
        for position, name in enumerate(ids, 1):
            if waiting.get(name):
                waiting[name].pop(0)["position"] = position
            else:
                added.append({"chunk_id": name, "position": position})
        return [*chunks, *added], None

    def _by_text(self, chunks: Listed, prompt: Any) -> tuple[Listed, Flaw | None]:
        texts = [values.text(chunk.get("text")) for chunk in chunks]
        found = [each for each in values.strings(values.unfolded(prompt)) if each]
        stood = places(texts, "\n".join(found)) if found else None
        if chunks and stood is None:
            return chunks, Flaw("chunks", f"has none of its texts in the prompt at {self._prompt}")
        for at, chunk in enumerate(chunks):
            chunk["position"] = stood.positions[at] if stood else None
            marker = stood.markers[at] if stood and stood.markers else None
            if marker is not None and marker != chunk["position"]:
                chunk["marker"] = marker
        kept = [{n: v for n, v in chunk.items() if v is not None} for chunk in chunks]
        return kept, None
