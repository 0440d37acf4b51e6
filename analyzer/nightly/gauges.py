"""The figures of a night, as metric families with their help texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from analyzer.config import Prices
from analyzer.nightly.textfile import Gauge, gauge
from analyzer.stats.panel import WeekEstimate
from analyzer.store import statement

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection

    from analyzer.nightly.calendar import Night
    from analyzer.nightly.done import Done

_LINES = ("read", "loaded", "duplicate", "superseded", "rejected")


def gauges(done: Done, tokens: Sequence[Mapping[str, Any]], prices: Prices) -> Iterator[Gauge]:
    """Every family; `tokens` are the rows of `tokens_of`."""
    yield gauge(
        "citelog_night_timestamp_seconds",
        "When the last night that was done began, in seconds since 1970.",
        done.began.timestamp(),
        "seconds",
    )
    yield Gauge(
        "citelog_night_files",
        "Files that the last night found, by what became of them.",
        tuple(({"state": state}, n) for state, n in done.files.items()),
    )
    yield Gauge(
        "citelog_night_lines",
        "Lines that the last night read, and what became of them.",
        tuple(({"outcome": word}, done.lines(word)) for word in _LINES),
    )
    waiting = {"waiting": done.waiting.traces, "given_up": done.waiting.given_up}
    yield Gauge(
        "citelog_incomplete_traces",
        "Traces that wait for other spans, and those that lately did so in vain.",
        tuple(({"state": state}, n) for state, n in waiting.items()),
    )
    yield gauge(
        "citelog_night_webhook_failed",
        "1 where the receiver of alarms did not take them.",
        0 if done.told is None or done.told.taken else 1,
    )
    yield from _alarms(done)
    yield from _estimates(done.look.tonight)
    yield from _tokens(tokens, prices)
    yield gauge("citelog_store_bytes", "Size of the store.", done.store_bytes, "bytes")


def _alarms(done: Done) -> Iterator[Gauge]:
    counts = {
        "open": len(done.alerts.loud),
        "new": len(done.alerts.new),
        "muted": len(done.alerts.alarms) - len(done.alerts.loud),
    }
    yield Gauge(
        "citelog_alarms",
        "Alarms that stand, those of them that are new, and those that somebody muted.",
        tuple(({"state": state}, n) for state, n in counts.items()),
    )
    yield Gauge(
        "citelog_alarm",
        "1 for each alarm that stands and is not muted.",
        tuple(
            ({name: one[name] or "" for name in ("alarm", "route", "measure")}, 1)
            for one in done.alerts.loud
        ),
    )


def _estimates(tonight: Sequence[WeekEstimate]) -> Iterator[Gauge]:
    told = [one for one in tonight if one.value is not None and one.sound]
    yield Gauge(
        "citelog_estimate",
        "Each watched measure over the last seven days, in its own unit.",
        tuple((_series(one), one.value) for one in told if one.value is not None),
    )
    yield Gauge(
        "citelog_estimate_standard_error",
        "Its standard error, over groups of units.",
        tuple((_series(one), one.se) for one in told if one.se is not None),
    )


def _series(one: WeekEstimate) -> dict[str, str]:
    return {"route": one.route, "measure": one.measure}


def _tokens(rows: Sequence[Mapping[str, Any]], prices: Prices) -> Iterator[Gauge]:
    """Requests and tokens of seven days; money where every model of a route has a price."""
    for name, says, unit in (
        ("requests", "Requests of the last seven days, sampled logs scaled up.", ""),
        ("context_tokens", "Tokens of their packed chunks.", ""),
        ("redundant_tokens", "Of those, tokens of near-copies beyond the first of each group.", ""),
    ):
        sums: dict[str, float] = {}
        for row in rows:
            sums[row["route"]] = sums.get(row["route"], 0.0) + row[name] / 1000
        yield Gauge(
            f"citelog_{name}", says, tuple(({"route": r}, n) for r, n in sums.items()), unit
        )
    yield Gauge(
        "citelog_redundant_cost",
        "What those cost at the configured prices.",
        tuple(({"route": route}, cost) for route, cost in _costs(rows, prices).items()),
    )


def _costs(rows: Sequence[Mapping[str, Any]], prices: Prices) -> dict[str, float]:
    costs: dict[str, float] = {}
    unpriced = set()
    for row in rows:
        price = prices.models.get(row["model"], prices.input)
        if price is None:
            unpriced.add(row["route"])
        else:
            cost = price * row["redundant_tokens"] / 1000 / 1_000_000
            costs[row["route"]] = costs.get(row["route"], 0.0) + cost
    return {route: cost for route, cost in costs.items() if route not in unpriced}


def tokens_of(con: Connection, night: Night) -> list[Mapping[str, Any]]:
    """Requests and tokens of the last seven days by route and model, in thousandths."""
    days = night.seven_days
    asked = {"first_day": days.first_day, "next_day": days.next_day}
    rows: list[Mapping[str, Any]] = (
        con.sql(statement("night/tokens"), params=asked).to_arrow_table().to_pylist()
    )
    return rows
