"""What holds for any counts: no order of rows or groups matters, days add up, nothing is NaN."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analyzer.stats.cells import Cells, dense, kept
from analyzer.stats.jackknife import Estimate
from analyzer.stats.mantel_haenszel import log_risk_ratio
from analyzer.stats.position_effect import PositionEffect, position_effect
from analyzer.stats.profile import fitted

from .made import Plan, Row, cells, positions, simulated


@st.composite
def _row(draw: st.DrawFn) -> Row:
    k = draw(st.integers(2, 6))
    packed = draw(st.integers(0, 30))
    return (
        draw(st.sampled_from(["best_first", "edges_first", "explored", "other", "short"])),
        k,
        draw(st.integers(1, k)),
        draw(st.integers(0, 2)),
        draw(st.integers(0, 19)),
        packed,
        draw(st.integers(0, packed)),
    )


_rows = st.lists(_row(), max_size=120)


def _numbers(effect: PositionEffect) -> list[float]:
    numbers: list[float] = []
    estimates: list[Estimate | None] = [effect.log_ratio, effect.risk_difference]
    estimates += [contrast.log_ratio for contrast in effect.profile]
    for estimate in estimates:
        if estimate is not None and estimate.value is not None and estimate.se is not None:
            numbers += [estimate.value, estimate.se, *estimate.leave_one_outs.tolist()]
    size = effect.comparability
    plain = (effect.density_ratio, effect.lift_ratio, effect.independence_se)
    numbers += [x for x in plain if x is not None]
    return [*numbers, *(float(getattr(size, field.name)) for field in fields(size))]


def _shuffled(made: Cells, seed: int) -> Cells:
    order = np.random.default_rng(seed).permutation(len(made.k))
    arrays: dict[str, Any] = {
        f.name: getattr(made, f.name)[order] for f in fields(made) if f.name != "orderings"
    }
    return replace(made, **arrays)


@given(_rows)
@settings(max_examples=50, deadline=None)
def test_nothing_is_ever_infinite_or_nan(rows: list[Row]) -> None:
    effect = position_effect(cells(rows), positions(rows), 40)
    assert np.isfinite(_numbers(effect)).all()
    shown = effect.log_ratio is not None
    assert shown == (effect.verdict.code in ("OK", "WEAK"))


@given(_rows, st.integers(0, 1000))
@settings(max_examples=30, deadline=None)
def test_rows_may_come_in_any_order(rows: list[Row], seed: int) -> None:
    one = position_effect(cells(rows), None, 40)
    other = position_effect(_shuffled(cells(rows), seed), None, 40)
    assert one.verdict == other.verdict
    assert _numbers(one) == _numbers(other)


def test_merging_days_is_adding_cells() -> None:
    made = simulated(Plan(requests=1500, dip=-0.2), seed=1)
    day = np.arange(len(made.k)) % 7
    merged = {name: np.concatenate([getattr(kept(made, day == d), name) for d in range(7)])
              for name in [f.name for f in fields(made)] if name != "orderings"}  # fmt: skip
    whole = position_effect(made, None, 40)
    assert _numbers(position_effect(replace(made, **merged), None, 40)) == _numbers(whole)
    keys = np.stack([made.ordering, made.k, made.rank, made.place, made.group])
    names, index = np.unique(keys, axis=1, return_inverse=True)
    added = Cells(
        names[0], made.orderings, np.zeros(names.shape[1], dtype=np.int64), names[1], names[2],
        names[4], np.bincount(index), np.bincount(index, made.cited).astype(np.int64), names[3],
        np.zeros(names.shape[1], dtype=np.int64),
    )  # fmt: skip
    assert _numbers(position_effect(added, None, 40)) == _numbers(whole)


def test_groups_and_strata_have_no_order() -> None:
    made = simulated(Plan(requests=1500, dip=-0.2), seed=2)
    order = np.random.default_rng(3).permutation(20)
    renamed = replace(made, group=order[made.group], k=50 - made.k, rank=made.rank)
    one, other = position_effect(made, None, 40), position_effect(renamed, None, 40)
    assert one.log_ratio is not None
    assert other.log_ratio is not None
    assert other.log_ratio.value == pytest.approx(one.log_ratio.value, abs=1e-12)
    assert other.log_ratio.se == pytest.approx(one.log_ratio.se, abs=1e-12)
    assert other.comparability.h == pytest.approx(one.comparability.h, rel=1e-12)


@given(
    st.lists(st.tuples(st.integers(0, 400), st.integers(0, 400), st.floats(0.05, 0.6)),
             min_size=1, max_size=40).filter(lambda rows: any(a and b for a, b, _ in rows)),
    st.floats(0.4, 1.6),
)  # fmt: skip
def test_both_estimators_find_the_ratio_that_made_the_counts(
    strata: list[tuple[int, int, float]], ratio: float
) -> None:
    packed = np.array([[edge, middle] for edge, middle, _ in strata], dtype=float)
    cited = packed * np.array([[rate, rate * ratio] for _, _, rate in strata])
    log_theta = fitted(packed, cited)
    assert log_theta is not None
    assert log_theta[1] - log_theta[0] == pytest.approx(np.log(ratio), abs=1e-9)
    assert float(log_risk_ratio(packed, cited)) == pytest.approx(np.log(ratio), abs=1e-9)


@pytest.mark.parametrize("dip", [0.0, -0.2])
def test_both_estimators_agree_to_three_decimals_on_traffic(dip: float) -> None:
    packed, cited = dense(simulated(Plan(requests=20_000, dip=dip), seed=4), 20).two_sided()
    packed, cited = packed.sum(axis=0), cited.sum(axis=0)
    log_theta = fitted(packed, cited)
    assert log_theta is not None
    assert log_theta[1] - log_theta[0] == pytest.approx(
        float(log_risk_ratio(packed, cited)), abs=5e-4
    )
