"""Answers as a file that only grows: a run that is killed loses what was under way, no more.

The first line says what is asked of whom. Every other line says that a question is now being asked,
or its answer, or why there is none; so after a kill it is known of which questions nobody knows
whether they were answered. A line is written whole in one go; a torn one at the end, as a full disk
or a crash of the machine leaves it, is cut off before anything is added. While a run adds to the
file it holds a lock that the kernel gives back when the run dies.
"""

from __future__ import annotations

import fcntl
import os
import stat
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Generic, Literal, TypeVar

import msgspec
from msgspec import Struct

from analyzer.errors import CitelogError, StoreLocked, UsageError
from analyzer.swap.asking import Key


class Head(Struct, kw_only=True, frozen=True):
    """What was asked of whom; another head needs another file."""

    citelog_swap_results: Literal[1] = 1  # the version of the form
    question_set: str
    model: str
    prompt_version: str
    prompt: str  # digest of the template
    asked: str  # host of the endpoint, or the command
    body: dict[str, Any] = {}
    route: str | None = None


class Line(Struct, kw_only=True, omit_defaults=True):
    """One question at one position: its answer, the trouble in place of one, or its beginning."""

    question_id: str
    draw: int
    position: int
    k: int
    tokens: int
    question: str = ""
    answers: tuple[str, ...] = ()
    answer: str | None = None
    trouble: str | None = None
    prompt_tokens: int | None = None
    answer_tokens: int | None = None
    attempts: int = 1  # that an answer took
    asked_at: str = ""

    @property
    def key(self) -> Key:
        """What names it."""
        return self.question_id, self.draw, self.position

    @property
    def under_way(self) -> bool:
        """It is being asked; where this is the last line of it, nobody knows what came of that."""
        return self.answer is None and self.trouble is None


H = TypeVar("H", bound=Struct)
L = TypeVar("L", bound=Struct)


class Growing(Generic[H, L]):
    """A file of one head and many lines, open to be added to."""

    def __init__(self, handle: int, lines: list[L]) -> None:
        self.lines = lines  # those that were there when it was opened
        self._handle = handle
        self._lock = threading.Lock()

    def add(self, line: L, *, durable: bool = False) -> None:
        """Write one line to the end, in one go; a durable one outlives the machine's crash."""
        text = _ENCODE(line) + b"\n"
        with self._lock:
            while text:
                text = text[os.write(self._handle, text) :]
        if durable:
            os.fsync(self._handle)


@contextmanager
def growing(path: Path, head: H, line: type[L]) -> Iterator[Growing[H, L]]:
    """Open a file to be added to; a new one begins with `head`.

    Raises `StoreLocked` while another run holds it and `UsageError` where it has another head.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise StoreLocked(f"{path}: another run writes to it; wait until it is done") from None
        yield Growing[H, L](handle, _gone_on_with(path, handle, head, line))
    finally:
        os.close(handle)


def _gone_on_with(path: Path, handle: int, head: H, line: type[L]) -> list[L]:
    """The lines that are there; nothing of another file is cut off or written over."""
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        raise UsageError(f"{path}: is a pipe or a device; name a file with -o")
    content, first = path.read_bytes(), _ENCODE(head) + b"\n"
    whole = _whole(content)
    if not whole and not first.startswith(content):
        raise CitelogError(f"{path}: is not what citelog swap writes; name another file with -o")
    held = _lines(path, whole, head, line) if whole else []
    os.ftruncate(handle, len(whole))
    if not whole:
        os.write(handle, first)
    return held


def read(path: Path, content: bytes) -> tuple[Head, list[Line]]:
    """A results file, with one line of each question and position."""
    first, *rest = _whole(content).splitlines() or [b""]
    head = _decoded(path, 1, first, Head)
    lines = (_decoded(path, number, text, Line) for number, text in enumerate(rest, start=2))
    return head, list(latest(lines).values())


def latest(lines: Iterable[Line]) -> dict[Key, Line]:
    """Of several lines of one question and position the one with an answer, else the last."""
    kept: dict[Key, Line] = {}
    for line in lines:
        held = kept.get(line.key)
        if held is None or held.answer is None:
            kept[line.key] = line
    return kept


def _whole(content: bytes) -> bytes:
    """Without the torn line at its end."""
    return content[: content.rfind(b"\n") + 1]


def _lines(path: Path, content: bytes, head: H, line: type[L]) -> list[L]:
    first, *rest = content.splitlines()
    held = _decoded(path, 1, first, type(head))
    if held != head:
        raise UsageError(f"{path}: {_difference(held, head)}; name another file with -o")
    return [_decoded(path, number, text, line) for number, text in enumerate(rest, start=2)]


def _difference(held: Struct, asked: Struct) -> str:
    name = next(n for n in held.__struct_fields__ if getattr(held, n) != getattr(asked, n))
    was, now = (str(getattr(each, name)) for each in (held, asked))
    return f"was begun with {name.replace('_', ' ')} {was!r}, and now it is {now!r}"


T = TypeVar("T", bound=Struct)


def _decoded(path: Path, number: int, text: bytes, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(text, type=kind)
    except msgspec.MsgspecError:
        raise CitelogError(
            f"{path}:{number}: is no line of what citelog swap writes; name another file"
        ) from None


_ENCODE = msgspec.json.Encoder().encode
