"""Ask any program: one JSON object on its stdin, one on its stdout, once for every question.

So the application itself can be evaluated, its prompt and its model included.
"""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analyzer.errors import UsageError
from analyzer.swap.asking import Broken, Prompt, Refused, Reply, Trouble, decoded, reply_of


@dataclass(frozen=True)
class Command:
    """A program with its arguments; no shell reads them."""

    words: tuple[str, ...]
    seconds: float = 120.0

    @classmethod
    def of(cls, line: str, seconds: float) -> Command:
        """The words of a line, quoted as for a shell."""
        try:
            words = tuple(shlex.split(line))
        except ValueError as error:
            raise UsageError(f"the command {line!r} cannot be read: {error}") from None
        if not words:
            raise UsageError("the command is empty; name a program")
        return cls(words, seconds)

    @property
    def name(self) -> str:
        """What may be said of it: its arguments may hold secrets, so they are only told apart."""
        digest = hashlib.sha256("\0".join(self.words).encode()).hexdigest()[:8]
        return f"{Path(self.words[0]).name} ({digest})"

    def __call__(self, prompt: Prompt) -> Reply:
        """What the program answers: `{"answer": "..."}`, with `prompt_tokens`, `answer_tokens`.

        It gets `messages`, `question` and `chunks` (each with `chunk_id` and `text`, in order).
        """
        asked = {
            "messages": prompt.messages,
            "question": prompt.question,
            "chunks": prompt.chunks,
        }
        with self._as_broken():
            return reply_of(self.said(asked))

    def said(self, given: dict[str, Any]) -> dict[str, Any]:
        """The object that the program writes when it is given one; raises `Trouble`, `Refused`."""
        try:
            # A session of its own: Ctrl-C lets what is under way come to its end, and what the
            # program started ends with it.
            process = subprocess.Popen(
                self.words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as error:
            raise Refused(f"{self.words[0]}: {error.strerror}; name a program") from None
        try:
            out, err = process.communicate(json.dumps(given).encode(), timeout=self.seconds)
        except subprocess.TimeoutExpired:
            raise Trouble(f"{self.words[0]}: no answer in {self.seconds:g} seconds") from None
        finally:
            _end(process)
        if process.returncode:
            left = f"{self.words[0]} left with {process.returncode}"
            raise Broken(left, words=_last_line(err))
        with self._as_broken():
            return decoded(out)

    @contextmanager
    def _as_broken(self) -> Iterator[None]:
        """What it wrote is none of the forms of an answer."""
        try:
            yield
        except Broken:
            raise
        except Trouble as why:
            raise Broken(str(why)) from None


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _last_line(err: bytes) -> str:
    lines = err.decode("utf-8", "replace").strip().splitlines()
    return f": {lines[-1]}" if lines else ""
