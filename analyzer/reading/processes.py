"""Reading a long file in several processes, because one Python process reads on one core only.

This process reads too, what the others have not taken yet. What is read is given in the
order of the file, so what is loaded is what one process would have loaded. Where another one is
ended from outside, what it had is read here.

Not a ProcessPoolExecutor: it runs the caller's main module again, leaves its processes behind when
this one is killed, and waits forever where one of them is killed while a piece is on its way to it.
A pipe to each is less code than what would be needed around one.
"""

from __future__ import annotations

import fcntl
import os
import pickle
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import IO, TYPE_CHECKING, Any

from analyzer.reading import READY

if TYPE_CHECKING:
    from analyzer.reading.pieces import Block, Piece, Terms

WORTH = 32 * 2**20  # bytes as stored; a shorter file is read before another process has started
MOST = 4  # by themselves
AHEAD = 8  # pieces that lie ready for each other process, so that none has to wait for its next one
PIPE = 1 << 20  # bytes on their way to or from another process before one has to wait
HELD = 12  # pieces for each process that are held because an earlier one is not read yet


def usual() -> int:
    """One for each core that this process may use, but few: the database takes them one by one."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return min(cores or 1, MOST)


class Readers:
    """So many `processes` that read, this one among them; the others start at a long file.

    None: one for each core, at most four.
    """

    def __init__(self, processes: int | None = None) -> None:
        # A frozen application would start itself again.
        able = sys.executable and not getattr(sys, "frozen", False)
        self._most = (processes or usual()) - 1 if able else 0
        self._others: list[_Other] = []
        self._asked: SimpleQueue[_Question | None] = SimpleQueue()

    def foresee(self, size: int) -> None:
        """Start the others where a file of `size` bytes, soon to be read, is long enough."""
        if size >= WORTH and not self._others:
            with suppress(OSError, RuntimeError):  # where no more may be started, fewer read
                for _ in range(self._most):
                    self._others.append(_Other(self._asked))

    def close(self) -> None:
        """End the others, whatever they do."""
        for other in self._others:
            other.kill()
            self._asked.put(None)  # whichever takes it
        for other in self._others:
            other.wait()
        self._others.clear()
        self._asked = SimpleQueue()  # without what nobody took

    def blocks(
        self, pieces: Iterable[Piece], terms: Terms, taking: Callable[[], Future[Any] | None]
    ) -> Iterator[Block]:
        """What comes of the pieces of a file, in their order.

        `taking` tells what is being done with blocks that were given, if anything is.
        """
        waiting: deque[_Question] = deque()

        def first() -> Block:
            nonlocal terms
            block = waiting.popleft().read(terms)
            terms = terms.knowing(block.marker_base)
            return block

        for piece in pieces:
            waiting.append(_Question(piece, terms))
            self._asked.put(waiting[-1])
            while self._asked.qsize() > self._enough():
                self._go_on(waiting, taking())
                while waiting and waiting[0].block.done():
                    yield first()
        while waiting:
            while not waiting[0].block.done() and self._help():
                pass
            yield first()

    def _enough(self) -> int:
        return AHEAD * sum(other.ready.is_set() for other in self._others)

    def _go_on(self, waiting: deque[_Question], busy: Future[Any] | None) -> None:
        """Read here, but where others read leave the core to what is done with the blocks."""
        first: Future[Any] = waiting[0].block
        if len(waiting) > HELD * (self._most + 1):
            wait([first])
        elif busy and self._enough():
            wait([first, busy], return_when=FIRST_COMPLETED)
        else:
            self._help()

    def _help(self) -> bool:
        """Read a piece here that no other has taken yet; whether there was one."""
        try:
            question = self._asked.get_nowait()
        except Empty:
            return False
        if question is not None:
            question.block.set_result(_read(question.piece, question.terms))
        return question is not None


def _where_modules_lie() -> list[str]:
    """The folders of modules here; another process must read with this very code.

    In a notebook the folder it was started in stands there without a name.
    """
    ours = str(Path(__file__).resolve().parents[2])
    named = [folder for folder in sys.path if folder]
    return named if ours in map(os.path.realpath, named) else [ours, *named]


def _read(piece: Piece, terms: Terms) -> Block:
    # Imported late: others are started while this process has most of its imports to come.
    from analyzer.reading.pieces import read

    return read(piece, terms)


def _widen(pipe: IO[bytes] | None) -> None:
    """Let more be on its way in a pipe, where the system knows how and lets us."""
    if pipe and hasattr(fcntl, "F_SETPIPE_SZ"):
        with suppress(OSError):
            fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, PIPE)


@dataclass
class _Question:
    """A piece, by what it is to be read, and what comes of it, here or elsewhere."""

    piece: Piece
    terms: Terms
    block: Future[Block] = field(default_factory=Future)

    def read(self, terms: Terms) -> Block:
        """The block; read again where it was read before it was known what markers count from."""
        block = self.block.result()
        if block.marker_base in (None, terms.knowing(block.marker_base).marker_base):
            return block
        return _read(self.piece, terms)


class _Other:
    """Another process, and the thread here that takes it questions and brings back its answers."""

    def __init__(self, asked: SimpleQueue[_Question | None]) -> None:
        self.ready = Event()
        self._wanted = True
        self._asked = asked
        self._process = subprocess.Popen(
            # Without -P a folder called `analyzer` where the user stands would be run.
            [sys.executable, "-P", "-m", "analyzer.reading.serving"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(_where_modules_lie())},
            start_new_session=True,  # Ctrl-C is for the process that was asked
        )
        for pipe in (self._process.stdin, self._process.stdout):
            _widen(pipe)
        self._thread = Thread(target=self._talk, daemon=True)
        try:
            self._thread.start()
        except RuntimeError:
            self._process.kill()
            raise

    def kill(self) -> None:
        """End it, whatever it does."""
        self._wanted = False
        self._process.kill()

    def wait(self) -> None:
        """Wait until both are gone."""
        self._thread.join()
        # What was still on its way there is of no use.
        with suppress(BrokenPipeError), self._process:
            pass
        self._process.wait()

    def _talk(self) -> None:
        to, back = self._process.stdin, self._process.stdout
        assert to is not None, "it was started with pipes"
        assert back is not None, "it was started with pipes"
        if back.read(len(READY)) != READY:
            self._process.kill()  # it did not even start, or says something else; the others read
            return
        self.ready.set()
        while question := self._asked.get():
            try:
                question.block.set_result(self._answer(question, to, back))
            except Exception as error:  # whatever it is, who waits for the block must hear of it
                question.block.set_exception(error)

    def _answer(self, question: _Question, to: IO[bytes], back: IO[bytes]) -> Block:
        """The block; read here where the process was ended, perhaps for want of memory."""
        try:
            pickle.dump((question.piece, question.terms), to, protocol=5)
            to.flush()
            block: Block = pickle.load(back)
        except Exception:  # also what unpickling half an answer, or somebody's print, may raise
            if self._wanted:
                self.ready.clear()  # so nothing more is meant for it
                self._process.kill()
                return _read(question.piece, question.terms)
            raise
        return block
