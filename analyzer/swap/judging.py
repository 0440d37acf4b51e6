"""Is an answer right? By comparing texts as the published evaluations do, or by its citations.

Texts are compared in the form of SQuAD (Rajpurkar et al., EMNLP 2016), which the "lost in the
middle" evaluation uses too: lower case, ASCII punctuation and the articles a, an, the left out,
white space collapsed. Markers such as [2] are no part of an answer.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Sequence
from enum import StrEnum

from analyzer import markers

_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLES = re.compile(r"\b(a|an|the)\b")
_MARKERS = re.compile(r"\[[\d\s,;-]+\]")


class Judge(StrEnum):
    """How an answer is judged."""

    exact = "exact"  # it is the first of the answers
    alias = "alias"  # it is one of the answers
    span = "span"  # one of the answers stands in it
    cited = "cited"  # its markers cite the expected chunk


def plain(text: str) -> str:
    """The form in which answers are compared."""
    bare = _MARKERS.sub(" ", text).lower().translate(_PUNCTUATION)
    return " ".join(_ARTICLES.sub(" ", bare).split())


def judge(how: Judge, answer: str, answers: Sequence[str], position: int) -> bool | None:
    """Whether `answer` is right; None where nothing is known to hold it against.

    `position` is that of the expected chunk, as the prompt numbers it.
    """
    if how is Judge.cited:
        return position in markers.read(answer)
    known = [form for form in map(plain, answers) if form]
    if not known:
        return None
    return _RULES[how](plain(answer), known)


def holds_answer(text: str, answers: Sequence[str]) -> bool:
    """Whether a chunk holds one of the answers as whole words, so that it is no filler."""
    words = f" {plain(text)} "
    return any(f" {form} " in words for form in map(plain, answers) if form)


def _exact(answer: str, known: list[str]) -> bool:
    return answer == known[0]


def _alias(answer: str, known: list[str]) -> bool:
    return answer in known


def _span(answer: str, known: list[str]) -> bool:
    return any(form in answer for form in known)


_RULES: dict[Judge, Callable[[str, list[str]], bool]] = {
    Judge.exact: _exact,
    Judge.alias: _alias,
    Judge.span: _span,
}
