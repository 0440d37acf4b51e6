"""The logged candidates of real requests as arrays, a block of requests at a time.

Requests are rows, candidates columns, the best first. Blocks keep the widest request of a route
from deciding the size of all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from analyzer.measures.orderings import resolved
from analyzer.measures.rows import Scope, of_route, rows
from analyzer.ordering import BY_RANK
from analyzer.stats.arrays import Flags, Floats, Integers
from analyzer.stats.settings import EffectSettings
from analyzer.store import statement
from analyzer.whatif.copied import near_copy

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection

MOST_REQUESTS = 20_000  # of a route; more would change no figure that people read
AT_ONCE = 4_000
UNKNOWN = -1
AS_LAID = UNKNOWN  # the ordering of a prompt that follows no rank
Measure = Literal["prompt", "context", "chunks"]  # tokens, tokens of packed chunks, K


@dataclass(frozen=True)
class Candidates:
    """Requests [n] of one route and their candidates [n, w]; UNKNOWN stands for what is not."""

    model: list[str]  # [n]
    group: Integers
    weight: Integers  # thousandths
    k: Integers  # packed chunks
    route_most: int  # the largest K of the route
    measure: Measure  # of prompt length, the best that all requests of the route have
    prompt_tokens: Integers
    budget: Integers
    ordering: Integers  # index into BY_RANK, or AS_LAID
    comparable: Flags  # its ordering follows the rank or chance, so its places can be compared
    known: Flags  # citations are
    there: Flags  # [n, w]
    rank: Integers
    position: Integers  # 0 = not packed
    tokens: Integers
    cited: Flags
    expected: Flags
    document: Integers
    text_hash: Integers
    hashed: Flags
    first: Integers  # half of the signature
    last: Integers
    signed: Flags

    @property
    def packed(self) -> Flags:
        """What stood in the prompt."""
        return self.position > 0

    @property
    def counted(self) -> Flags:
        """[n] requests all of whose candidates have tokens."""
        return np.asarray((~self.there | (self.tokens >= 0)).all(axis=1), np.bool_)

    @property
    def context(self) -> Integers:
        """[n] tokens of the packed chunks; meaningful where `counted`."""
        return self.context_of(self.packed)

    @cached_property
    def repeats(self) -> Flags:
        """[n, w] near-copies of a better candidate, packed or not."""
        found = np.zeros_like(self.there)
        for rank in range(1, self.there.shape[1]):
            found[:, rank] = self.there[:, rank] & near_copy(self, self.there, rank)
        return found

    def context_of(self, packed: Flags) -> Integers:
        """[n] tokens of these chunks; meaningful where `counted`."""
        total: Integers = np.where(packed, self.tokens, 0).sum(axis=1)
        return total

    def length_of(self, packed: Flags) -> Floats:
        """[n] how long prompts of these chunks are, by the route's measure."""
        if self.measure == "chunks":
            return np.asarray(packed.sum(axis=1), np.float64)
        tokens = self.context_of(packed)
        if self.measure == "prompt":
            tokens = tokens + self.prompt_tokens - self.context
        return np.maximum(tokens, 1).astype(np.float64)


def picked(con: Connection, scope: Scope, most: int = MOST_REQUESTS) -> dict[str, list[Candidates]]:
    """By route the candidates of at most `most` requests each, in blocks."""
    span = {"first_day": scope.first_day, "next_day": scope.next_day}
    con.execute(statement("whatif/pick"), {**asdict(scope), "most": most})
    requests = con.sql(statement("whatif/requests")).to_arrow_table()
    chunks = con.sql(statement("whatif/candidates"), params=span).to_arrow_table()
    names = _orderings(con, scope)
    starts = np.searchsorted(_whole(chunks, "number"), np.arange(requests.num_rows + 1))
    return {
        route: _blocks(
            requests.slice(first, end - first),
            chunks.slice(starts[first], starts[end] - starts[first]),
            starts[first : end + 1] - starts[first],
            names.get(route, {}),  # none where no citations are known: prompts stay as laid
        )
        for route, first, end in _stretches(requests)
    }


def _blocks(
    requests: pa.Table, chunks: pa.Table, starts: Integers, names: Mapping[str, str]
) -> list[Candidates]:
    """The requests of one route; `starts` are the first chunk of each, and the end."""
    told = _Told(names, int(_whole(requests, "packed").max()), _measure(requests, chunks))
    found = []
    for at in range(0, requests.num_rows, AT_ONCE):
        end = min(at + AT_ONCE, requests.num_rows)
        own = chunks.slice(starts[at], starts[end] - starts[at])
        found.append(_block(requests.slice(at, end - at), own, starts[at : end + 1], told))
    return found


