"""The two streams: stdout is data, stderr is talk.

Names in logs are other people's text. Nothing of it may move the cursor or colour the terminal,
so control characters are shown, not sent; nor may anything of it pass for a line of its own.
"""

from __future__ import annotations

import json
import os
import sys
import unicodedata
from typing import TextIO

CLOSED_PIPE = 141
# Control, format and surrogate characters, what is not assigned, and separators of lines.
_NOT_SHOWN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


class PipeClosed(Exception):
    """Whoever read our output went away."""


def data(text: str) -> None:
    """Write one line or block to stdout."""
    _write(sys.stdout, text)


def talk(text: str) -> None:
    """Write one line to stderr."""
    _write(sys.stderr, text)


def plain(text: str) -> str:
    """`text` with control characters written out, so that a terminal shows them as they are."""
    return "".join(_shown(character) for character in text)


def in_json(text: str) -> str:
    """JSON that means the same, with control characters written out as JSON has them."""
    return "".join(
        json.dumps(each)[1:-1] if unicodedata.category(each) in _NOT_SHOWN else each
        for each in text
    )


def to_terminal(stream: TextIO) -> bool:
    """Whether a person sees `stream`."""
    return stream.isatty()


def use_any_character() -> None:
    """Let names that the terminal's encoding cannot carry be written as escapes."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def silence(stream: TextIO) -> None:
    """Send what is still buffered nowhere: the interpreter flushes once more when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _write(stream: TextIO, text: str) -> None:
    try:
        stream.write(text + "\n")
        stream.flush()
    except BrokenPipeError:
        silence(stream)
        raise PipeClosed from None


def _shown(character: str) -> str:
    if unicodedata.category(character) in _NOT_SHOWN:
        return character.encode("unicode_escape", "surrogatepass").decode("ascii")
    return character
