"""The context of a prompt: chunks in their order, numbered where they stand.

Markers are numbered after reordering. Numbering by the rank before it makes every citation point
to another chunk than the model read, and that is found out only from the logs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from analyzer.ordering.by_rank import edges_first

T = TypeVar("T")


@dataclass(frozen=True)
class Context(Generic[T]):
    """What goes into the prompt, and which chunk each marker means."""

    text: str
    chunks: dict[int, T]  # marker = position, from 1, in prompt order

    def cited(self, markers: Sequence[int]) -> list[T]:
        """The chunks that an answer's markers mean, once each; markers of nothing are left out."""
        return [self.chunks[marker] for marker in dict.fromkeys(markers) if marker in self.chunks]


def build_context(
    ranked: Sequence[T],
    *,
    text: Callable[[T], str],
    ordering: Callable[[Sequence[T]], Sequence[T]] = edges_first,
    form: str = "[{marker}] {text}",
    between: str = "\n\n",
) -> Context[T]:
    """Order the packed chunks, given best first, then number them, then write them out.

    `ordering` is any of this package, or any function that gives back the same chunks in another
    order; ValueError where it gives back more or fewer. `form` may name {marker} and {text}.
    """
    prompt = list(ordering(ranked))
    if len(prompt) != len(ranked):
        raise ValueError(f"the ordering made {len(prompt)} chunks of {len(ranked)}")
    chunks = dict(enumerate(prompt, start=1))
    written = (form.format(marker=marker, text=text(chunk)) for marker, chunk in chunks.items())
    return Context(between.join(written), chunks)
