"""The weekly estimates of every route and measure as tables, series by week.

A series is one measure of one route. Weeks are whole numbers that follow each other; a week
without an estimate is a hole. The dip has one series more, over all routes at once (`all_routes`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from analyzer.stats.arrays import Flags, Floats, Integers
from analyzer.stats.jackknife import LN_TOKENS_FLOOR, rate_floor, rate_floors
from analyzer.stats.settings import DIP, DriftSettings, Measure, of_ordering
from analyzer.stats.week_error import deviations

ALL_ROUTES = "all routes"
_LEAST_SE = 1e-9  # a smaller one has lost its floor, and would outweigh everything


@dataclass(frozen=True)
class WeekEstimate:
    """One measure of one route in one week."""

    route: str
    measure: str
    week: int
    value: float | None
    se: float | None  # jackknife, with its floor
    n: float  # what the value rests on: the denominator of a rate
    requests: int
    size: float  # requests; for the dip H
    sound: bool = True  # for the dip: its verdict is OK
    without: tuple[float | None, ...] = ()  # the value without each unit group, where known

    def eligible(self, settings: DriftSettings) -> bool:
        """Whether it may be tested, or stand in a baseline."""
        if self.value is None or self.se is None or not self.sound:
            return False
        if not np.isfinite([self.value, self.se, self.n, self.size]).all():
            return False
        enough = self.requests >= settings.least(self.measure) and self.size >= 1
        return enough and self.se >= _LEAST_SE


@dataclass(frozen=True)
class Panel:
    """Tables [series, week]; numbers of weeks that are not eligible read 0, errors and sizes 1."""

    first_week: int
    routes: tuple[str, ...]  # of each series
    measures: tuple[Measure, ...]  # of each series
    value: Floats
    se: Floats
    n: Floats
    requests: Floats
    size: Floats
    without: Floats  # [series, week, unit group]; NaN where not known
    eligible: Flags

    @property
    def weeks(self) -> int:
        """How many."""
        return int(self.value.shape[1])

    @property
    def minimum(self) -> Floats:
        """The minimum effect of each series."""
        return np.array([measure.minimum_effect for measure in self.measures])

    @property
    def tests(self) -> Floats:
        """Of each series, how many measures say the same thing."""
        return np.array([float(measure.tests) for measure in self.measures])

    @cached_property
    def apart(self) -> Floats:
        """[series, week, unit group]: how far each group moves the value."""
        return deviations(self.value, self.without)

    @cached_property
    def known_apart(self) -> Flags:
        """[series, week]: where that is known."""
        known: Flags = np.isfinite(self.without).all(axis=-1) & (self.without.shape[-1] > 0)
        return known

    @cached_property
    def least_se(self) -> Floats:
        """[series, week]: the floors of the standard errors."""
        named = zip(self.measures, self.value, self.n, strict=True)
        return np.array([_least_se(*each) for each in named]).reshape(self.se.shape)

    @property
    def measure_index(self) -> Integers:
        """A number of each series' measure."""
        names = sorted({measure.name for measure in self.measures})
        return np.array([names.index(measure.name) for measure in self.measures], dtype=np.int64)

    @property
    def family(self) -> Integers:
        """A number of the family of each series' measure."""
        names = sorted({measure.family for measure in self.measures})
        return np.array([names.index(measure.family) for measure in self.measures], dtype=np.int64)

    @property
    def of_a_route(self) -> Flags:
        """Whether a series is one route's own."""
        return np.array([route != ALL_ROUTES for route in self.routes], dtype=np.bool_)

    @property
    def all_routes(self) -> int | None:
        """The series of the dip over all routes, if there is one."""
        return self.routes.index(ALL_ROUTES) if ALL_ROUTES in self.routes else None

    @property
    def dips(self) -> Integers:
        """The series of each route's own dip."""
        named = [measure.name == DIP for measure in self.measures]
        return np.flatnonzero(np.array(named, dtype=np.bool_) & self.of_a_route)


def _least_se(measure: Measure, value: Floats, n: Floats) -> Floats:
    """Of one series, as its estimates have them; the dip has none of its own."""
    if measure.rate:
        return rate_floors(value, np.maximum(n, 1.0))
    of_its_own = {DIP: _LEAST_SE, "ln_p95_context_tokens": LN_TOKENS_FLOOR}
    return np.broadcast_to(of_its_own.get(measure.name, 1 / np.maximum(n, 1.0)), value.shape)


