"""Logs to published rollups: the steps, and which days may be replaced.

A day is a function of everything that was read. So what is read must hold the whole of every day
that is to be published, with the labels and revisions that came later; a day of which less was read
than is published stays as it is, unless it is asked for by name.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from analyzer import rollup
from analyzer.engine import Engine, published
from analyzer.engine.published import Manifest
from analyzer.engine.reading import Asked
from analyzer.parameters import monday_of
from analyzer.places import Place, within
from analyzer.storage import Listed
from analyzer.store import statement

# Tables of the report beside the rollups of a store, which reads them from single requests.
BESIDE = ("origins", "declared", "budgets", "judged_slices")
_KEPT = ("files", "lines", "judged", "expected", "chunks", "fates", "requests")
_STEPS = ("files", "lines", "won", "said", "judged", "expected", "chunks", "fates", "requests")
_LEFT_OUT = ("set_aside", "unreadable")  # states of a file of which nothing is counted
_FIRST, _LAST = date(1970, 1, 1), date(2200, 1, 1)


@dataclass(frozen=True)
class Span:
    """The days that are asked for; None: every day that was read, but none that would shrink."""

    first: date | None = None
    last: date | None = None

    @property
    def weeks(self) -> tuple[date, date]:
        """The first day of its first week and the first one after its last."""
        first, last = self.first or _FIRST, self.last or _LAST
        return monday_of(first) if first > _FIRST else first, monday_of(last) + timedelta(7)

    def holds(self, day: date) -> bool:
        """Whether the day is one of them."""
        return (self.first is None or self.first <= day) and (self.last is None or day <= self.last)

    @property
    def named(self) -> bool:
        """Whether days were asked for at all."""
        return self.first is not None or self.last is not None


@dataclass(frozen=True)
class Rolled:
    """What a run did: `files` as `engine/files` has them; days by what became of them."""

    files: list[dict[str, Any]]
    batches: list[dict[str, Any]]
    written: list[date]
    same: list[date]
    left: list[date]


def roll(
    engine: Engine,
    files: Sequence[Place | Listed],
    asked: Asked,
    output: Place,
    span: Span,
    facts: Place | None = None,
) -> Rolled:
    """Read the files with an open engine and publish the days of the span to `output`.

    `facts`: publish the requests and chunks of these days there as well.
    """
    now = asked.rules.now
    run = f"{now:%Y%m%dT%H%M%S}-{secrets.token_hex(3)}"
    settle(engine, files, asked, span)
    held = {row["day"]: row["requests"] for row in engine.run(_said("held_days")).to_pylist()}
    became = engine.run(_said("all_files")).to_pylist()
    lacking = any(file["state"] in _LEFT_OUT for file in became)
    touched, left = _touched(held, output, span, lacking)
    engine.give("touched_days", touched_days(touched))
    engine.give("touched_weeks", touched_weeks(touched))
    made = Manifest(now.date(), run, now, engine.name, "", {})
    written, same = _publish_days(engine, output, made, touched)
    _publish_weeks(engine, output, made, touched)
    batches = _publish_run(engine, output, made)
    if facts is not None:
        _publish_facts(engine, facts, made, touched)
    return Rolled(became, batches, written, same, left)


def settle(engine: Engine, files: Sequence[Place | Listed], asked: Asked, span: Span) -> None:
    """Let the engine find `requests` and `chunks` as a store would hold them after all files."""
    engine.parse(files, asked)
    first, after = span.weeks
    engine.give("asked", pa.table({"first_day": _dates([first]), "next_day": _dates([after])}))
    for step in _STEPS:
        (engine.keep if step in _KEPT else engine.define)(step, _said(step))


def counted(engine: Engine) -> Iterator[tuple[str, pa.Table]]:
    """Every table that is counted by day, for the days that the engine has as `touched_days`."""
    for table in rollup.BY_DAY:
        yield table, _settled(engine.run(statement(f"rollup/{table}")))
    for table in BESIDE:
        yield table, _settled(engine.run(_said(f"beside/{table}")))


def _said(name: str) -> str:
    return statement(f"engine/{name}")


def _touched(
    held: dict[date, int], output: Place, span: Span, lacking: bool
) -> tuple[dict[date, int], list[date]]:
    """The days to publish with their requests, and those that are left as they are.

    A day shrinks only where it is asked for and no file is `lacking`, whose requests it may hold.
    """
    stands = {each.of: each.requests for each in published.manifests(output, "days")}
    every = {*held, *stands} if span.named else {*held}
    days = {day: held.get(day, 0) for day in sorted(every) if span.holds(day)}
    if span.named and not lacking:
        return days, []
    left = [day for day, requests in days.items() if requests < stands.get(day, 0)]
    return {day: days[day] for day in days if day not in left}, left


def _publish_days(
    engine: Engine, output: Place, made: Manifest, touched: dict[date, int]
) -> tuple[list[date], list[date]]:
    tables = {name: _by("day", rows) for name, rows in counted(engine)}
    written: list[date] = []
    same: list[date] = []
    for day, requests in touched.items():
        of_day = {name: rows(day) for name, rows in tables.items()}
        manifest = _of(made, day, requests)
        new = published.publish(output, "days", manifest, of_day)
        (written if new else same).append(day)
    return written, same


def _publish_weeks(engine: Engine, output: Place, made: Manifest, touched: dict[date, int]) -> None:
    """Documents are ranked by week, over all days of the week that were read."""
    rows = _by("week", _settled(engine.run(statement("rollup/documents"))))
    read = engine.run(_said("read_days")).to_pylist()
    for week in sorted({monday_of(day) for day in touched}):
        days = {str(one["day"]): one["requests"] for one in read if monday_of(one["day"]) == week}
        manifest = _of(made, week, sum(days.values()), days)
        published.publish(output, "weeks", manifest, {"documents": rows(week)})


def _publish_run(engine: Engine, output: Place, made: Manifest) -> list[dict[str, Any]]:
    tables = {
        name: _settled(engine.run(_said(name))) for name in ("batches", "rejected_lines", "waiting")
    }
    published.publish(output, "runs", made, tables)
    rows: list[dict[str, Any]] = tables["batches"].to_pylist()
    return rows


def _publish_facts(engine: Engine, folder: Place, made: Manifest, touched: dict[date, int]) -> None:
    where = {name: f"data/{made.run}/{name}" for name in ("requests", "chunks")}
    for name, part in where.items():
        engine.save(_said(f"facts_{name}"), within(folder, part))
    for day, requests in touched.items():
        tables = {name: f"{part}/day={day}" for name, part in where.items()}
        published.announce(published.place(folder), _of(made, day, requests, tables=tables))


def _of(
    made: Manifest,
    day: date,
    requests: int,
    days: dict[str, int] | None = None,
    tables: dict[str, str] | None = None,
) -> Manifest:
    return Manifest(
        day, made.run, made.made_at, made.engine, "", tables or {}, requests, days or {}
    )


def _settled(rows: pa.Table) -> pa.Table:
    """The rows in an order, and of types, that do not depend on the engine."""
    fields = [pa.field(field.name, _kind(field.type)) for field in rows.schema]
    cast = rows.cast(pa.schema(fields))
    keys = [name for name in cast.column_names if not pa.types.is_list(cast[name].type)]
    return cast.take(pc.sort_indices(cast, [(name, "ascending") for name in keys]))


def _kind(kind: pa.DataType) -> pa.DataType:
    """Engines differ in how wide an integer, and how a text or a time, comes back."""
    if pa.types.is_integer(kind):
        return pa.int64()
    if pa.types.is_timestamp(kind):
        return pa.timestamp("us")
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return pa.list_(pa.string())
    return pa.string() if pa.types.is_large_string(kind) else kind


def _by(column: str, rows: pa.Table) -> Callable[[date], pa.Table]:
    """The rows of a day or week out of rows sorted by it first."""
    values = np.asarray(rows[column].cast(pa.date32()).cast(pa.int32()))

    def of(day: date) -> pa.Table:
        number = (day - _FIRST).days
        low, high = np.searchsorted(values, number), np.searchsorted(values, number, "right")
        return rows.slice(low, high - low).combine_chunks()

    return of


def touched_days(touched: dict[date, int]) -> pa.Table:
    """The days that rollups are counted for, as their statements name them."""
    return pa.table({"day": _dates(list(touched))})


def touched_weeks(touched: dict[date, int]) -> pa.Table:
    """Their weeks, each with the Monday after it."""
    weeks = sorted({monday_of(day) for day in touched})
    return pa.table(
        {"week": _dates(weeks), "next_week": _dates([week + timedelta(7) for week in weeks])}
    )


def _dates(days: list[date]) -> pa.Array:
    return pa.array(days, pa.date32())
