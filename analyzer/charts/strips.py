"""Shares of a day as strips of bars, one strip a name, so that a switch is seen as a step.

Names are written, not coloured: a reader needs no legend, and no colour carries a meaning alone.
"""

from __future__ import annotations

from collections import defaultdict
from datetime import date, timedelta
from typing import Any

import altair as alt
import pyarrow as pa

from analyzer import numbers
from analyzer.charts import look, ordered
from analyzer.charts.rows import chart_rows, epoch_ms

_HALF_DAY = 43_200_000  # milliseconds
_LABELLED = 14  # days between the labels below; the first day is a Monday
_TALL = 18  # pixels of a whole share
_AT_MOST = 5  # strips a route; rarer names are in the table


def chart(table: pa.Table) -> alt.TopLevelLayerSpec:
    """`table`: day, route, ordering, requests, share, changed; one row a day, route and name."""
    rows = _placed(table.to_pylist())
    strips = 1 + max(row["step"] for row in rows)
    days = sorted({row["day"] for row in rows})
    base = ordered.steps("step", strips).encode(x=_along(days))
    width = alt.expr(f"0.8 * width / {len(days)}")
    bar = base.mark_rect(
        color=look.colour("fill"),
        width=width,
        height=alt.expr(f"{_TALL} * datum.share"),
        yOffset=alt.expr(f"{_TALL / 2 + ordered.BELOW + 2} - {_TALL} * datum.share / 2"),
    )
    turned = base.transform_filter("datum.changed")
    rule = turned.mark_rule(color=look.colour("ink2"), strokeDash=[3, 3], strokeWidth=1.5)
    layers = [
        bar.encode(tooltip=_tips()),
        rule,
        *ordered.words("datum.named", "datum.latest", "step", strips),
    ]
    prepared = pa.Table.from_pylist(rows)
    return look.finish(layers, chart_rows(prepared), strips * (ordered.STEP + 4))


def describe(table: pa.Table) -> str:
    """Each name with its share on the first and on the last day, and the days of change."""
    rows = table.to_pylist()
    first, last = (end(row["day"] for row in rows) for end in (min, max))
    ends: dict[str, dict[date, float]] = defaultdict(dict)
    for row in rows:
        ends[row["ordering"]][row["day"]] = row["share"]
    said = [
        f"{_spoken(name)} {numbers.rate(seen.get(first, 0.0))} on {numbers.day(first)}, "
        f"{numbers.rate(seen.get(last, 0.0))} on {numbers.day(last)}"
        for name, seen in ends.items()
    ]
    turns = sorted({row["day"] for row in rows if row["changed"]})
    return "; ".join([*said, *(f"a change on {numbers.day(day)}" for day in turns)])


def _placed(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each route's names in the order of their requests, with their share of the last week."""
    counts: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for row in rows:
        counts[row["route"]][row["ordering"]] += row["requests"]
    last = max(row["day"] for row in rows) - timedelta(days=6)
    placed = []
    for row in rows:
        mine = counts[row["route"]]
        step = sorted(mine, key=lambda name: (-mine[name], name)).index(row["ordering"])
        if step < _AT_MOST:
            placed.append({**row, "step": step, "named": "", "latest": ""})
    weeks: dict[str, int] = defaultdict(int)
    for row in rows:
        weeks[row["route"]] += row["requests"] if row["day"] >= last else 0
    return _named(placed, last, weeks)


def _named(rows: list[dict[str, Any]], last: date, weeks: dict[str, int]) -> list[dict[str, Any]]:
    """The first row of each strip carries its words; `weeks` are the requests of each route."""
    strips: dict[tuple[str, int], list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        strips[row["route"], row["step"]].append(row)
    for (route, _), mine in strips.items():
        week = sum(row["requests"] for row in mine if row["day"] >= last)
        mine[0]["named"] = _spoken(mine[0]["ordering"])
        share = numbers.percent(week / (weeks[route] or 1))
        mine[0]["latest"] = f"{share} of {numbers.count(weeks[route])} in 7 days"
    return rows


def _spoken(name: str) -> str:
    return name.replace("_", " ")


def _along(days: list[date]) -> alt.X:
    ends = [epoch_ms(days[0]) - _HALF_DAY, epoch_ms(days[-1]) + _HALF_DAY]
    axis = alt.Axis(
        values=[epoch_ms(day) for day in days[::_LABELLED]],
        labelExpr="utcFormat(datum.value, '%-d %b')",
        labelAlign="left",
        title=None,
    )
    scale = alt.Scale(domain=ends, nice=False, zero=False)
    return alt.X(field="day", type="quantitative", scale=scale, axis=axis)


def _tips() -> list[alt.Tooltip]:
    return [
        look.day_tip("day"),
        alt.Tooltip(field="ordering", type="nominal", title="ordering"),
        look.tip("share", "share", "rate"),
        look.tip("requests", "requests", "count"),
    ]