@dataclass(frozen=True)
class _Told:
    """What is known of a route as a whole."""

    orderings: Mapping[str, str]  # agreement -> ordering
    most: int
    measure: Measure


def _measure(requests: pa.Table, chunks: pa.Table) -> Measure:
    if chunks["tokens"].null_count:
        return "chunks"
    return "context" if requests["prompt_tokens"].null_count else "prompt"


def _orderings(con: Connection, scope: Scope) -> Mapping[str, Mapping[str, str]]:
    """By route, what each agreement of a request comes to."""
    seen = rows(con, "orderings", scope)
    return {
        route: resolved(
            list(zip(*(of_route(seen, route)[name].to_pylist() for name in _SEEN), strict=True))
        )
        for route in pc.unique(seen["route"]).to_pylist()
    }


_SEEN = ("ordering_seen", "k", "requests")


def _stretches(requests: pa.Table) -> Iterator[tuple[str, int, int]]:
    """Each route with its first request and the one after its last."""
    names = requests["route"].to_pylist()
    starts = [n for n, name in enumerate(names) if n == 0 or name != names[n - 1]]
    for first, end in pairwise([*starts, len(names)]):
        yield names[first], first, end


def _block(requests: pa.Table, chunks: pa.Table, starts: Integers, told: _Told) -> Candidates:
    grid = _Grid(starts)
    seen = requests["ordering_seen"].to_pylist()
    names = [told.orderings.get(agreement, agreement) for agreement in seen]
    return Candidates(
        model=requests["model"].to_pylist(),
        group=_whole(requests, "unit_group"),
        weight=_whole(requests, "weight"),
        k=_whole(requests, "packed"),
        route_most=told.most,
        measure=told.measure,
        prompt_tokens=_whole(requests, "prompt_tokens"),
        budget=_whole(requests, "budget_tokens"),
        ordering=np.array([_by_rank(name) for name in names], np.int64),
        comparable=np.array([name in EffectSettings.counted for name in names], np.bool_),
        known=_flags(requests, "citations_known"),
        there=grid.there,
        rank=grid.laid(_whole(chunks, "rank"), 0),
        position=grid.laid(_whole(chunks, "position", 0), 0),
        tokens=grid.laid(_whole(chunks, "tokens"), UNKNOWN),
        cited=grid.flagged(_flags(chunks, "cited")),
        expected=grid.flagged(_flags(chunks, "expected")),
        document=grid.laid(_document(chunks), UNKNOWN),
        text_hash=grid.laid(_whole(chunks, "text_hash", 0), 0),
        hashed=grid.flagged(_known(chunks, "text_hash")),
        first=grid.laid(_whole(chunks, "s0", 0), 0),
        last=grid.laid(_whole(chunks, "s1", 0), 0),
        signed=grid.flagged(_known(chunks, "s0")),
    )


def _by_rank(name: str) -> int:
    return BY_RANK.index(name) if name in BY_RANK else AS_LAID


class _Grid:
    """Rows of chunks, request after request, as a table of requests by candidates."""

    def __init__(self, starts: Integers) -> None:
        sizes = np.diff(starts)
        self.there: Flags = np.arange(max(1, int(sizes.max(initial=1)))) < sizes[:, None]

    def laid(self, column: Integers, otherwise: int) -> Integers:
        table = np.full(self.there.shape, otherwise, np.int64)
        table[self.there] = column
        return table

    def flagged(self, column: Flags) -> Flags:
        return self.laid(column.astype(np.int64), 0) > 0


def _whole(table: pa.Table, column: str, otherwise: int = UNKNOWN) -> Integers:
    values = table[column].combine_chunks().fill_null(otherwise)
    return np.asarray(values.to_numpy(zero_copy_only=False), np.int64)


def _flags(table: pa.Table, column: str) -> Flags:
    values = table[column].combine_chunks().fill_null(False)
    return np.asarray(values.to_numpy(zero_copy_only=False), np.bool_)


def _known(table: pa.Table, column: str) -> Flags:
    return np.asarray(table[column].combine_chunks().is_valid().to_numpy(zero_copy_only=False))


def _document(chunks: pa.Table) -> Integers:
    codes = chunks["doc_id"].combine_chunks().dictionary_encode().indices.fill_null(UNKNOWN)
    return np.asarray(codes.to_numpy(zero_copy_only=False), np.int64)


def prices(block: Candidates, models: Mapping[str, float], otherwise: float | None) -> Floats:
    """[n] price of a million tokens of each request's model; NaN where none is set."""
    unset = np.nan if otherwise is None else otherwise
    return np.array([models.get(name, unset) for name in block.model], np.float64)
