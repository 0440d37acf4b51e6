"""What requests have in common is stored once, and goes with the last chunk that had it."""

from __future__ import annotations

from datetime import date
from fractions import Fraction
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from loading.records import Json, packed, request
from loading.sites import Site

from analyzer import updating
from analyzer.ingest.dimensions import NAMES, combinations

ROUTES = "SELECT route FROM dimensions ORDER BY ALL"


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


def of_route(route: str, name: str = "r", **fields: object) -> Json:
    return request(name, *packed(1, 2), route=route, **fields)


few = st.lists(st.tuples(*(st.sampled_from(("", "a", "b|c")) for _ in NAMES)), min_size=1)


@given(few)
def test_each_combination_is_found_once_and_every_request_finds_its_own(
    rows: list[tuple[str, ...]],
) -> None:
    half = len(rows) // 2  # two blocks, as they come
    blocks = [
        pa.table(
            {name: pa.array([row[n] for row in part], pa.string()) for n, name in enumerate(NAMES)}
        )
        for part in (rows[:half], rows[half:])
    ]
    found, which = combinations(pa.concat_tables(blocks))
    assert len(found) == len(set(rows))
    assert [found[each] for each in which] == rows


class TestShown:
    def test_every_chunk_has_the_dimensions_of_its_request(self, site: Site) -> None:
        many = [of_route(f"r{n % 3}", f"q{n}", model=f"m{n % 2}") for n in range(20)]
        site.load_log("a.jsonl", *many, request("none", route="of no chunk"))
        site.load_log("b.jsonl", *(of_route("new", f"n{n}", model="m1") for n in range(3)))
        apart = ", ".join(f"chunk.{name} IS DISTINCT FROM request.{name}" for name in NAMES)
        assert site.rows("SELECT count(*) FROM chunks") == [(46,)]
        assert site.rows(
            f"SELECT count(*) FROM chunks AS chunk JOIN requests AS request USING (request_id) "
            f"WHERE true IN ({apart})"
        ) == [(0,)]
        assert site.rows("SELECT count(*), count(DISTINCT dimension_key) FROM dimensions") == [
            (7, 7)
        ]

    def test_the_view_tells_the_place_as_facts_do(self, site: Site) -> None:
        sizes = (1, 2, 3, 4, 5, 6, 7, 11, 20)
        prompts = [request(f"r{k}", *packed(*range(1, k + 1)), {"rank": k + 1}) for k in sizes]
        site.load_log("a.jsonl", *prompts)
        told = site.rows("SELECT k, position, place FROM chunks ORDER BY ALL NULLS LAST")
        expected = [
            (k, p, place(p, k) if p else None) for k in sizes for p in (*range(1, k + 1), None)
        ]
        assert told == expected


def place(position: int, k: int) -> str:
    """In words: only, or the first and the last fifth of the way from 1 to K."""
    if k == 1:
        return "only"
    way = Fraction(position - 1, k - 1)
    return "start" if way < Fraction(1, 5) else "end" if way > Fraction(4, 5) else "middle"


class TestGone:
    def test_with_the_batch_that_is_forgotten(self, site: Site) -> None:
        site.load_log("a.jsonl", of_route("stays"))
        batch = site.load_log("b.jsonl", of_route("goes", "s"), of_route("stays", "t"))
        site.forget(batch)
        assert site.rows(ROUTES) == [("stays",)]

    def test_with_the_record_that_another_supersedes_and_back_with_it(self, site: Site) -> None:
        site.load_log("a.jsonl", of_route("old"))
        newer = site.load_log("b.jsonl", of_route("new", revision=1))
        assert site.rows(ROUTES) == [("new",)]
        site.forget(newer)
        assert site.rows(ROUTES) == [("old",)]

    def test_with_the_file_that_is_set_aside(self, site: Site) -> None:
        site.load_log("a.jsonl", of_route("stays"))
        bad = {"request_id": "bad", "chunks": [{"rank": 0}]}
        aside = site.load_log("b.jsonl", of_route("goes", "s"), bad, max_rejected=0.1)
        assert aside.state == "set_aside"
        assert site.rows(ROUTES) == [("stays",)]

    def test_with_the_days_that_are_sealed_and_with_late_lines_for_them(self, site: Site) -> None:
        site.load_log(
            "a.jsonl", of_route("goes"), of_route("stays", "s", requested_at="2026-11-20T12:00:00Z")
        )
        site.seal("2026-11-09", "2026-12-01")
        assert site.rows(ROUTES) == [("stays",)]
        site.load_log("b.jsonl", of_route("late", "t"), of_route("stays", "u"))
        assert site.rows(ROUTES) == [("stays",)]

    def test_with_the_requests_that_are_erased_when_they_come_again_too(self, site: Site) -> None:
        site.load_log("a.jsonl", of_route("route-of-ada"), of_route("stays", "s"))
        assert b"route-of-ada" in site.store.read_bytes()
        updating.erase(site.store, requests=["r"], units=[], today=date(2026, 12, 1))
        assert site.rows(ROUTES) == [("stays",)]
        assert b"route-of-ada" not in site.store.read_bytes()
        site.load_log("b.jsonl", of_route("route-of-ada"), of_route("other", "t"))
        assert site.rows(ROUTES) == [("other",), ("stays",)]


def test_stores_beside_others_show_their_own_chunks_under_any_name(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        Site(tmp_path / name).load_log("a.jsonl", of_route(f"of {name}"))
    with duckdb.connect() as con:
        con.execute(
            "CREATE TABLE dimensions (theirs INTEGER); CREATE TABLE chunk_facts (x INTEGER)"
        )
        for name in ("one", "two"):
            con.execute(f"ATTACH '{tmp_path / name / 'store.duckdb'}' AS {name} (READ_ONLY)")
        asked = "SELECT DISTINCT route FROM one.chunks UNION ALL SELECT route FROM two.chunks"
        assert sorted(set(con.execute(asked).fetchall())) == [("of one",), ("of two",)]
