"""Two orderings that nothing shows to serve one traffic: what looks like an effect is refused."""

from __future__ import annotations

from analyzer.stats.position_effect import PositionEffect, position_effect

from .made import Row, cells, positions

START, MIDDLE, END = 0, 1, 2
RANKS = (1, 2, 3, 4)


def counted(other: str, shared: int, rate: float, packed: int = 200) -> tuple[list[Row], list[Row]]:
    """Best first cites 40 %, the other ordering 30 %, each rank seen at an edge and in the middle.

    shared: packed chunks of the other ordering, of every group, that stand at rank 1 where best
    first has them, and `rate` of them cited. Rows by place, and by position.
    """
    by_place: list[Row] = []
    by_position: list[Row] = []
    for group in range(20):
        wobble = group % 3 - 1
        for rank in RANKS:
            place, at = (END if rank > 2 else START), rank
            cited = (2 * packed // 5 + wobble, 3 * packed // 10)
            by_place.append(("best_first", 5, rank, place, group, packed, cited[0]))
            by_place.append((other, 5, rank, MIDDLE, group, packed, cited[1]))
            by_position.append(("best_first", 5, rank, at, group, packed, cited[0]))
            by_position.append((other, 5, rank, 5 + at, group, packed, cited[1]))
        if shared:
            by_position.append((other, 5, 1, 1, group, shared, round(rate * shared) + wobble))
    return by_place, by_position


def effect(other: str, shared: int, rate: float = 0.4) -> PositionEffect:
    by_place, by_position = counted(other, shared, rate)
    return position_effect(cells(by_place), positions(by_position), units=40)


def test_orderings_without_a_position_in_common_are_refused() -> None:
    found = effect("edges_first", 0)
    assert found.control is None
    assert found.verdict.code == "CONFOUNDED_POLICIES"
    assert "share too few positions" in found.verdict.sentence
    assert found.log_ratio is None
    assert {contrast.code for contrast in found.profile} == {"CONFOUNDED_POLICIES"}


def test_a_control_that_sees_next_to_nothing_clears_nothing() -> None:
    found = effect("edges_first", 5)
    assert found.control is not None
    assert not found.control.failed
    assert found.verdict.code == "CONFOUNDED_POLICIES"


def test_a_control_that_sees_enough_tells_traffic_apart() -> None:
    found = effect("edges_first", 200, rate=0.3)
    assert found.control is not None
    assert found.control.failed
    assert "serve different traffic" in found.verdict.sentence


def test_an_order_drawn_by_chance_needs_no_control() -> None:
    assert effect("explored", 0).verdict.code == "OK"
