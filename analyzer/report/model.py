"""A report as plain data, before anybody decides how it looks.

Everything that is said and drawn is settled here, so that HTML, Markdown and JSON tell the same;
what they do differently is only form. Texts are spans, because a route's name is text from a log
and must never become markup.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from typing import Any, Literal

import pyarrow as pa

from analyzer.telling.findings import Screen
from analyzer.telling.spans import Text

State = Literal["drawn", "empty", "failed"]
Kind = Literal["number", "text", "sentence"]

ROWS_AT_MOST = 12  # of a table behind a drawing, where it cannot be folded away
PartState = Literal["drawn", "none", "too_few", "refused"]


@dataclass(frozen=True)
class Note:
    """One thing to know beside what the tests say, with the command that shows more."""

    label: str
    text: Text
    command: str


@dataclass(frozen=True)
class Grid:
    """A printed table: cells as people read them, and what kind each column is of."""

    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    kinds: tuple[Kind, ...]
    left_out: int = 0  # rows that only the JSON holds


@dataclass(frozen=True)
class Part:
    """What one route (of one group) shows: a drawing, or why there is none."""

    route: str  # its label
    note: str
    state: PartState
    message: str  # why nothing is drawn
    remarks: tuple[str, ...]  # what is left out of the drawing, and what it lacks
    alternative: str  # the drawing in a sentence
    rows: tuple[dict[str, Any], ...]


@dataclass(frozen=True)
class Group:
    """Parts that share one specification and one scale, and the table behind them."""

    title: str
    caption: str
    spec: dict[str, Any] | None  # Vega-Lite, without its rows
    parts: tuple[Part, ...]
    grids: tuple[tuple[str, Grid], ...]  # caption and table

    @property
    def listed(self) -> bool:
        """Whether parts without a drawing are many, or most, and so are better named in a list."""
        without = sum(part.state != "drawn" for part in self.parts)
        return without > 3 or 2 * without > len(self.parts)

    @property
    def printed(self) -> tuple[tuple[str, Grid], ...]:
        """The tables for paper and tickets: long ones behind a drawing stay out."""
        return tuple(
            (caption, grid)
            for caption, grid in self.grids
            if self.spec is None or (len(grid.rows) <= ROWS_AT_MOST and not caption)
        )


@dataclass(frozen=True)
class Panel:
    """One question of the page, answered."""

    section: str
    name: str
    title: Text
    caption: str
    state: State
    message: str  # why nothing is shown
    sentences: tuple[str, ...] = ()
    key: tuple[str, ...] = ()
    wide: bool = False
    small: bool = False
    groups: tuple[Group, ...] = ()
    routes_left_out: int = 0
    query: str = ""
    params: dict[str, Any] = field(default_factory=dict)
    table: pa.Table | None = None  # all rows, exact

    @property
    def drawn(self) -> bool:
        """Whether anything is drawn, so that its marks want a key."""
        return self.state == "drawn" and any(group.spec for group in self.groups)


@dataclass(frozen=True)
class Seen:
    """The labels of one kind that served the week, the busiest first."""

    kind: str
    labels: tuple[tuple[str, int, date | None], ...]  # label, requests, first day if it is new
    left_out: int


@dataclass(frozen=True)
class Head:
    """What the report is about, and how much of it there was."""

    week: date
    complete: bool
    silent_days: tuple[date, ...]  # days of the week without a request on any route
    baseline: tuple[int, int]  # weeks before with data, of so many
    totals: dict[str, int | float]
    lines: dict[str, int]
    seen: tuple[Seen, ...]
    labels: tuple[dict[str, Any], ...]  # the rows of labels_seen, exact


@dataclass(frozen=True)
class Foot:
    """How the report was made, and what its words mean."""

    method: str
    tests: str  # how many were made
    thresholds: str
    definitions: tuple[tuple[str, str], ...]
    command: str
    version: str
    state: str


@dataclass(frozen=True)
class Changes:
    """What the tests of drift say; names of routes are labels, as everywhere on the page."""

    title: Text
    judged: date | None  # None: the week is not over
    as_of: date | None  # of alarms that stood before, where the week is not over
    screen: Screen | None  # None: no week of the store is over
    asides: tuple[tuple[str, tuple[Text, ...]], ...]  # label and sentences, the first ones first


@dataclass(frozen=True, repr=False)
class Report:
    head: Head
    changes: Changes
    notes: tuple[Note, ...]
    sections: tuple[tuple[str, str], ...]  # name, title
    panels: tuple[Panel, ...]
    keys: dict[str, tuple[str, str]]  # of each mark its name and what it says
    foot: Foot
    eyebrow: str

    def __repr__(self) -> str:
        """Short: the whole of it is thousands of lines."""
        return f"<Report of {self.head.week:%G-W%V}: {len(self.panels)} panels>"
