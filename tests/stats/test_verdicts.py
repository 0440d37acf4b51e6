"""Every verdict, each from cells made by hand that leave no other."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace

import pytest

from analyzer.stats.position_effect import PositionEffect, position_effect
from analyzer.stats.settings import EffectSettings
from analyzer.stats.verdicts import _over

from .made import Row, cells, positions

START, MIDDLE, END = 0, 1, 2


def _groups(make: Callable[[int], Iterable[Row]]) -> list[Row]:
    return [row for group in range(20) for row in make(group)]


def _two_orderings(group: int, packed: int = 50, wobble: int = 1) -> list[Row]:
    """Ranks 1 to 4 of five chunks, each seen at an edge and in the middle; 40 % against 36 %."""
    edge = 2 * packed // 5 + wobble * (group % 3 - 1)
    return [
        row
        for rank in (1, 2, 3, 4)
        for row in (
            ("best_first", 5, rank, END if rank > 2 else START, group, packed, edge),
            ("edges_first", 5, rank, MIDDLE, group, packed, 9 * packed // 25),
        )
    ]


def _effect(rows: list[Row], units: int = 40) -> PositionEffect:
    return position_effect(cells(rows), None, units)


def test_an_effect_is_said_with_its_interval() -> None:
    effect = _effect(_groups(_two_orderings))
    assert effect.verdict.code == "OK"
    assert re.fullmatch(
        r"In the middle a chunk is cited 10% less often than one of the same rank at an edge "
        r"\(95% interval −1\d to −[5-9]%\)\.",
        effect.verdict.sentence,
    )
    assert effect.log_ratio is not None
    assert effect.log_ratio.df == 19
    assert effect.risk_difference is not None
    assert effect.risk_difference.value == pytest.approx(-0.04, abs=0.002)
    assert [contrast.code for contrast in effect.profile] == ["OK", "OK", "OK"]


def test_no_effect_is_said_as_plainly() -> None:
    effect = _effect(_groups(lambda group: [(*row[:6], 20) for row in _two_orderings(group, 50)]))
    assert effect.verdict.code == "OK"
    assert effect.verdict.sentence.startswith("No effect of position was seen:")


def test_one_ordering_is_refused() -> None:
    effect = _effect(_groups(lambda g: [row for row in _two_orderings(g) if row[0] != "edges_first"]
                             + [("best_first", 5, 5, MIDDLE, g, 50, 20)]))  # fmt: skip
    assert effect.verdict.code == "NO_POSITION_VARIATION"
    assert "(one ordering)" in effect.verdict.sentence
    assert effect.log_ratio is None
    assert effect.density_ratio is not None


def test_variation_through_k_alone_is_refused() -> None:
    rows = _groups(
        lambda g: [
            ("edges_first", 5, 3, START, g, 50, 20),
            ("edges_first", 9, 3, MIDDLE, g, 50, 20),
        ]
    )
    assert _effect(rows).verdict.code == "ONLY_K_VARIATION"


def test_orderings_that_follow_documents_are_no_evidence() -> None:
    effect = _effect(_groups(lambda g: [("other", *row[1:]) for row in _two_orderings(g)]))
    assert effect.verdict.code == "CONTENT_ORDERED"
    assert effect.lift_ratio == pytest.approx(0.9, abs=0.01)  # to look at, whatever orders prompts
    assert {contrast.code for contrast in effect.profile} == {"CONTENT_ORDERED"}


def test_short_prompts_speak_neither_for_nor_against() -> None:
    effect = _effect(_groups(lambda g: [("short", 2, 1, START, g, 50, 20)]))
    assert effect.verdict.code == "NO_POSITION_VARIATION"
    assert "there is no middle to compare" in effect.verdict.sentence


def test_orderings_that_serve_different_traffic_are_refused() -> None:
    by_position = _groups(
        lambda g: [
            ("best_first", 5, 1, 1, g, 50, 20 + g % 2),
            ("edges_first", 5, 1, 1, g, 50, 30),
        ]
    )
    effect = position_effect(cells(_groups(_two_orderings)), positions(by_position), 40)
    assert effect.verdict.code == "CONFOUNDED_POLICIES"
    assert effect.control is not None
    assert effect.control.log_ratio.value == pytest.approx(-0.38, abs=0.01)
    assert "(z = −" in effect.verdict.sentence
    assert {contrast.code for contrast in effect.profile} == {"CONFOUNDED_POLICIES"}


def test_a_small_difference_between_orderings_is_competition_not_confounding() -> None:
    by_position = _groups(
        lambda g: [
            ("best_first", 5, 1, 1, g, 1000, 400 + g % 2),
            ("edges_first", 5, 1, 1, g, 1000, 412),
        ]
    )
    effect = position_effect(cells(_groups(_two_orderings)), positions(by_position), 40)
    assert effect.control is not None
    assert abs(effect.control.z) > 2.58
    assert effect.verdict.code == "OK"


def test_a_start_never_compared_leaves_the_middle_against_the_end() -> None:
    rows = _groups(lambda g: [row for row in _two_orderings(g) if row[2] > 2]
                   + [("best_first", 5, 1, START, g, 50, 20)])  # fmt: skip
    effect = _effect(rows)
    assert effect.verdict.code == "DISCONNECTED"
    assert "at the start" in effect.verdict.sentence
    codes = {(c.place, c.against): c.code for c in effect.profile}
    assert codes == {
        ("middle", "start"): "DISCONNECTED",
        ("middle", "end"): "OK",
        ("end", "start"): "DISCONNECTED",
    }


def test_best_first_beside_best_last_compares_start_and_end_only() -> None:
    rows = _groups(
        lambda g: [
            ("best_first", 5, 1, START, g, 50, 20 + g % 2),
            ("best_last", 5, 1, END, g, 50, 20),
            ("best_first", 5, 3, MIDDLE, g, 50, 20),
        ]
    )
    effect = _effect(rows)
    assert effect.verdict.code == "NO_POSITION_VARIATION"
    assert "both at an edge and in the middle" in effect.verdict.sentence
    assert [c.code for c in effect.profile] == ["NO_POSITION_VARIATION"] * 2 + ["OK"]


def test_few_units_are_too_few_to_trust_an_interval() -> None:
    effect = _effect(_groups(_two_orderings), units=4)
    assert effect.verdict.code == "FEW_UNITS"
    assert effect.verdict.sentence.startswith("Only 4 units chose the ordering")


def test_one_group_that_holds_most_is_too_much() -> None:
    rows = _groups(lambda g: _two_orderings(g, packed=1000 if g == 7 else 50))
    effect = _effect(rows)
    assert effect.verdict.code == "FEW_UNITS"
    assert effect.verdict.sentence == (
        "Units are put by a hash into 20 groups, which the interval leaves out in turn; one group "
        "holds 51.3% of the comparable chunks, and over 20% the interval would be too narrow."
    )


def test_a_share_beyond_its_limit_never_reads_like_the_limit() -> None:
    assert _over(0.2001, 0.2) == "just over 20%"
    assert _over(0.2051, 0.2) == "20.5%"


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        (_groups(lambda g: _two_orderings(g, 1, 0))[:60], "Only 15 comparable chunks."),
        (
            _groups(lambda g: [(*row[:6], int(g == 0)) for row in _two_orderings(g)]),
            "Of the comparable chunks at the edge only 4 were cited.",
        ),
    ],
)
def test_too_few_to_say_a_number(rows: list[Row], sentence: str) -> None:
    effect = _effect(rows)
    assert effect.verdict.code == "TOO_FEW"
    assert effect.verdict.sentence == sentence
    assert effect.log_ratio is None


def test_a_wide_interval_is_weak() -> None:
    effect = _effect(_groups(lambda g: _two_orderings(g, packed=5, wobble=2)))
    assert effect.verdict.code == "WEAK"
    assert effect.verdict.sentence.startswith("Too little to tell: in the middle")
    assert effect.log_ratio is not None


def test_one_stratum_that_holds_most_is_weak() -> None:
    def heavy(row: Row) -> Row:
        return (*row[:5], row[5] * 20, row[6] * 20) if row[2] == 1 else row

    rows = _groups(lambda g: [heavy(row) for row in _two_orderings(g)])
    effect = _effect(rows)
    assert effect.comparability.top_stratum_share == pytest.approx(20 / 23)
    assert effect.verdict.code == "WEAK"


def test_nothing_at_all_is_refused_in_words() -> None:
    effect = position_effect(cells([]), positions([]), 0)
    assert effect.verdict.code == "NO_POSITION_VARIATION"
    assert effect.comparability.h == 0
    assert effect.density_ratio is None


def test_the_limits_are_settings() -> None:
    rows = _groups(lambda g: _two_orderings(g, 1, 0))[:60]
    lenient = replace(EffectSettings(), least_h=10, largest_group=1.0)
    assert position_effect(cells(rows), None, 40, lenient).verdict.code != "FEW_UNITS"
