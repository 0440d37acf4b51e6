"""How fast to ask: a rate that all who ask share, and the pauses that a busy server wants."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable

LONGEST_PAUSE = 60.0


class Pace:
    """Turns, handed out one after the other to any number of threads."""

    def __init__(
        self,
        per_minute: float | None,
        stop: threading.Event,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._apart = 60.0 / per_minute if per_minute else 0.0
        self._stop = stop
        self._clock = clock
        self._lock = threading.Lock()
        self._next = clock()
        self._held = self._next

    def turn(self) -> bool:
        """Wait for the next turn; False where the run is stopped before it comes."""
        with self._lock:
            mine = max(self._next, self._clock())
            self._next = mine + self._apart
        while (left := mine - self._clock()) > 0:
            if self._stop.wait(left):
                return False
            with self._lock:  # somebody was told meanwhile that all should wait longer
                mine = max(mine, self._held)
        return not self._stop.is_set()

    def hold(self, seconds: float) -> None:
        """Let nobody ask for so many seconds."""
        with self._lock:
            self._held = max(self._held, self._clock() + seconds)
            self._next = max(self._next, self._held)


def pause(attempt: int, first: float) -> float:
    """Seconds before the next attempt: doubled each time, and spread, so that not all come back
    at once."""
    return min(first * 2.0 ** (attempt - 1), LONGEST_PAUSE) * random.uniform(0.75, 1.25)
