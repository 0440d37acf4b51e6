"""A change of how prompts are packed and ordered, as data and in words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from analyzer.errors import UsageError
from analyzer.ordering import NAMES

MOST = 1_000_000_000  # of chunks or tokens; what is counted with stays within 64 bits


@dataclass(frozen=True)
class Change:
    """What would be different; what is left out stays as it was logged.

    top_k below what a prompt held cuts it; above, only prompts that held as many as any of their
    route get more. budget is that of the packed chunks, in tokens.
    """

    ordering: str | None = None
    top_k: int | None = None
    budget: int | None = None
    dedupe: bool = False
    per_document: int | None = None

    def __post_init__(self) -> None:
        if self.ordering is not None and self.ordering not in NAMES:
            raise UsageError(
                f"--ordering {self.ordering!r} is none that follows the rank; those are "
                f"{', '.join(NAMES)}"
            )
        limits = (
            ("--top-k", self.top_k),
            ("--budget", self.budget),
            ("--per-doc-cap", self.per_document),
        )
        for option, value in limits:
            if value is not None and value < 1:
                raise UsageError(f"{option} is {value}, but a prompt holds at least 1")
            if value is not None and value > MOST:
                raise UsageError(f"{option} is {value:,}, but no prompt holds more than {MOST:,}")

    @property
    def packs(self) -> bool:
        """Whether other chunks may be packed."""
        return self.dedupe or (self.top_k, self.budget, self.per_document) != (None, None, None)

    @property
    def says(self) -> str:
        """In words, as `edges first, top-k 8`."""
        return ", ".join(self._parts()) or "nothing changed"

    def _parts(self) -> Iterator[str]:
        if self.ordering is not None:
            yield self.ordering.replace("_", " ")
        if self.top_k is not None:
            yield f"top-k {self.top_k}"
        if self.budget is not None:
            yield f"at most {self.budget:,} tokens"
        if self.dedupe:
            yield "without near-copies"
        if self.per_document is not None:
            yield f"at most {self.per_document} of a document"
