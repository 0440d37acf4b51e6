"""Where chunks stood in a prompt, found by their texts, and what the prompt called them.

No tracing format logs positions. A chunk that was packed stands in the prompt with its text, maybe
with other white space, cut off at its end, or split into parts that have labels of their own
(`Source 3:`, `[3]`). What cannot be found is not guessed: it was not packed.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

BEGINNING = 80
_GAP = 300
_LABEL = re.compile(
    r"(?:^|\n)[ \t>*#-]{0,8}(?:\[(\d{1,3})\]|"
    r"(?:source|document|doc|passage|context|chunk)[ #]{0,2}\[?(\d{1,3})\]?|(\d{1,3})[.):])",
    re.IGNORECASE,
)


class Places(NamedTuple):
    """What a prompt tells of chunks, each by its place in the list of texts.

    `positions` count from 1 in the order of the prompt, None for a chunk that is not in it;
    `markers` are the labels, None unless every packed chunk has one of its own; `parts` are
    labels of further parts of a chunk.
    """

    positions: list[int | None]
    markers: list[int | None] | None
    parts: dict[int, int]


class Stood(NamedTuple):
    """Where a text stands: start, end, and whether all of it does."""

    start: int
    end: int
    whole: bool


def places(texts: Sequence[str | None], prompt: str) -> Places | None:
    """Where the texts stand; None where the prompt holds none of them."""
    found = found_in(texts, prompt)
    if None in found:
        texts = [None if text is None else spaced(text) for text in texts]
        prompt = spaced(prompt)
        found = found_in(texts, prompt)
    order = sorted((stood, at) for at, stood in enumerate(found) if stood is not None)
    if not order:
        return None
    positions: list[int | None] = [None] * len(texts)
    markers: list[int | None] = [None] * len(texts)
    before = 0
    for position, (stood, at) in enumerate(order, 1):
        positions[at] = position
        markers[at] = _label_between(prompt, before, stood.start)
        before = stood.end
    labels = [markers[at] for _, at in order]
    if None in labels or len(set(labels)) < len(labels):
        return Places(positions, None, {})
    # Only what does not stand there in one piece can have parts with labels of their own.
    split = not all(stood.whole for stood, _ in order)
    return Places(positions, markers, _parts(texts, prompt, order, labels) if split else {})


def labels_in(prompt: str) -> set[int]:
    """Every number that looks like the label of a text."""
    return set(map(_number, _LABEL.finditer(prompt)))


def spaced(text: str) -> str:
    """A text with plain white space."""
    # Line ends stay apart: labels are known by the start of their line.
    return "\n".join(" ".join(line.split()) for line in text.splitlines() if line.strip())


def found_in(texts: Sequence[str | None], prompt: str) -> list[Stood | None]:
    """Where each text stands.

    The longest come first, so that a text within another one does not take its place.
    """
    found: list[Stood | None] = [None] * len(texts)
    room = _Room(prompt)
    for at in sorted(range(len(texts)), key=lambda at: -len(texts[at] or "")):
        needle = (texts[at] or "").strip()
        found[at] = room.take(needle, True) if needle else None
        if found[at] is None and len(needle) > BEGINNING:
            found[at] = room.take(needle[:BEGINNING], False)
    return found


class _Room:
    """What of a prompt no text was found to take yet."""

    def __init__(self, prompt: str) -> None:
        self._prompt = prompt
        self._taken: list[Stood] = []  # by their starts; none reaches into another
        self._looked: dict[str, int] = {}  # up to where there is no room for a text any more

    def take(self, needle: str, whole: bool) -> Stood | None:
        """The first free place of a text, which is taken then."""
        at = self._prompt.find(needle, self._looked.get(needle, 0))
        while at >= 0:
            stood = Stood(at, at + len(needle), whole)
            after = bisect_right(self._taken, stood)
            clash = [t for t in self._taken[max(0, after - 1) : after + 1] if _overlap(t, stood)]
            if not clash:
                self._taken.insert(after, stood)
                self._looked[needle] = stood.end
                return stood
            at = self._prompt.find(needle, max(clash[-1].end, at + 1))
        self._looked[needle] = len(self._prompt)
        return None


def _overlap(one: Stood, other: Stood) -> bool:
    return one.start < other.end and other.start < one.end


def _label_between(prompt: str, start: int, end: int) -> int | None:
    """The last label between two texts, near the second."""
    found = list(_LABEL.finditer(prompt, max(start, end - _GAP), end))
    return _number(found[-1]) if found else None


def _number(label: re.Match[str]) -> int:
    return int(label[1] or label[2] or label[3])


def _parts(
    texts: Sequence[str | None],
    prompt: str,
    order: list[tuple[Stood, int]],
    known: Sequence[int | None],
) -> dict[int, int]:
    parts: dict[int, int] = {}
    plain = cache(lambda at: spaced(texts[at] or ""))
    for label in _LABEL.finditer(prompt, order[0][0].start):
        if _number(label) in known:
            continue
        at = order[bisect_right(order, label.start(), key=lambda each: each[0].start) - 1][1]
        said = spaced(prompt[label.end() : label.end() + BEGINNING]).lstrip(":.) \n")
        if len(said) > 10 and said[:40] in plain(at):
            parts[_number(label)] = at
    return parts
