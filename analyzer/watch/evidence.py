"""What is known about a route around the start of a change: a fact for each row of the table.

Everything is read from rollups by a few statements, each of which sums the days before the start
and those since.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from analyzer.stats.settings import EffectSettings
from analyzer.watch import counted, ordered
from analyzer.watch.asked import Asked, Span
from analyzer.watch.cause_table import CauseTable
from analyzer.watch.facts import Fact
from analyzer.watch.new_labels import Label, labels

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection


@dataclass(frozen=True)
class Evidence:
    """Facts by name, orderings by share of requests, and the labels that are new."""

    span: Span
    facts: Mapping[str, Fact]
    orderings_before: Mapping[str, float]
    orderings_since: Mapping[str, float]
    labels: tuple[Label, ...]


def gathered(con: Connection, span: Span, table: CauseTable, effect: EffectSettings) -> Evidence:
    """All facts of the table about a route and the start of a change."""
    asked = Asked(con, span, table, effect)
    before, since = ordered.seen(asked)
    new, of_labels = labels(asked)
    found = (
        *counted.parts_of_wholes(asked),
        counted.missing_fields(asked),
        counted.recent_copies(asked),
        counted.rejected(asked),
        *ordered.ranks(asked),
        *ordered.positions(asked),
        *ordered.orderings(asked, before, since),
        ordered.middle(asked),
        *of_labels,
    )
    facts = {each.name: each for each in found}
    return Evidence(span, facts, before.shares, since.shares, new)
