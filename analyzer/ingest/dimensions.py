"""What requests have in common, by key: a chunk names it by one number instead of six strings.

Repeated on every chunk, those few strings are a quarter of what adding chunks costs DuckDB.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from analyzer.facts import Facts
from analyzer.facts.columns import Ints
from analyzer.store import statement

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection

NAMES = ("route", "model", "release", "index_version", "ordering_seen", "outcome")
_NOT_STORED = [*NAMES, "place"]  # the place follows from position and K

Combination = tuple[str, ...]


class Keys:
    """The keys of the combinations that a store holds, and of those that one file brings."""

    def __init__(self, con: Connection) -> None:
        held = con.execute(statement("store/load/known_dimensions")).fetchall()
        self._held: dict[Combination, int] = {tuple(names): key for key, *names in held}
        self._next = max(self._held.values(), default=0) + 1

    def tables(self, facts: Sequence[Facts]) -> dict[str, pa.Table]:
        """The `chunk_facts` of some facts, and before them the `dimensions` that are new.

        No table is empty: where nothing was retrieved, or nothing is new, there is none.
        """
        requests = pa.concat_tables([each.requests.select([*NAMES, "retrieved"]) for each in facts])
        requests = requests.filter(pc.greater(requests["retrieved"], 0))
        if not requests:
            return {}
        found, which = combinations(requests)
        new = self._taken_in(found)
        keys = np.array([self._held[each] for each in found], np.int32)[which]
        of_chunks = pa.array(np.repeat(keys, requests["retrieved"].to_numpy()))
        chunks = pa.concat_tables([each.chunks.drop_columns(_NOT_STORED) for each in facts])
        keyed = {"chunk_facts": chunks.append_column("dimension_key", of_chunks)}
        return {"dimensions": pa.Table.from_pylist(new), **keyed} if new else keyed

    def _taken_in(self, found: Sequence[Combination]) -> list[dict[str, str | int]]:
        """Give those that are not held the next keys; their rows."""
        new = [each for each in found if each not in self._held]
        for each in new:
            self._held[each] = self._next
            self._next += 1
        return [
            {"dimension_key": self._held[each], **dict(zip(NAMES, each, strict=True))}
            for each in new
        ]


def combinations(requests: pa.Table) -> tuple[list[Combination], Ints]:
    """Each combination of dimensions once, and which of them each request has."""
    which = np.zeros(requests.num_rows, np.int64)
    for name in NAMES:
        column = requests[name].combine_chunks().dictionary_encode()
        codes = which * len(column.dictionary) + column.indices.to_numpy()
        _, first, which = np.unique(codes, return_index=True, return_inverse=True)
    each_once = requests.select(NAMES).take(pa.array(first))
    return list(zip(*each_once.to_pydict().values(), strict=True)), which
