"""Orderings inside an application: from ranked chunks to a prompt, and back.

Every ordering takes chunks of any type, best first, and gives them in prompt order. The orderings
that follow the rank alone stand in one table (`by_rank`), which recognition reads too, so that what
an application does and what the analyzer calls it cannot drift apart. Nothing here is heavy.
"""

from analyzer.ordering.by_content import by_document, source_order
from analyzer.ordering.by_rank import (
    BY_RANK,
    NAMES,
    arranged,
    best_first,
    best_last,
    edges_first,
    edges_first_reversed,
    long_context_reorder,
    lost_in_the_middle,
    middle_first,
    middle_first_reversed,
    position,
    positions,
    rank_at,
    ranked_again,
    ranks,
    recognised_as,
)
from analyzer.ordering.context import Context, build_context
from analyzer.ordering.exploring import Explored, explore, shuffled

__all__ = [
    "BY_RANK",
    "NAMES",
    "Context",
    "Explored",
    "arranged",
    "best_first",
    "best_last",
    "build_context",
    "by_document",
    "edges_first",
    "edges_first_reversed",
    "explore",
    "long_context_reorder",
    "lost_in_the_middle",
    "middle_first",
    "middle_first_reversed",
    "position",
    "positions",
    "rank_at",
    "ranked_again",
    "ranks",
    "recognised_as",
    "shuffled",
    "source_order",
]
