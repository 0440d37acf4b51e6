"""The linter for who adds the logging: what a log lacks or gets wrong, and what each costs.

It reads logs as a load does and keeps nothing; no store is needed. What can be told from the
lines alone is told here: fields that are missing, markers and scores that point to another chunk,
clocks that disagree. Nothing of a text is ever shown.
"""

from analyzer.checking.found import Checked, Finding, Level, Reason, SetAside, Unchecked
from analyzer.checking.running import check

__all__ = ["Checked", "Finding", "Level", "Reason", "SetAside", "Unchecked", "check"]
