"""Whether what-if foresees what a change of ordering or top-k does: traffic whose truth is known.

Twice: the interval should hold the change that the simulator's own formula gives when the same
requests are packed and ordered the new way, and it should agree with what is seen when the change
is really made in the week after.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa

from analyzer.measures.rows import week_of
from analyzer.simulate import Model, Route, Scenario
from analyzer.simulate.generate import Traffic
from analyzer.simulate.traits import Copies, TopK
from analyzer.stats.distributions import t_quantile
from analyzer.stats.jackknife import Estimate, jackknifed, left_out
from analyzer.whatif import Change
from analyzer.whatif.counting import Counting
from analyzer.whatif.table import routes

from .designs import DIP, FLAT, MIXED, MONDAY, day_of, published
from .facts import roll_up
from .labels import settled
from .stores import SETTINGS, empty
from .table import Row, share
from .traffic_facts import index_of, loaded

SEED = 20_261_130
AT_ONCE = 10
LOW, HIGH = 0.90, 0.99
GROUPS = 20
_WEEK = timedelta(days=7)
_replace = msgspec.structs.replace


@dataclass(frozen=True)
class Design:
    """Traffic, a change to foresee, and the route as it is once the change is made."""

    name: str
    route: Route
    model: Model
    change: Change

    @property
    def changed(self) -> Route:
        """Never more than top-k, no near-copy if so asked, every prompt under a new ordering."""
        route, change = self.route, self.change
        if change.top_k is not None:
            route = _replace(route, k=_replace(route.k, most=change.top_k))
        if change.dedupe:
            route = _replace(route, packer=_replace(route.packer, drops_copies=True))
        if change.ordering is None:
            return route
        return _replace(route, orderings={change.ordering: 1.0}, explored=0.0)


def designs(requests: float = 2500.0) -> list[Design]:
    """Orderings, 5 % shuffled or drawn by chance; top-k; a filter of copies; a flat model."""
    of = partial(published, requests=requests)
    best, shuffled = {"best_first": 1.0}, {"explored": 0.05}
    few = TopK(median=8.0, spread=0.3, least=3, most=12)
    edges, library = Change(ordering="edges_first"), Change(ordering="long_context_reorder")
    return [
        Design("edges first to best first", of(**shuffled), DIP, Change(ordering="best_first")),
        Design("best first to edges first", of(orderings=best, **shuffled), DIP, edges),
        Design("three orderings to edges first", of(orderings=MIXED), DIP, edges),
        Design(
            "best first to the libraries' reorder",
            of(orderings=best, k=few, **shuffled),
            DIP,
            library,
        ),
        Design(
            "edges first, top-k 12 to 6",
            of(k=few, fetched=14, **shuffled),
            DIP,
            Change(ordering="edges_first", top_k=6),
        ),
        Design(
            "near-copies left out, others in their place",
            of(k=_wide(few), fetched=28, copies=Copies(mirrors=0.15), orderings=MIXED),
            DIP,
            Change(dedupe=True),
        ),
        Design(
            "flat model, best first to edges first", of(orderings=best, **shuffled), FLAT, edges
        ),
    ]


def _wide(k: TopK) -> TopK:
    """So that what enters behind the last packed chunk has a rank that other prompts held."""
    return _replace(k, most=24)


@dataclass(frozen=True)
class Foreseen:
    """One run: what was foreseen, what is true of the same prompts, what was seen afterwards."""

    change: float | None  # None: refused
    interval: tuple[float, float] | None
    truth: float
    seen: Estimate

    @property
    def holds(self) -> bool:
        """Whether the interval holds the truth."""
        return self.interval is not None and self.interval[0] <= self.truth <= self.interval[1]

    @property
    def agrees(self) -> bool:
        """Whether what was seen lies where both errors together allow."""
        assert self.change is not None
        assert self.interval is not None
        assert self.seen.value is not None
        assert self.seen.se is not None
        reach = t_quantile(0.975, GROUPS - 1)
        own = (self.interval[1] - self.interval[0]) / 2
        return abs(self.seen.value - self.change) <= np.hypot(own, reach * self.seen.se)


def runs(design: Design, numbers: range) -> Iterator[Foreseen]:
    """The runs of these numbers; each is a route of its own."""
    for first in range(numbers.start, numbers.stop, AT_ONCE):
        together = range(first, min(first + AT_ONCE, numbers.stop))
        names = [f"run-{number:04d}" for number in together]
        before = _scenario(design, design.route, names)
        instead = _scenario(design, design.changed, names)
        now, other, after = (
            [day_of(scenario, route) for route in scenario.routes]
            for scenario in (before, instead, _replace(instead, first_day=MONDAY + _WEEK))
        )
        for row, was, would, then in zip(
            _told(before, now, design.change), now, other, after, strict=True
        ):
            interval = None if row["low"] is None else (row["low"], row["high"])
            truth = _expected(would) / _expected(was) - 1
            yield Foreseen(row["citations_change"], interval, truth, _seen(was, then))


def _scenario(design: Design, route: Route, names: list[str]) -> Scenario:
    return Scenario(
        first_day=MONDAY,
        weeks=1,
        seed=SEED,
        routes=tuple(_replace(route, name=name) for name in names),
        models={route.model: design.model},
    )


def _told(scenario: Scenario, periods: list[Traffic], change: Change) -> list[dict[str, Any]]:
    """The row of each route, as `citelog what-if` makes it."""
    con = empty()
    con.execute("SET enable_progress_bar = false")  # it would stand in the middle of the tables
    tables = zip(*(_facts(scenario, period) for period in periods), strict=True)
    requests, chunks, texts = map(pa.concat_tables, tables)
    roll_up(con, requests, chunks)
    for name, table in (("requests", requests), ("chunks", chunks), ("texts", texts)):
        con.register(name, table)
    found = routes(con, week_of(MONDAY.date()), Counting())
    rows = [route.row(change) for route in found]
    con.close()
    return rows


def _facts(scenario: Scenario, period: Traffic) -> tuple[pa.Table, pa.Table, pa.Table]:
    """Requests, chunks and texts, as a store holds them."""
    made = loaded(scenario, period, index_of(period.pool), SETTINGS).facts
    assert made is not None
    return *settled(made, period, scenario), made.texts


def _expected(made: Traffic) -> float:
    """Cited chunks to be expected: the same draws of requests and relevance, whatever is packed."""
    chunks = made.chunks
    cites = (made.asked.citations_known & made.asked.citing)[chunks.request]
    return float((chunks.relevance * chunks.theta)[cites].sum())


def _seen(before: Traffic, after: Traffic) -> Estimate:
    """The relative change of cited chunks an answer, with its jackknife error over users."""
    old, new = _by_group(before), _by_group(after)
    value = _per_answer(new.sum(axis=0)) / _per_answer(old.sum(axis=0)) - 1
    others = _per_answer(left_out(new)) / _per_answer(left_out(old)) - 1
    return jackknifed(float(value), others, np.ones(GROUPS, np.bool_))


def _per_answer(counts: Any) -> Any:
    return counts[..., 1] / counts[..., 0]


def _by_group(made: Traffic) -> Any:
    """[group, 2] answers and their cited chunks."""
    group = made.asked.unit % GROUPS
    answers = np.bincount(group[made.asked.citations_known], minlength=GROUPS)
    cited = np.bincount(group[made.chunks.request[made.chunks.cited]], minlength=GROUPS)
    return np.stack([answers, cited], axis=-1).astype(np.float64)


def found(design: Design, numbers: range) -> list[Foreseen]:
    """The runs of these numbers, in this process."""
    return list(runs(design, numbers))


def rows(count: int, pool: ProcessPoolExecutor) -> list[Row]:
    """`count` runs of each design."""
    steps = [range(at, min(at + AT_ONCE, count)) for at in range(0, count, AT_ONCE)]
    return [
        _row(each, [run for part in pool.map(partial(found, each), steps) for run in part])
        for each in designs()
    ]


def _row(design: Design, made: list[Foreseen]) -> Row:
    shown = [run for run in made if run.interval is not None]
    holding, agreeing = sum(run.holds for run in shown), sum(run.agrees for run in shown)
    kept = bool(shown) and all(LOW <= n / len(shown) <= HIGH for n in (holding, agreeing))
    mean = np.mean([run.truth for run in made])
    said = (
        f"truth {mean:+.1%}: {share(holding, len(shown))} hold it, "
        f"{share(agreeing, len(shown))} agree with the week after, {len(made) - len(shown)} refused"
    )
    return Row(design.name, said, "90 to 99 %", kept)
