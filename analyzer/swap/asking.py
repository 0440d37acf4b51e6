"""What it means to ask: one prompt, one reply, and three ways of getting none."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import msgspec

from analyzer.errors import CitelogError
from analyzer.swap.sets import Planned

LONGEST_REASON = 200

Key = tuple[str, int, int]  # question_id, draw, position
T = TypeVar("T")


class Ask(NamedTuple):
    """One question with its expected chunk at one position."""

    planned: Planned
    position: int

    @property
    def key(self) -> Key:
        """What names it in a results file."""
        return self.planned.question_id, self.planned.draw, self.position


class Prompt(NamedTuple):
    """What a model or a command gets: it is not told where the expected chunk stands."""

    messages: list[dict[str, str]]
    question: str
    chunks: list[dict[str, str]]
    name: str  # the same for the same prompt, so that a server can know it again


class Reply(NamedTuple):
    """An answer, and the tokens that were counted for it, where they were."""

    text: str
    prompt_tokens: int | None = None
    answer_tokens: int | None = None


class Trouble(Exception):
    """No answer this time; it may pass. `wait`: seconds that the server asks for.

    `crowded`: the server has too much to do, so that all who ask it should wait. `words`: those of
    whoever was asked; they may repeat what it was asked, so `reason` is without them.
    """

    def __init__(
        self, reason: str, wait: float = 0.0, *, crowded: bool = False, words: str = ""
    ) -> None:
        super().__init__(shortened(reason + words))
        self.reason = shortened(reason)
        self.wait = wait
        self.crowded = crowded


class Broken(Trouble):
    """A program left with an error or wrote no answer: one that never did so hardly ever will."""


class Unanswerable(Exception):
    """This prompt is refused and would be again; others may be answered."""

    def __init__(self, reason: str) -> None:
        super().__init__(shortened(reason))


class Refused(CitelogError):
    """Nothing will be answered as it is asked; the run ends."""


def within(seconds: float, work: Callable[[], T]) -> T:
    """What `work` returns or raises; raises `Trouble` when it takes longer.

    It runs beside and is left behind when the time is up: no peer, however it dawdles, can hold
    up the run.
    """
    found: list[T] = []
    faults: list[BaseException] = []

    def finish() -> None:
        try:
            found.append(work())
        except BaseException as fault:  # handed over to the thread that waits
            faults.append(fault)

    worker = threading.Thread(target=finish, daemon=True)
    worker.start()
    worker.join(seconds)
    if faults:
        raise faults[0]
    if not found:
        raise Trouble(f"no answer in {seconds:g} seconds")
    return found[0]


def decoded(body: bytes) -> dict[str, Any]:
    """The JSON object that a reply is; raises `Trouble`."""
    try:
        value = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise Trouble("the reply is no JSON") from None
    if not isinstance(value, dict):
        raise Trouble("the reply is JSON, but no object")
    return value


def reply_of(value: dict[str, Any]) -> Reply:
    """A reply in the form of an OpenAI-compatible endpoint, or `{"answer": ...}` of a command."""
    text = value.get("answer")
    if not isinstance(text, str):
        text = _content(value)
    usage = value.get("usage") if isinstance(value.get("usage"), dict) else value
    assert isinstance(usage, dict)
    spent = usage.get("completion_tokens", usage.get("answer_tokens"))
    return Reply(text, _count(usage.get("prompt_tokens")), _count(spent))


def shortened(reason: str) -> str:
    """One line of a reason."""
    line = " ".join(reason.split())
    return line if len(line) <= LONGEST_REASON else f"{line[: LONGEST_REASON - 1]}…"


def _content(value: dict[str, Any]) -> str:
    try:
        choice = value["choices"][0]
        content = choice["message"]["content"] if "message" in choice else choice["text"]
    except (KeyError, IndexError, TypeError):
        raise Trouble("the reply holds no answer") from None
    if isinstance(content, list):
        content = "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    if not isinstance(content, str):
        raise Trouble("the reply holds no text")
    return content


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
