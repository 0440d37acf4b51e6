"""Erasing takes a person's traces out of the facts, the books and the bytes of the file."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from loading.records import Json, label, packed, request
from loading.sites import NOW, Site, kept

from analyzer import store, store_drafts, updating
from analyzer.cli import main
from analyzer.erasing import Erased
from analyzer.errors import CitelogError, StoreLocked, UsageError
from analyzer.facts.requests import units
from analyzer.swap import keeping
from analyzer.swap.outcomes import Outcome, Run

Captured = pytest.CaptureFixture[str]

TODAY = date(2026, 12, 1)
FACTS = ("requests", "chunks", "dimensions", "texts", "versions", "judgements", "memberships")
ROLLUPS = ("cells", "cells_by_position", "ranks", "units", "days", "lengths", "documents")


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


def erase(site: Site, requests: Sequence[str] = (), units: Sequence[str] = ()) -> Erased:
    return updating.erase(site.store, requests=requests, units=units, today=TODAY)


def of_ada(name: str, **fields: object) -> Json:
    """A request of somebody whose traces must go."""
    chunks = [
        {"chunk_id": f"hers-{name}", "text": f"only ada asked this {name}", **place}
        for place in packed(1, 2)
    ]
    chunks[1]["chunk_id"] += "-2"
    return request(name, *chunks, unit_id="ada", **fields)


def of_ben(name: str, **fields: object) -> Json:
    return request(name, *packed(2, 1), unit_id="ben", **fields)


def hash_of(unit: str) -> int:
    made = units({"unit_id": [unit], "request_id": [unit]}, b"\0")
    return int(made["unit_hash"][0].as_py())


class TestFacts:
    def test_what_stays_is_what_a_load_without_her_had_made(self, tmp_path: Path) -> None:
        (tmp_path / "one").mkdir()
        (tmp_path / "two").mkdir()
        one, two = Site(tmp_path / "one"), Site(tmp_path / "two")
        hers = [of_ada("a1"), of_ada("a2", revision=1), label("a1", correct=True)]
        bens = [of_ben("b1"), of_ben("b2"), label("b1", correct=False)]
        one.load_log("log.jsonl", *hers, *bens, of_ada("a2"), of_ada("a1"))
        two.load_log("log.jsonl", *bens)
        erased = erase(one, units=["ada"])
        assert (erased.requests, erased.chunks, erased.versions) == (2, 4, 1)
        assert (erased.judgements, erased.texts, erased.batches) == (1, 2, 1)
        assert erased.weeks == (date(2026, 11, 2),)
        without = "SELECT * EXCLUDE (batch, line) FROM memberships ORDER BY ALL"
        assert one.rows(without) == two.rows(without)
        tables = [table for table in (*FACTS, *ROLLUPS) if table not in ("memberships",)]
        assert labels_aside(one.contents(tables)) == labels_aside(two.contents(tables))

    def test_one_request_by_name(self, site: Site) -> None:
        site.load_log("log.jsonl", of_ada("a1"), of_ada("a2"), of_ben("b1"))
        assert erase(site, ["a1"]).requests == 1
        assert site.rows("SELECT request_id FROM requests ORDER BY ALL") == [("a2",), ("b1",)]
        assert site.rows("SELECT sum(requests)::INT FROM days") == [(2,)]

    def test_a_unit_is_not_a_request_of_the_same_name(self, site: Site) -> None:
        site.load_log("log.jsonl", request("ada", *packed(1, 2)), of_ben("b1"))
        assert not erase(site, units=["ada"]).anything
        assert site.rows("SELECT count(*) FROM requests") == [(2,)]

    def test_an_older_record_may_name_the_unit(self, site: Site) -> None:
        site.load_log("log.jsonl", of_ada("x"), of_ben("x", revision=1), of_ben("b1"))
        erased = erase(site, units=["ada"])
        assert (erased.requests, erased.versions) == (1, 1)
        assert site.rows("SELECT request_id FROM requests") == [("b1",)]

    def test_a_text_that_others_carry_stays(self, site: Site) -> None:
        text = {"position": 1, "text": "opening hours of the shop"}
        site.load_log("log.jsonl", request("a", text, unit_id="ada"), request("b", text))
        assert erase(site, ["a"]).texts == 0
        assert site.rows("SELECT count(*) FROM texts") == [(1,)]

    def test_estimates_are_made_again(self, site: Site) -> None:
        updating.ingest(
            [site.log("log.jsonl", *(of_ben(f"b{n}") for n in range(9)), of_ada("a1"))],
            site.store,
            now=NOW,
            unit_key="00",
        )
        base = "SELECT max(requests)::INT FROM week_estimates WHERE measure = 'cited_rate'"
        before = site.rows(base)
        erase(site, ["a1"])
        assert site.rows(base) <= before
        assert site.rows("SELECT count(*) > 0 FROM week_estimates") == [(True,)]


def labels_aside(contents: dict[str, list[str]]) -> dict[str, list[str]]:
    """Without the names of batches, which differ because the files do."""
    kept_rows = dict(contents)
    kept_rows["judgements"] = [row.split(", ")[0] for row in contents["judgements"]]
    return kept_rows


class TestBooks:
    def test_counters_add_up(self, site: Site) -> None:
        site.load_log("a.jsonl", of_ada("a1"), of_ada("a1"), of_ben("b1"), label("a1"))
        site.load_log("b.jsonl", of_ada("a1"), of_ben("b1"), of_ben("b2"))
        before = kept(site)
        erase(site, units=["ada"])
        after = kept(site)
        assert {name: counts[0] for name, counts in before.items()} == {
            name: counts[0] for name, counts in after.items()
        }
        assert after["a.jsonl"][4] == 3  # two lines of the request, and its label
        assert after["b.jsonl"][4] == 1
        assert sum(counts[1] for counts in after.values()) == 2

    def test_a_batch_of_hers_alone(self, site: Site) -> None:
        site.load_log("a.jsonl", of_ada("a1"), label("a1"))
        erase(site, ["a1"])
        assert kept(site) == {"a.jsonl": (2, 0, 0, 0, 2)}

    def test_rejected_lines_say_why(self, site: Site) -> None:
        site.load_log("a.jsonl", of_ben("b1"), of_ada("a1"))
        erase(site, ["a1"])
        assert site.rows("SELECT line, path, reason, line_hash FROM rejected_lines") == [
            (2, "request_id", "was erased on 2026-12-01", "")
        ]

    def test_forgetting_the_batch_afterwards(self, site: Site) -> None:
        site.load_log("keep.jsonl", of_ben("b9"))
        before = site.contents()
        batch = site.load_log("a.jsonl", of_ben("b1"), of_ada("a1"))
        erase(site, ["a1"])
        site.forget(batch)
        assert site.contents() == before

    def test_erasing_twice_changes_nothing_more(self, site: Site) -> None:
        site.load_log("a.jsonl", of_ben("b1"), of_ada("a1"))
        erase(site, ["a1"])
        before = site.contents((*FACTS, *ROLLUPS, "batches", "rejected_lines", "erased_requests"))
        again = erase(site, ["a1"])
        assert (again.anything, again.unheld) == (False, ())
        assert site.contents(tuple(before)) == before


class TestSealed:
    @pytest.fixture
    def sealed(self, site: Site) -> Site:
        site.load_log("a.jsonl", of_ada("a1"), of_ben("b1"))
        site.load_log("b.jsonl", of_ada("a2", requested_at="2026-11-12T12:00:00Z"))
        site.seal("2026-11-09", "2026-11-30")
        return site

    def test_counts_of_sealed_days_stay(self, sealed: Site) -> None:
        before = sealed.rows("FROM days WHERE day < '2026-11-09' ORDER BY ALL")
        erased = erase(sealed, ["a1", "a2"])
        assert (erased.sealed, erased.requests, erased.weeks) == (1, 1, (date(2026, 11, 9),))
        assert sealed.rows("FROM days WHERE day < '2026-11-09' ORDER BY ALL") == before
        assert sealed.rows("SELECT count(*) FROM days WHERE day >= '2026-11-09'") == [(0,)]

    def test_the_hash_of_the_unit_goes_from_sealed_days_too(self, sealed: Site) -> None:
        assert erase(sealed, units=["ada"]).counted_units == 1
        assert sealed.rows("SELECT DISTINCT unit_hash FROM units") == [(hash_of("ben"),)]

    def test_a_request_that_was_its_own_unit_goes_from_them_by_its_name(self, site: Site) -> None:
        site.load_log("a.jsonl", request("r1", *packed(1, 2)), of_ben("b1"))
        site.seal("2026-11-09", "2026-11-30")
        assert erase(site, ["r1"]).counted_units == 1
        assert site.rows("SELECT DISTINCT unit_hash FROM units") == [(hash_of("ben"),)]


class TestBytes:
    def test_no_byte_of_it_is_left_in_the_file(self, site: Site) -> None:
        hers = [of_ada(f"ada-{n:03}", route=f"route-{n % 2}") for n in range(40)]
        site.load_log("log.jsonl", *hers, *(of_ben(f"ben-{n:03}") for n in range(40)))
        traces = [b"ada-007", b"hers-ada-007", hash_of("ada").to_bytes(8, "little", signed=True)]
        held = site.store.read_bytes()
        assert [trace in held for trace in traces] == [True, True, True]
        erase(site, units=["ada"])
        left = site.store.read_bytes()
        assert [trace in left for trace in traces] == [False, False, False]
        assert b"ben-007" in left
        names = {file.name for file in site.folder.iterdir()}
        assert names <= {"log.jsonl", "store.duckdb", ".store.duckdb.lock"}

    def test_without_room_to_write_it_anew_nothing_is_changed(
        self, site: Site, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        site.load_log("log.jsonl", of_ada("a1"))
        before = site.store.read_bytes()

        def full(draft: Path, path: Path) -> None:
            raise CitelogError(f"{path}: no room")

        monkeypatch.setattr(store_drafts, "check_room", full)
        with pytest.raises(CitelogError, match="no room"):
            erase(site, ["a1"])
        assert site.store.read_bytes() == before

    def test_room_is_told_in_bytes(self, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
        site.load_log("log.jsonl", of_ada("a1"))
        monkeypatch.setattr("shutil.disk_usage", lambda _: Usage())
        with pytest.raises(CitelogError, match=r"disk has 7 free; nothing was changed, free some"):
            store_drafts.check_room(site.store, site.store)


class Usage:
    free = 7


class TestEvaluations:
    """A question that was made from a request is named after it."""

    @staticmethod
    def run(*correct: bool) -> Run:
        outcomes = [Outcome("a1", 0, 1 + n, 3, right, 90) for n, right in enumerate(correct)]
        return Run("m", outcomes, question_set="s", asked_on=TODAY)

    def keep(self, site: Site, run: Run) -> None:
        with store.writer(site.store) as con:
            keeping.keep(con, run, datetime(2026, 12, 1, tzinfo=UTC))

    def results(self, site: Site) -> list[tuple[object, ...]]:
        return site.rows("SELECT left(question_id, 7), position, correct FROM swap_results")

    def test_it_keeps_its_result_under_another_name(self, site: Site) -> None:
        site.load_log("log.jsonl", of_ada("a1"))
        self.keep(site, self.run(True))
        erase(site, ["a1"])
        assert self.results(site) == [("erased ", 1, True)]

    def test_kept_again_or_gone_on_with_it_does_not_bring_the_name_back(self, site: Site) -> None:
        site.load_log("log.jsonl", of_ada("a1"))
        self.keep(site, self.run(True))
        erase(site, ["a1"])
        self.keep(site, self.run(True))
        assert self.results(site) == [("erased ", 1, True)]
        self.keep(site, self.run(True, False))
        assert self.results(site) == [("erased ", 1, True), ("erased ", 2, False)]
        assert site.rows("SELECT count(*) FROM swap_runs") == [(1,)]


class TestCommand:
    def run(self, site: Site, *arguments: str) -> int:
        return main.run(["erase", *arguments, "--store", str(site.store)])

    def test_it_says_what_went_and_what_stays(self, site: Site, capsys: Captured) -> None:
        site.load_log("log.jsonl", of_ada("a1"), of_ben("b1"))
        assert self.run(site, "--unit", "ada", "--request", "a9") == 0
        assert capsys.readouterr().out.splitlines() == [
            "erased 1 request (2 chunks, 0 older records, 0 labels, fingerprint of 1 text) of 1 "
            "batch; the file was written anew",
            "made again without them: 2026-W45",
            "stay as counts: 0 requests of sealed days, and lines in the books of batches",
            "stay: a fingerprint of each request, by which its lines are rejected when they come "
            "again; logs and reports outside the store are as they were",
            "later requests of the unit are loaded, if they are logged",
            "not held, and rejected if they come: a9",
        ]

    def test_nothing_held_is_5(self, site: Site, capsys: Captured) -> None:
        site.load_log("log.jsonl", of_ben("b1"))
        assert self.run(site, "--unit", "ada") == 5
        assert self.run(site, "--request", "a1") == 5
        assert capsys.readouterr().err.splitlines() == [
            f"{site.store}: holds nothing of what is named",
            f"{site.store}: holds nothing of what is named; lines of the named requests are "
            "rejected if they come",
        ]

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            ([], "nothing is named to be erased; give --request ID or --unit ID"),
            (["--unit", ""], "nothing is named; name requests or units, none of them empty"),
        ],
    )
    def test_nothing_named_is_2(
        self, arguments: list[str], said: str, site: Site, capsys: Captured
    ) -> None:
        site.load_log("log.jsonl", of_ben("b1"))
        assert self.run(site, *arguments) == 2
        assert capsys.readouterr().err == said + "\n"

    def test_no_store_is_1_and_a_writer_is_6(self, site: Site, capsys: Captured) -> None:
        assert self.run(site, "--unit", "ada") == 1
        assert "there is no store" in capsys.readouterr().err
        site.load_log("log.jsonl", of_ben("b1"))
        with store.writer(site.store):
            assert self.run(site, "--unit", "ada") == StoreLocked.exit_code


def test_nothing_is_erased_by_an_empty_list(site: Site) -> None:
    site.load_log("log.jsonl", of_ben("b1"))
    with pytest.raises(UsageError, match="nothing is named"):
        erase(site)
