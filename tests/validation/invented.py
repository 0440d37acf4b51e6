"""Models that treat every place alike, in traffic that makes it look otherwise.

Each would print a confident wrong number somewhere else: a plain histogram, a lift, strata of the
retrieved rank, an ordering that follows content. The answer is a refusal, and the right one, or an
interval that holds 0. Nothing is declared to the analyzer: it recognises the orderings itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any

from analyzer.simulate import Route
from analyzer.simulate.scenario import Segment
from analyzer.simulate.traits import Copies, Documents, Packer, Relevance, TopK, Units

from .coverage import HIGH, LOW
from .designs import AT_ONCE, FLAT, published, runs
from .table import Row, share

SEED = 20_260_824
_ALL_FOUR = dict.fromkeys(("best_first", "best_last", "edges_first", "edges_first_reversed"), 0.25)


@dataclass(frozen=True)
class Trap:
    """A route under a flat model, and the refusals that are right."""

    name: str
    route: Route
    right: tuple[str, ...]


def traps(requests: float = 5000.0) -> list[Trap]:
    """Each of the ways to invent an effect."""
    of = partial(published, requests=requests, declares_ordering=False)
    through_k = ("ONLY_K_VARIATION",)
    constant = TopK(median=8.0, spread=0.0, least=8, most=8)
    return [
        Trap("one ordering, edges first", of(orderings={"edges_first": 1.0}), through_k),
        Trap("one ordering, best first", of(orderings={"best_first": 1.0}), through_k),
        Trap(
            "one ordering, K always 8",
            of(orderings={"edges_first": 1.0}, k=constant),
            ("NO_POSITION_VARIATION",),
        ),
        Trap("one ordering, gaps left where copies are", of(**_gaps()), through_k),
        Trap("by document, relevance shared within", of(**_documents()), ("CONTENT_ORDERED",)),
        Trap(
            "source order, relevance fixed by document",
            of(orderings={"source_order": 1.0}, relevance=Relevance(document_fixed_sd=0.8)),
            ("CONTENT_ORDERED",),
        ),
        Trap(
            "four tenants with an ordering each",
            of(orderings=_ALL_FOUR, ordering_by="unit", units=Units(count=4, tail=0.5, sd=0.6)),
            ("FEW_UNITS", "CONFOUNDED_POLICIES"),
        ),
        Trap(
            "two orderings, hidden traffic 40 % apart",
            of(segments=_hidden("edges_first", -0.5)),
            ("CONFOUNDED_POLICIES",),
        ),
        Trap(
            "two orderings, hidden traffic 22 % apart",
            of(segments=_hidden("edges_first", -0.25)),
            ("CONFOUNDED_POLICIES",),
        ),
        Trap(
            "the same, orderings that share few positions",
            of(segments=_hidden("edges_first_reversed", -0.25)),
            ("CONFOUNDED_POLICIES",),
        ),
        Trap(
            "the same, orderings that share none: K always 8",
            of(segments=_hidden("edges_first_reversed", -0.25), k=constant),
            ("CONFOUNDED_POLICIES",),
        ),
    ]


def _gaps() -> Mapping[str, Any]:
    """A packer that leaves copies out; answers cite less where much was copied."""
    return {
        "orderings": {"edges_first": 1.0},
        "k": TopK(median=8.0, spread=0.5, least=3, most=16),
        "fetched": 24,
        "packer": Packer(drops_copies=True, per_document=2, budget_tokens=4000),
        "copies": Copies(mirrors=0.25),
        "relevance": Relevance(per_copy_share=-3.0),
    }


def _documents() -> Mapping[str, Any]:
    """Chunks of one document are cited together, and stand together."""
    return {
        "orderings": {"by_document": 1.0},
        "documents": Documents(count=61, chunks=11, fresh=0.5),
        "relevance": Relevance(document_sd=0.8, document_pull=1.0),
    }


def _hidden(other: str, shift: float) -> tuple[Segment, Segment]:
    """Half of the traffic best first, the other half otherwise, and less well served."""
    return (
        Segment(name="a", share=0.5, orderings={"best_first": 1.0}),
        Segment(name="b", share=0.5, shift=shift, orderings={other: 1.0}),
    )


@dataclass(frozen=True)
class Answers:
    """What the runs of a trap were told."""

    verdicts: Counter[str]
    shown: int
    holding: int  # intervals that hold 0

    def wrong(self, trap: Trap) -> int:
        """Refusals for another reason."""
        refused = self.verdicts.total() - self.shown
        return refused - sum(self.verdicts[code] for code in trap.right)


def answers(trap: Trap, numbers: range) -> Answers:
    """The runs of these numbers, in this process."""
    found = list(runs(trap.route, FLAT, SEED, numbers))
    held = [run.holds(0.0) for run in found]
    verdicts = Counter(run.found.effect.verdict.code for run in found)
    return Answers(verdicts, sum(each is not None for each in held), sum(map(bool, held)))


def rows(count: int, pool: ProcessPoolExecutor) -> list[Row]:
    """`count` runs of each trap."""
    steps = [range(at, min(at + AT_ONCE, count)) for at in range(0, count, AT_ONCE)]
    return [_row(trap, list(pool.map(partial(answers, trap), steps))) for trap in traps()]


def _row(trap: Trap, parts: list[Answers]) -> Row:
    verdicts: Counter[str] = sum((part.verdicts for part in parts), Counter())
    whole = Answers(verdicts, sum(p.shown for p in parts), sum(p.holding for p in parts))
    fine = not whole.shown or LOW <= whole.holding / whole.shown <= HIGH
    said = ", ".join(f"{code} {n}" for code, n in verdicts.most_common())
    if whole.shown:
        said += f"; of those shown {share(whole.holding, whole.shown)} hold 0"
    return Row(trap.name, said, " or ".join(trap.right), fine and not whole.wrong(trap))
