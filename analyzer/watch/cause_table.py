"""The table of causes, read from `dashboards/causes.toml`: what each is known by.

The document decides; nothing here knows a cause or a threshold by name.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec

from analyzer.assets import places
from analyzer.errors import CitelogError

MOST_POINTS = 10
STATES = ("up", "down", "same", "new", "unknown", "moved")


class FactRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One thing that is held side by side before and since; `part` / `of` name counted columns."""

    title: str
    meaning: str = ""
    part: str = ""
    of: str = ""
    base: str = ""
    least: float = 0.0
    relative: bool = False
    written: Literal["rate", "mean"] = "rate"


class Condition(NamedTuple):
    """A fact and the state that it must be in; `moved` is up or down."""

    fact: str
    state: str

    def holds(self, state: str) -> bool:
        """Whether a fact in this state meets it."""
        return state in ("up", "down") if self.state == "moved" else state == self.state


class CauseRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"for_": "for"}):
    """One cause and its signature."""

    code: str
    title: str
    next: str
    moves: tuple[str, ...]
    also: tuple[str, ...]
    needs: tuple[tuple[str, ...], ...]
    for_: dict[str, int]
    against: dict[str, int]
    to_do: str = ""  # a fact's name in braces stands for what is counted of it

    def moves_directly(self, measure: str, up: bool) -> bool:
        """Whether this measure, moving that way, is what the cause is known by."""
        return _named(self.moves, measure, up)

    def also_moves(self, measure: str, up: bool) -> bool:
        """Whether it can follow from the cause."""
        return _named(self.also, measure, up)


def _named(patterns: tuple[str, ...], measure: str, up: bool) -> bool:
    """Patterns are names of measures, with * for any rest and, where it matters, up or down."""
    way = "up" if up else "down"
    return any(
        fnmatchcase(measure, name) and way in (wanted or way)
        for name, _, wanted in (pattern.partition(" ") for pattern in patterns)
    )


class CauseTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All of the document."""

    least_points: int
    also_costs: int
    least_base: int
    facts: dict[str, FactRow]
    causes: tuple[CauseRow, ...]


def condition(text: str) -> Condition:
    """`k moved` as a condition."""
    fact, _, state = text.partition(" ")
    return Condition(fact, state)


def cause_table() -> CauseTable:
    """The user's own table where one was given, else the shipped one."""
    for folder in places("dashboards"):
        if (folder / "causes.toml").is_file():
            return read(folder / "causes.toml")
    raise CitelogError("causes.toml: it is in no dashboards folder; install citelog again")


@lru_cache(maxsize=4)
def read(path: Path) -> CauseTable:
    """The table of a file; raises `CitelogError` where a condition names what is not there."""
    try:
        table = msgspec.toml.decode(path.read_bytes(), type=CauseTable)
    except msgspec.MsgspecError as error:
        raise CitelogError(f"{path}: {error}") from None
    for cause in table.causes:
        _check_to_do(path, table, cause)
        for text in (
            *cause.for_,
            *cause.against,
            *(each for group in cause.needs for each in group),
        ):
            _check(path, table, cause, text)
    return table


def _check(path: Path, table: CauseTable, cause: CauseRow, text: str) -> None:
    fact, state = condition(text)
    if fact not in table.facts or state not in STATES:
        raise CitelogError(
            f"{path}: cause {cause.code} asks for {text!r}; a condition is a fact of the table "
            f"and one of {', '.join(STATES)}"
        )


def _check_to_do(path: Path, table: CauseTable, cause: CauseRow) -> None:
    try:
        cause.to_do.format_map(dict.fromkeys(table.facts, ""))
    except (LookupError, ValueError, AttributeError):
        raise CitelogError(
            f"{path}: cause {cause.code} says what to do as {cause.to_do!r}; in braces there may "
            "be a fact of the table"
        ) from None
