"""What another ordering, budget, filter or top-k would have made of the prompts in the logs."""

from analyzer.whatif.best import LEAST, best_changes, best_of, enough, too_few
from analyzer.whatif.change import Change
from analyzer.whatif.counting import TOKENS_PER_SECOND, Counting, speed
from analyzer.whatif.sweep import Swept, flattens_at, sweep
from analyzer.whatif.table import replayable, what_if

__all__ = [
    "LEAST",
    "TOKENS_PER_SECOND",
    "Change",
    "Counting",
    "Swept",
    "best_changes",
    "best_of",
    "enough",
    "flattens_at",
    "replayable",
    "speed",
    "sweep",
    "too_few",
    "what_if",
]
