"""How each watched measure is a part of a whole of every single request.

The temporary table `measured` has a row a request; everything that follows (hours, labels,
examples) sums it and knows no measure. Three measures are no such ratio and are followed by one
that moves with them: the 95th percentile of context tokens by the share of prompts that are longer
than it was before, the position effect by citations in the middle over those that the rates of the
edges at the same K and packed rank would give.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime, time
from functools import cached_property
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

import numpy as np

from analyzer.measures.orderings import UNTOLD, resolved
from analyzer.measures.rows import Scope, rows, whole
from analyzer.stats import percentiles
from analyzer.stats.onset import Kind
from analyzer.stats.settings import DIP, of_ordering
from analyzer.store import statement

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection

TOKENS = "ln_p95_context_tokens"
RANK = "mean_log2_cited_rank"
# measure: what its whole counts
WHOLES = {
    "citation_free_rate": "answers",
    "stray_rate": "citations",
    "involved_rate": "packed chunks",
    "largest_document_share": "packed chunks",
    "accuracy": "judged answers",
    "position_start": "cited chunks",
    "position_middle": "cited chunks",
    "position_end": "cited chunks",
    RANK: "cited chunks",
    TOKENS: "prompts",
    DIP: "expected citations",
    "missing_unit_rate": "requests",
    "missing_prompt_tokens_rate": "requests",
    "missing_citations_rate": "answers",
    "missing_rank_rate": "packed chunks",
    "missing_tokens_rate": "packed chunks",
    "missing_document_rate": "packed chunks",
    "missing_text_rate": "packed chunks",
}
_PROMPTS = "prompts"  # of orderings: those that show one
_OF_DOCUMENTS = ("involved_rate", "position_start", "position_middle", "position_end", RANK, DIP)


def followed(measure: str) -> bool:
    """Whether single requests tell a measure; lines that became no record do not."""
    return measure in WHOLES or of_ordering(measure)


@dataclass(frozen=True)
class Window:
    """The days [first_day, next_day) of a route in which a measure changed.

    `start` is the day from which weekly counts hold the change; with `release` and `against` two
    releases of these days stand in place of before and since.
    """

    measure: str
    route: str
    first_day: date
    start: date
    next_day: date
    release: str | None = None
    against: str | None = None

    @property
    def kind(self) -> Kind:
        """What the hourly counts are."""
        if self.measure == DIP:
            return "ratio"
        return "mean" if self.measure == RANK else "share"

    @property
    def noun(self) -> str:
        """What the measure's whole counts."""
        return WHOLES.get(self.measure, _PROMPTS)

    @property
    def by_document(self) -> bool:
        """Whether the measure is a sum over chunks, so that documents carry parts of it."""
        return self.measure in _OF_DOCUMENTS


@dataclass(frozen=True)
class Daily:
    """A window of a store, asked by its daily counts."""

    con: Connection
    window: Window
    zone: ZoneInfo  # cuts the days of the store

    @cached_property
    def orderings(self) -> dict[str, str]:
        """From what requests agree with to their ordering, decided over the window."""
        window = self.window
        table = rows(self.con, "orderings", Scope(window.first_day, window.next_day, window.route))
        columns = ("ordering_seen", "k", "requests")
        return resolved(zip(*(table[each].to_pylist() for each in columns), strict=True))

    @cached_property
    def long_bin(self) -> int:
        """The bin of context tokens in which the 95th percentile lay before; 0 where none did."""
        if self.window.measure != TOKENS:
            return 0
        window = self.window
        before = Scope(window.first_day, window.start, window.route)
        if window.against is not None:
            before = Scope(window.first_day, window.next_day, window.route, release=window.against)
        table = rows(self.con, "lengths", before)
        if not table.num_rows:
            return 0
        bins, counts = percentiles.by_group(
            whole(table, "context_bin"),
            np.zeros(table.num_rows, np.int64),
            whole(table, "requests"),
            1,
        )
        index, _ = percentiles.read_out(counts.sum(axis=0), 95)
        return int(bins[int(index)])

    @property
    def long_tokens(self) -> float:
        """The upper edge of that bin, in tokens."""
        return float(np.exp(self.long_bin * percentiles.LN_GAMMA))

    @property
    def _lists(self) -> dict[str, Callable[[], object]]:
        """What only some statements ask for, and only some measures know."""
        return {
            "long_bin": lambda: self.long_bin,
            "shown": lambda: self._agreements(lambda each: each == self._ordering),
            "telling": lambda: self._agreements(lambda each: each not in UNTOLD),
        }

    @property
    def _ordering(self) -> str:
        return self.window.measure.removeprefix("ordering_")

    def _agreements(self, of: Callable[[str], bool]) -> list[str]:
        """What requests of such orderings agree with; nothing where no ordering is measured."""
        if self._ordering == self.window.measure:
            return [""]
        return [agreement for agreement, ordering in self.orderings.items() if of(ordering)] or [""]

    def run(self, name: str, **more: object) -> list[tuple[Any, ...]]:
        """The answer of `queries/oncall/<name>.sql` about the window.

        Where the position effect is asked in another way, of `<name>_middle.sql`.
        """
        of_middle = self.window.measure == DIP and name in ("measured", "segments", "documents")
        sql = statement(f"oncall/{name}_middle" if of_middle else f"oncall/{name}")
        known = asdict(self.window) | more
        known |= {name: of() for name, of in self._lists.items() if f"${name}" in sql}
        asked = {key: value for key, value in known.items() if f"${key}" in sql}
        return self.con.execute(sql, asked).fetchall()

    def day_of(self, moment: datetime) -> date:
        """The day of the store that a moment (UTC) lies in."""
        return moment.replace(tzinfo=UTC).astimezone(self.zone).date()

    def midnight(self, day: date) -> datetime:
        """When a day of the store begins, in UTC, as the store holds times."""
        begins = datetime.combine(day, time(), self.zone)
        return begins.astimezone(UTC).replace(tzinfo=None)


@dataclass(frozen=True)
class Measured(Daily):
    """The same, its requests measured one by one in the table `measured`."""

    def __post_init__(self) -> None:
        if self.window.measure == DIP:
            self.run("edges")
        chunks = self.window.measure == RANK or self.window.measure.startswith("position_")
        if self.window.measure == DIP:
            self.run("measured")
        else:
            self.run("measured_citations" if chunks else "measured_requests")

    @cached_property
    def hours(self) -> list[tuple[datetime, float, float, int]]:
        """(hour, part, whole, requests) of every hour that has some, in UTC and in order."""
        return [(hour, part, of, n) for hour, part, of, n in self.run("hours")]

    def requests_since(self, moment: datetime) -> int:
        """Measured requests from the hour of a moment on."""
        hour = moment.replace(minute=0, second=0, microsecond=0)
        return sum(n for each, _, _, n in self.hours if each >= hour)
