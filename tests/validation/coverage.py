"""How often the 95 % interval of log RR holds what is true, over many runs of known designs."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any

from analyzer.simulate import Model, Route
from analyzer.simulate.traits import Logging, Units
from analyzer.stats.settings import EffectSettings

from .designs import AT_ONCE, DIP, FLAT, MIXED, published, runs
from .table import Row, share

SEED = 20_260_817
LOW, HIGH = 0.92, 0.98
# The control between orderings would refuse most of these runs; here it is to be known what the
# interval alone would say.
NO_CONTROL = EffectSettings(control_effect=1e9)
_HEAVY = Units(count=1000, tail=0.8, sd=0.6)


@dataclass(frozen=True)
class Design:
    """A route under a model, what is published about it, and whether it should be covered."""

    name: str
    route: Route
    model: Model
    published: str
    covered: bool = True
    settings: EffectSettings | None = None


def designs(requests: float = 2500.0) -> list[Design]:
    """Orderings drawn for each request, a shuffled share, orderings fixed for each user."""
    of = partial(published, requests=requests)
    by_user: dict[str, Any] = {"orderings": MIXED, "ordering_by": "unit", "units": _HEAVY}
    request_units = Logging(missing=("unit_id",))
    return [
        Design("three orderings, dip", of(orderings=MIXED), DIP, "96.5 %"),
        Design("three orderings, flat", of(orderings=MIXED), FLAT, "95.0 %"),
        Design("edges first, 5 % shuffled, dip", of(explored=0.05), DIP, "96.5 %"),
        Design("edges first, 5 % shuffled, flat", of(explored=0.05), FLAT, "96.5 %"),
        Design("fixed per user, flat, units are users", of(**by_user), FLAT, "95.5 %"),
        Design("fixed per user, dip, units are users", of(**by_user), DIP, "94.0 %"),
        Design(
            "fixed per user, flat, units are requests, no control",
            of(**by_user, logging=request_units),
            FLAT,
            "71 %, not covered",
            covered=False,
            settings=NO_CONTROL,
        ),
    ]


@dataclass(frozen=True)
class Counted:
    """What the runs of a design came to."""

    shown: int
    covering: int
    verdicts: Counter[str]

    @property
    def rate(self) -> float:
        """Share of the intervals shown that hold the truth."""
        return self.covering / self.shown if self.shown else 0.0


def counted(design: Design, numbers: range) -> Counted:
    """The runs of these numbers, in this process."""
    found = list(runs(design.route, design.model, SEED, numbers, design.settings))
    held = [run.holds(run.truth) for run in found]
    verdicts = Counter(run.found.effect.verdict.code for run in found)
    return Counted(sum(each is not None for each in held), sum(map(bool, held)), verdicts)


def together(parts: list[Counted]) -> Counted:
    """Several parts of one design."""
    verdicts: Counter[str] = sum((part.verdicts for part in parts), Counter())
    shown, covering = (sum(getattr(part, name) for part in parts) for name in ("shown", "covering"))
    return Counted(shown, covering, verdicts)


def rows(count: int, pool: ProcessPoolExecutor) -> list[Row]:
    """`count` runs of each design."""
    steps = [range(at, min(at + AT_ONCE, count)) for at in range(0, count, AT_ONCE)]
    return [
        _row(each, together(list(pool.map(partial(counted, each), steps)))) for each in designs()
    ]


def _row(design: Design, found: Counted) -> Row:
    kept = LOW <= found.rate <= HIGH if design.covered else found.rate < LOW
    refused = sum(found.verdicts.values()) - found.shown
    said = f"{share(found.covering, found.shown)}, {refused} refused"
    return Row(design.name, said, design.published, kept)
