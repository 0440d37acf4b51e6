"""The changes that are planted, and how often each is published to alarm."""

from __future__ import annotations

from dataclasses import dataclass

from .years import Change


@dataclass(frozen=True)
class Planted:
    """A change of one route, the measure that should alarm, and how often it is published to.

    `published`: share that alarms within 1, 2, 3, 4 and 6 weeks, in `reports` simulated reports.
    `held`: whether the traffic made here is like enough to theirs to be held to it.
    """

    name: str
    change: Change
    measure: str
    size: int
    published: tuple[float, ...]
    reports: int = 85
    held: bool = True


PLANTED = (
    Planted("dip -.069 at 5k", Change(dip=1.67), "dip", 5000, (0.01, 0.22, 0.36, 0.46, 0.59)),
    Planted("dip -.096 at 5k", Change(dip=1.91), "dip", 5000, (0.07, 0.52, 0.67, 0.76, 0.80)),
    Planted("dip -.157 at 5k", Change(dip=2.405), "dip", 5000, (0.45, 0.94, 0.99, 1, 1)),
    Planted(
        "copies 1 -> 2 % at 5k",
        Change(copies=0.00566),
        "involved_rate",
        5000,
        (0.02, 0.52, 0.65, 0.66, 0.69),
    ),
    Planted("copies 1 -> 4 % at 5k", Change(copies=0.0171), "involved_rate", 5000, (1, 1, 1, 1, 1)),
    Planted(
        "ln p95 +.10 at 5k",
        Change(longer=1.105),
        "ln_p95_context_tokens",
        5000,
        (0, 0.25, 0.34, 0.38, 0.41),
        held=False,  # prompts made here have other errors and wander less; see `lengths`
    ),
    Planted(
        "ln p95 +.22 at 1k",
        Change(longer=1.246),
        "ln_p95_context_tokens",
        1000,
        (0.08, 0.70, 0.81, 0.86, 0.91),
        reports=150,
    ),
)
