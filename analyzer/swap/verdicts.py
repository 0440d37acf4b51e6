"""A program as the judge: asked once for every answer, its verdicts kept beside the results."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct

from analyzer.swap import results
from analyzer.swap.asking import Trouble
from analyzer.swap.command import Command
from analyzer.swap.results import Line, growing
from analyzer.swap.running import Done, Manner, Running

Name = tuple[str, int, int, str]
Tell = Callable[[int, int], None]
# A program that answers wrongly will do so again; one that asks a model may be refused once.
MANNER = Manner(attempts=3)


class VerdictHead(Struct, kw_only=True, frozen=True):
    """Who judged."""

    citelog_swap_verdicts: Literal[1] = 1  # the version of the form
    judge: str


class VerdictLine(Struct, kw_only=True):
    """Whether one answer is right; the answer by its digest, as it may come anew."""

    question_id: str
    draw: int
    position: int
    answer: str
    correct: bool

    @property
    def name(self) -> Name:
        """Which answer it is about."""
        return self.question_id, self.draw, self.position, self.answer


def verdicts(
    path: Path, ask: Command, manner: Manner = MANNER, tell: Tell = lambda done, total: None
) -> Callable[[Line], bool | None]:
    """What the program says of each answer of a results file; None where it came to no verdict.

    Only answers that it has not judged yet are put to it; `tell` hears how many of them are done.
    """
    _, lines = results.read(path, path.read_bytes())
    beside = path.with_name(f"{path.name}.{_digest(ask.name)[:8]}.judged")
    with growing(beside, VerdictHead(judge=ask.name), VerdictLine) as file:
        said = {line.name: line.correct for line in file.lines}
        left = [line for line in lines if line.answer is not None and _name(line) not in said]
        numbers = count(1)

        def keep(line: Line, done: Done[bool]) -> None:
            if done.result is not None:
                said[_name(line)] = done.result
                file.add(_line(line, done.result))
            tell(next(numbers), len(left))

        Running[Line, bool](lambda line: _judged(ask, line), keep, manner).run(left)
    return lambda line: said.get(_name(line))


def _line(line: Line, correct: bool) -> VerdictLine:
    question_id, draw, position, answer = _name(line)
    return VerdictLine(
        question_id=question_id, draw=draw, position=position, answer=answer, correct=correct
    )


def _judged(ask: Command, line: Line) -> bool:
    """The verdict on one answer; the judge is not told where the expected chunk stood."""
    given: dict[str, Any] = {
        "question": line.question,
        "answers": list(line.answers),
        "answer": line.answer,
    }
    said = ask.said(given).get("correct")
    if not isinstance(said, bool):
        raise Trouble('the judge did not write {"correct": true} or {"correct": false}')
    return said


def _name(line: Line) -> Name:
    return (*line.key, _digest(line.answer or ""))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
