"""The hour of a step, and what labels add to it: worked out by hand, and as properties."""

from __future__ import annotations

from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.stats.contributions import contributions
from analyzer.stats.onset import Kind, step


def hours(*runs: tuple[int, float, float]) -> tuple[np.ndarray, np.ndarray]:
    """(how many hours, part, whole) runs as two columns."""
    rows = [(part, whole) for n, part, whole in runs for _ in range(n)]
    parts, wholes = np.array(rows, dtype=np.float64).T
    return parts, wholes


class TestStep:
    def test_a_step_between_two_levels_is_found_in_its_hour(self) -> None:
        """12 hours of 1 in 10, 12 hours of 5 in 10: any other hour fits far worse."""
        found = step(*hours((12, 1, 10), (12, 5, 10)), "share", 0, 23)
        assert found is not None
        assert (found.hour, found.before, found.since) == (12, 0.1, 0.5)
        assert found.earliest <= 12 <= found.latest

    def test_the_statistic_is_twice_the_gain_of_likelihood(self) -> None:
        """Levels .1 and .5 of 120 each against .3 of 240; no hour strays, so dispersion is 1."""
        found = step(*hours((12, 1, 10), (12, 5, 10)), "share", 0, 23)
        apart = 12 * log(0.1) + 108 * log(0.9) + 60 * log(0.5) + 60 * log(0.5)
        one = 72 * log(0.3) + 168 * log(0.7)
        assert found is not None
        assert found.ratio == pytest.approx(2 * (apart - one))

    def test_hours_that_fit_nearly_as_well_are_in_the_interval(self) -> None:
        """The two hours before the step are empty, so they say nothing against an earlier one."""
        found = step(*hours((12, 0, 10), (2, 0, 0), (12, 6, 10)), "share", 0, 25)
        assert found is not None
        assert (found.earliest, found.latest) == (12, 14)

    def test_hours_that_stray_widen_the_interval(self) -> None:
        still = step(*hours((24, 2, 10), (24, 4, 10)), "share", 0, 47)
        parts, wholes = hours((24, 2, 10), (24, 4, 10))
        parts += np.tile([2.0, -2.0], 24)  # dispersion is far above that of independent counts
        straying = step(parts, wholes, "share", 0, 47)
        assert still is not None
        if straying is not None:
            assert straying.latest - straying.earliest > still.latest - still.earliest

    def test_a_mean_steps_too(self) -> None:
        """Sums of 10 values: 10 x 1.0 +- .5 before, 10 x 2.0 +- .5 since."""
        parts, wholes = hours((20, 10, 10), (20, 20, 10))
        parts += np.tile([5.0, -5.0], 20)
        found = step(parts, wholes, "mean", 0, 39)
        assert found is not None
        assert (found.hour, found.before, found.since) == (20, 1.0, 2.0)

    def test_a_ratio_steps_too(self) -> None:
        found = step(*hours((20, 9, 10.0), (20, 5, 10.0)), "ratio", 0, 39)
        assert found is not None
        assert (found.hour, found.before, found.since) == (20, 0.9, 0.5)

    @pytest.mark.parametrize("kind", ["share", "ratio", "mean"])
    def test_no_step_is_no_hour(self, kind: Kind) -> None:
        parts, wholes = hours((48, 3, 10))
        parts += np.tile([1.0, -1.0], 24)
        assert step(parts, wholes, kind, 0, 47) is None

    def test_too_little_on_a_side_is_no_hour(self) -> None:
        assert step(*hours((2, 0, 10), (40, 5, 10)), "share", 0, 41) is None
        assert step(*hours((8, 0, 1), (8, 1, 1)), "share", 0, 15) is None

    def test_the_step_is_looked_for_among_the_hours_asked_for(self) -> None:
        found = step(*hours((20, 1, 10), (40, 6, 10)), "share", 30, 50)
        assert found is None or 30 <= found.earliest <= found.latest <= 50


@st.composite
def tables(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    """Parts and wholes of some labels on two sides, neither side empty."""
    size = draw(st.integers(1, 6))
    wholes = draw(
        st.lists(st.integers(0, 1000), min_size=2 * size, max_size=2 * size).filter(
            lambda n: any(n[:size]) and any(n[size:])
        )
    )
    parts = [draw(st.integers(0, whole)) for whole in wholes]
    return (
        np.array(parts, np.float64).reshape(2, size),
        np.array(wholes, np.float64).reshape(2, size),
    )


class TestContributions:
    @given(tables())
    def test_they_add_up_to_the_change(self, table: tuple[np.ndarray, np.ndarray]) -> None:
        parts, wholes = table
        told = contributions([str(n) for n in range(parts.shape[1])], parts, wholes)
        change = parts[1].sum() / wholes[1].sum() - parts[0].sum() / wholes[0].sum()
        assert sum(one.total for one in told) == pytest.approx(change, abs=1e-12)

    def test_behaviour_is_apart_from_mix(self) -> None:
        """Shares .5 .5 to .25 .75, rates .1 .5 to .2 .5; the rate before is .3.

        a: behaviour .375 x .1 = .0375, mix -.25 x (.15 - .3) = .0375; b: 0 and .25 x .2 = .05.
        Together .125 = .05 + .375 - .3.
        """
        a, b = contributions(
            ["a", "b"], np.array([[10.0, 50.0], [10.0, 75.0]]), np.array([[100.0, 100.0]] * 2)
        )
        assert a.presence == b.presence == "both"
        a, b = contributions(
            ["a", "b"],
            np.array([[10.0, 50.0], [10.0, 75.0]]),
            np.array([[100.0, 100.0], [50.0, 150.0]]),
        )
        assert (a.behaviour, a.mix) == pytest.approx((0.0375, 0.0375))
        assert (b.behaviour, b.mix) == pytest.approx((0.0, 0.05))

    def test_a_label_that_replaces_another_carries_all_that_changed(self) -> None:
        old, new = contributions(
            ["old", "new"],
            np.array([[10.0, 0.0], [0.0, 60.0]]),
            np.array([[100.0, 0.0], [0.0, 100.0]]),
        )
        assert (old.presence, new.presence) == ("gone", "new")
        assert (old.total, new.total) == pytest.approx((0.0, 0.5))
        assert (old.rate_since, new.rate_before) == (None, None)

    def test_a_handful_on_one_side_is_no_behaviour(self) -> None:
        """10 % of 1,000 before; since 0 of 4 under the old label, 120 of 996 under the new.

        The 4 are .004 of the requests: .004 x (0 - .1). The rest is .996 x (120 / 996 - .1).
        """
        table = np.array([[100.0, 0.0], [0.0, 120.0]]), np.array([[1000.0, 0.0], [4.0, 996.0]])
        old, new = contributions(["old", "new"], *table, table[1])
        assert (old.presence, new.presence) == ("few", "new")
        assert (old.behaviour, old.mix) == pytest.approx((0.0, -0.0004))
        assert (new.behaviour, new.mix) == pytest.approx((0.0, 0.0204))
        assert (old.n_before, old.n_since) == (1000, 4)
        raw, _ = contributions(["old", "new"], *table)
        assert raw.presence == "both"
        assert raw.behaviour == pytest.approx(1.004 / 2 * -0.1)
        assert raw.total == pytest.approx(old.total)

    def test_what_only_grows_at_the_usual_rate_carries_nothing(self) -> None:
        told = contributions(
            ["a", "b"],
            np.array([[20.0, 20.0], [10.0, 30.0]]),
            np.array([[100.0, 100.0], [50.0, 150.0]]),
        )
        assert [one.total for one in told] == pytest.approx([0.0, 0.0])
