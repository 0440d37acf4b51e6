"""A store of an older schema version: readable as it is, brought forward by the next writer."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest
from loading.records import log, request
from loading.sites import NOW

from analyzer import store, updating
from analyzer.store import SCHEMA_VERSION, reader, settings, writer
from analyzer.store_migrations import STEPS, forward


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A store as schema version 1 made it, with a batch in it."""
    path = tmp_path / "old.duckdb"
    with duckdb.connect(str(path)) as con:
        for name in ("store/schema", "store/versions"):
            con.execute(store.statement(name))
        made = {"schema_version": 1, "time_zone": "Europe/Berlin", "unit_key": "00ff"}
        con.execute(store.statement("store/settle_settings"), made)
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
