"""Sentences as spans, because a route's name is text from a log and must never become markup."""

from __future__ import annotations

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
