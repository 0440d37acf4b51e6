"""A healthy near-copy rate is zero for weeks; the night after a flood must know it all the same."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import closing
from datetime import date, timedelta

import pytest
from duckdb import DuckDBPyConnection as Connection
from simulated import happening
from validation.designs import MONDAY, published
from validation.facts import fill, fill_from
from validation.stores import empty

from analyzer.measures import weekly
from analyzer.measures.rows import Scope
from analyzer.simulate import Scenario, periods, with_incidents
from analyzer.simulate.traits import Copies
from analyzer.stats.night import night_look
from analyzer.stats.panel import WeekEstimate
from analyzer.watch.alarms import alarms
from analyzer.watch.naming import week_number

CALM_WEEKS = 13
TUESDAY = MONDAY + timedelta(weeks=CALM_WEEKS, days=1)
LAST_CALM = (MONDAY + timedelta(weeks=CALM_WEEKS - 1)).date()
SEVEN_DAYS = Scope((TUESDAY - timedelta(days=6)).date(), (TUESDAY + timedelta(days=1)).date())

CALM = Scenario(
    first_day=MONDAY,
    weeks=CALM_WEEKS + 1,
    seed=4,
    weekdays=(4, 1, 0, 0, 0, 0, 0),  # two days a week are quicker to make than seven
    routes=(
        published(name="docs", requests=800.0, copies=Copies(mirrors=0.01)),
        published(name="support", requests=800.0),  # not a single copy
    ),
)
FLOOD = with_incidents(CALM, [happening("reindex_copies", TUESDAY, "support")])


@pytest.fixture(scope="module")
def flooded() -> Iterator[Connection]:
    with closing(empty()) as con:
        fill(con, FLOOD)
        weekly.update(con)
        yield con


def tonight(con: Connection) -> list[WeekEstimate]:
    """The last seven days, of which one is flooded."""
    begins = week_number(SEVEN_DAYS.first_day - timedelta(days=SEVEN_DAYS.first_day.weekday()))
    return [
        WeekEstimate(
            one.route,
            one.measure,
            begins,
            one.estimate.value,
            one.estimate.se,
            one.base,
            one.requests,
            one.size,
            one.verdict == "OK",
        )
        for one in weekly.estimates(con, SEVEN_DAYS)
    ]


def test_the_weeks_before_had_no_copy_and_yet_an_error(flooded: Connection) -> None:
    rows = flooded.execute(
        "SELECT value, se FROM week_estimates "
        "WHERE route = 'support' AND measure = 'involved_rate' AND week <= $1",
        [LAST_CALM],
    ).fetchall()
    assert len(rows) == CALM_WEEKS
    assert all(value == 0.0 and se > 0.0 for value, se in rows)


def test_the_next_night_alarms_on_the_flooded_route_alone(flooded: Connection) -> None:
    watched = alarms(flooded, LAST_CALM).watched
    assert [one for one in watched.episodes if one.raised is not None] == []
    raised = night_look(watched, tonight(flooded))
    assert [(one.route, one.measure) for one in raised] == [("support", "involved_rate")]
    [alarm] = raised
    assert alarm.change.baseline == pytest.approx(0.0, abs=1e-6)
    assert alarm.change.delta > 0.02


def test_nothing_is_anywhere_not_a_number(flooded: Connection) -> None:
    kept = "SELECT count(*) FROM week_estimates WHERE isnan(value) OR isnan(se) OR isinf(se)"
    assert flooded.execute(kept).fetchall() == [(0,)]
    for one in tonight(flooded):
        assert all(part is None or math.isfinite(part) for part in (one.value, one.se))
    everything = alarms(flooded, date(2026, 12, 31))
    for episode in everything.episodes:
        for change in (episode.at_first, episode.latest):
            numbers = [] if change is None else [change.delta, change.se, change.low, change.p]
            assert all(map(math.isfinite, numbers)), episode
    for reach in everything.reaches:
        assert reach.change is None or math.isfinite(reach.change)


def test_the_other_route_is_what_it_would_have_been(flooded: Connection) -> None:
    calm = (each for each in periods(CALM) if each.stretch.day >= TUESDAY - timedelta(days=6))
    with closing(empty()) as con:
        fill_from(con, CALM, calm)
        without = [one for one in tonight(con) if one.route == "docs"]
    assert [one for one in tonight(flooded) if one.route == "docs"] == without
    assert any(one.measure == "involved_rate" and one.value for one in without)
