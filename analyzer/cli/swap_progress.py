"""How far `citelog swap run` has come: a bar on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from analyzer.cli import say

if TYPE_CHECKING:
    from analyzer.swap.evaluating import Progress

TENTHS = 10
SOON, LATE = 5.0, 30.0  # seconds since the last line: never sooner, and at any rate


class Prices(NamedTuple):
    """Of a million tokens; no currency."""

    prompt: float
    answer: float

    def of(self, prompt_tokens: int, answer_tokens: int) -> float:
        """What so many tokens cost."""
        return (self.prompt * prompt_tokens + self.answer * answer_tokens) / 1e6


class Shown(NamedTuple):
    """Who hears how far a run is, and who hears a line beside that."""

    tell: Callable[[Progress], None]
    talk: Callable[[str], None]


@contextmanager
def shown(prices: Prices) -> Iterator[Shown]:
    """With the cost so far."""
    if not say.to_terminal(sys.stderr):
        yield Shown(NowAndThen(prices), say.talk)
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}", markup=False))
    with Bar(*columns, TimeRemainingColumn(), console=Console(stderr=True)) as bar:
        task = bar.add_task("", total=None)

        def tell(progress: Progress) -> None:
            said = _so_far(progress, prices)
            bar.update(task, completed=progress.done, total=progress.total, description=said)

        yield Shown(tell, lambda line: bar.console.print(line, markup=False, highlight=False))


class NowAndThen:
    """A line at each tenth, but not one upon the other, and one when there was none for long."""

    def __init__(self, prices: Prices, clock: Callable[[], float] = time.monotonic) -> None:
        self._prices = prices
        self._clock = clock
        self._said_at = clock()
        self._said_tenth: int | None = None

    def __call__(self, progress: Progress) -> None:
        done, since = progress.done, self._clock() - self._said_at
        tenth = TENTHS * done // max(progress.total, 1)
        if self._said_tenth is None:
            self._said_tenth = tenth  # what earlier runs answered is no news
        elif since >= LATE or (since >= SOON and tenth > self._said_tenth):
            self._said_at, self._said_tenth = self._clock(), tenth
            say.talk(f"{done:,} of {progress.total:,} done, {_so_far(progress, self._prices)}")


def _so_far(progress: Progress, prices: Prices) -> str:
    spent = prices.of(progress.prompt_tokens, progress.answer_tokens)
    cost = [f"{spent:,.2f} spent"] if prices != (0.0, 0.0) else []
    unanswered = [f"{progress.unanswered:,} without an answer"] if progress.unanswered else []
    not_known = [f"{progress.not_known:,} not known"] if progress.not_known else []
    return ", ".join([f"{progress.prompt_tokens:,} prompt tokens", *cost, *unanswered, *not_known])
