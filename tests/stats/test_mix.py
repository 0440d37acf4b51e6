"""Mix against behaviour, and layout against behaviour, on counts whose truth is known."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from analyzer.stats.arrays import Floats
from analyzer.stats.layout import layout
from analyzer.stats.mix import Split, split
from analyzer.stats.position_effect import position_effect
from analyzer.stats.verdicts import Verdict

from .made import Plan, simulated

KNOWN = Verdict("OK", "")
_tables = hnp.arrays(np.int64, (4, 20, 3), elements=st.integers(0, 30))


def _drawn(
    rng: np.random.Generator, weights: tuple[float, ...], rates: tuple[float, ...], n: int
) -> tuple[Floats, Floats]:
    wholes = rng.multinomial(n // 20, weights, size=20)
    return rng.binomial(wholes, rates).astype(float), wholes.astype(float)


def _split(rng: np.random.Generator, w1: tuple[float, ...], m1: tuple[float, ...]) -> Split:
    before = _drawn(rng, (0.5, 0.3, 0.2), (0.3, 0.4, 0.5), 20_000)
    return split(*before, *_drawn(rng, w1, m1, 20_000))


def test_a_change_of_traffic_is_mix() -> None:
    rng = np.random.default_rng(1)
    found = [_split(rng, (0.2, 0.3, 0.5), (0.3, 0.4, 0.5)) for _ in range(60)]
    assert np.mean([one.mix.value for one in found]) == pytest.approx(0.06, abs=0.002)
    assert np.mean([one.is_mix() for one in found]) >= 0.88
    for one in found:
        interval = one.total.interval()
        assert interval is not None
        assert interval[0] > 0


def test_a_change_of_behaviour_is_not() -> None:
    found = _split(np.random.default_rng(2), (0.5, 0.3, 0.2), (0.3, 0.4, 0.65))
    assert not found.is_mix()
    assert found.within.value == pytest.approx(0.03, abs=0.012)
    assert found.within_of.argmax() == 2


def test_a_new_segment_is_mix() -> None:
    before = np.tile([40.0, 0.0], (20, 1)), np.tile([100.0, 0.0], (20, 1))
    after = np.tile([40.0, 80.0], (20, 1)), np.tile([100.0, 100.0], (20, 1))
    found = split(*before, *after)
    assert found.total.value == pytest.approx(0.2)
    assert found.mix.value == pytest.approx(0.2)
    assert found.within.value == pytest.approx(0)


@given(_tables)
@settings(max_examples=60, deadline=None)
def test_the_parts_add_up_to_the_change(table: np.ndarray) -> None:
    parts = np.minimum(table[:2], table[2:]).astype(float)
    wholes = table[2:].astype(float)
    found = split(parts[0], wholes[0], parts[1], wholes[1])
    totals = wholes.sum(axis=(1, 2))
    if (totals > 0).all():
        rates = parts.sum(axis=(1, 2)) / totals
        assert found.total.value == pytest.approx(rates[1] - rates[0], abs=1e-12)
        assert np.isfinite(found.mix_of).all()
        assert found.mix_of.sum() + found.within_of.sum() == pytest.approx(found.total.value)


def test_a_new_ordering_explains_where_citations_went() -> None:
    before = simulated(Plan(requests=8000, dip=-0.25), seed=1)
    after = simulated(Plan(requests=8000, dip=-0.25, shares=(1, 0, 0)), seed=2)
    assert position_effect(before, None, 40).verdict.code == "OK"
    found = layout(before, after, KNOWN)
    assert found is not None
    assert found.covered > 0.99
    middle = found.places[1]
    assert middle.layout.value == pytest.approx(0.07, abs=0.02)
    assert middle.new - middle.old == pytest.approx(
        (middle.layout.value or 0) + (middle.behaviour.value or 0)
    )
    interval = middle.behaviour.interval()
    assert interval is not None
    assert interval[0] < 0 < interval[1]


def test_what_the_model_changed_beside_the_ordering_is_left_over() -> None:
    before = simulated(Plan(requests=8000, dip=-0.4), seed=1)
    after = simulated(Plan(requests=8000, dip=0.0, shares=(1, 0, 0)), seed=2)
    found = layout(before, after, KNOWN)
    assert found is not None
    interval = found.places[1].behaviour.interval()
    assert interval is not None
    assert interval[0] > 0.01


def test_where_the_effect_was_not_known_before_nothing_is_separated() -> None:
    made = simulated(Plan(requests=500), seed=1)
    assert layout(made, made, Verdict("NO_POSITION_VARIATION", "")) is None
