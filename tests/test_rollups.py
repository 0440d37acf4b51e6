"""Rollups: each equals a naive recount of the facts, and only touched days are made again."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from loading import recounted
from loading.records import Json, label, packed, request
from loading.sites import ROLLUPS, Site
from logs import logs

from analyzer import store

some_logs = settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))


def facts(site: Site) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    with store.reader(site.store) as con:
        return tuple(
            con.sql(f"FROM {name}").to_arrow_table().to_pylist() for name in ("requests", "chunks")
        )


def rollup(site: Site, name: str) -> recounted.Counts:
    width = recounted.KEYS[name]
    columns = "packed, cited, copies, copy_tokens"
    what = f"* EXCLUDE ({columns}, first_copy_on, latest_indexed_at), {columns}"
    return recounted.table(
        site.rows(f"SELECT {what if name == 'documents' else '*'} FROM {name}"), width
    )


@given(logs(largest=20), st.sampled_from(["UTC", "Asia/Kolkata", "America/Los_Angeles"]))
@some_logs
def test_every_rollup_equals_a_recount_of_the_facts(log: str, time_zone: str) -> None:
    with TemporaryDirectory() as folder:
        site = Site(Path(folder), time_zone=time_zone)
        file = site.folder / "a.jsonl"
        file.write_text(log, encoding="utf-8")
        site.load(file)
        rows = facts(site)
        for name in ROLLUPS:
            assert rollup(site, name) == getattr(recounted, name)(*rows), name


@given(logs(largest=12), st.integers(2, 5))
@settings(some_logs, max_examples=8)
def test_many_small_batches_and_one_make_the_same_rollups(log: str, parts: int) -> None:
    lines = log.splitlines(keepends=True)
    with TemporaryDirectory() as folder:
        found = []
        for count in (1, parts):
            site = Site(Path(folder, str(count)))
            site.folder.mkdir()
            for number in range(count):
                file = site.folder / f"{number}.jsonl"
                file.write_text("".join(lines[number::count]), encoding="utf-8")
                site.load(file)
            found.append(site.contents(ROLLUPS))
        assert found[0] == found[1]


def test_the_recount_names_the_columns_of_days_in_their_order(tmp_path: Path) -> None:
    site = Site(tmp_path)
    site.load_log("a.jsonl", request("r"))
    names = [name for name, *_ in site.rows("DESCRIBE days")]
    assert names[recounted.KEYS["days"] :] == list(recounted.DAYS)


class TestTouchedDays:
    """A mark is put on the rollups of every day; where it is gone, the day was made again."""

    @pytest.fixture
    def site(self, tmp_path: Path) -> Site:
        site = Site(tmp_path)
        site.load_log("a.jsonl", *(self.on(day, f"r{day}") for day in (2, 3, 4, 9, 10, 16)))
        with store.writer(site.store) as con:
            for name in ROLLUPS:
                con.execute(f"UPDATE {name} SET route = 'marked'")
        return site

    @staticmethod
    def on(day: int, name: str, **fields: Any) -> Json:
        chunks = [{**c, "tokens": 5, "cited": True, "doc_id": "d"} for c in packed(1, 2, 3)]
        return request(name, *chunks, requested_at=f"2026-11-{day:02d}T12:00:00Z", **fields)

    def made_again(self, site: Site, table: str = "days") -> list[int]:
        when = "week" if table == "documents" else "day"
        rows = site.rows(f"SELECT DISTINCT day({when}) FROM {table} WHERE route <> 'marked'")
        return sorted(day for (day,) in rows)

    @pytest.mark.parametrize("table", ROLLUPS)
    def test_a_batch_touches_its_days(self, site: Site, table: str) -> None:
        site.load_log("b.jsonl", self.on(3, "x"), self.on(9, "y"))
        assert self.made_again(site, table) == ([2, 9] if table == "documents" else [3, 9])

    def test_a_repeat_touches_no_more_than_its_day(self, site: Site) -> None:
        site.load_log("b.jsonl", self.on(3, "r3"))
        assert set(self.made_again(site)) <= {3}

    def test_a_label_touches_the_day_of_its_request(self, site: Site) -> None:
        site.load_log("b.jsonl", label("r9", correct=True), label("nobody", correct=True))
        assert self.made_again(site) == [9]

    def test_a_revision_touches_the_old_day_and_the_new(self, site: Site) -> None:
        site.load_log("b.jsonl", self.on(10, "r4", revision=1))
        with store.reader(site.store) as con:
            left = con.execute("SELECT count(*) FROM days WHERE day = DATE '2026-11-04'").fetchone()
        assert left == (0,)
        assert self.made_again(site) == [10]

    def test_forgetting_touches_what_the_batch_held(self, site: Site) -> None:
        batch = site.load_log("b.jsonl", self.on(3, "x"), label("r16", correct=True))
        with store.writer(site.store) as con:
            con.execute("UPDATE days SET route = 'marked'")
        site.forget(batch)
        assert self.made_again(site) == [3, 16]


class TestUnits:
    def test_the_forty_smallest_are_kept_of_any_number_of_batches(self, tmp_path: Path) -> None:
        site = Site(tmp_path)
        for number in range(3):
            names = [f"r{number}.{n}" for n in range(25)]
            site.load_log(f"{number}.jsonl", *(request(name) for name in names))
        [(kept,)] = site.rows("SELECT list(unit_hash ORDER BY unit_hash) FROM units")
        [(all_of_them,)] = site.rows("SELECT list(unit_hash ORDER BY unit_hash) FROM requests")
        assert kept == all_of_them[:40]


class TestDocuments:
    def test_the_most_packed_and_the_most_copied_are_kept(self, tmp_path: Path) -> None:
        site = Site(tmp_path)
        # Document n is packed n times; only the documents packed least are copied.
        chunks = [{"doc_id": f"d{n:03d}"} for n in range(1, 251) for _ in range(n)]
        requests = [
            request(
                f"r{at}", *({**c, "position": p} for p, c in enumerate(chunks[at : at + 900], 1))
            )
            for at in range(0, len(chunks), 900)
        ]
        twins = {"doc_id": "d001", "text_hash": "0" * 16}
        copied = request("copied", *({**twins, "position": p, "tokens": 7} for p in (1, 2)))
        site.load_log("a.jsonl", *requests, copied)
        kept = site.rows(
            "SELECT doc_id, packed, copies, copy_tokens FROM documents ORDER BY doc_id"
        )
        assert len(kept) == 201
        assert kept[0] == ("d001", 3, 1, 7)
        assert [row[0] for row in kept[1:]] == [f"d{n:03d}" for n in range(51, 251)]

    def test_the_first_copy_of_the_week_and_the_newest_index_time(self, tmp_path: Path) -> None:
        site = Site(tmp_path)

        def on(day: int, *, copied: bool) -> Json:
            texts = ["0" * 16, "0" * 16 if copied else "1" * 16]
            chunks = [
                {
                    "doc_id": "d",
                    "position": p,
                    "text_hash": text,
                    "indexed_at": f"2026-10-{day:02d}T00:00:00Z",
                }
                for p, text in enumerate(texts, 1)
            ]
            return request(f"r{day}", *chunks, requested_at=f"2026-11-{day:02d}T12:00:00Z")

        site.load_log(
            "a.jsonl",
            on(8, copied=True),
            on(9, copied=False),
            on(11, copied=True),
            on(12, copied=True),
        )
        rows = site.rows(
            "SELECT week::VARCHAR, copies::INT, first_copy_on::VARCHAR, latest_indexed_at::VARCHAR "
            "FROM documents ORDER BY week"
        )
        assert rows == [
            ("2026-11-02", 1, "2026-11-08", "2026-10-08 00:00:00"),
            ("2026-11-09", 2, "2026-11-11", "2026-10-12 00:00:00"),
        ]
