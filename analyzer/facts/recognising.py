"""Which ordering turned a request's ranks into its positions, told from ranks and positions alone.

A request can agree with several orderings (three chunks of three documents, best first, are also
by document), so all of them are named; which one a route really used is decided over many
requests. A declared ordering is not trusted here.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from analyzer.facts.columns import Block, Bools, Ints, filled
from analyzer.facts.placing import Placed
from analyzer.record import Request

FEWEST = 3  # below three chunks every ordering agrees with another
RANK_ORDERINGS = (
    "best_first",
    "best_last",
    "edges_first",
    "edges_first_reversed",
    "middle_first",
    "middle_first_reversed",
)


def orderings(block: Block, records: Sequence[Request], placed: Placed) -> list[str]:
    """Of each request the orderings it agrees with, joined by "|".

    `explored` where the record says that the order was drawn; `short` below three packed chunks;
    `other` where nothing agrees; `unranked` where some packed chunk has no rank and the documents
    do not explain the order either.
    """
    ranked = placed.listed & (placed.ranked == placed.k)
    agreeing = {name: fits & ranked for name, fits in _by_rank(block, placed).items()}
    agreeing |= {
        "edges_first_cut": _cut_edges(block, placed) & ranked,
        "score_order": _by_score(block, placed) & ranked,
        "by_document": _by_document(block, placed) & ranked,
        "source_order": _by_source(block, placed) & placed.listed,
    }
    short = placed.listed & (placed.k < FEWEST)
    explored = np.array([bool(record.explored) for record in records], np.bool_)
    names = np.array(list(agreeing))
    codes, which = np.unique(
        np.stack([*agreeing.values(), ranked, short, explored]), axis=1, return_inverse=True
    )
    labels = [_label(names[column[: len(names)]], *column[len(names) :]) for column in codes.T]
    return [labels[code] for code in which.ravel().tolist()]


def _label(agreeing: Sequence[str], ranked: bool, short: bool, explored: bool) -> str:
    if explored:
        return "explored"
    if short:
        return "short"
    return "|".join(agreeing) or ("other" if ranked else "unranked")


def _by_rank(block: Block, placed: Placed) -> dict[str, Bools]:
    p, r, k = placed.position, placed.packed_rank, placed.k[block.owner]
    edges, middle = _edges(r, k), _edges(k + 1 - r, k)
    expected = (r, k + 1 - r, edges, k + 1 - edges, middle, k + 1 - middle)
    return {
        name: block.per_request(placed.packed & (where != p)) == 0
        for name, where in zip(RANK_ORDERINGS, expected, strict=True)
    }


def _edges(rank: Ints, k: Ints) -> Ints:
    """Position of a rank where odd ranks are laid from the start and even ones from the end."""
    return np.where(rank % 2 == 1, (rank + 1) // 2, k + 1 - rank // 2)


def _cut_edges(block: Block, placed: Placed) -> Bools:
    """Edges first over more chunks than are packed: a prompt that was cut at its end.

    The weakest rank stands in the middle; where the cut fell before it, only odd ranks are left.
    """
    p, r = placed.position, np.where(placed.packed, block.rank, 0)
    longest = np.zeros(block.size, np.int64)
    np.maximum.at(longest, block.owner, r)
    whole = longest[block.owner]
    fits = block.per_request(placed.packed & (_edges(r, whole) != p)) == 0
    odd = block.per_request(placed.packed & (r != 2 * p - 1)) == 0
    cut: Bools = (fits | odd) & (longest > placed.k)
    return cut


def _by_score(block: Block, placed: Placed) -> Bools:
    """By the first stage's score although a reranker ran and would have it otherwise."""
    first, known = _floats(block.arrays["score"])
    last, reranked = _floats(block.arrays["rerank_score"])
    told = block.per_request(placed.packed & ~(known & reranked)) == 0
    rows = _in_prompt_order(block, placed)
    follows = ~_steps(block, rows, first[rows[:-1]] < first[rows[1:]])
    obeyed = ~_steps(block, rows, last[rows[:-1]] < last[rows[1:]])
    ignored: Bools = told & follows & ~obeyed
    return ignored


def _by_document(block: Block, placed: Placed) -> Bools:
    """Chunks of a document together, in its own order, the documents by their best chunk."""
    rows = _in_prompt_order(block, placed)
    code, told = _documents(block, placed)
    ordinal = filled(block.arrays["ordinal"])[0]
    same = code[rows[:-1]] == code[rows[1:]]
    descends = same & (ordinal[rows[:-1]] >= ordinal[rows[1:]])
    # Only the pairs of request and document that there are: all would fill the memory.
    pairs, pair = np.unique(
        block.owner[rows] * (code.max(initial=0) + 1) + code[rows], return_inverse=True
    )
    best = np.full(len(pairs), np.iinfo(np.int64).max)
    np.minimum.at(best, pair, placed.packed_rank[rows])
    late = best[pair[:-1]] > best[pair[1:]]
    together: Bools = told & ~_steps(block, rows, descends | late)
    return together


def _by_source(block: Block, placed: Placed) -> Bools:
    """By document id and place in the document, or by the time of indexing, whatever the rank."""
    rows = _in_prompt_order(block, placed)
    code, told = _documents(block, placed)
    ordinal = filled(block.arrays["ordinal"])[0]
    before, after = code[rows[:-1]], code[rows[1:]]
    back = (before > after) | ((before == after) & (ordinal[rows[:-1]] >= ordinal[rows[1:]]))
    indexed, dated = filled(block.arrays["indexed_at"].cast(pa.int64()))
    all_dated = block.per_request(placed.packed & ~dated) == 0
    earlier = indexed[rows[:-1]] >= indexed[rows[1:]]
    by_id: Bools = told & ~_steps(block, rows, back)
    by_time: Bools = all_dated & ~_steps(block, rows, earlier)
    return by_id | by_time


def _documents(block: Block, placed: Placed) -> tuple[Ints, Bools]:
    """Documents numbered in the order of their ids; where all packed chunks tell theirs."""
    names = block.arrays["doc_id"].dictionary_encode()
    rank = np.empty(len(names.dictionary), np.int64)
    rank[np.argsort(np.array(names.dictionary.to_pylist(), dtype=object))] = np.arange(len(rank))
    code, known = filled(names.indices)
    known &= block.known("ordinal")
    untold = block.per_request(placed.packed & ~known) > 0
    return (rank[code] if len(rank) else code), ~untold


def _in_prompt_order(block: Block, placed: Placed) -> Ints:
    rows = np.flatnonzero(placed.packed)
    order = np.argsort(block.owner[rows] << 32 | placed.position[rows], kind="stable")
    return rows[order]


def _steps(block: Block, rows: Ints, step: Bools) -> Bools:
    """Requests in which some step from one packed chunk to the next is of the given kind."""
    owner = block.owner[rows]
    within = owner[:-1] == owner[1:]
    return np.bincount(owner[:-1][step & within], minlength=block.size) > 0


def _floats(values: pa.Array) -> tuple[np.typing.NDArray[np.float64], Bools]:
    known = np.asarray(values.is_valid())
    return values.fill_null(0.0).to_numpy(zero_copy_only=False), known
