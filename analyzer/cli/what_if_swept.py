"""What a sweep says to people: a line a step, and from which one on recall is flat."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

from analyzer import numbers
from analyzer.cli import what_if_words
from analyzer.cli.say import plain

if TYPE_CHECKING:
    from analyzer.whatif import Swept

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Kind:
    """The words of what is tried from tight to loose."""

    field: Swept  # of a change, and a column of its row
    option: str
    tried: str
    name: str  # of a step
    step: Callable[[Any], str]
    phrase: str  # where recall turns flat, with a place for the step
    note: str
    unlimited: str = ""  # the same where a step sets no limit
    untried: str = ""  # why there may be no other step than that

    def at(self, row: Row) -> str:
        """The step of a row, in a word or a number."""
        return self.step(row[self.field])

    def flat_at(self, row: Row) -> str:
        """The same in a sentence; a limit that is none ends what was tried."""
        return self.unlimited if row[self.field] is None else self.phrase.format(self.at(row))


_ENTERS = (
    "What comes in was never packed and could not be cited: no recall of cited chunks rises by it."
)
TOP_K = Kind(
    "top_k",
    "--top-k",
    "top-k",
    "top-k",
    str,
    "at top-k {}",
    "Chunks never packed could not be cited: beyond the logged K that recall is flat.",
)
BUDGET = Kind(
    "budget",
    "--budget",
    "budgets",
    "budget",
    lambda tokens: "none" if tokens is None else numbers.count(tokens),
    "at a budget of {} tokens",
    "The logged top-k stays: beyond what prompts took recall is flat.",
    untried="no budget can be tried: of no prompt are the tokens of all candidates known",
)
PER_DOCUMENT = Kind(
    "per_document",
    "--per-doc-cap",
    "caps on each document",
    "of a document",
    lambda cap: "any" if cap is None else str(cap),
    "with at most {} of a document",
    _ENTERS,
    unlimited="only without a cap",
    untried="no cap can be tried: no request logged two candidates of one document",
)
DEDUPE = Kind(
    "dedupe",
    "--dedupe",
    "a filter of near-copies",
    "near-copies",
    lambda left_out: "left out" if left_out else "kept",
    "with near-copies {}",
    _ENTERS,
)
KINDS = {
    "top_k": TOP_K,
    "budget": BUDGET,
    "per_doc_cap": PER_DOCUMENT,
    "dedupe": DEDUPE,
}


def swept(rows: Sequence[Row], span: str, kind: Kind) -> Iterator[str]:
    """A line a step, and where recall turns flat; the steps of a route from the tightest on."""
    yield f"{kind.tried} tried {span}"
    for route, group in groupby(rows, key=lambda row: row["route"]):
        own = list(group)
        yield ""
        yield f"{plain(route)}: {numbers.counted(own[0]['replayed'], 'answer')}"
        yield from _table(own, kind)
        yield from (f"  {line}" for line in found(own, kind))
    yield ""
    yield kind.note


def found(rows: Sequence[Row], kind: Kind) -> Iterator[str]:
    """What the steps of a route come to."""
    from analyzer.whatif import flattens_at

    if kind is DEDUPE:  # a near-copy of what it takes may stay, and recall does not tell
        yield from _lost(rows[0])
        return
    if len(rows) == 1 and rows[0][kind.field] is None:
        yield kind.untried
        return
    for chunks, recall in (("cited", "cited_recall"), ("expected", "expected_recall_then")):
        flat = flattens_at(rows, recall)
        if flat is rows[-1] and len(rows) > 1 and flat[kind.field] is not None:
            yield f"recall of {chunks} chunks grows up to the last step, {kind.flat_at(flat)}"
        elif flat is not None:
            yield f"recall of {chunks} chunks turns flat {kind.flat_at(flat)}"


def _lost(left_out: Row) -> Iterator[str]:
    yield what_if_words.lost(left_out)
    if left_out["expected"]:
        yield what_if_words.expected(left_out)


def _table(rows: Sequence[Row], kind: Kind) -> Iterator[str]:
    columns = [
        (kind.name, [kind.at(row) for row in rows]),
        ("tokens a prompt", [numbers.count(row["tokens_then"]) for row in rows]),
        *_cost(rows),
        ("cited chunks in it", [numbers.rate(row["cited_recall"]) for row in rows]),
        ("expected chunks in it", [numbers.rate(row["expected_recall_then"]) for row in rows]),
    ]
    widths = [max(map(len, (heading, *cells))) for heading, cells in columns]
    for line in zip(*([heading, *cells] for heading, cells in columns), strict=True):
        yield "  " + "  ".join(f"{cell:>{width}}" for cell, width in zip(line, widths, strict=True))


def _cost(rows: Sequence[Row]) -> Iterator[tuple[str, list[str]]]:
    """Where the models of the route have a price."""
    if rows[0]["cost_then"] is not None:
        yield "cost of 1,000", [numbers.fine(row["cost_then"]) for row in rows]
