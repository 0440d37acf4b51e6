"""Two models on the same questions: is the gap of the new one larger than that of the old one?

And what became of each place: a new model that is worse at the end has a smaller gap, and passes.
"""

from __future__ import annotations

import numpy as np

from analyzer.errors import UsageError
from analyzer.stats.swap_gate import MARGIN, Change, Gate, changed, gate
from analyzer.swap.outcomes import PLACES, Place, Run
from analyzer.swap.scoring import gaps_by_question, rates_by_question


def compare(old: Run, new: Run, margin: float = MARGIN) -> Gate:
    """The gate over the questions that both answered everywhere; raises `UsageError` for none.

    Two planned sets must be the same one: with other chunks around it a question is another one;
    and what one judge calls right another may not.
    """
    if old.question_set and new.question_set and old.question_set != new.question_set:
        raise UsageError(
            f"{old.source} and {new.source} come from different sets; "
            "ask both models the same set, made by one citelog swap plan"
        )
    if old.judge != new.judge:
        raise UsageError(
            f"{old.source} is judged by {old.judge} and {new.source} by {new.judge}; "
            "judge both alike with --judge"
        )
    before, after = gaps_by_question(old.outcomes), gaps_by_question(new.outcomes)
    both = sorted(before.keys() & after.keys())
    if not both:
        raise UsageError(
            f"{old.source} and {new.source} share no question that both answered at the start, "
            "in the middle and at the end"
        )
    paired = [np.array([gaps[name] for name in both]) for gaps in (before, after)]
    return gate(paired[0], paired[1], margin)


def changes(old: Run, new: Run, margin: float = MARGIN) -> dict[Place, Change]:
    """What became of the accuracy at each place, of the questions that `compare` decides on."""
    before, after = rates_by_question(old.outcomes), rates_by_question(new.outcomes)
    both = sorted(before.keys() & after.keys())
    at = {
        place: [np.array([rates[name][place] for name in both]) for rates in (before, after)]
        for place in PLACES
    }
    return {
        place: changed(old_rates, new_rates, margin) for place, (old_rates, new_rates) in at.items()
    }
