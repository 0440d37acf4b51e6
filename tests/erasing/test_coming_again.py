"""What was erased does not come back, in whatever file and whatever order."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from loading.records import label
from loading.sites import BOOKS, ROLLUPS, Site, counters, kept
from logs import logs

from erasing.test_erase import FACTS, erase, of_ada, of_ben


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


def test_lines_of_another_file_are_rejected_by_name(site: Site) -> None:
    site.load_log("a.jsonl", of_ada("a1"), of_ben("b1"))
    erase(site, units=["ada"])
    before = site.contents((*FACTS[:-1], *ROLLUPS))
    again = site.load_log("b.jsonl", of_ben("b1"), of_ada("a1"), label("a1"), of_ada("a1"))
    assert counters(again) == (4, 0, 1, 0, 3)
    assert site.contents((*FACTS[:-1], *ROLLUPS)) == before
    assert site.rows("SELECT line, reason FROM rejected_lines WHERE line > 1 ORDER BY ALL") == [
        (2, "was erased on 2026-12-01"),
        (4, "was erased on 2026-12-01"),
    ]


def test_the_same_file_is_known(site: Site) -> None:
    site.load_log("a.jsonl", of_ada("a1"), of_ben("b1"))
    erase(site, ["a1"])
    [again] = site.load(site.folder / "a.jsonl")
    assert again.state == "known"


def test_what_is_erased_before_it_comes_is_rejected_when_it_comes(site: Site) -> None:
    site.load_log("a.jsonl", of_ben("b1"))
    assert erase(site, ["a1"]).unheld == ("a1",)
    assert counters(site.load_log("b.jsonl", of_ada("a1"), of_ben("b2"))) == (2, 1, 0, 0, 1)


def test_it_is_no_fault_of_a_file(site: Site) -> None:
    site.load_log("a.jsonl", of_ben("b1"))
    erase(site, ["a1"])
    batch = site.load_log("b.jsonl", of_ada("a1"), of_ben("b2"), max_rejected=0)
    assert (batch.state, batch.loaded) == ("loaded", 1)


def test_later_requests_of_the_unit_are_its_own_new_ones(site: Site) -> None:
    site.load_log("a.jsonl", of_ada("a1"))
    erase(site, units=["ada"])
    assert site.load_log("b.jsonl", of_ada("a2")).loaded == 1


def test_texts_of_erased_lines_stay_out(site: Site) -> None:
    site.load_log("a.jsonl", of_ben("b1"))
    erase(site, ["a1"])
    site.load_log("b.jsonl", of_ada("a1"))
    assert site.rows("SELECT count(*) FROM texts") == [(0,)]


@settings(max_examples=5, deadline=None)
@given(logs(largest=6), st.data())
def test_erasing_after_a_load_or_before_it_is_the_same(
    tmp_path_factory: pytest.TempPathFactory, text: str, data: st.DataObject
) -> None:
    """Every table agrees, and so do the counters."""
    name = data.draw(st.sampled_from([f"q{n}" for n in range(6)]))
    after, before = (Site(tmp_path_factory.mktemp("site")) for _ in range(2))
    for site in (after, before):
        (site.folder / "log.jsonl").write_text(text)
        site.load_log("first.jsonl", of_ben("b1"))
    erase(before, [name])
    before.load(before.folder / "log.jsonl")
    after.load(after.folder / "log.jsonl")
    erase(after, [name])
    tables = [table for table in (*FACTS, *BOOKS, *ROLLUPS) if table != "rejected_lines"]
    assert after.contents(tables) == before.contents(tables)
    assert kept(after) == kept(before)
