"""Records of a file in another format: read, counted where a list is narrow, tokens filled in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from analyzer import tokens
from analyzer.sources.documents import Input
from analyzer.sources.formats.joining import Notes
from analyzer.sources.records import Record


@dataclass
class Import:
    """A file and what reads it. `name` is the format; `notes` are complete after a pass."""

    name: str
    documents: Input
    read: Callable[[Input, Notes], Iterator[Record]]
    count: Callable[[str], int] | None = None
    notes: Notes = field(default_factory=Notes)

    def records(self) -> Iterator[Record]:
        """Every record, from the start at each call."""
        self.notes.begin()
        for record in self.read(self.documents, self.notes):
            exposure = record.fields.get("exposure")
            if exposure in ("cited_only", "pruned"):
                self.notes.narrow[exposure] += 1
            self._count_tokens(record.fields)
            yield record

    def _count_tokens(self, fields: dict[str, Any]) -> None:
        chunks = fields.get("chunks")  # whatever a file of ours says; what is no list is rejected
        lacking = [
            chunk
            for chunk in (chunks if isinstance(chunks, list) else ())
            if isinstance(chunk, dict)
            and isinstance(chunk.get("text"), str)
            and chunk.get("tokens") is None
        ]
        if not lacking:
            return
        count = self.count or tokens.estimated
        for chunk in lacking:
            chunk["tokens"] = count(chunk["text"])
        origin = "counted" if self.count else "estimated"
        fields["origins"] = {**(fields.get("origins") or {}), "tokens": origin}
