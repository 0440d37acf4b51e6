"""One run of a set: ask what has no answer yet, keep every answer as it comes.

That a question is asked is written down before it is sent. What a killed run left under way may
have been answered and paid for, so it is asked once more only where that is wanted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from msgspec import structs

from analyzer.swap.asking import Ask, Key, Prompt, Refused, Reply, Trouble, Unanswerable
from analyzer.swap.prompting import Template
from analyzer.swap.results import Growing, Head, Line, growing, latest
from analyzer.swap.running import Done, Manner, Running
from analyzer.swap.sets import Set


@dataclass
class Progress:
    """How far a run has come; tokens as the endpoint counted them, those of earlier runs too."""

    total: int
    answered: int = 0
    unanswered: int = 0
    not_known: int = 0  # were under way when a run was killed, and are not asked again
    prompt_tokens: int = 0
    answer_tokens: int = 0

    @property
    def done(self) -> int:
        """So many of the total need nothing more in this run."""
        return self.answered + self.unanswered + self.not_known

    def add(self, reply: Reply) -> None:
        """Count one answer."""
        self.answered += 1
        self.prompt_tokens += reply.prompt_tokens or 0
        self.answer_tokens += reply.answer_tokens or 0


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
    ask_again: bool = False  # what was under way when a run was killed

    def run(self, path: Path) -> Progress:
        """Ask all that the file at `path` holds no answer to, and add the answers to it."""
        with growing(path, self.head, Line) as file:
            held = latest(file.lines)
            progress = self._so_far(held)
            self.tell(progress)
            running = Running[Ask, Reply](
                self._asking(file), self._keeper(file, progress), self.manner, self.warn
            )
            running.run(self._left(held))
            return progress

    def _so_far(self, held: Mapping[Key, Line]) -> Progress:
        progress = Progress(sum(len(each.positions) for each in self.asked.planned))
        for line in held.values():
            if line.answer is not None:
                progress.add(Reply(line.answer, line.prompt_tokens, line.answer_tokens))
        progress.not_known = sum(self._stays_unknown(line) for line in held.values())
        return progress

    def _left(self, held: Mapping[Key, Line]) -> list[Ask]:
        """What is to be asked; what was asked before comes last, so that it holds nothing up."""
        every = (Ask(each, position) for each in self.asked.planned for position in each.positions)
        settled = {
            key
            for key, line in held.items()
            if line.answer is not None or self._stays_unknown(line)
        }
        left = [ask for ask in every if ask.key not in settled]
        return sorted(left, key=lambda ask: ask.key in held)

    def _stays_unknown(self, line: Line) -> bool:
        return line.under_way and not self.ask_again

    def _asking(self, file: Growing[Head, Line]) -> Callable[[Ask], Reply]:
        """Asks, with its beginning written down, and its end where that is no answer."""

        def ask_once(ask: Ask) -> Reply:
            prompt = self.template.prompt(ask, self.asked.name)
            file.add(self._line(ask), durable=True)
            try:
                return self.asker(prompt)
            except (Trouble, Unanswerable, Refused) as why:
                file.add(self._line(ask, trouble=str(why)))
                raise

        return ask_once

    def _keeper(
        self, file: Growing[Head, Line], progress: Progress
    ) -> Callable[[Ask, Done[Reply]], None]:
        def keep(ask: Ask, done: Done[Reply]) -> None:
            if done.result is None:
                progress.unanswered += 1
            else:
                file.add(self._answer(ask, done.result, done.attempts))
                progress.add(done.result)
            self.tell(progress)

        return keep

    def _line(self, ask: Ask, trouble: str | None = None) -> Line:
        planned = ask.planned
        return Line(
            question_id=planned.question_id,
            draw=planned.draw,
            position=ask.position,
            k=planned.k,
            tokens=planned.tokens,
            trouble=trouble,
            asked_at=self.now().isoformat(timespec="seconds"),
        )

    def _answer(self, ask: Ask, reply: Reply, attempts: int) -> Line:
        return structs.replace(
            self._line(ask),
            question=ask.planned.question,
            answers=ask.planned.answers,
            answer=reply.text,
            prompt_tokens=reply.prompt_tokens,
            answer_tokens=reply.answer_tokens,
            attempts=attempts,
        )
