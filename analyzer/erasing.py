"""Erase what a store holds of a person: of requests by name, or of all requests of a unit.

The requests, their chunks, older records, labels and texts go, and the counts of days that are
not sealed are made again without them, so that those days go on being what their facts say. What
was counted on sealed days stays as counts, which name nobody. A fingerprint of each request, keyed
by the store, is all that is left: lines that come again, in whatever file, are rejected by it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from analyzer import rollup, store
from analyzer.errors import UsageError
from analyzer.facts.requests import units as units_of
from analyzer.ingest import settling

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection


@dataclass(frozen=True)
class Erased:
    """How much went. `sealed` requests were only counts already, `unheld` names were never here.

    `weeks` were made again without it; `counted_units` are the hashes of these units, and of
    requests that were units of their own, in the samples of sealed days.
    """

    requests: int
    chunks: int
    versions: int
    judgements: int
    texts: int
    batches: int
    sealed: int
    counted_units: int
    unheld: tuple[str, ...]
    weeks: tuple[date, ...]

    @property
    def anything(self) -> bool:
        """Whether anything was held that went."""
        return bool(self.requests or self.versions or self.judgements or self.counted_units)


def erase(con: Connection, requests: Sequence[str], units: Sequence[str], today: date) -> Erased:
    """Erase in a writer of a store; the file has to be written anew before it is published.

    Raises `UsageError` where nothing is named.
    """
    if (not requests and not units) or "" in (*requests, *units):
        raise UsageError("nothing is named; name requests or units, none of them empty")
    key = bytes.fromhex(str(store.settings(con)["unit_key"]))
    asked: dict[str, object] = {
        "requests": list(requests),
        "units": _hashes(units, key),
        "sampled": _hashes([*units, *requests], key),  # a request without a unit is its own
        "today": today,
    }
    with store.transaction(con):
        settling.run(con, "store/erase/named", None, **asked)
        found = _row(con, "store/erase/found", sampled=asked["sampled"])
        unheld = _names(con, "store/erase/unheld")
        settling.run(con, "store/erase/facts", None, **asked)
        settling.run(con, "store/settle/orphans")
        settling.run(con, "store/settle/dimensions")
        weeks = con.execute(store.statement("store/erase/weeks")).fetchall()
        rollup.rebuild(con)
        settling.run(con, "store/settle/recount")
        found["texts"] -= _row(con, "store/erase/held")["texts"]
    return Erased(unheld=unheld, weeks=tuple(week for (week,) in weeks), **found)


def _hashes(units: Sequence[str], key: bytes) -> list[int]:
    """What the store knows units by."""
    named = {"unit_id": units, "request_id": units}
    hashes: list[int] = units_of(named, key)["unit_hash"].to_pylist()
    return hashes


def _row(con: Connection, name: str, **asked: object) -> dict[str, int]:
    result = con.execute(store.statement(name), asked)
    names = [column[0] for column in result.description]
    return dict(zip(names, result.fetchall()[0], strict=True))


def _names(con: Connection, name: str) -> tuple[str, ...]:
    return tuple(str(row[0]) for row in con.execute(store.statement(name)).fetchall())
