"""From chunks in their order to what a model is told; the words are the user's where given."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from analyzer.errors import UsageError
from analyzer.swap.asking import Ask, Prompt

TEMPLATE = """\
Answer the question from the numbered texts below; most of them have nothing to do with it. \
Answer in as few words as you can, and put the number of the text that you took the answer from \
after it in square brackets.

{chunks}

Question: {question}
Answer:"""


@dataclass(frozen=True)
class Template:
    """A prompt with `{chunks}` and `{question}` in it."""

    text: str = TEMPLATE

    def __post_init__(self) -> None:
        missing = [name for name in ("{chunks}", "{question}") if name not in self.text]
        if missing:
            raise UsageError(f"the prompt has no {' and no '.join(missing)}; put it where it goes")

    @classmethod
    def of(cls, path: Path) -> Template:
        """The template that a file holds."""
        try:
            return cls(path.read_text(encoding="utf-8"))
        except UnicodeDecodeError:
            raise UsageError(f"{path}: is no UTF-8 text; a prompt is one") from None

    @property
    def digest(self) -> str:
        """8 hex digits: another text, another prompt version."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:8]

    def prompt(self, ask: Ask, question_set: str) -> Prompt:
        """What is asked; chunks are numbered from 1 in the order of the prompt."""
        chunks = ask.planned.chunks(ask.position)
        listed = "\n\n".join(f"[{n}] {chunk.text}" for n, chunk in enumerate(chunks, start=1))
        said = {"{chunks}": listed, "{question}": ask.planned.question}
        text = _filled(self.text, said)
        name = hashlib.sha256(f"{question_set}/{self.digest}/{ask.key}".encode()).hexdigest()[:32]
        return Prompt(
            messages=[{"role": "user", "content": text}],
            question=ask.planned.question,
            chunks=[{"chunk_id": chunk.chunk_id, "text": chunk.text} for chunk in chunks],
            name=name,
        )


def _filled(text: str, said: dict[str, str]) -> str:
    """Each name replaced once, so that a chunk that holds `{question}` stays as it is."""
    before, name, after = min(
        (text.partition(name) for name in said), key=lambda parts: len(parts[0])
    )
    if not name:
        return text
    return before + said[name] + _filled(after, said)
