"""The `[n]` markers by which an answer cites its chunks, where the application logs only the text.

A marker is one to three digits in square brackets: `[2]`, a group `[1, 3]` or `[1; 3]`, a range
`[2-4]` (any hyphen or dash up to the em dash), both together `[1, 3-5]`, or neighbours `[2][5]`.
What stands right before it does not matter: `Paris[1]` cites. Linked markers `[1](https://...)`
and `[[1]]` cite too, and so does a list of sources at the end, `[1] Title`, since nothing tells it
from an answer that goes through its chunks one by one.

No citations are:
- words or units in the brackets: `[Word count: 149]`, `[300 words]`, `[1.5]`, `[Source 1]`;
- four digits or more: `[2021]`, `[2021-2023]`;
- ranges that fall (`[3-1]`, a score) or hold over 100 numbers (`[1-500]`);
- code, where brackets index: fenced blocks and spans in backticks, unless the span holds nothing
  but markers;
- link definitions, a line that opens `[1]: https://...`;
- a bracket that the answer's end cut off: `[7`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

LONGEST_RANGE = 100

_NUMBERS = r"\d{1,3}(?:\s*[-\u2010-\u2014]\s*\d{1,3})?"
_BRACKETS = rf"\[\s*{_NUMBERS}(?:\s*[,;\uff0c\u3001]\s*{_NUMBERS})*\s*\]"
_MARKER = re.compile(_BRACKETS)
_RUN = re.compile(rf"{_BRACKETS}(?:\s*{_BRACKETS})*")
_STOPS = " \t.!?\u3002\uff01\uff1f"
_SENTENCE_END = re.compile(r"[.!?]\s|[\u3002\uff01\uff1f\n]")
_PART = re.compile(r"(\d+)(?:\s*[-\u2010-\u2014]\s*(\d+))?")
_FENCED = r"^[ \t]*(?P<fence>`{3,}|~{3,})[^`\n]*(?:\n|\Z).*?(?:^[ \t]*(?P=fence)|\Z)"
_TICKS = r"(?<!`)(?P<ticks>`+)(?!`)"
_SPAN = rf"{_TICKS}(?!\s*(?:{_BRACKETS}\s*)+(?P=ticks)(?!`))[^\n]*?(?<!`)(?P=ticks)(?!`)"
_CODE = re.compile(rf"{_FENCED}|{_SPAN}", re.MULTILINE | re.DOTALL)
_DEFINITION = re.compile(r"^ {0,3}\[\d+\]:\s*<?[a-z][a-z0-9+.-]*://", re.MULTILINE | re.IGNORECASE)


class Citations(NamedTuple):
    """What the markers of one answer cite."""

    positions: list[int]  # 1 = first; each cited position once, in the order of first citing
    stray: int  # markers that point outside the prompt, repeats included


def read(answer: str) -> list[int]:
    """Every number that the answer's markers cite, in order, with repeats; ranges spelt out."""
    if "[" not in answer:
        return []
    answer = _prose(answer)
    return [number for marker in _MARKER.findall(answer) for number in _numbers(marker)]


def sentences(answer: str) -> list[tuple[str, list[int]]]:
    """What stands before each run of markers, back to the sentence's start, and what they cite.

    A run that opens its line is left out: in a list of sources the text follows its marker.
    """
    if "[" not in answer:
        return []
    answer, start, found = _prose(answer), 0, []
    for run in _RUN.finditer(answer):
        said = _SENTENCE_END.split(answer[start : run.start()].rstrip(_STOPS))[-1]
        start = run.end()
        if any(map(str.isalnum, said)):
            markers = _MARKER.findall(run[0])
            found.append((said, [number for marker in markers for number in _numbers(marker)]))
    return found


def _prose(answer: str) -> str:
    """An answer without what only looks like markers."""
    if "`" in answer or "~~~" in answer:
        answer = _CODE.sub(" ", answer)
    return _DEFINITION.sub(" ", answer) if "]:" in answer else answer


def cited_positions(markers: Iterable[int], k: int, base: int) -> Citations:
    """Positions that markers cite where the prompt numbers its k chunks from `base` (0 or 1)."""
    positions = [marker - base + 1 for marker in markers]
    packed = [position for position in positions if 1 <= position <= k]
    return Citations(list(dict.fromkeys(packed)), len(positions) - len(packed))


def detect_base(answers: Iterable[tuple[Sequence[int], int]]) -> int:
    """Whether prompts that number alike count from 0 or from 1: (markers, k) of each answer.

    0 where that leaves fewer markers stray than 1 does, so more markers say 0 than say k: a lone
    `[0]` among answers that cite their last chunk shows an array, not a prompt that counts from 0.
    """
    zeros = lasts = 0
    for markers, k in answers:
        zeros += markers.count(0)
        lasts += markers.count(k)
    return 0 if zeros > lasts else 1


def _numbers(marker: str) -> list[int]:
    numbers: list[int] = []
    for first, last in _PART.findall(marker):
        numbers.extend(_span(int(first), int(last or first)))
    return numbers


def _span(first: int, last: int) -> range:
    return range(first, last + 1) if last - first < LONGEST_RANGE else range(0)
