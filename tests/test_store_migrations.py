"""A store of an older schema version: readable as it is, brought forward by the next writer."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest
from loading import older
from loading.records import Json, label, log, packed, request
from loading.sites import NOW, Site

from analyzer import updating
from analyzer.store import SCHEMA_VERSION, reader, settings, writer
from analyzer.store_migrations import STEPS, forward


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A store as schema version 1 made it, with a batch in it."""
    path = tmp_path / "old.duckdb"
    older.make(path, time_zone="Europe/Berlin")
    with duckdb.connect(str(path)) as con:
        con.execute(
            "INSERT INTO batches VALUES "
            "('b', 'a.jsonl', 'jsonl', 1, 'loaded', 1, 1, 0, 0, 0, 0, 0, '2026-11-01')"
        )
    return path


def columns(path: Path) -> list[tuple[object, ...]]:
    """Every column of every table with its type."""
    with reader(path) as con:
        return con.execute(
            "SELECT table_name, column_name, data_type, is_nullable "
            "FROM information_schema.columns ORDER BY ALL"
        ).fetchall()


def test_every_version_but_the_first_has_a_step_to_it() -> None:
    assert sorted(STEPS) == list(range(2, SCHEMA_VERSION + 1))


def test_an_old_store_is_read_as_it_is(old: Path) -> None:
    before = old.read_bytes()
    with reader(old) as con:
        assert settings(con)["schema_version"] == 1
    assert old.read_bytes() == before


def test_a_writer_brings_it_forward_and_keeps_what_it_holds(old: Path, tmp_path: Path) -> None:
    with writer(old):
        pass
    with reader(old) as con:
        held = settings(con)
        assert (held["schema_version"], held["time_zone"]) == (SCHEMA_VERSION, "Europe/Berlin")
        assert con.execute("SELECT batch FROM batches").fetchall() == [("b",)]
    with writer(tmp_path / "new.duckdb"):
        pass
    assert columns(old) == columns(tmp_path / "new.duckdb")


@pytest.mark.parametrize("held", sorted(STEPS))
def test_it_is_brought_forward_from_any_version(old: Path, held: int, tmp_path: Path) -> None:
    with duckdb.connect(str(old)) as con:
        forward(con, 1, held)
    with reader(old) as con:
        assert settings(con)["schema_version"] == held
    for path in (old, tmp_path / "new.duckdb"):
        with writer(path):
            pass
    assert columns(old) == columns(tmp_path / "new.duckdb")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """A store of several routes, with labels, an older record and one that lost to a newer."""
    site = Site(tmp_path_factory.mktemp("new"))
    site.load_log(
        "a.jsonl",
        *(request(f"r{n}", *places(n), **named(n)) for n in range(40)),
        *(label(f"r{n}", correct=n % 2 == 0, expected_chunk_ids=["c2"]) for n in range(0, 40, 3)),
    )
    site.load_log("b.jsonl", *(request(f"r{n}", *places(n + 1), revision=1) for n in range(0, 9)))
    return site


def places(n: int) -> list[Json]:
    """Up to eight packed chunks in some order of ranks, and two that are not packed."""
    ranks = [(n + 3 * place) % (n % 9) + 1 for place in range(n % 9)]
    return [*packed(*sorted(set(ranks), key=lambda rank: rank * 7 % 5)), {"rank": 11}, {}]


def named(n: int) -> Json:
    """Some dimensions, of which a log may leave any out."""
    said = {"route": "abc"[n % 3], "model": f"m{n % 2}", "release": "r1", "outcome": "refused"}
    return {name: value for each, (name, value) in enumerate(said.items()) if (n >> each) % 3}


@pytest.mark.parametrize("version", range(1, SCHEMA_VERSION))
class TestChunks:
    """The chunks of a store that somebody made before schema version 5."""

    @pytest.fixture
    def turned(self, site: Site, version: int, tmp_path: Path) -> Site:
        older.turned_back(site.store, tmp_path / "store.duckdb", version)
        return Site(tmp_path)

    def test_are_shown_as_they_were_cell_by_cell(self, turned: Site) -> None:
        with reader(turned.store) as con:
            before, types = older.held(con), con.execute("DESCRIBE chunks").fetchall()
        with writer(turned.store):
            pass
        with reader(turned.store) as con:
            after, kept = older.held(con), con.execute("DESCRIBE chunks").fetchall()
        assert {name: after[name] for name in before} == before
        assert [column[:2] for column in kept] == [column[:2] for column in types]
        assert len({row.split("'")[3] for row in before["chunks"]}) > 1

    def test_are_added_to_and_taken_back(self, turned: Site, site: Site) -> None:
        more = turned.load_log("c.jsonl", *(request(f"s{n}", *places(n)) for n in range(9)))
        assert turned.rows("SELECT count(*) > 0 FROM chunks WHERE starts_with(request_id, 's')")
        turned.forget(more)
        assert turned.contents() == site.contents()


def test_a_step_that_fails_changes_nothing(old: Path) -> None:
    with duckdb.connect(str(old)) as con:
        con.execute("CREATE TABLE erased_requests (theirs INTEGER)")
    before = old.read_bytes()
    with pytest.raises(duckdb.CatalogException, match="erased_requests"), writer(old):
        pass
    assert old.read_bytes() == before


def test_a_second_writer_has_nothing_to_bring_forward(old: Path) -> None:
    for _ in range(2):
        with writer(old):
            pass
    with reader(old) as con:
        assert settings(con)["schema_version"] == SCHEMA_VERSION


def test_a_writer_that_breaks_off_leaves_the_old_store(old: Path) -> None:
    before = old.read_bytes()
    with pytest.raises(ZeroDivisionError), writer(old):
        raise ZeroDivisionError
    assert old.read_bytes() == before


def test_weeks_that_were_estimated_before_a_measure_was_known_are_estimated_again(
    tmp_path: Path,
) -> None:
    path = tmp_path / "store.duckdb"
    log(tmp_path / "a.jsonl", request("r", {"rank": 1, "position": 1}, answer="[1]"))
    updating.ingest([tmp_path / "a.jsonl"], path, now=NOW, unit_key="00")
    of_today = estimates(path)
    with writer(path) as con:
        con.execute("DELETE FROM week_estimates WHERE measure LIKE 'missing_%'")
        con.execute("UPDATE week_estimates SET requests = 7")
    log(tmp_path / "b.jsonl", {**request("s"), "requested_at": "2026-06-01T00:00:00Z"})
    [brought] = updating.ingest([tmp_path / "b.jsonl"], path, now=NOW)
    updating.forget([brought.batch], path)
    assert estimates(path) == of_today


def estimates(path: Path) -> list[tuple[object, ...]]:
    with reader(path) as con:
        return con.execute("FROM week_estimates ORDER BY ALL").fetchall()
