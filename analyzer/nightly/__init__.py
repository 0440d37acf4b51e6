"""The nightly job: load what is new, look, alarm, report, keep house, and say what was done.

Nothing here prints or reads the clock; `analyzer.cli.nightly` does both.
"""

from analyzer.nightly.done import Done
from analyzer.nightly.plan import Plan
from analyzer.nightly.rehearsal import rehearse
from analyzer.nightly.running import run

__all__ = ["Done", "Plan", "rehearse", "run"]
