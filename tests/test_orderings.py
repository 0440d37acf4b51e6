"""Which ordering a route used, decided over many requests that each agree with several."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import date

import numpy as np
import pytest
from duckdb import DuckDBPyConnection as Connection
from hypothesis import given
from hypothesis import strategies as st
from validation.stores import empty

from analyzer.measures.effect import effects
from analyzer.measures.ordering_days import ordering_days
from analyzer.measures.orderings import resolved, shares, told_apart
from analyzer.measures.rows import Scope
from analyzer.ordering import explore


def test_what_agrees_with_several_goes_to_the_one_that_long_prompts_show_alone() -> None:
    seen = [("best_first", 8, 900), ("best_first|by_document", 8, 80), ("edges_first", 3, 4)]
    assert resolved(seen) == {
        "best_first": "best_first",
        "best_first|by_document": "best_first",
        "edges_first": "other",
    }


def test_a_coincidence_of_three_chunks_is_no_second_ordering() -> None:
    seen = [("by_document", 9, 500), ("edges_first|by_document", 3, 40), ("best_last", 3, 9)]
    names = resolved(seen)
    assert names["edges_first|by_document"] == "by_document"
    assert names["best_last"] == "other"


def test_two_orderings_in_use_leave_what_agrees_with_both_to_neither() -> None:
    seen = [("best_first", 8, 500), ("by_document", 8, 400), ("best_first|by_document", 8, 100)]
    assert resolved(seen)["best_first|by_document"] == "ambiguous"


def test_where_nothing_tells_them_apart_the_simplest_ordering_stands() -> None:
    assert resolved([("best_first|by_document", 7, 300)]) == {
        "best_first|by_document": "best_first"
    }


def test_short_prompts_have_no_share_in_the_orderings() -> None:
    seen = [("short", 2, 600), ("best_first", 6, 300), ("explored", 6, 100)]
    assert shares(seen, resolved(seen)) == {"best_first": 0.75, "explored": 0.25}


def test_exploring_is_repeatable_and_says_what_to_log() -> None:
    ranked = list("abcdefgh")
    first = explore(ranked, share=0.5, unit="request-7")
    again = explore(ranked, share=0.5, unit="request-7")
    assert first == again
    told = explore(ranked, share=1.0, unit="request-7")
    assert told.log == {"ordering": "shuffled", "explored": True}
    assert explore(ranked, share=0.0, unit="request-7").log == {"explored": False}


@given(st.lists(st.integers(), max_size=12), st.text(max_size=8), st.floats(0, 1))
def test_exploring_keeps_every_chunk_and_without_it_the_order(
    ranked: list[int], unit: str, share: float
) -> None:
    told = explore(ranked, share=share, unit=unit)
    assert Counter(told.chunks) == Counter(ranked)
    assert told.explored or told.chunks == ranked


def test_the_asked_share_of_requests_is_shuffled() -> None:
    explored = sum(explore("abc", share=0.02, unit=f"r{n}").explored for n in range(20_000))
    assert 340 <= explored <= 460  # 400 expected, sd 20: three standard deviations


def test_a_share_is_between_nought_and_one() -> None:
    with pytest.raises(ValueError, match="share is 2"):
        explore("abc", share=2, unit="r")


def test_requests_that_agree_with_two_orderings_in_use_do_not_count_as_moved() -> None:
    """A rare ordering comes into use; most prompts agree with both, and none has changed."""
    before = {"best_first": 1.0}
    since = {"ambiguous": 0.6, "best_first": 0.39, "by_document": 0.01}
    assert told_apart(before) == {"best_first": 1.0}
    assert told_apart(since) == pytest.approx({"best_first": 0.975, "by_document": 0.025})


class TestDays:
    @pytest.fixture
    def con(self) -> Iterator[Connection]:
        made = empty()
        yield made
        made.close()

    def seen(self, con: Connection, day: int, **requests: int) -> None:
        """Requests of eight chunks on a day, by the ordering that they agree with alone."""
        for ordering, n in requests.items():
            con.execute(
                "INSERT INTO cells_by_position VALUES ($1, 'a', 'm', 'r', $2, 8, 1, 1, 0, $3, 0)",
                [date(2026, 11, day), ordering, n],
            )

    def changed(self, con: Connection) -> set[tuple[int, str]]:
        scope = Scope(date(2026, 11, 1), date(2026, 12, 1))
        rows = ordering_days(con, scope).to_pylist()
        return {(row["day"].day, row["ordering"]) for row in rows if row["changed"]}

    def test_the_day_of_a_switch_is_marked_and_no_other(self, con: Connection) -> None:
        self.seen(con, 2, best_first=40)
        self.seen(con, 3, best_first=45)
        self.seen(con, 4, best_first=5, by_document=30)
        self.seen(con, 5, by_document=41)
        assert self.changed(con) == {(4, "best_first"), (4, "by_document")}

    def test_ten_requests_a_day_show_a_switch_of_all_of_them(self, con: Connection) -> None:
        self.seen(con, 2, best_first=10)
        self.seen(con, 3, best_last=10)
        assert self.changed(con) == {(3, "best_last")}

    def test_few_requests_of_a_mixture_show_none(self, con: Connection) -> None:
        draw = np.random.default_rng(11)
        for day in range(1, 31):
            best, edges, last = draw.multinomial(20, (0.3, 0.5, 0.2)).tolist()
            self.seen(con, day, best_first=best, edges_first=edges, best_last=last)
        assert self.changed(con) == set()

    def test_a_day_without_requests_is_passed_over(self, con: Connection) -> None:
        self.seen(con, 2, best_first=40)
        self.seen(con, 4, edges_first=40)
        assert self.changed(con) == {(4, "edges_first")}

    def test_the_orderings_of_one_release_are_its_own(self, con: Connection) -> None:
        self.seen(con, 2, best_first=40)
        con.execute("UPDATE cells_by_position SET release = 'old', model = 'm1'")
        self.seen(con, 2, best_last=30)
        day = date(2026, 11, 2), date(2026, 11, 3)
        both, new, old, none = (
            effects(con, Scope(*day, model=model, release=release))
            for model, release in ((None, None), (None, "r"), ("m1", "old"), ("m1", "r"))
        )
        assert (both["a"].requests, new["a"].requests, old["a"].requests) == (70, 30, 40)
        assert new["a"].orderings == {"best_last": 1.0}
        assert none == {}
