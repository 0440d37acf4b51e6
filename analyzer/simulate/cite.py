"""Which packed chunks the answer cites: P(cited) = relevance(rank, document, asker) x theta(place).

theta is the illustrative curve: calculated, not measured. The expectation is returned beside the
draw, so that the truth of a position effect can be written down exactly.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analyzer.simulate.arrays import Bools, Floats, Ints
from analyzer.simulate.retrieve import Retrieved
from analyzer.simulate.scenario import Model
from analyzer.simulate.traits import Relevance
from analyzer.stats.illustrative import bump, loss

_MOST_RELEVANT = 0.97
_OUTSIDE = 0.15  # weight of citing nothing, where chunks compete


@dataclass(frozen=True)
class Cited:
    """What was cited, and with what chance, by request and rank."""

    cited: Bools
    relevance: Floats
    theta: Floats  # 0 for what the model never saw


def theta(model: Model, depth: Floats, prompt_tokens: Floats) -> Floats:
    """How well a place is read: edge - dip loss(T) bump(x), never below 0."""
    return np.maximum(0.0, model.edge - model.dip * loss(prompt_tokens) * bump(depth))


def relevance(
    shape: Relevance, retrieved: Retrieved, asker: Floats, document: Floats, copied: float
) -> Floats:
    """Relevance by request and rank; `asker` and `document` are added to its logarithm."""
    pulled = retrieved.quality + shape.document_pull * (
        retrieved.document_quality - retrieved.quality
    )
    best = shape.top * np.exp(asker[:, None] + document - shape.decay * pulled)
    best *= np.where(retrieved.is_copy, copied, 1.0)
    return np.minimum(_MOST_RELEVANT, best + shape.floor)


def depth_of(position: Ints, k: Ints) -> Floats:
    """(position - 1) / (K - 1); 0 where K is 1."""
    return np.asarray((position - 1) / np.maximum(k - 1, 1)[:, None], dtype=np.float64)


def cite(
    model: Model, relevant: Floats, read: Floats, seen: Bools, rng: np.random.Generator
) -> Cited:
    """Draw the citations among the chunks that the model saw; `read` is theta."""
    read = np.where(seen, read, 0.0)
    chance = relevant * read
    if model.citing == "compete":
        return Cited(_compete(chance, rng), relevant, read)
    return Cited(rng.random(chance.shape) < chance, relevant, read)


def _compete(weight: Floats, rng: np.random.Generator) -> Bools:
    """One or two citations drawn in proportion to the weights, or none of them."""
    with np.errstate(divide="ignore"):
        luck = np.log(weight) + rng.gumbel(size=weight.shape)
    nothing = np.log(_OUTSIDE) + rng.gumbel(size=len(weight))
    wanted = rng.integers(1, 3, len(weight))
    order = np.argsort(-luck, axis=1, kind="stable")
    place = np.empty_like(order)
    np.put_along_axis(place, order, np.arange(order.shape[1])[None, :], axis=1)
    chosen = (place < wanted[:, None]) & (luck > nothing[:, None]) & (weight > 0.0)
    return np.asarray(chosen, dtype=np.bool_)
