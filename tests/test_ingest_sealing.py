"""Sealed days stand: late lines are rejected by name, batches stay, counts never move."""

from __future__ import annotations

import shutil
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from loading.records import Json, label, request
from loading.sites import ROLLUPS, Site, counters

from analyzer import store
from analyzer.errors import CitelogError, UsageError
from analyzer.ingest import Batch

SEALED = "2026-08-01 is sealed since 2026-11-01"


def on(day: str, name: str, **fields: Any) -> Json:
    return request(
        name,
        {
            "position": 1,
            "rank": 1,
            "cited": True,
            "doc_id": "d",
            "text_hash": f"{name.encode().hex():0<16}",
        },
        requested_at=f"{day}T12:00:00Z",
        **fields,
    )


@pytest.fixture(scope="module")
def sealed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    site = Site(tmp_path_factory.mktemp("sealed"))
    site.load_log("august.jsonl", on("2026-08-01", "a1"), on("2026-08-02", "a2"))
    site.load_log("labels.jsonl", label("a1", correct=True))
    site.load_log("mixed.jsonl", on("2026-08-02", "b1"), on("2026-10-05", "b2"))
    site.seal("2026-10-05", "2026-11-01")
    return site.folder


@pytest.fixture
def site(sealed: Path, tmp_path: Path) -> Site:
    """Two days of August, sealed in November, and one open day."""
    return Site(Path(shutil.copytree(sealed, tmp_path, dirs_exist_ok=True)))


def reasons(site: Site) -> list[tuple[Any, ...]]:
    return site.rows("SELECT line, path, reason FROM rejected_lines ORDER BY line")


class TestSealing:
    def test_facts_go_and_rollups_stay(self, site: Site) -> None:
        assert site.rows("SELECT request_id FROM requests") == [("b2",)]
        assert site.rows("SELECT request_id FROM chunks") == [("b2",)]
        assert site.rows("SELECT count(*) FROM texts") == [(1,)]
        days = site.rows(
            "SELECT day::VARCHAR, sum(requests)::INT FROM days GROUP BY day ORDER BY day"
        )
        assert days == [("2026-08-01", 1), ("2026-08-02", 2), ("2026-10-05", 1)]
        assert site.rows("SELECT sum(judged)::INT, sum(correct)::INT FROM days") == [(1, 1)]

    def test_batches_keep_their_counts(self, site: Site) -> None:
        rows = site.rows(
            "SELECT parse_filename(file), state, read, loaded FROM batches ORDER BY file"
        )
        assert rows == [
            ("august.jsonl", "sealed", 2, 2),
            ("labels.jsonl", "sealed", 1, 1),
            ("mixed.jsonl", "sealed", 2, 2),
        ]

    def test_only_whole_weeks_are_sealed(self, site: Site) -> None:
        with pytest.raises(UsageError) as caught:
            site.seal("2026-10-07", "2026-11-01")
        assert str(caught.value) == (
            "2026-10-07 is no Monday; whole weeks are sealed, as before 2026-10-05"
        )

    def test_sealing_less_changes_nothing(self, site: Site) -> None:
        before = site.contents()
        site.seal("2026-08-10", "2026-12-01")
        assert site.contents() == before
        assert site.rows("SELECT sealed_before::VARCHAR, sealed_on::VARCHAR FROM settings") == [
            ("2026-10-05", "2026-11-01")
        ]

    def test_sealing_more_seals_more(self, site: Site) -> None:
        site.seal("2026-10-12", "2026-12-01")
        assert site.rows("SELECT count(*) FROM requests") == [(0,)]
        assert site.rows("SELECT sum(requests)::INT FROM days") == [(4,)]

    def test_a_store_must_be_there(self, tmp_path: Path) -> None:
        nowhere = Site(tmp_path / "nowhere")
        with pytest.raises(CitelogError, match="there is no store"):
            nowhere.seal("2026-10-05", "2026-11-01")


