"""The planned set as a file: JSON lines, each a question with all that its prompts are made of.

The first line says how the set was made. Every other line holds a question, its expected chunk,
the chunks around it in their order, and the positions that the expected chunk is put at; so that
nothing but the position can differ between two prompts of a question.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from analyzer import files
from analyzer.errors import CitelogError
from analyzer.swap.questions import Piece

VERSION = 1


class Head(Struct, kw_only=True):
    """How a set was made."""

    citelog_swap_set: int = VERSION
    seed: int
    route: str | None = None
    estimated_tokens: bool = False  # a quarter of the characters, for some chunks


class Planned(Struct, frozen=True, kw_only=True):
    """One question with one draw of the chunks around its expected chunk."""

    question_id: str
    draw: int
    question: str
    answers: tuple[str, ...] = ()
    expected: Piece
    fillers: tuple[Piece, ...]
    positions: tuple[int, ...]  # in the order in which they are asked, 1..k
    route: str | None = None

    @property
    def k(self) -> int:
        """How many chunks stand in the prompt."""
        return len(self.fillers) + 1

    @property
    def tokens(self) -> int:
        """Context tokens: of all its chunks."""
        return self.expected.tokens + sum(piece.tokens for piece in self.fillers)

    def chunks(self, position: int) -> list[Piece]:
        """The chunks in the order of the prompt, the expected one at `position` (1..k)."""
        return [*self.fillers[: position - 1], self.expected, *self.fillers[position - 1 :]]


class Set(Struct, frozen=True):
    """A set that was read, with its name: 16 hex digits over its content."""

    name: str
    head: Head
    planned: list[Planned]


def write(path: Path, head: Head, planned: Sequence[Planned]) -> None:
    """The set as a file, whole or not at all."""
    lines = b"".join(_ENCODE(line) + b"\n" for line in (head, *planned))
    with files.written_whole(path) as part:
        part.write_bytes(lines)


def read(path: Path) -> Set:
    """A set as `write` left it; raises `CitelogError` with the line that is none of it."""
    content = path.read_bytes()
    lines = content.splitlines()
    try:
        head = msgspec.json.decode(lines[0], type=Head) if lines else None
    except msgspec.MsgspecError:
        head = None
    if head is None or head.citelog_swap_set != VERSION:
        raise CitelogError(f"{path}: is no set of swapped questions; citelog swap plan makes one")
    planned = [_planned(path, number, line) for number, line in enumerate(lines[1:], start=2)]
    return Set(hashlib.sha256(content).hexdigest()[:16], head, planned)


def _planned(path: Path, number: int, line: bytes) -> Planned:
    try:
        planned = msgspec.json.decode(line, type=Planned)
    except msgspec.MsgspecError as error:
        raise CitelogError(
            f"{path}:{number}: is no planned question ({error}); plan it again"
        ) from None
    beyond = [position for position in planned.positions if not 1 <= position <= planned.k]
    if beyond:
        raise CitelogError(
            f"{path}:{number}: position is {beyond[0]}, but the prompt has {planned.k} chunks"
        )
    return planned


_ENCODE = msgspec.json.Encoder().encode
