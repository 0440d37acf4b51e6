"""Feedback of other tools as judgements: only what is about right and wrong.

A score called toxicity says nothing about the answer being right, and as the latest judgement of
a request wins, it must not take the place of one that does.
"""

from __future__ import annotations

import re
from typing import Any

from analyzer.sources import values
from analyzer.sources.formats.joining import Notes

_ABOUT_RIGHT = (
    "correct",
    "accura",
    "user_feedback",
    "user-feedback",
    "user feedback",
    "thumb",
    "helpful",
)
_NEGATED = re.compile(
    r"in(correct|accura)|un(correct|helpful)|(not|non)[ _-]?(correct|accura|helpful)"
)
_RIGHT = {
    "correct",
    "right",
    "true",
    "yes",
    "pass",
    "passed",
    "good",
    "thumbs_up",
    "thumbs-up",
    "up",
}
_WRONG = {
    "incorrect",
    "wrong",
    "false",
    "no",
    "fail",
    "failed",
    "bad",
    "thumbs_down",
    "thumbs-down",
    "down",
}


def judgement(
    request: str | None, at: Any, name: Any, label: Any, score: Any, notes: Notes
) -> dict[str, Any] | None:
    """The fields of a judgement; None, and a note, for one that is not about right and wrong."""
    called = values.name(name) or "feedback"
    right = _right(label, score)
    if right is None or not about_right(called):
        notes.left[f"labels called {called}, which do not say right or wrong"] += 1
        return None
    return {
        "request_id": request,
        "judged_at": values.time(at),
        "correct": right,
        "score": values.number(score),
        "judge": called,
    }


def about_right(called: str) -> bool:
    """Whether a label of this name says right or wrong; 1 of what is called incorrect would not."""
    plain = called.lower()
    return any(word in plain for word in _ABOUT_RIGHT) and not _NEGATED.search(plain)


def _right(label: Any, score: Any) -> bool | None:
    word = str(label).strip().lower() if isinstance(label, str | bool) else ""
    if word in _RIGHT or word in _WRONG:
        return word in _RIGHT
    if isinstance(score, bool):
        return score
    found = values.number(score)
    return bool(found) if found in (0, 1) else None
