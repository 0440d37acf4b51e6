"""Orderings that requests declare, held against those that their ranks and positions show.

What is declared is never trusted: an application goes on declaring its ordering after a change that
nobody told it of. Known only while the requests themselves are kept.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from analyzer import names, numbers
from analyzer.measures.orderings import PRECEDENCE, resolved
from analyzer.measures.rows import Scope, rows

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection

LEAST_DECLARED = 50  # requests that declare an ordering, before anything is said of them
LEAST_OTHERWISE = 0.05  # of them that were seen to have another


@dataclass(frozen=True)
class Declared:
    """So many requests of a day and K that declare one ordering and agree with the same ones."""

    day: date
    route: str
    ordering: str
    agreement: str  # names joined by "|"
    k: int
    requests: int

    @property
    def known(self) -> bool:
        """Whether an ordering is recognised under that name."""
        return self.ordering in PRECEDENCE

    @property
    def otherwise(self) -> bool:
        """Whether they do not have it."""
        return self.ordering not in self.agreement.split("|")


def declared(con: Connection, scope: Scope) -> list[Declared]:
    """What the requests of a scope declare; of all models and releases."""
    found = rows(con, "declared_orderings", scope)
    return [Declared(*row) for row in zip(*(each.to_pylist() for each in found), strict=True)]


def contradictions(con: Connection, scope: Scope) -> dict[str, list[str]]:
    """By route a sentence for each declared ordering that many of its requests do not have."""
    told: dict[str, list[str]] = defaultdict(list)
    for (route, ordering), mine in sorted(_by_declaration(declared(con, scope)).items()):
        other = [one for one in mine if one.otherwise]
        total, n = (sum(one.requests for one in some) for some in (mine, other))
        if total >= LEAST_DECLARED and n / total >= LEAST_OTHERWISE:
            told[route].append(_sentence(ordering, n, total, _mostly(mine), known=mine[0].known))
    return dict(told)


def _by_declaration(found: Iterable[Declared]) -> dict[tuple[str, str], list[Declared]]:
    by: dict[tuple[str, str], list[Declared]] = defaultdict(list)
    for one in found:
        by[one.route, one.ordering].append(one)
    return by


def _mostly(mine: list[Declared]) -> str:
    """The ordering that most of those that are ordered otherwise show."""
    names = resolved((one.agreement, one.k, one.requests) for one in mine)
    seen: Counter[str] = Counter()
    for one in mine:
        seen[names[one.agreement]] += one.requests if one.otherwise else 0
    return min(seen, key=lambda name: (-seen[name], name))


def _sentence(ordering: str, otherwise: int, total: int, mostly: str, *, known: bool) -> str:
    if not known:
        return (
            f"{numbers.counted(total, 'request')} declare {spoken(ordering)}, a name that stands "
            f"for no known ordering; most are seen to be {spoken(mostly)}"
        )
    return (
        f"{numbers.rate(otherwise / total)} of {numbers.counted(total, 'request')} that declare "
        f"{spoken(ordering)} are ordered otherwise, most of them {spoken(mostly)}"
    )


def spoken(ordering: str) -> str:
    """`edges_first` as it stands in a sentence."""
    return names.shown(ordering.replace("_", " "))
