"""What another ordering, budget, filter or top-k would have made of the prompts in the logs."""

from analyzer.whatif.best import LEAST, best_changes, best_of, enough, too_few
from analyzer.whatif.change import Change
from analyzer.whatif.counting import Counting
from analyzer.whatif.sweep import flattens_at, sweep_top_k
from analyzer.whatif.table import replayable, what_if

__all__ = [
    "LEAST",
    "Change",
    "Counting",
    "best_changes",
    "best_of",
    "enough",
    "flattens_at",
    "replayable",
    "sweep_top_k",
    "too_few",
    "what_if",
]
