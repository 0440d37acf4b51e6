"""What is counted of a route around a change: shares, ranks, positions, labels, mix."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta

import pytest
from duckdb import DuckDBPyConnection as Connection
from validation.stores import empty

from analyzer.stats.settings import DriftSettings, EffectSettings
from analyzer.watch import facts, shape
from analyzer.watch.asked import Span
from analyzer.watch.cause_table import FactRow, cause_table
from analyzer.watch.evidence import gathered
from analyzer.watch.facts import Side, compared, share
from analyzer.watch.mixing import mix_line

MONDAY = date(2026, 8, 17)


class TestFacts:
    row = FactRow(title="stray", base="citations", least=0.01)

    def test_a_share_moves_by_the_least_amount_and_beyond_chance(self) -> None:
        before = share(100, 10_000)
        assert compared("stray", self.row, before, share(300, 10_000), 100).state == "up"
        assert compared("stray", self.row, before, share(150, 10_000), 100).state == "same"
        # 1 % to 4 % of 100: one and a half standard errors, the variance doubled.
        assert compared("stray", self.row, before, share(4, 100), 100).state == "same"

    def test_too_little_on_either_side_is_unknown(self) -> None:
        assert compared("stray", self.row, share(1, 99), share(50, 1000), 100).state == "unknown"
        assert compared("stray", self.row, share(50, 1000), share(0, 0), 100).state == "unknown"

    def test_a_mean_moves_by_a_share_of_itself(self) -> None:
        row = FactRow(title="K", base="answers", least=0.1, relative=True, written="mean")
        eight = Side(8.0, 500)
        assert compared("k", row, eight, Side(8.7, 500), 100).state == "same"
        assert compared("k", row, eight, Side(7.1, 500), 100).state == "down"
        assert compared("k", row, Side(0.0, 500), eight, 100).state == "up"

    def test_words_carry_both_values_and_their_denominators(self) -> None:
        told = compared("stray", self.row, share(100, 10_000), share(300, 10_000), 100)
        assert told.words == "stray: 1.0% of 10,000 citations before, 3.0% of 10,000 since"


class TestShapes:
    def test_places_are_those_of_whole_numbers(self) -> None:
        assert [shape.place(7, p) for p in range(1, 8)] == [
            "start", "start", "middle", "middle", "middle", "end", "end",
        ]  # fmt: skip
        assert [shape.place(11, p) for p in (2, 3, 9, 10)] == ["start", "middle", "middle", "end"]

    def test_a_gap_is_a_better_rank_that_is_packed_less(self) -> None:
        """Edges first, cut at its end: rank 2 is gone, rank 3 is there."""
        cut = [shape.Rank(rank, 200, n, 0) for rank, n in enumerate((200, 60, 190, 150), start=1)]
        assert shape.gap_above(cut).value == pytest.approx(0.65)
        packed = [shape.Rank(rank, 200, n, 0) for rank, n in enumerate((200, 190, 150), start=1)]
        assert shape.gap_above(packed).value == 0.0

    def test_mean_rank_counts_cited_chunks(self) -> None:
        found = shape.mean_log2_rank([shape.Rank(1, 9, 9, 2), shape.Rank(4, 9, 9, 2)])
        assert (found.value, found.base, found.variance) == (1.0, 4, 1.0)

    def test_markers_read_one_too_low_fit_their_neighbour(self) -> None:
        rates = (60, 30, 20, 10, 40)
        before = {(5, p): (1000, 10 * n) for p, n in enumerate(rates, start=1)}
        since = {(5, p): (1000, 10 * n) for p, n in enumerate((*rates[1:], 0), start=1)}
        assert shape.marker_shift(before, since) == shape.Shift(-1, 1.0, 0.0)
        later = {(5, p): (1000, 10 * n) for p, n in enumerate((0, *rates[:-1]), start=1)}
        assert shape.marker_shift(before, later) == shape.Shift(1, 1.0, 0.0)
        assert shape.marker_shift(before, before) == shape.Shift(0, 0.0, 1.0)
        half = {cell: (1000, (before[cell][1] + since[cell][1]) // 2) for cell in before}
        found = shape.marker_shift(before, half)
        assert (found.moved, found.left) == (-1, pytest.approx(0.0))
        assert found.share == pytest.approx(0.5)

    def test_weeks_are_pooled_by_what_can_be_compared(self) -> None:
        found = shape.pooled([(-0.1, 0.05, 400.0), (-0.2, 0.05, 400.0), (-0.4, 0.10, 200.0)], 0.1)
        assert found is not None
        assert found.value == pytest.approx(-0.2)
        # unit variance (1 + 1 + 2) / 3 over H = 1000
        assert found.se == pytest.approx((4 / 3 / 1000) ** 0.5)
        assert shape.pooled([], 0.1) is None
        assert shape.pooled([(-0.1, 0.2, 50.0)], 0.1) is None

    def test_half_of_all_differences_is_elsewhere(self) -> None:
        assert shape.total_difference({"a": 0.9, "b": 0.1}, {"a": 0.4, "c": 0.6}) == pytest.approx(
            0.6
        )
        assert facts.direction(-0.3, 0.2) == "down"


@pytest.fixture
def con() -> Iterator[Connection]:
    made = empty()
    yield made
    made.close()


def answered(
    con: Connection, monday: date, route: str, requests: int, cited: int, group: int = 0
) -> None:
    """Requests of eight packed chunks each, so many of them cited in all."""
    counts = {
        "requests": requests, "answered": requests, "citations_known": requests,
        "known_packed": 8 * requests, "packed": 8 * requests, "cited": cited,
        "citations": cited, "retrieved": 8 * requests,
    }  # fmt: skip
    dimensions = {
        "day": monday, "route": route, "model": "m1", "release": "r1", "prompt_version": "unknown",
        "index_version": "i1", "ordering_seen": "best_first", "unit_group": group,
    }  # fmt: skip
    names = [row[0] for row in con.execute("DESCRIBE days").fetchall()]
    values = {**dict.fromkeys(names, 0), **dimensions, **counts}
    marks = ", ".join(f"${name}" for name in names)
    con.execute(f"INSERT INTO days ({', '.join(names)}) VALUES ({marks})", values)


class TestEvidence:
    span = Span("a", MONDAY - timedelta(weeks=2), MONDAY, MONDAY + timedelta(weeks=1),
                MONDAY - timedelta(weeks=1), MONDAY + timedelta(weeks=1))  # fmt: skip

    def test_there_is_a_fact_for_each_row_of_the_table(self, con: Connection) -> None:
        found = gathered(con, self.span, cause_table(), EffectSettings())
        assert found.facts.keys() == cause_table().facts.keys()
        assert {fact.state for fact in found.facts.values()} == {"unknown"}

    def test_only_the_route_and_the_days_of_the_span_count(self, con: Connection) -> None:
        answered(con, MONDAY - timedelta(weeks=3), "a", 900, 900)
        answered(con, MONDAY - timedelta(weeks=1), "a", 300, 600)
        answered(con, MONDAY, "a", 200, 300)
        answered(con, MONDAY, "b", 777, 0)
        answered(con, MONDAY + timedelta(weeks=1), "a", 555, 0)
        told = gathered(con, self.span, cause_table(), EffectSettings()).facts["k"]
        assert (
            told.words == "chunks in the prompt: 8.00 over 300 answers before, 8.00 over 200 since"
        )
        assert told.state == "same"

    def test_a_label_of_few_requests_is_not_new(self, con: Connection) -> None:
        answered(con, MONDAY - timedelta(weeks=1), "a", 300, 600)
        answered(con, MONDAY, "a", 95, 300)
        answered(con, MONDAY, "a", 5, 0, group=1)
        con.execute("UPDATE days SET model = 'm2' WHERE unit_group = 1")
        assert (
            gathered(con, self.span, cause_table(), EffectSettings()).facts["model"].state == "same"
        )
        con.execute("UPDATE days SET model = 'm3' WHERE day = $1 AND unit_group = 0", [MONDAY])
        found = gathered(con, self.span, cause_table(), EffectSettings())
        assert [(each.label, each.share) for each in found.labels] == [("m3", 0.95)]
        assert found.facts["prompt_version"].state == "unknown"

    def test_rejected_lines_are_told_with_their_commonest_reason(self, con: Connection) -> None:
        for batch, day, lines in (("b1", MONDAY - timedelta(days=2), 0), ("b2", MONDAY, 60)):
            books = "$1, $1, 'jsonl', 1, 'loaded', 500, $2, 0, 0, $3, 0, 0, $4"
            con.execute(f"INSERT INTO batches VALUES ({books})", [batch, 500 - lines, lines, day])
            fault = "INSERT INTO rejected_lines SELECT $1, range, 0, $2, $3, '' FROM range($4)"
            con.execute(fault, [batch, "chunks[1].position", "is 1 a second time", lines // 2])
            con.execute(fault, [batch, "chunks[7].position", "is 1 a second time", lines // 4])
            con.execute(fault, [batch, "rank", "is 1.7", lines // 4])
        told = gathered(con, self.span, cause_table(), EffectSettings()).facts["rejected"]
        assert told.state == "up"
        assert told.words == (
            "log lines rejected: 0.0% of 500 lines before, 12.0% of 500 since; "
            "45 because chunks[].position is 1 a second time"
        )


class TestMix:
    def fill(self, con: Connection, last: tuple[int, int]) -> None:
        """Thirteen even weeks, then one with these requests; a cites 1 chunk in 4, b 1 in 2."""
        for week in range(13, -1, -1):
            requests = last if week == 0 else (100, 100)
            for route, n, each in zip("ab", requests, (2, 4), strict=True):
                for group in range(4):
                    answered(con, MONDAY - timedelta(weeks=week), route, n, each * n, group)

    def test_a_moved_share_is_told_with_what_it_does(self, con: Connection) -> None:
        self.fill(con, (300, 100))
        found = mix_line(con, MONDAY)
        assert found is not None
        assert [(each.route, each.before, each.since) for each in found.shifted] == [
            ("a", 0.5, 0.75), ("b", 0.5, 0.25),
        ]  # fmt: skip
        # .5 x .25 + .5 x .5 = .375 before, .75 x .25 + .25 x .5 = .3125 since
        assert found.split.total.value == pytest.approx(-0.0625)
        assert found.split.mix.value == pytest.approx(-0.0625)
        assert found.split.within.value == pytest.approx(0.0)
        assert "a 50.0% to 75.0%" in found.words

    def test_shares_that_stay_are_no_line(self, con: Connection) -> None:
        self.fill(con, (104, 100))
        assert mix_line(con, MONDAY) is None

    def test_a_week_with_few_requests_explains_nothing(self, con: Connection) -> None:
        self.fill(con, (93, 31))  # in each of 4 unit groups: 496 in all, 500 are needed
        assert mix_line(con, MONDAY) is None
        assert mix_line(con, MONDAY, DriftSettings(least_requests=496)) is not None

    def test_five_weeks_before_are_too_few(self, con: Connection) -> None:
        self.fill(con, (300, 100))
        assert mix_line(con, MONDAY, DriftSettings(baseline_weeks=5)) is None
