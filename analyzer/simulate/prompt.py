"""From retrieved chunks to a prompt and its citations: packed, ordered, cut, read, cited."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from analyzer.simulate import cite, orderings
from analyzer.simulate.arrays import Bools, Floats, Ints
from analyzer.simulate.asking import Asked, ordering_names
from analyzer.simulate.pack import pack
from analyzer.simulate.pool import Pool
from analyzer.simulate.retrieve import Retrieved
from analyzer.simulate.scenario import Model, Route
from analyzer.simulate.traits import Cut, Relevance


@dataclass(frozen=True)
class Prompt:
    """Where every retrieved chunk went, by request and rank, and how much of it was read."""

    packed: Bools
    packed_rank: Ints
    position: Ints
    k: Ints
    tokens: Ints  # of the prompt, as the server counted them
    seen: Bools  # packed and not cut off by the server


def assemble(
    route: Route, pool: Pool, asked: Asked, retrieved: Retrieved, rng: np.random.Generator
) -> Prompt:
    """Pack and order the chunks; the server may cut what does not fit."""
    tokens = pool.tokens[retrieved.code]
    packed = pack(route.packer, retrieved, tokens, asked.wanted)
    packed_rank = np.where(packed, np.cumsum(packed, axis=1), 0)
    k = packed.sum(axis=1)
    chunks = orderings.Packed(
        packed=packed,
        packed_rank=packed_rank,
        k=k,
        slot=retrieved.slot,
        source=retrieved.code % pool.size,
        ordinal=retrieved.code % pool.chunks_each,
        score=retrieved.score,
    )
    position = orderings.positions(ordering_names(route), asked.ordering, chunks, rng)
    overhead = route.overhead_tokens + asked.question_tokens
    whole = overhead + np.where(packed, tokens, 0).sum(axis=1)
    prompt = Prompt(packed, packed_rank, position, k, whole, packed)
    return _cut(route.cut, prompt, tokens, overhead) if route.cut.limit_tokens else prompt


def _cut(cut: Cut, prompt: Prompt, tokens: Ints, overhead: Ints) -> Prompt:
    """The server keeps the first `limit_tokens`; a chunk that they cut through is not read."""
    width = tokens.shape[1]
    by_position = np.zeros((len(tokens), width + 1), dtype=np.int64)
    np.put_along_axis(by_position, prompt.position, np.where(prompt.packed, tokens, 0), axis=1)
    ends = np.take_along_axis(np.cumsum(by_position, axis=1), prompt.position, axis=1)
    seen = prompt.packed & (overhead[:, None] + ends <= cut.limit_tokens)
    served = np.minimum(prompt.tokens, cut.limit_tokens)
    if cut.logged == "all":
        return replace(prompt, tokens=served, seen=seen)
    return Prompt(
        packed=seen,
        packed_rank=np.where(seen, np.cumsum(seen, axis=1), 0),
        position=np.where(seen, prompt.position, 0),
        k=seen.sum(axis=1),
        tokens=overhead + np.where(seen, tokens, 0).sum(axis=1),
        seen=seen,
    )


def citations(
    model: Model,
    route: Route,
    pool: Pool,
    asked: Asked,
    retrieved: Retrieved,
    prompt: Prompt,
    rng: np.random.Generator,
) -> cite.Cited:
    """Draw what the answers cite."""
    asker = asked.effect + _of_request(route.relevance, retrieved, prompt.k)
    document = _document_effects(route.relevance, pool, retrieved, rng)
    relevant = cite.relevance(route.relevance, retrieved, asker, document, route.copies.relevance)
    depth = cite.depth_of(prompt.position, prompt.k)
    read = cite.theta(model, depth, prompt.tokens[:, None].astype(np.float64))
    cited = cite.cite(model, relevant, read, prompt.seen, rng)
    return replace(cited, cited=cited.cited & asked.citing[:, None])


def _of_request(shape: Relevance, retrieved: Retrieved, k: Ints) -> Floats:
    """What K and the share of copies add to a request's log relevance."""
    copies = (retrieved.is_copy & retrieved.there).sum(axis=1) / retrieved.there.sum(axis=1)
    return np.asarray(
        shape.per_log_k * np.log(np.maximum(k, 1) / 8.0) + shape.per_copy_share * copies,
        dtype=np.float64,
    )


def _document_effects(
    shape: Relevance, pool: Pool, retrieved: Retrieved, rng: np.random.Generator
) -> Floats:
    """What chunks of one document share: a draw of the request, and one of the document."""
    effect = np.zeros(retrieved.slot.shape)
    if shape.document_sd:
        drawn = rng.normal(0.0, shape.document_sd, effect.shape)
        effect += np.take_along_axis(drawn, retrieved.slot, axis=1)
    if shape.document_fixed_sd:
        effect += pool.document_effect[retrieved.code % pool.size // pool.chunks_each]
    return effect
