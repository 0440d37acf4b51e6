"""Every measure over the weeks beside what was expected of it: band, alarms and new labels.

The band is the one that a week was judged by: where 99 of 100 single weeks fall if nothing
changed, the week's own error, the spread between weeks and the baseline's error together.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from analyzer import names, numbers, parameters
from analyzer.report.tables.columns import column
from analyzer.stats.distributions import t_quantile
from analyzer.stats.episodes import Episode
from analyzer.stats.settings import DIP, EffectSettings
from analyzer.store import statement
from analyzer.watch.naming import monday_of, week_number

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection

    from analyzer.watch import Alarms

INSIDE = 0.99  # of single weeks
GROUPS = EffectSettings().groups

SCHEMA = pa.schema(
    [
        column("week", pa.date32(), "Monday that opens the week"),
        column("route", pa.string(), "the route"),
        column("measure", pa.string(), "its name"),
        column("n", pa.int64(), "what the value rests on: the denominator of a rate"),
        column("value", pa.float64(), "rates 0 to 1; requests; tokens; log2 rank; dip: relative"),
        column("low", pa.float64(), "lower end of its 95 % interval"),
        column("high", pa.float64(), "upper end of its 95 % interval"),
        column("baseline", pa.float64(), "what was expected of the week; NULL: not judged"),
        column("band_low", pa.float64(), "lower end of the band that 99 % of single weeks fall in"),
        column("band_high", pa.float64(), "its upper end"),
        column("alarm", pa.string(), "up or down in the week it was raised, open while it stood"),
        column("new_at", pa.date32(), "three days before a week with a label never seen before"),
        column("new_labels", pa.string(), "releases, models, index versions first seen then"),
    ]
)  # fmt: skip

Row = dict[str, Any]
_SHOWN = {"ln_p95_context_tokens": "p95_context_tokens"}
_BACK: dict[str, Callable[[float], float]] = {DIP: math.expm1, "ln_p95_context_tokens": math.exp}


def judged_weeks(
    con: Connection,
    week: date,
    weeks: int,
    found: Alarms | None,
    asked: pa.Table,
    lengths: pa.Table,
) -> pa.Table:
    """The answers of `weekly_measures` and `context_tokens`, with what the tests say of each week.

    The position effect comes from the weekly estimates that the tests were made with.
    """
    rows = [{name: row[name] for name in SCHEMA.names if name in row} for row in asked.to_pylist()]
    rows += map(_length, lengths.to_pylist())
    first = week - timedelta(weeks=weeks - 1)
    bands: dict[tuple[str, str, date], Row] = {}
    if found is not None:
        asked_for = {(row["route"], row["week"]): row["n"] for row in rows if _counts(row)}
        rows += _dips(found, asked_for)
        bands = dict(_bands(found, first))
    labels = _new_labels(con, first, week)
    told = [
        {
            **row,
            **bands.get((row["route"], row["measure"], row["week"]), {}),
            **labels.get((row["route"], row["week"]), {}),
        }
        for row in rows
    ]
    told.sort(key=lambda row: (row["measure"], row["route"], row["week"]))
    return pa.Table.from_pylist(told, SCHEMA)


def _length(row: Row) -> Row:
    told = {"value": row["p95"], "low": row["p95_low"], "high": row["p95_high"]}
    return {
        "week": row["week"],
        "route": row["route"],
        "measure": "p95_context_tokens",
        "n": row["requests"],
        **told,
    }


def _counts(row: Row) -> bool:
    return bool(row["measure"] == "requests")


def _dips(found: Alarms, requests: dict[tuple[str, date], int]) -> Iterator[Row]:
    """Of routes whose position effect could be told in some week; in the others it is a hole."""
    panel = found.watched.panel
    for series in panel.dips.tolist():
        route = panel.routes[series]
        weeks = {monday: n for (of, monday), n in requests.items() if of == route}
        told = {monday: _dip(found, series, monday) for monday in weeks}
        if any(told.values()):
            yield from (
                {"week": monday, "route": route, "measure": DIP, "n": n, **told[monday]}
                for monday, n in weeks.items()
            )


def _dip(found: Alarms, series: int, monday: date) -> Row:
    """Value and interval of one week; nothing where its verdict was a refusal."""
    panel = found.watched.panel
    at = week_number(monday) - panel.first_week
    if not 0 <= at < panel.weeks or not panel.eligible[series, at]:
        return {}
    value, se = float(panel.value[series, at]), float(panel.se[series, at])
    reach = t_quantile(0.975, GROUPS - 1) * se
    ends = {"low": math.expm1(value - reach), "high": math.expm1(value + reach)}
    return {"value": math.expm1(value), **ends}


def _bands(found: Alarms, first: date) -> Iterator[tuple[tuple[str, str, date], Row]]:
    panel, marks = found.watched.panel, _marks(found)
    for looked in found.watched.looks:
        monday = monday_of(panel.first_week + looked.week)
        if monday < first:
            continue
        for series, (route, measure) in enumerate(zip(panel.routes, panel.measures, strict=True)):
            row = {"alarm": marks.get((route, measure.name, panel.first_week + looked.week))}
            if looked.weekly.predicted[series]:
                row |= _band(looked.weekly, series, measure.name)
            yield (route, _SHOWN.get(measure.name, measure.name), monday), row


def _band(weekly: Any, series: int, measure: str) -> Row:
    back = _BACK.get(measure, float)
    mean, se = float(weekly.baseline[series]), float(weekly.se[series])
    reach = t_quantile(0.5 + INSIDE / 2, float(weekly.df[series])) * se
    low, high = mean - reach, mean + reach
    if measure not in _BACK and measure != "mean_log2_cited_rank":
        low, high = (float(np.clip(end, 0.0, 1.0)) for end in (low, high))
    return {"baseline": back(mean), "band_low": back(low), "band_high": back(high)}


def _marks(found: Alarms) -> dict[tuple[str, str, int], str]:
    """Of each alarm the week it was raised in and the weeks it stood."""
    marks: dict[tuple[str, str, int], str] = {}
    last = week_number(found.week)
    for one in found.episodes:
        if one.raised is not None:
            until = last if one.ended is None else one.ended - 1
            for week in range(one.raised + 1, until + 1):
                marks.setdefault((one.route, one.measure, week), "open")
            marks[one.route, one.measure, one.raised] = _way(one)
    return marks


def _way(one: Episode) -> str:
    return "down" if one.at_first and one.at_first.delta < 0 else "up"


def _new_labels(con: Connection, first: date, week: date) -> dict[tuple[str, date], Row]:
    span = {"first_day": first, "next_day": week + timedelta(days=7)}
    found: dict[tuple[str, date], list[str]] = {}
    for route, kind, label, day in con.execute(statement("report/new_labels"), span).fetchall():
        monday = parameters.monday_of(day)
        said = f"{kind} {names.shown(label, 40)} on {numbers.day(day)}"
        found.setdefault((route, monday), []).append(said)
    return {
        key: {"new_at": key[1] - timedelta(days=3), "new_labels": ", ".join(told)}
        for key, told in found.items()
    }
