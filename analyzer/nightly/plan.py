"""What a night is asked to do, and whom it tells of every step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path

from analyzer.config import Config

Tell = Callable[[str, dict[str, object]], None]
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Plan:
    """What a night is asked to do: `tell` hears of every step, `missed` are nights to make up."""

    config: Config
    now: datetime
    version: str
    tell: Tell
    missed: Sequence[date] = ()
    estimate_again: bool = False
    progress: Progress | None = None

    @property
    def store(self) -> Path:
        """The store's file."""
        return self.config.store
