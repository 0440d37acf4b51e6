"""One thing that could be missing, as a night judges it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from analyzer.watch.raising import Raising

Key = tuple[str | None, str]  # route (None: all of them) and what is watched
Standing = Mapping[Key, Raising]


@dataclass(frozen=True)
class Judged:
    """`holds`: it is missing; None where there is too little to judge, and what stands goes on.

    `what` ends the id of its alarm, `measure` is a weekly measure that would tell the same.
    """

    route: str | None
    what: str
    holds: bool | None
    raising: Raising
    measure: str | None = None

    @property
    def key(self) -> Key:
        """What is watched: one alarm stands for it at a time."""
        return self.route, self.raising.measure


def share(part: int, of: int) -> float:
    """A share, 0 of nothing."""
    return part / of if of else 0.0
