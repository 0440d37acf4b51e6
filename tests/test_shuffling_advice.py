"""What a refused effect is told to do: shuffle so many requests, for so many weeks, or nothing."""

from __future__ import annotations

from typing import Any

import pytest

from analyzer.measures.effect_table import advice, shuffling


def refused(verdict: str = "NO_POSITION_VARIATION", **told: Any) -> dict[str, Any]:
    return {
        "verdict": verdict, "middle_against_edge": None, "units": 40, "comparable_chunks": 0.0,
        "answers": 5000, "shuffled_for_10": 480, "shuffled_for_5": 1920, **told,
    }  # fmt: skip


def test_it_says_how_many_requests_and_for_how_long() -> None:
    # 480 of 2,500 a week: 9.6 weeks at 2 %, 3.8 at 5 %.
    assert shuffling(refused(), weeks=2) == [
        "To see a dip of 10% shuffle 480 requests (10 weeks at 2% or 4 weeks at 5% of 2,500 a "
        "week); of 5%, 1,920."
    ]


def test_what_would_take_years_is_said_to() -> None:
    [told] = shuffling(refused(answers=100), weeks=1)
    assert "more than a year at 5% of 100 a week" in told


@pytest.mark.parametrize(
    ("row", "advised"),
    [
        (refused("FEW_UNITS", units=12, comparable_chunks=2000.0), False),  # a dozen tenants
        (refused("FEW_UNITS", comparable_chunks=5000.0), False),  # one unit holds a fifth of it
        (refused("FEW_UNITS", comparable_chunks=170.0), True),  # a fifth of a handful is chance
        (refused("TOO_FEW", comparable_chunks=40.0), True),
        (refused("OK", middle_against_edge=-0.1), False),
        (refused(shuffled_for_10=None), False),
        (refused(answers=0), False),
    ],
)
def test_it_is_advised_only_where_it_helps(row: dict[str, Any], advised: bool) -> None:
    assert bool(shuffling(row, weeks=1)) is advised


@pytest.mark.parametrize(
    ("row", "cure"),
    [
        (refused("FEW_UNITS", units=12, comparable_chunks=2000.0), "Log as unit_id whom"),
        (refused("FEW_UNITS", comparable_chunks=5000.0), "Log as unit_id whom"),
        (refused("FEW_UNITS", comparable_chunks=23.0), "More weeks together tell more"),
        (refused("TOO_FEW", comparable_chunks=40.0, shuffled_for_10=None), "More weeks together"),
        (refused("WEAK", middle_against_edge=0.1), "More weeks together tell more"),
    ],
)
def test_a_verdict_that_shuffling_alone_does_not_cure_says_what_does(
    row: dict[str, Any], cure: str
) -> None:
    first, *_ = advice(row, weeks=1)
    assert cure in first
    assert "citelog effect --since WEEK" in first


@pytest.mark.parametrize("code", ["NO_POSITION_VARIATION", "CONTENT_ORDERED", "DISCONNECTED"])
def test_where_one_ordering_is_the_reason_the_cure_is_to_shuffle(code: str) -> None:
    [told] = advice(refused(code), weeks=1)
    assert told.startswith("To see a dip of 10% shuffle 480 requests")


def test_what_is_told_needs_no_advice() -> None:
    assert advice(refused("OK", middle_against_edge=-0.1), weeks=1) == []
