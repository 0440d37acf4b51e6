"""Where chunks stood in a prompt, found by their texts, and what the prompt called them.

No tracing format logs positions. A chunk that was packed stands in the prompt with its text, maybe
with other white space, cut off at its end, or split into parts that have labels of their own
(`Source 3:`, `[3]`). What cannot be found is not guessed: it was not packed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

_BEGINNING = 80
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


class _Stood(NamedTuple):
    """Where a text stands: start, end, and whether all of it does."""

    start: int
    end: int
    whole: bool


def places(texts: Sequence[str | None], prompt: str) -> Places | None:
    """Where the texts stand; None where the prompt holds none of them."""
    found = _found(texts, prompt)
    if None in found:
        texts = [None if text is None else _spaced(text) for text in texts]
        prompt = _spaced(prompt)
        found = _found(texts, prompt)
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


def _spaced(text: str) -> str:
    # Line ends stay apart: labels are known by the start of their line.
    return "\n".join(" ".join(line.split()) for line in text.splitlines() if line.strip())


def _found(texts: Sequence[str | None], prompt: str) -> list[_Stood | None]:
    """The longest first, so that a text within another one does not take its place."""
    found: list[_Stood | None] = [None] * len(texts)
    taken: list[_Stood] = []
    for at in sorted(range(len(texts)), key=lambda at: -len(texts[at] or "")):
        needle = (texts[at] or "").strip()
        stood = _free(needle, True, prompt, taken) if needle else None
        if stood is None and len(needle) > _BEGINNING:
            stood = _free(needle[:_BEGINNING], False, prompt, taken)
        if stood is not None:
            found[at] = stood
            taken.append(stood)
    return found


def _free(needle: str, whole: bool, prompt: str, taken: list[_Stood]) -> _Stood | None:
    at = prompt.find(needle)
    while at >= 0:
        end = at + len(needle)
        clash = next((t.end for t in taken if t.start < end and at < t.end), None)
        if clash is None:
            return _Stood(at, end, whole)
        at = prompt.find(needle, max(clash, at + 1))
    return None


def _label_between(prompt: str, start: int, end: int) -> int | None:
    """The last label between two texts, near the second."""
    found = list(_LABEL.finditer(prompt, max(start, end - _GAP), end))
    return _number(found[-1]) if found else None


def _number(label: re.Match[str]) -> int:
    return int(label[1] or label[2] or label[3])


def _parts(
    texts: Sequence[str | None],
    prompt: str,
    order: list[tuple[_Stood, int]],
    known: Sequence[int | None],
) -> dict[int, int]:
    parts: dict[int, int] = {}
    for label in _LABEL.finditer(prompt, order[0][0].start):
        if _number(label) in known:
            continue
        at = max((stood, at) for stood, at in order if stood.start <= label.start())[1]
        said = _spaced(prompt[label.end() : label.end() + _BEGINNING]).lstrip(":.) \n")
        if len(said) > 10 and said[:40] in _spaced(texts[at] or ""):
            parts[_number(label)] = at
    return parts
