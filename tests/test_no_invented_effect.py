"""A model that treats every place alike is never said to have a dip, whatever its traffic."""

from __future__ import annotations

import pytest
from validation.invented import Trap, answers, traps

RUNS = range(8)
TRAPS = [trap for trap in traps(requests=2000.0) if trap.promised]


@pytest.mark.parametrize("trap", TRAPS, ids=lambda trap: trap.name)
def test_a_flat_model_is_refused_for_the_right_reason(trap: Trap) -> None:
    told = answers(trap, RUNS)
    assert told.verdicts.total() == len(RUNS)
    assert told.wrong(trap) == 0, told.verdicts
    # What is shown all the same holds 0; 95 % intervals of a handful of runs may miss it once.
    assert told.shown - told.holding <= 1, told.verdicts
