"""The days before a change of a route and since, and what the rollups count on either side."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import TYPE_CHECKING, Any

import msgspec

from analyzer.stats.settings import EffectSettings
from analyzer.store import statement
from analyzer.watch import facts
from analyzer.watch.cause_table import CauseTable, FactRow
from analyzer.watch.facts import Fact, Side

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection


@dataclass(frozen=True)
class Span:
    """[first_day, start) and [start, next_day) of a route.

    A label that is first seen in [labelled_from, labelled_to) may belong to the change.
    """

    route: str
    first_day: date
    start: date
    next_day: date
    labelled_from: date
    labelled_to: date


@dataclass(frozen=True)
class Asked:
    """A span of a store, the table of causes that says what to ask of it, and the thresholds."""

    con: Connection
    span: Span
    table: CauseTable
    effect: EffectSettings

    def rows(self, name: str, **more: object) -> list[tuple[Any, ...]]:
        """The answer of `queries/watch/evidence/<name>.sql` about the span."""
        sql = statement(f"watch/evidence/{name}")
        known = {name: getattr(self.span, name) for name in ("route", *_DAYS)} | more
        asked = {key: value for key, value in known.items() if f"${key}" in sql}
        return self.con.execute(sql, asked).fetchall()

    def sides(self, name: str) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
        """The rows before and since, without the column that tells them apart."""
        rows = self.rows(name)
        before, since = (
            [row[1:] for row in rows if bool(row[0]) is later] for later in (False, True)
        )
        return before, since

    @cached_property
    def counts(self) -> tuple[dict[str, int], dict[str, int]]:
        """What is counted of the requests, before and since; empty where there are none."""
        rows = self.rows("counts")
        names = [column[0] for column in self.con.description or ()]
        found = [dict(zip(names, row, strict=True)) for row in rows]
        before, since = (
            next((row for row in found if bool(row["since"]) is later), {})
            for later in (False, True)
        )
        return before, since

    def row(self, name: str, **changed: str) -> FactRow:
        """The row of the table for a fact, with other words where some are given."""
        return msgspec.structs.replace(self.table.facts[name], **changed)

    def compared(self, name: str, before: Side, since: Side, **changed: str) -> Fact:
        """The fact that a value was this before and is that since."""
        row = self.row(name, **changed)
        return facts.compared(name, row, before, since, self.table.least_base)

    def unknown(self, name: str) -> Fact:
        """The fact as one of which too little is known."""
        return facts.unknown(name, self.row(name))


_DAYS = ("first_day", "start", "next_day")
