"""What an alarm is: its life, its numbers, and the events that bear on it.

Episodes are a function of estimates and events, never of the order in which things were computed.
Acknowledging changes nothing here; leaving a week out of baselines does, and is an event of its
own, with the week from which on it is known.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

State = Literal["watch", "raised", "persistent", "cleared", "re-baselined"]
Rule = Literal["at once", "two weeks of three", "window", "night"]
Ending = Literal["faded", "quiet", "new level", "unmonitored"]


@dataclass(frozen=True)
class Change:
    """One or several weeks against the baseline, in the measure's own unit."""

    delta: float
    se: float
    low: float
    high: float
    p: float
    weeks: int  # held against the baseline
    baseline: float  # what was expected
    baseline_weeks: int
    moved: int = 1  # of the dip over all routes: how many routes moved the same way
    taken: int = 1  # of how many


@dataclass(frozen=True)
class Began:
    """When the change began, as the weeks tell it; Monday weeks as numbers."""

    week: int
    earliest: int
    latest: int
    shift: float


@dataclass(frozen=True)
class Episode:
    """A change of one measure of one route, from its first sign to its end.

    watch: seen, not alarmed. raised: alarmed in the last week. persistent: alarmed earlier, still
    there. cleared, re-baselined: over (a watch that faded is cleared with `raised` None).
    """

    id: str
    route: str
    measure: str
    state: State
    opened: int  # week
    raised: int | None  # week
    ended: int | None  # week
    rule: Rule | None  # what raised it
    ending: Ending | None
    at_first: Change | None  # when it was raised (or first seen): too large near the limit
    latest: Change | None
    began: Began | None
    measured: int | None = None  # week of `latest`: a later one could not be held against anything


@dataclass(frozen=True)
class Excluded:
    """A week that somebody took out of baselines, as an incident that is understood."""

    week: int
    since: int  # the first week whose test knows of it
    route: str | None = None  # None: every route
    measure: str | None = None  # None: every measure

    def concerns(self, route: str, measure: str) -> bool:
        """Whether a series is meant."""
        return self.route in (None, route) and self.measure in (None, measure)


@dataclass(frozen=True)
class Raised:
    """An alarm that was sent, and the id it carried.

    Raised at night it opens an episode in its week, whatever the closed week says; any keeps its
    id for the episode that covers its week.
    """

    week: int
    route: str
    measure: str
    id: str
    at_night: bool = False
    change: Change | None = None


Event = Excluded | Raised
