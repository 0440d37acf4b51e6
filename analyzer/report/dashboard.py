"""A page as data: the TOML files of `dashboards/`, read and checked.

Adding a question to the report is a panel here and a file in `queries/`; nothing in Python
changes unless it needs a new kind of chart.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import msgspec

from analyzer.assets import places
from analyzer.errors import CitelogError

Writing = Literal[
    "text",
    "sentence",
    "said",
    "rate",
    "change",
    "count",
    "mean",
    "fine",
    "points",
    "money",
    "day",
    "week",
    "unit",
]


class Piece(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One value of a row, written for people: a table's column, or a part of a note or cell."""

    show: str = ""  # a column
    sum: str = ""  # or the sum of one over the rows, in place of `show`
    to: str = ""  # a second column: the two are the ends of an interval
    write: Writing = "text"  # `unit`: as the measure of its group is written
    heading: str = ""
    before: str = ""
    after: str = ""
    needs: str = ""  # the piece is left out where this column has no value
    nonzero: bool = False  # or where the value is 0
    optional: bool = False  # a table's column that is left out where no row has a value


class Group(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One value of the column that a panel is grouped by, with the words for it."""

    value: str
    title: str
    caption: str = ""
    options: dict[str, Any] = {}


class Words(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the values of a column are called, in the order in which they are shown."""

    column: str
    said: dict[str, str]


class Pivot(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A printed table with one column's values down and another's across."""

    rows: str
    columns: str
    heading: str
    also: str = ""  # a column that tells rows of equal name apart


class PanelPlan(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One panel: its question, its words, its chart and the table behind it."""

    section: str
    name: str
    title: str
    caption: str
    query: str = ""
    asks: tuple[str, ...] = ()
    made: str = ""  # or what analyzer.report.made makes, in place of a query
    apart: str = ""  # the column whose values are kept apart and named, in place of the route
    refused: str = ""  # the column that says why a route has no value
    empty: str = ""  # said where no row came back at all
    none: str = ""  # said for a route without rows
    row_n: str = ""
    row_name: str = ""
    row_at_most: int = 0
    also_at_most: str = ""
    baseline: str = ""
    key: tuple[str, ...] = ()
    wide: bool = False
    small: bool = False
    sentences: tuple[str, ...] = ()
    says: tuple[str, ...] = ()  # columns whose distinct values are sentences, too
    group: str = ""
    groups: tuple[Group, ...] = ()
    words: Words | None = None
    chart: dict[str, Any] = {}
    note: tuple[Piece, ...] = ()  # beside a route's name
    remark: tuple[Piece, ...] = ()  # below its drawing
    table: tuple[Piece, ...] = ()
    pivot: Pivot | None = None
    sort: str = ""
    marks: str = ""  # a column with words for weeks that are marked in the drawings
    rows_at_most: int = 0


class Section(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    title: str


class Page(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What holds for the whole page."""

    eyebrow: str
    baseline_weeks: int  # weeks before the reported one that make the baseline
    baseline_least: int  # of these, with data
    routes_at_most: int  # drawn and printed; the JSON holds all
    least: int  # what a row must rest on to be drawn
    rows_at_most: int  # of a printed table
    method: str


class Key(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A mark of the charts, its name in words and what it says."""

    mark: str
    says: str


class Definition(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    word: str
    meaning: str


class Dashboard(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A whole page: panels in their order, and the words that stand around them."""

    page: Page
    section: tuple[Section, ...]
    panel: tuple[PanelPlan, ...]
    keys: dict[str, Key]
    definition: tuple[Definition, ...]


Tokens = dict[Literal["light", "dark"], dict[str, str]]


def load_dashboard(name: str) -> Dashboard:
    """`dashboards/<name>.toml`. Raises `CitelogError` where it breaks the form above."""
    file = asset(f"{name}.toml")
    try:
        return msgspec.toml.decode(file.read_bytes(), type=Dashboard)
    except msgspec.DecodeError as fault:
        raise CitelogError(f"{file}: {fault}; see the comments at its top") from fault


def load_tokens() -> Tokens:
    """The colours of `dashboards/tokens.toml` by scheme and role."""
    return msgspec.toml.decode(asset("tokens.toml").read_bytes(), type=Tokens)


def text_of(name: str) -> str:
    return asset(name).read_text(encoding="utf-8")


def asset(name: str) -> Path:
    """A file of `dashboards/`, the user's own before the shipped one."""
    found = next((place / name for place in places("dashboards") if (place / name).is_file()), None)
    if found is None:
        raise CitelogError(f"dashboards/{name} is not there; install citelog again")
    return found
