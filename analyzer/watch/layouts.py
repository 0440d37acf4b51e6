"""What a change of the ordering alone does to the places of citations, and what is left over.

Only told where the position effect was known before the change.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from analyzer import numbers
from analyzer.measures.effect import cells_of, effects
from analyzer.measures.orderings import resolved
from analyzer.measures.rows import Scope, rows
from analyzer.stats.cells import Cells
from analyzer.stats.layout import NOT_SEPARABLE, Layout, Moved, layout
from analyzer.stats.settings import EffectSettings
from analyzer.watch import estimated
from analyzer.watch.asked import Span

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection


@dataclass(frozen=True)
class Laid:
    """The split of the changes of all three places; None: not separable."""

    layout: Layout | None

    def words(self, place: str) -> str:
        """The split of one place in a sentence."""
        moved = self.of(place)
        if moved is None:
            return NOT_SEPARABLE.rstrip(".")
        predicted = moved.old + (moved.layout.value or 0.0)
        where = "in the middle" if place == "middle" else f"at the {place}"
        return (
            f"cited chunks {where}: {numbers.rate(moved.old)} before, "
            f"{numbers.rate(predicted)} as the new ordering alone would have it, "
            f"{numbers.rate(moved.new)} since; left for the model: "
            f"{estimated.points(moved.behaviour)}"
        )

    def explains(self, place: str, least: float) -> bool:
        """Whether no more than `least` is left for the model, as far as can be told."""
        moved = self.of(place)
        ends = moved.behaviour.interval() if moved else None
        return ends is not None and ends[0] < least and ends[1] > -least

    def of(self, place: str) -> Moved | None:
        """The split of one place."""
        places = self.layout.places if self.layout else ()
        return next((each for each in places if each.place == place), None)


def laid(con: Connection, span: Span, settings: EffectSettings) -> Laid:
    """The layout effect of a change of ordering that began with `span.start`."""
    before = Scope(span.first_day, span.start, span.route)
    since = Scope(span.start, span.next_day, span.route)
    known = effects(con, before, settings).get(span.route)
    if known is None or known.effect.verdict.code != "OK":
        return Laid(None)
    return Laid(layout(_cells(con, before), _cells(con, since), known.effect.verdict, settings))


def _cells(con: Connection, scope: Scope) -> Cells:
    table, seen = rows(con, "cells", scope), rows(con, "orderings", scope)
    columns = ("ordering_seen", "k", "requests")
    return cells_of(
        table, resolved(zip(*(seen[each].to_pylist() for each in columns), strict=True))
    )
