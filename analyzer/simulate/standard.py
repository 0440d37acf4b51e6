"""The traffic made when nobody describes another: three routes that differ as real ones do."""

from __future__ import annotations

from datetime import datetime

from analyzer.simulate.scenario import Layout, Route, Scenario
from analyzer.simulate.traits import Documents, Judging, Packer, Segment, Spread, TopK, Units


def standard(
    first_day: datetime, weeks: int, *, requests: float = 5000.0, seed: int = 1
) -> Scenario:
    """`support`, `docs` and `code`, each with that many requests a week, and nothing wrong."""
    routes = (support(requests), docs(requests), code(requests))
    return Scenario(first_day=first_day, weeks=weeks, seed=seed, routes=routes, layout=Layout())


def support(requests: float) -> Route:
    """Edges first with 5 % of the prompts shuffled on purpose; a packer that leaves rank gaps."""
    return Route(
        name="support",
        requests=requests,
        k=TopK(median=8.0, spread=0.35, least=3, most=16),
        fetched=18,
        packer=Packer(per_document=3, budget_tokens=5000),
        orderings={"edges_first": 1.0},
        explored=0.05,
        documents=Documents(count=251, chunks=9, tokens=Spread(median=390.0, spread=0.4)),
        judging=Judging(share=0.08),
    )


def docs(requests: float) -> Route:
    """Long prompts; three orderings drawn by chance for each request."""
    return Route(
        name="docs",
        requests=requests,
        k=TopK(median=10.0, spread=0.4, least=2, most=24),
        orderings={"best_first": 0.3, "edges_first": 0.5, "best_last": 0.2},
        documents=Documents(count=307, chunks=11, tokens=Spread(median=520.0, spread=0.45)),
        judging=Judging(share=0.04),
        overhead_tokens=600,
    )


def code(requests: float) -> Route:
    """Best first for everyone, without a reranker; two kinds of askers that no field names."""
    return Route(
        name="code",
        requests=requests,
        k=TopK(median=6.0, spread=0.3, least=2, most=12),
        fetched=10,
        orderings={"best_first": 1.0},
        reranker=False,
        documents=Documents(count=199, chunks=7, tokens=Spread(median=310.0, spread=0.6)),
        units=Units(count=120, tail=1.1),
        segments=(Segment(name="reading", share=0.7), Segment(name="writing", shift=-0.5)),
    )
