"""What came of an evaluation: for each question and position, right, wrong, or not known."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date
from typing import Literal, NamedTuple

Range = tuple[int, int, int]  # 5th, 50th and 95th percentile
Place = Literal["start", "middle", "end"]
PLACES: tuple[Place, ...] = ("start", "middle", "end")
PROMPT_BUCKETS = (0, 1500, 3000, 6000, 12000)  # lower edges in tokens, as everywhere
UNKNOWN = "unknown"


class Outcome(NamedTuple):
    """One question, asked with its expected chunk at one position of k."""

    question_id: str
    draw: int
    position: int  # 1..k
    k: int
    correct: bool | None  # None: no answer came, or none that could be judged
    tokens: int | None = None  # context tokens

    @property
    def place(self) -> Place | None:
        """Start, middle or end of the prompt; None for a prompt of one chunk."""
        return place_of(self.position, self.k)

    @property
    def bucket(self) -> int | None:
        """Lower edge of the bucket that its context tokens lie in."""
        if self.tokens is None:
            return None
        return max(edge for edge in PROMPT_BUCKETS if edge <= self.tokens)


@dataclass(frozen=True)
class Run:
    """One model, asked one set of questions."""

    model: str
    outcomes: list[Outcome] = field(repr=False)
    prompt_version: str = UNKNOWN
    route: str | None = None
    question_set: str | None = None
    judge: str = "given"
    source: str = ""
    asked_on: date | None = None
    not_known: int = 0  # prompts that were under way when it was killed
    unpaired: int = 0  # other prompts of the same draws, which are left out with them


def place_of(position: int, k: int) -> Place | None:
    """Place of position 1..k: the first fifth of the depth is the start, the last one the end."""
    if k < 2:
        return None
    if 5 * (position - 1) < k - 1:
        return "start"
    return "end" if 5 * (position - 1) > 4 * (k - 1) else "middle"


def tokens_range(outcomes: Iterable[Outcome]) -> Range | None:
    """That of the context tokens; None where they are not known."""
    known = sorted(each.tokens for each in outcomes if each.tokens is not None)
    if not known:
        return None
    low, middle, high = (known[int(share * (len(known) - 1))] for share in (0.05, 0.5, 0.95))
    return low, middle, high
