"""Sentences as spans, because a route's name is text from a log and must never become markup."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Span:
    """A stretch of text: plain, a name from the logs, or an interval."""

    text: str
    kind: Literal["plain", "name", "interval"] = "plain"


Text = tuple[Span, ...]


def plain(text: Text) -> str:
    """The sentence without its marks."""
    return "".join(span.text for span in text)


def joined(parts: Sequence[Text], more: str = "") -> Text:
    """Parts as an enumeration: `a, b and c`; `more` is one more, in plain words."""
    listed = [*parts, (Span(more),)] if more else list(parts)
    said: list[Span] = []
    for number, part in enumerate(listed):
        if number:
            said.append(Span(" and " if number == len(listed) - 1 else ", "))
        said += part
    return tuple(said)
