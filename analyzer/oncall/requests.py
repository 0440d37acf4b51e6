"""One request chunk by chunk, and where its evidence was lost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from analyzer import elsewhere, names, numbers
from analyzer.errors import NothingThere, UsageError
from analyzer.store import settings, statement

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection

NAMED = 3  # requests, where a beginning is not enough
Row = dict[str, Any]


@dataclass(frozen=True)
class Request:
    """A row of `queries/oncall/request.sql`, and its chunks as `request_chunks.sql` orders them."""

    facts: Row
    chunks: tuple[Row, ...]

    @property
    def packed(self) -> list[Row]:
        """In prompt order."""
        return [each for each in self.chunks if each["position"] is not None]

    @property
    def not_packed(self) -> list[Row]:
        """By rank."""
        return [each for each in self.chunks if each["position"] is None]


def request(con: Connection, beginning: str) -> Request:
    """The request whose id is that, or the only one whose id begins with it.

    Raises `NothingThere` where there is none, and says so if its day was sealed; `UsageError`
    where there are several.
    """
    asked = {"beginning": beginning.rstrip("…"), "most": NAMED + 1}
    found = con.execute(statement("oncall/find_requests"), asked).fetchall()
    if not found:
        raise NothingThere(_missing(con, beginning))
    if len(found) > 1 and found[0][0] != asked["beginning"]:
        raise UsageError(_several(beginning, [name for name, _ in found]))
    name, day = found[0]
    which = {"request_id": name, "day": day}
    [facts] = _rows(con, "request", which)
    return Request(facts, tuple(_rows(con, "request_chunks", which)))


def _rows(con: Connection, name: str, asked: Row) -> list[Row]:
    table = con.sql(statement(f"oncall/{name}"), params=asked).to_arrow_table()
    rows: list[Row] = table.to_pylist()
    return rows


def _missing(con: Connection, name: str) -> str:
    sealed = con.execute(statement("oncall/sealed_request"), {"request_id": name}).fetchall()
    if sealed:
        return (
            f"request {names.shown(name)} is gone since {sealed[0][0]}, when its day was sealed; "
            "the counts of that day stand"
        )
    if gone := elsewhere.sentence(con):
        return f"request {names.shown(name)}: {gone}"
    before = settings(con)["sealed_before"]
    sealed_days = f"; of the days before {before}, which are sealed, only counts are held"
    return (
        f"no request is named {names.shown(name)}, nor begins so; ids are those of the log"
        f"{sealed_days if before else ''}"
    )


def _several(beginning: str, found: Sequence[str]) -> str:
    shown = ", ".join(map(names.shown, found[:NAMED]))
    more = " and more" if len(found) > NAMED else ""
    return f"{names.shown(beginning)} begins several ids: {shown}{more}; write more of it"


def fate(chunk: Row) -> str:
    """What became of a retrieved chunk."""
    if chunk["position"] is None:
        return "cut"
    if chunk["cited"] is None:
        return "packed"
    return "cited" if chunk["cited"] else "uncited"


def triage(one: Request) -> list[str]:
    """Where evidence was lost, each as a sentence."""
    return [_expected(one), *_citations(one), *_prompt(one)]


def _expected(one: Request) -> str:
    match one.facts["expected_outcome"]:
        case None:
            return "Which chunk holds the answer is not labelled."
        case "not_retrieved":
            return "Not retrieved: no chunk known to hold the answer came back; look at retrieval."
        case "cut":
            return f"Cut: {_where(one)} was retrieved and not packed; look at packing."
        case "uncited":
            return f"Packed but uncited: {_where(one)}; look where it stood."
        case "cited":
            return f"Cited: {_where(one)}."
    return f"Packed: {_where(one)}; whether it was cited is not known."


def _where(one: Request) -> str:
    """The expected chunk that came furthest, by its id, rank and place."""
    order = ("cited", "packed", "uncited", "cut")
    expected = [each for each in one.chunks if each["expected"]]
    best = min(expected, key=lambda each: order.index(fate(each)))
    rank = "" if best["rank"] is None else f", rank {best['rank']}"
    stood = ""
    if best["position"] is not None:
        stood = f", at position {best['position']} of {one.facts['packed']} ({best['place']})"
    return f"the expected chunk {names.shown(best['chunk_id'])}{rank}{stood}"


def _citations(one: Request) -> list[str]:
    facts = one.facts
    if facts["outcome"] != "answered":
        return [f"Not answered ({facts['outcome']}), so nothing can be cited."]
    if not facts["packed"]:
        return ["Answered with nothing packed." if facts["packed"] == 0 else _UNLISTED]
    if facts["cited"] is None:
        return ["What the answer cites is not logged."]
    said = [] if facts["cited"] else ["The answer cites none of its chunks."]
    if facts["stray"]:
        strays = numbers.counted(facts["stray"], "citation")
        points = "points" if facts["stray"] == 1 else "point"
        said.append(f"Stray: {strays} {points} to something that was not packed.")
    return said


_UNLISTED = "The log does not list all packed chunks."


def _prompt(one: Request) -> list[str]:
    facts = one.facts
    said = []
    if facts["prompt_cut"]:
        said.append(
            f"The prompt was cut: {numbers.count(facts['prompt_tokens'])} tokens, and its chunks "
            f"hold {numbers.count(facts['context_tokens'])}."
        )
    if facts["redundant"]:
        copies = numbers.counted(facts["redundant"], "packed chunk")
        said.append(f"{copies} {'repeats' if facts['redundant'] == 1 else 'repeat'} another one.")
    return said