class TestLateLines:
    def late(self, site: Site, *records: Json) -> Batch:
        return site.load_log("late.jsonl", *records)

    def test_a_late_line_is_rejected_by_name_and_its_day_stays(self, site: Site) -> None:
        before = site.contents(ROLLUPS)
        batch = self.late(site, on("2026-08-01", "new"), on("2026-08-01", "new"))
        assert counters(batch) == (2, 0, 0, 0, 2)
        assert reasons(site) == [(1, "requested_at", SEALED), (2, "requested_at", SEALED)]
        assert site.contents(ROLLUPS) == before
        assert site.rows("SELECT count(*) FROM texts") == [(1,)]

    def test_a_line_of_an_open_day_goes_in_beside_it(self, site: Site) -> None:
        batch = self.late(site, on("2026-08-01", "new"), on("2026-10-05", "b3"))
        assert counters(batch) == (2, 1, 0, 0, 1)
        assert site.rows("SELECT sum(requests)::INT FROM days") == [(5,)]

    def test_a_sealed_request_that_comes_again_is_not_counted_again(self, site: Site) -> None:
        before = site.contents(ROLLUPS)
        batch = self.late(site, on("2026-08-01", "a1"))
        assert counters(batch) == (1, 0, 0, 0, 1)
        assert reasons(site) == [(1, "requested_at", SEALED)]
        assert site.contents(ROLLUPS) == before

    def test_nor_as_a_new_revision_on_an_open_day(self, site: Site) -> None:
        before = site.contents(ROLLUPS)
        self.late(site, on("2026-10-06", "a1", revision=3))
        assert reasons(site) == [
            (
                1,
                "requested_at",
                "this request was counted on a day that is sealed since 2026-11-01",
            )
        ]
        assert site.contents(ROLLUPS) == before

    def test_a_file_of_late_lines_is_set_aside_with_their_reasons(self, site: Site) -> None:
        file = site.log("late.jsonl", on("2026-08-01", "x"), on("2026-10-05", "y"))
        before = site.contents(("requests", "chunks", "texts", "memberships", *ROLLUPS))
        [batch] = site.load(file, max_rejected=0.3)
        assert (batch.state, counters(batch)) == ("set_aside", (2, 0, 0, 0, 2))
        assert reasons(site) == [(1, "requested_at", SEALED)]
        assert site.contents(tuple(before)) == before

    def test_a_late_label_changes_no_sealed_day(self, site: Site) -> None:
        before = site.contents(ROLLUPS)
        self.late(site, label("a1", "2027-01-01T00:00:00Z", correct=False))
        assert site.contents(ROLLUPS) == before

    def test_the_same_file_again_is_known(self, site: Site) -> None:
        [batch] = site.load(site.folder / "august.jsonl")
        assert batch.state == "known"


class TestForgetting:
    @pytest.mark.parametrize("name", ["august.jsonl", "mixed.jsonl", "labels.jsonl"])
    def test_a_batch_with_sealed_days_stays(self, site: Site, name: str) -> None:
        before = site.contents()
        [batch] = site.load(site.folder / name)
        with pytest.raises(CitelogError) as caught:
            site.forget(batch)
        [(file,)] = site.rows(f"SELECT file FROM batches WHERE batch = '{batch.batch}'")
        assert str(caught.value) == (
            f"{file}: batch {batch.batch[:12]} holds days that are sealed, "
            "so it stays in the counts"
        )
        assert site.contents() == before

    def test_one_sealed_batch_among_several_stops_all(self, site: Site) -> None:
        [sealed] = site.load(site.folder / "august.jsonl")
        free = site.load_log("free.jsonl", on("2026-10-07", "f"))
        before = site.contents()
        with pytest.raises(CitelogError, match="sealed"):
            site.forget(free, sealed)
        assert site.contents() == before

    def test_a_batch_of_open_days_can_still_be_forgotten(self, site: Site) -> None:
        before = site.contents()
        site.forget(site.load_log("free.jsonl", on("2026-10-07", "f"), on("2026-10-05", "b2")))
        assert site.contents() == before

    def test_a_superseded_record_does_not_come_back_to_a_sealed_day(self, tmp_path: Path) -> None:
        site = Site(tmp_path)
        old = site.load_log("old.jsonl", on("2026-08-01", "r"))
        new = site.load_log("new.jsonl", on("2026-10-06", "r", revision=1))
        site.seal("2026-10-05", "2026-11-01")
        with pytest.raises(CitelogError, match="sealed"):
            site.forget(old)
        site.forget(new)
        facts_and_rollups = site.contents(("requests", "chunks", "versions", "texts", *ROLLUPS))
        assert not any(facts_and_rollups.values())


def test_a_monday_to_come_is_not_sealed(site: Site) -> None:
    site.load_log("a.jsonl", request("r"))
    with pytest.raises(UsageError, match="still to come"):
        store.seal(site.store, date(9999, 12, 27), date(2026, 11, 30))
