"""Many things done at once that each take long and may fail: with retry, at a rate, stoppable.

Nothing here knows what is done. Whoever asks models and whoever asks a judge hands in the work
that is left, how one piece is done, and where its result is kept.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from analyzer.errors import CitelogError
from analyzer.swap.asking import Broken, Trouble, Unanswerable
from analyzer.swap.pace import Pace, pause

IN_A_ROW = 10  # pieces without a result, one after the other, that end a run
BROKEN_IN_A_ROW = 3  # of a program that has not answered anything yet
BROKEN_ATTEMPTS = 3  # at each of them

W = TypeVar("W")
R = TypeVar("R")


@dataclass(frozen=True)
class Manner:
    """How it is done."""

    at_once: int = 4
    attempts: int = 8
    per_minute: float | None = None
    first_pause: float = 1.0  # seconds, doubled from attempt to attempt


@dataclass(frozen=True)
class Done(Generic[R]):
    """One piece: its result, or why there is none."""

    result: R | None
    trouble: str | None
    attempts: int
    broken: bool = False  # by a program that gives no answer


Keep = Callable[[W, Done[R]], None]
Warn = Callable[[str], None]


class Running(Generic[W, R]):
    """One run: threads that take pieces, do them and have each result kept, one at a time."""

    def __init__(
        self,
        do: Callable[[W], R],
        keep: Keep[W, R],
        manner: Manner,
        warn: Warn = lambda reason: None,
    ) -> None:
        """`warn` hears of the first trouble, at once, without the words of whoever was asked."""
        self._do = do
        self._keep = keep
        self._warn: Warn | None = warn
        self._manner = manner
        self._stop = threading.Event()
        self._pace = Pace(manner.per_minute, self._stop)
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._running = 1  # whoever starts the others is one of them
        self._in_a_row = 0
        self._answered = False  # anything at all
        self._fault: BaseException | None = None

    def run(self, work: Iterable[W]) -> None:
        """Do all of it; what is under way is finished when this is interrupted.

        Raises the error that ended it: `Refused`, one of keeping, or many pieces in a row without
        a result.
        """
        try:
            self._start(iter(work))
            self._wait_for_all()
        except BaseException:
            self._stop.set()
            self._wait_for_all()
            raise
        if self._fault:
            raise self._fault

    def _start(self, left: Iterator[W]) -> None:
        try:
            for _ in range(self._manner.at_once):
                worker = threading.Thread(target=self._work, args=(left,), daemon=True)
                with self._lock:
                    self._running += 1
                worker.start()
        finally:
            self._leave()

    def _leave(self) -> None:
        with self._lock:
            self._running -= 1
            if not self._running:
                self._ended.set()

    def _wait_for_all(self) -> None:
        # Not Thread.join: interrupted, it takes a thread for ended that still works. And in parts:
        # a wait without an end would not hear Ctrl-C.
        while not self._ended.wait(0.2):
            pass

    def _work(self, left: Iterator[W]) -> None:
        try:
            self._take(left)
        except BaseException as fault:  # handed to whoever started the run
            self._fault = self._fault or fault
            self._stop.set()
        finally:
            self._leave()

    def _take(self, left: Iterator[W]) -> None:
        while not self._stop.is_set():
            with self._lock:
                piece = next(left, None)
            if piece is None:
                return
            if (done := self._done(piece)) is not None:
                with self._lock:
                    self._keep(piece, done)
                    self._count(done)

    def _done(self, piece: W) -> Done[R] | None:
        """The piece, after as many attempts as it takes; None where the run stops before."""
        for attempt in range(1, self._manner.attempts + 1):
            if not self._pace.turn():
                return None
            try:
                return Done(self._do(piece), None, attempt)
            except Unanswerable as why:
                return Done(None, str(why), attempt)
            except Trouble as why:
                self._say_first(why)
                if attempt >= self._attempts(why):
                    return Done(None, str(why), attempt, isinstance(why, Broken))
                self._wait(attempt, why)
        return None

    def _say_first(self, why: Trouble) -> None:
        with self._lock:
            warn, self._warn = self._warn, None
        if warn is not None:
            warn(why.reason)

    def _attempts(self, why: Trouble) -> int:
        few = isinstance(why, Broken) and not self._answered
        return min(self._manner.attempts, BROKEN_ATTEMPTS) if few else self._manner.attempts

    def _wait(self, attempt: int, why: Trouble) -> None:
        seconds = max(why.wait, pause(attempt, self._manner.first_pause))
        if why.crowded:
            self._pace.hold(seconds)
        else:
            self._stop.wait(seconds)

    def _count(self, done: Done[R]) -> None:
        self._answered |= done.trouble is None
        self._in_a_row = 0 if done.trouble is None else self._in_a_row + 1
        most = BROKEN_IN_A_ROW if done.broken and not self._answered else IN_A_ROW
        if self._in_a_row >= most:
            raise CitelogError(
                f"{self._in_a_row} in a row got no answer, the last one because {done.trouble}; "
                "what was answered is kept, run again to go on"
            )
