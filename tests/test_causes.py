"""The table of causes and the arithmetic under it, on facts and counts made by hand."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

import msgspec
import pytest
from causes_page import PAGE, TABLE, page

from analyzer import assets
from analyzer.assets import shipped
from analyzer.errors import CitelogError
from analyzer.watch.cause_table import CauseRow, cause_table, condition, read
from analyzer.watch.facts import Fact
from analyzer.watch.weighing import UNKNOWN, Candidate, Moved, candidates, most_probable

CAUSES = {row.code: row for row in cause_table().causes}


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

    @pytest.mark.parametrize("braces", ["{recent_copys}", "{", "{0}", "{recent_copies.x}"])
    def test_what_to_do_names_facts_only(self, tmp_path: Path, braces: str) -> None:
        text = (shipped("dashboards") / TABLE).read_text(encoding="utf-8")
        wrong = tmp_path / "causes.toml"
        wrong.write_text(text.replace("copies of {recent_copies}", f"copies of {braces}"))
        with pytest.raises(CitelogError, match="cause old_copies says what to do as 'remove"):
            read(wrong)

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
