"""What changes would make of each route: facts, and the expected change where it can be told.

One row a route and change. Facts are of the requests that were replayed; `*_saved` are scaled to
all answers of the span by their sample weights. NULL is what is not known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import reduce
from itertools import starmap
from operator import add
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from analyzer.measures.effect import effects
from analyzer.measures.rows import Scope
from analyzer.stats.arrays import Flags
from analyzer.stats.jackknife import Estimate
from analyzer.stats.verdicts import Verdict
from analyzer.store import statement
from analyzer.whatif.candidates import Candidates, picked, prices
from analyzer.whatif.change import Change
from analyzer.whatif.counting import Counting
from analyzer.whatif.curve import Curve, own_curve
from analyzer.whatif.expected import enters_unseen, expected, moves, together
from analyzer.whatif.figures import figures
from analyzer.whatif.illustrated import illustrated
from analyzer.whatif.replay import Replayed, replay
from analyzer.whatif.tally import tally, usable

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection

SCHEMA = pa.schema(
    [
        ("route", pa.string()),
        ("change", pa.string()),  # in words
        ("ordering", pa.string()),
        ("top_k", pa.int64()),
        ("budget", pa.int64()),
        ("dedupe", pa.bool_()),
        ("per_document", pa.int64()),
        ("answers", pa.int64()),  # with something packed, in the span
        ("unranked", pa.int64()),  # of them, those that cannot be replayed
        ("replayed", pa.int64()),
        ("uncounted", pa.int64()),  # left out under a budget: tokens of a candidate are not known
        ("packed_now", pa.float64()),  # chunks a prompt
        ("packed_then", pa.float64()),
        ("tokens_now", pa.float64()),  # of packed chunks, a prompt
        ("tokens_then", pa.float64()),
        ("tokens_saved", pa.int64()),  # over all answers; negative: spent
        ("cost_now", pa.float64()),  # of the same tokens, money for a thousand prompts
        ("cost_then", pa.float64()),
        ("cost_saved", pa.float64()),  # money over all answers
        ("prefill_ms_saved", pa.float64()),  # a prompt
        ("tokens_per_second", pa.float64()),  # that those assume
        ("entering", pa.int64()),  # chunks that would be packed and were not
        ("cited", pa.int64()),  # chunks
        ("cited_lost", pa.int64()),  # of them, would not be packed
        ("lost_with_copy", pa.int64()),  # of those, a near-copy would be
        ("cited_recall", pa.float64()),  # share of the cited chunks that would be packed
        ("middle", pa.int64()),  # cited chunks in the middle, of those that stay
        ("out_of_middle", pa.int64()),  # of them, would leave it
        ("into_middle", pa.int64()),  # cited chunks that would come into it
        ("out_of_middle_share", pa.float64()),  # of the cited chunks that stay: out less in
        ("expected", pa.int64()),  # expected chunks that were retrieved
        ("expected_recall_now", pa.float64()),  # of them, packed
        ("expected_recall_then", pa.float64()),
        ("expected_packed", pa.int64()),  # of them, packed; NULL where none is labelled
        ("expected_lost", pa.int64()),  # of those, would not be packed
        ("expected_lost_with_copy", pa.int64()),  # of those, a near-copy would be
        ("citations_change", pa.float64()),  # expected, relative
        ("low", pa.float64()),  # 95 % interval
        ("high", pa.float64()),
        ("verdict", pa.string()),  # of the position effect; or DISCONNECTED, UNSEEN_RANKS
        ("sentence", pa.string()),
        (
            "illustrative_change",
            pa.float64(),
        ),  # by the illustrative curve: calculated, not measured
    ]
)
Made = tuple[Candidates, Replayed, Flags]  # a block, what became of it, which requests count


@dataclass(frozen=True)
class Refusal:
    """Why no change is told although the position effect is known."""

    code: str
    sentence: str


_DISCONNECTED = Refusal(
    "DISCONNECTED",
    "Cited chunks would move to places, or prompts to lengths, that no chunk of their rank was "
    "seen in.",
)
_UNSEEN = Refusal(
    "UNSEEN_RANKS",
    "Chunks would enter at ranks that hardly a prompt held; what they are worth is not known.",
)


def what_if(
    con: Connection, scope: Scope, changes: Sequence[Change], counting: Counting | None = None
) -> pa.Table:
    """Replay the logged candidates of a scope under each change; routes in their order."""
    found = routes(con, scope, counting or Counting())
    return tabled([route.row(change) for route in found for change in changes])


def tabled(rows: Sequence[dict[str, Any]]) -> pa.Table:
    """Rows of `Route.row` as a table."""
    return pa.Table.from_pylist(list(rows), SCHEMA)


def routes(con: Connection, scope: Scope, counting: Counting) -> list[Route]:
    """Every route of a scope with requests that can be replayed."""
    told = {row["route"]: row for row in answered(con, scope)}
    found = effects(con, scope, counting.effect)
    return [
        Route(told[name], blocks, found[name].effect.verdict, counting)
        for name, blocks in picked(con, scope, counting.requests).items()
    ]


def answered(con: Connection, scope: Scope) -> list[dict[str, Any]]:
    """By route `answers`, `unranked` of them, and of the others those of `known` citations."""
    answers = con.sql(statement("whatif/answered"), params=asdict(scope)).to_arrow_table()
    rows: list[dict[str, Any]] = answers.to_pylist()
    return rows


def replayable(con: Connection, scope: Scope) -> bool:
    """Whether an answer is held whose prompt can be packed again; sealed days have none."""
    return any(row["unranked"] < row["answers"] for row in answered(con, scope))


class Route:
    """One route: its candidates, its curve where there is one, and what a change makes of them."""

    def __init__(
        self,
        answers: dict[str, Any],
        blocks: Sequence[Candidates],
        verdict: Verdict,
        counting: Counting,
    ) -> None:
        self.blocks = blocks
        self._answers, self._verdict, self._counting = answers, verdict, counting
        self._curve: Curve | None = own_curve(blocks) if verdict.code == "OK" else None

    @property
    def known(self) -> int:
        """Answers that can be packed again and tell their citations."""
        return int(self._answers["known"])

    def row(self, change: Change) -> dict[str, Any]:
        """Facts and expectation, by the names of `SCHEMA`."""
        made = [(each, replay(each, change), usable(each, change)) for each in self.blocks]
        shown = self._counting.illustrative
        return {
            **self.facts(change, made),
            **self._expected(made),
            "illustrative_change": reduce(add, starmap(illustrated, made)).change
            if shown
            else None,
        }

    def facts(self, change: Change, made: Sequence[Made] | None = None) -> dict[str, Any]:
        """The facts alone, which cost a tenth."""
        made = made or [(each, replay(each, change), usable(each, change)) for each in self.blocks]
        price = self._counting.prices, self._counting.price
        found = reduce(add, (tally(*part, prices(part[0], *price)) for part in made))
        weight = self._answers["weight"]
        told = {"change": change.says, **asdict(change)}
        return {**self._answers, **told, **figures(found, self._counting, weight)}

    def _expected(self, made: Sequence[Made]) -> dict[str, Any]:
        verdict: Verdict | Refusal = self._verdict
        estimate: Estimate | Refusal | None = None
        if verdict.code == "OK":
            estimate = _estimate(self._curve, made)
            verdict = estimate if isinstance(estimate, Refusal) else verdict
        interval = estimate.interval() if isinstance(estimate, Estimate) else None
        return {
            "citations_change": estimate.value if isinstance(estimate, Estimate) else None,
            **dict(zip(("low", "high"), interval or (None, None), strict=True)),
            "verdict": verdict.code,
            "sentence": verdict.sentence,
        }


def _estimate(curve: Curve | None, made: Sequence[Made]) -> Estimate | Refusal:
    if curve is None:
        return _DISCONNECTED
    moved = together([moves(*part, curve) for part in made])
    if enters_unseen(moved):
        return _UNSEEN
    found = expected(moved, curve.reading)
    return found if found is not None and found.interval() is not None else _DISCONNECTED
