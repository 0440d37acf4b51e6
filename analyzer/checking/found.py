"""What was found: how often of how often, what it costs, what to do, and where to look first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from numpy.typing import NDArray

Level = Literal["error", "warning", "note"]

PLACES = 3
ERROR, WARNING = 70, 30  # least weight of each level
SELDOM = 0.02  # of a smaller share the same is worth one level less
_LOWER: dict[Level, Level] = {"error": "warning", "warning": "note", "note": "note"}
_ORDER: dict[Level, int] = {"error": 0, "warning": 1, "note": 2}


@dataclass(frozen=True)
class Fault:
    """One kind of fault. `weight` is what it costs, 0 to 100: 70 an error, 30 a warning."""

    name: str
    weight: int
    says: str
    costs: str
    do: str


@dataclass(frozen=True)
class Reason:
    """One of several things that a finding sums up: so many of them, and its first places."""

    says: str
    count: int
    at: tuple[str, ...]


@dataclass(frozen=True)
class Finding:
    """A fault in `count` of `of` things (`base` names them); `at` are its first places.

    `reasons`: what it sums up, the commonest first; none where `says` says it all.
    """

    name: str
    level: Level
    count: int
    of: int
    base: str
    says: str
    costs: str
    do: str
    at: tuple[str, ...]
    weight: float
    reasons: tuple[Reason, ...] = ()


@dataclass(frozen=True)
class Unchecked:
    """A check that could not be made, and why."""

    name: str
    why: str


@dataclass(frozen=True)
class SetAside:
    """A file that a load would set aside: so many of its lines are rejected."""

    file: str
    rejected: int
    lines: int


@dataclass(frozen=True)
class Checked:
    """All of it, what costs most first. lines = requests + judgements + rejected."""

    files: int
    lines: int
    requests: int
    judgements: int
    rejected: int
    findings: tuple[Finding, ...]
    unchecked: tuple[Unchecked, ...]
    set_aside: tuple[SetAside, ...] = ()

    def count(self, level: Level) -> int:
        """How many findings are of this level."""
        return sum(one.level == level for one in self.findings)


@dataclass
class Tally:
    """How many things were wrong, of how many, and where first."""

    count: int = 0
    of: int = 0
    at: list[str] = field(default_factory=list)

    def add(self, count: int, of: int, place: str) -> None:
        """What one request, or one line, at `place` brings."""
        self.count += count
        self.of += of
        if count:
            self._see(place)

    def add_all(self, wrong: NDArray[Any], of: NDArray[Any], place: Callable[[int], str]) -> None:
        """The same for many requests at once: per request how much is wrong, and of how much."""
        self.count += int(wrong.sum())
        self.of += int(of.sum())
        for index in wrong.nonzero()[0].tolist():
            if len(self.at) == PLACES:
                break
            self._see(place(index))

    def _see(self, place: str) -> None:
        """Keep a place; of several records of one line, one."""
        if len(self.at) < PLACES and place not in self.at:
            self.at.append(place)

    @property
    def share(self) -> float:
        return self.count / self.of if self.of else 0.0

    def found(self, fault: Fault, base: str, reasons: Sequence[Reason] = ()) -> list[Finding]:
        """The finding, if there is anything to find."""
        if not self.count:
            return []
        level = _level(fault.weight, self.share)
        cost = fault.weight * self.share
        about = (fault.says, fault.costs, fault.do)
        at, told = tuple(self.at), tuple(reasons)
        return [Finding(fault.name, level, self.count, self.of, base, *about, at, cost, told)]


def _level(weight: int, share: float) -> Level:
    level: Level = "error" if weight >= ERROR else "warning" if weight >= WARNING else "note"
    return _LOWER[level] if share < SELDOM else level


def ordered(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """What costs most first."""
    return tuple(sorted(findings, key=lambda one: (_ORDER[one.level], -one.weight, one.name)))
