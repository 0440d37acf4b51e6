"""One run of a set: ask what has no answer yet, keep every answer as it comes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from analyzer.swap.asking import Ask, Prompt, Reply
from analyzer.swap.prompting import Template
from analyzer.swap.results import Growing, Head, Line, growing
from analyzer.swap.running import Done, Manner, Running
from analyzer.swap.sets import Set


@dataclass
class Progress:
    """How far a run has come; tokens as the endpoint counted them, those of earlier runs too."""

    total: int
    answered: int = 0
    unanswered: int = 0
    prompt_tokens: int = 0
    answer_tokens: int = 0

    def add(self, line: Line) -> None:
        """Count one line."""
        self.answered += line.answer is not None
        self.unanswered += line.answer is None
        self.prompt_tokens += line.prompt_tokens or 0
        self.answer_tokens += line.answer_tokens or 0


@dataclass(frozen=True)
class Evaluation:
    """What is asked, how, and who is told how far it has come."""

    asked: Set
    head: Head
    template: Template
    asker: Callable[[Prompt], Reply]
    manner: Manner
    now: Callable[[], datetime]
    tell: Callable[[Progress], None]
    warn: Callable[[str], None]  # of the first trouble

    def run(self, path: Path) -> Progress:
        """Ask all that the file at `path` holds no answer to, and add the answers to it."""
        with growing(path, self.head, Line) as file:
            progress = Progress(sum(len(each.positions) for each in self.asked.planned))
            for line in file.lines:
                if line.answer is not None:
                    progress.add(line)
            self.tell(progress)
            keep = self._keeper(file, progress)
            running = Running[Ask, Reply](self._reply, keep, self.manner, self.warn)
            running.run(self._left(file.lines))
            return progress

    def _left(self, lines: Sequence[Line]) -> list[Ask]:
        """What has no answer; what got none before comes last, so that it holds nothing up."""
        done = {line.key for line in lines if line.answer is not None}
        before = {line.key for line in lines}
        every = (Ask(each, position) for each in self.asked.planned for position in each.positions)
        left = [ask for ask in every if ask.key not in done]
        return sorted(left, key=lambda ask: ask.key in before)

    def _reply(self, ask: Ask) -> Reply:
        return self.asker(self.template.prompt(ask, self.asked.name))

    def _keeper(
        self, file: Growing[Head, Line], progress: Progress
    ) -> Callable[[Ask, Done[Reply]], None]:
        def keep(ask: Ask, done: Done[Reply]) -> None:
            line = self._line(ask, done)
            file.add(line)
            progress.add(line)
            self.tell(progress)

        return keep

    def _line(self, ask: Ask, done: Done[Reply]) -> Line:
        planned, reply = ask.planned, done.result
        return Line(
            question_id=planned.question_id,
            draw=planned.draw,
            position=ask.position,
            k=planned.k,
            tokens=planned.tokens,
            question=planned.question,
            answers=planned.answers,
            answer=reply.text if reply else None,
            trouble=done.trouble,
            prompt_tokens=reply.prompt_tokens if reply else None,
            answer_tokens=reply.answer_tokens if reply else None,
            attempts=done.attempts,
            asked_at=self.now().isoformat(timespec="seconds"),
        )
