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


def places(texts: Sequence[str | None], prompt: str) -> Places | None:
    """Where the texts stand; None where the prompt holds none of them."""
    offsets = _offsets(texts, prompt)
    if None in offsets:
        texts = [None if text is None else _spaced(text) for text in texts]
        prompt = _spaced(prompt)
        offsets = _offsets(texts, prompt)
    order = sorted((offset, at) for at, offset in enumerate(offsets) if offset is not None)
    if not order:
        return None
    positions: list[int | None] = [None] * len(texts)
    for position, (_, at) in enumerate(order, 1):
        positions[at] = position
    labels = [_label_before(prompt, offset) for offset, _ in order]
    if None in labels or len(set(labels)) < len(labels):
        return Places(positions, None, {})
    markers: list[int | None] = [None] * len(texts)
    for (_, at), label in zip(order, labels, strict=True):
        markers[at] = label
    return Places(positions, markers, _parts(texts, prompt, order, set(labels)))


def _spaced(text: str) -> str:
    # Line ends stay apart: labels are known by the start of their line.
    return "\n".join(" ".join(line.split()) for line in text.splitlines() if line.strip())


def _offsets(texts: Sequence[str | None], prompt: str) -> list[int | None]:
    """The longest first, so that a text within another one does not take its place."""
    found: list[int | None] = [None] * len(texts)
    taken: list[tuple[int, int]] = []
    for at in sorted(range(len(texts)), key=lambda at: -len(texts[at] or "")):
        needle = (texts[at] or "").strip()
        for part in dict.fromkeys((needle, needle[:_BEGINNING])):
            offset = _free(part, prompt, taken) if part else None
            if offset is not None:
                found[at] = offset
                taken.append((offset, offset + len(part)))
                break
    return found


def _free(needle: str, prompt: str, taken: list[tuple[int, int]]) -> int | None:
    at = prompt.find(needle)
    while at >= 0:
        clash = next((end for start, end in taken if start < at + len(needle) and at < end), None)
        if clash is None:
            return at
        at = prompt.find(needle, max(clash, at + 1))
    return None


def _label_before(prompt: str, offset: int) -> int | None:
    found = list(_LABEL.finditer(prompt, max(0, offset - _GAP), offset))
    return _number(found[-1]) if found else None


def _number(label: re.Match[str]) -> int:
    return int(label[1] or label[2] or label[3])


def _parts(
    texts: Sequence[str | None],
    prompt: str,
    order: list[tuple[int, int]],
    known: set[int | None],
) -> dict[int, int]:
    parts: dict[int, int] = {}
    for label in _LABEL.finditer(prompt, order[0][0]):
        if _number(label) in known:
            continue
        at = max((offset, at) for offset, at in order if offset <= label.start())[1]
        said = _spaced(prompt[label.end() : label.end() + _BEGINNING]).lstrip(":.) \n")
        if len(said) > 10 and said[:40] in _spaced(texts[at] or ""):
            parts[_number(label)] = at
    return parts
