"""The table of causes and the arithmetic under it, on facts and counts made by hand."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from pathlib import Path

import msgspec
import pytest
from causes_page import PAGE, TABLE, page
from duckdb import DuckDBPyConnection as Connection
from validation.stores import empty

from analyzer import assets
from analyzer.assets import shipped
from analyzer.errors import CitelogError
from analyzer.stats.episodes import Change, Episode
from analyzer.watch import facts, shape
from analyzer.watch.asked import Span
from analyzer.watch.cause_table import CauseRow, FactRow, cause_table, condition, read
from analyzer.watch.evidence import gathered
from analyzer.watch.facts import Fact, Side, compared, share
from analyzer.watch.mixing import mix_line
from analyzer.watch.starts import Begun, beyond, clearest, piled
from analyzer.watch.weighing import UNKNOWN, Candidate, Moved, candidates, most_probable

CAUSES = {row.code: row for row in cause_table().causes}
MONDAY = date(2026, 8, 17)


def state_of(states: Mapping[str, str]) -> dict[str, Fact]:
    """Facts in these states; what is not named is not known."""
    return {
        name: Fact(name, states.get(name, "unknown"), f"{name} {states.get(name, 'unknown')}")
        for name in cause_table().facts
    }


def named(measure: str, *, up: bool = True, **states: str) -> Candidate:
    """What a measure that moved is put down to."""
    known, table = state_of(states), cause_table()
    return most_probable(candidates(Moved(measure, up), known, table), known, table)


class TestTheTable:
    def test_the_page_says_what_the_table_says(self) -> None:
        folder = shipped("dashboards")
        written = (folder / PAGE).read_text(encoding="utf-8")
        assert written == page(folder / TABLE), "python tests/causes_page.py writes the page again"

    @pytest.mark.parametrize("row", CAUSES.values(), ids=lambda row: row.code)
    def test_its_own_signature_is_called_by_its_name(self, row: CauseRow) -> None:
        """All that speaks for a cause, and what it needs, and nothing else."""
        for group in row.needs:
            states = dict(condition(text) for text in (*row.for_, *group))
            moved = {name: "up" if state == "moved" else state for name, state in states.items()}
            measure, _, way = row.moves[0].partition(" ")
            assert named(measure.replace("*", "x"), up=way != "down", **moved).code == row.code

    def test_every_cause_can_reach_ten_points_and_none_without_evidence(self) -> None:
        for row in CAUSES.values():
            assert sum(row.for_.values()) >= 10, row.code
            assert row.needs, row.code

    def test_every_watched_measure_is_moved_by_some_cause(self) -> None:
        for measure in ("position_start", "mean_log2_cited_rank", "involved_rate", "dip",
                        "ln_p95_context_tokens", "citation_free_rate", "accuracy", "stray_rate",
                        "largest_document_share", "missing_rank_rate"):  # fmt: skip
            assert any(
                row.moves_directly(measure, up) or row.also_moves(measure, up)
                for row in CAUSES.values()
                for up in (True, False)
            ), measure

    def test_a_condition_on_what_is_not_there_is_refused_in_one_sentence(
        self, tmp_path: Path
    ) -> None:
        text = (shipped("dashboards") / TABLE).read_text(encoding="utf-8")
        wrong = tmp_path / "causes.toml"
        wrong.write_text(text.replace('"near_copies up" = 4', '"near_copys up" = 4'))
        with pytest.raises(CitelogError, match="old_copies asks for 'near_copys up'"):
            read(wrong)

    def test_a_table_of_ones_own_stands_before_the_shipped_one(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        shutil.copy(shipped("dashboards") / TABLE, tmp_path / TABLE)
        stricter = (tmp_path / TABLE).read_text().replace("least_points = 5", "least_points = 9")
        (tmp_path / TABLE).write_text(stricter)
        monkeypatch.setitem(assets._own, "dashboards", tmp_path)
        assert cause_table().least_points == 9


class TestWeighing:
    def test_points_are_added_and_taken_off(self) -> None:
        found = named(
            "involved_rate", near_copies="up", index_version="same", k="same", ordering="same"
        )
        # 4 for the copies, 1 each for K and ordering, 2 off for the index.
        assert (found.code, found.points) == (UNKNOWN, 0)
        found = named(
            "involved_rate", near_copies="up", index_version="new", k="same", ordering="same"
        )
        assert (found.code, found.points) == ("old_copies", 9)
        assert found.speaks_for == (
            "near_copies up", "index_version new", "k same", "ordering same",
        )  # fmt: skip

    def test_near_copies_of_an_old_index_are_a_filter_that_is_gone(self) -> None:
        found = named(
            "involved_rate", near_copies="up", index_version="same", recent_copies="same",
            k="same", ordering="same",
        )  # fmt: skip
        assert found.code == "packing"

    def test_what_only_follows_from_a_cause_costs_points(self) -> None:
        states = {"near_copies": "up", "index_version": "new", "recent_copies": "up"}
        assert named("involved_rate", **states).points == 10
        assert named("citation_free_rate", **states).points == 7

    def test_a_cause_that_cannot_move_the_measure_is_not_thought_of(self) -> None:
        assert named("dip", near_copies="up", index_version="new").code == UNKNOWN
        assert named("involved_rate", up=False, near_copies="up", k="same").code == UNKNOWN

    def test_an_unknown_cause_says_what_moved(self) -> None:
        found = named("citation_free_rate", citation_free="up", k="same")
        assert (found.code, found.points) == (UNKNOWN, 0)
        assert found.speaks_for == ("citation_free up",)

    def test_a_deeper_dip_lowers_cited_ranks_but_never_raises_them(self) -> None:
        states = {
            "middle": "down", "model": "new", "positions": "up", "ordering": "same",
            "k": "same", "cited_rank": "up",
        }  # fmt: skip
        assert named("dip", up=False, **states).code == "model"
        assert named("mean_log2_cited_rank", **states).code == "retriever_drift"

    def test_with_a_changed_ordering_the_model_is_not_blamed(self) -> None:
        found = named("position_end", ordering="up", middle="down", model="new", k="same")
        assert found.code == "ordering"

    def test_the_first_of_equals_is_first_in_the_table(self) -> None:
        table = cause_table()
        twice = msgspec.structs.replace(
            table,
            causes=(
                CAUSES["old_copies"],
                msgspec.structs.replace(CAUSES["old_copies"], code="twin"),
            ),
        )
        known = state_of({"near_copies": "up", "index_version": "new"})
        found = candidates(Moved("involved_rate", True), known, twice)
        assert [each.code for each in found] == ["old_copies", "twin"]


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
        found = shape.pooled([(-0.1, 0.05, 400.0), (-0.2, 0.05, 400.0), (-0.4, 0.10, 200.0)])
        assert found is not None
        assert found.value == pytest.approx(-0.2)
        # unit variance (1 + 1 + 2) / 3 over H = 1000
        assert found.se == pytest.approx((4 / 3 / 1000) ** 0.5)
        assert shape.pooled([]) is None
        assert shape.pooled([(-0.1, 0.2, 50.0)]) is None

    def test_half_of_all_differences_is_elsewhere(self) -> None:
        assert shape.total_difference({"a": 0.9, "b": 0.1}, {"a": 0.4, "c": 0.6}) == pytest.approx(
            0.6
        )
        assert facts.direction(-0.3, 0.2) == "down"


def alarm(route: str, measure: str, week: int, delta: float) -> Episode:
    change = Change(delta, 0.001, 0, 0, 0.0, 1, 0.0, 13)
    return Episode(
        id=f"{week}-{route}-{measure}", route=route, measure=measure, state="raised",
        opened=week, raised=week, ended=None, rule="at once", ending=None, at_first=change,
        latest=None, began=None,
    )  # fmt: skip


class TestTogether:
    def test_starts_beside_each_other_are_one(self) -> None:
        assert Begun(10, 10, 10).beside(Begun(11, 11, 11))
        assert not Begun(10, 10, 10).beside(Begun(12, 12, 12))
        assert Begun(14, 10, 14).beside(Begun(9, 9, 9))  # it may have begun in 10
        assert clearest([Begun(14, 10, 14), Begun(12, 12, 12)]).week == 12

    def test_the_worst_leads_its_pile(self) -> None:
        told = [
            alarm("a", "stray_rate", 1, 0.02), alarm("a", "involved_rate", 1, 0.3),
            alarm("b", "stray_rate", 1, 0.04),
        ]  # fmt: skip
        found = piled(told, lambda one, worst: one.route == worst.route)
        assert [[each.id for each in pile] for pile in found] == [
            ["1-a-involved_rate", "1-a-stray_rate"], ["1-b-stray_rate"],
        ]  # fmt: skip
        assert beyond(told[0]) == pytest.approx(2.0)


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
        found = gathered(con, self.span, cause_table())
        assert found.facts.keys() == cause_table().facts.keys()
        assert {fact.state for fact in found.facts.values()} == {"unknown"}

    def test_only_the_route_and_the_days_of_the_span_count(self, con: Connection) -> None:
        answered(con, MONDAY - timedelta(weeks=3), "a", 900, 900)
        answered(con, MONDAY - timedelta(weeks=1), "a", 300, 600)
        answered(con, MONDAY, "a", 200, 300)
        answered(con, MONDAY, "b", 777, 0)
        answered(con, MONDAY + timedelta(weeks=1), "a", 555, 0)
        told = gathered(con, self.span, cause_table()).facts["k"]
        assert (
            told.words == "chunks in the prompt: 8.00 over 300 answers before, 8.00 over 200 since"
        )
        assert told.state == "same"

    def test_a_label_of_few_requests_is_not_new(self, con: Connection) -> None:
        answered(con, MONDAY - timedelta(weeks=1), "a", 300, 600)
        answered(con, MONDAY, "a", 95, 300)
        answered(con, MONDAY, "a", 5, 0, group=1)
        con.execute("UPDATE days SET model = 'm2' WHERE unit_group = 1")
        assert gathered(con, self.span, cause_table()).facts["model"].state == "same"
        con.execute("UPDATE days SET model = 'm3' WHERE day = $1 AND unit_group = 0", [MONDAY])
        found = gathered(con, self.span, cause_table())
        assert [(each.label, each.share) for each in found.labels] == [("m3", 0.95)]
        assert found.facts["prompt_version"].state == "unknown"


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

    def test_five_weeks_before_are_too_few(self, con: Connection) -> None:
        self.fill(con, (300, 100))
        assert mix_line(con, MONDAY, baseline_weeks=5) is None