def panel_of(estimates: Iterable[WeekEstimate], settings: DriftSettings) -> Panel:
    """The panel of these estimates, in whatever order they come; one a route, measure and week."""
    rows = list(estimates)
    rows += _of_none(rows, {(row.measure, row.route) for row in rows})
    first = min((row.week for row in rows), default=0)
    weeks = max((row.week for row in rows), default=first - 1) - first + 1
    names = sorted({(row.measure, row.route) for row in rows})
    if sum(measure == DIP for measure, _ in names) > 1:
        names.append((DIP, ALL_ROUTES))
    index = {name: place for place, name in enumerate(names)}
    table = _Filled(len(names), weeks, max((len(row.without) for row in rows), default=0))
    for row in rows:
        if row.eligible(settings):
            table.put(index[row.measure, row.route], row.week - first, row)
    panel = table.panel(first, names, settings)
    return panel if panel.all_routes is None else _with_all_routes(panel, panel.all_routes)


def with_column(
    panel: Panel, column: int, estimates: Iterable[WeekEstimate], settings: DriftSettings
) -> Panel:
    """The weeks before a column, and these estimates in it; only of series that are there."""
    named = {name: i for i, name in enumerate(_names(panel))}
    table = _Filled(len(panel.routes), column + 1, panel.without.shape[-1])
    table.copy(panel, min(column, panel.weeks))
    rows = list(estimates)
    for row in (*rows, *_of_none(rows, named)):
        if row.eligible(settings) and (row.measure, row.route) in named:
            table.put(named[row.measure, row.route], column, row)
    made = table.panel(panel.first_week, _names(panel), settings)
    return made if made.all_routes is None else _with_all_routes(made, made.all_routes)


def _names(panel: Panel) -> list[tuple[str, str]]:
    return [
        (measure.name, route) for measure, route in zip(panel.measures, panel.routes, strict=True)
    ]


def _of_none(rows: list[WeekEstimate], named: Iterable[tuple[str, str]]) -> list[WeekEstimate]:
    """Shares of nothing: of orderings that a route has in other weeks, where it has any that week.

    Only the orderings that were seen are estimated; in a week that saw another they had none.
    """
    of_route: dict[str, set[str]] = {}
    for measure, route in named:
        if of_ordering(measure):
            of_route.setdefault(route, set()).add(measure)
    seen: dict[tuple[str, int], list[WeekEstimate]] = {}
    for row in rows:
        if of_ordering(row.measure):
            seen.setdefault((row.route, row.week), []).append(row)
    return [
        _none_of(measure, week[0])
        for (route, _), week in seen.items()
        for measure in sorted(of_route.get(route, set()).difference(row.measure for row in week))
    ]


def _none_of(measure: str, beside: WeekEstimate) -> WeekEstimate:
    se = rate_floor(0.0, max(beside.n, 1.0))
    without = (0.0,) * len(beside.without)
    return replace(beside, measure=measure, value=0.0, se=se, without=without)


class _Filled:
    """Tables while they are filled."""

    def __init__(self, series: int, weeks: int, groups: int) -> None:
        self.zeros = {name: np.zeros((series, weeks)) for name in ("value", "n", "requests")}
        self.ones = {name: np.ones((series, weeks)) for name in ("se", "size")}
        self.without = np.full((series, weeks, groups), np.nan)
        self.eligible = np.zeros((series, weeks), dtype=np.bool_)

    def put(self, series: int, week: int, row: WeekEstimate) -> None:
        for name, table in (self.zeros | self.ones).items():
            table[series, week] = getattr(row, name)
        if len(row.without) == self.without.shape[-1]:
            self.without[series, week] = row.without
        self.eligible[series, week] = True

    def copy(self, panel: Panel, weeks: int) -> None:
        for name, table in (self.zeros | self.ones).items():
            table[:, :weeks] = getattr(panel, name)[:, :weeks]
        self.without[:, :weeks] = panel.without[:, :weeks]
        self.eligible[:, :weeks] = panel.eligible[:, :weeks]

    def panel(self, first: int, names: list[tuple[str, str]], settings: DriftSettings) -> Panel:
        routes = tuple(route for _, route in names)
        measures = tuple(
            Measure(DIP, settings.all_routes_effect, rate=False)
            if route == ALL_ROUTES
            else settings.measure(name)
            for name, route in names
        )
        tables = self.zeros | self.ones
        return Panel(
            first, routes, measures, **tables, without=self.without, eligible=self.eligible
        )


def _with_all_routes(panel: Panel, row: int) -> Panel:
    """A week of the row over all routes is eligible where any route's dip is."""
    panel.eligible[row] = panel.eligible[panel.dips].any(axis=0)
    panel.requests[row] = panel.requests[panel.dips].sum(axis=0)
    return panel
