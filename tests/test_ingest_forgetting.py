"""Forgetting a batch gives the store that never loaded it; what a store is made with is fixed."""

from __future__ import annotations

from pathlib import Path

import pytest
from loading.records import label, request
from loading.sites import Site

from analyzer import ingest
from analyzer.errors import CitelogError, UsageError


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


def test_the_store_is_the_one_that_never_loaded_it(site: Site) -> None:
    site.load_log("a.jsonl", request("r", {"text_hash": "0" * 16}), request("s"), label("s"))
    before = site.contents()
    batch = site.load_log(
        "b.jsonl",
        request("r", {"text_hash": "1" * 16}, revision=1, route="new"),
        request("s"),
        request("t", {"position": 1, "text_hash": "0" * 16}),
        request("t", {"position": 1, "text_hash": "2" * 16}),
        label("s", correct=True),
        label("t"),
        {"request_id": ""},
    )
    assert site.contents() != before
    [forgotten] = site.forget(batch)
    assert (forgotten.batch, forgotten.file) == (batch.batch, batch.file)
    assert site.contents() == before


def test_forgetting_everything_leaves_an_empty_store(site: Site) -> None:
    batches = [
        site.load_log(f"{n}.jsonl", *(request(f"r{m}", revision=n) for m in range(n, 5)))
        for n in range(4)
    ]
    site.forget(*batches)
    assert not any(site.contents().values())


def test_what_was_forgotten_can_be_loaded_again(site: Site) -> None:
    batch = site.load_log("a.jsonl", request("r", {"position": 1}), label("r", correct=True))
    before = site.contents()
    site.forget(batch)
    [again] = site.load(Path(batch.file))
    assert again.state == "loaded"
    assert site.contents() == before


def test_a_batch_is_named_by_the_beginning_of_its_hash(site: Site) -> None:
    batch = site.load_log("a.jsonl", request("r"))
    [forgotten] = ingest.forget([batch.batch[:6]], site.store)
    assert forgotten.batch == batch.batch


def test_a_name_that_no_batch_has(site: Site) -> None:
    site.load_log("a.jsonl", request("r"))
    with pytest.raises(CitelogError) as caught:
        ingest.forget(["nothing"], site.store)
    assert (
        str(caught.value) == f"{site.store}: no batch is named nothing; citelog batches lists them"
    )


def test_a_name_that_several_batches_have(site: Site) -> None:
    # Of seventeen hashes two begin with the same digit.
    site.load(*(site.log(f"{number}.jsonl", request(f"r{number}")) for number in range(17)))
    [(digit, count)] = site.rows(
        "SELECT batch[1], count(*) FROM batches GROUP BY ALL HAVING count(*) > 1 LIMIT 1"
    )
    with pytest.raises(UsageError) as caught:
        ingest.forget([digit], site.store)
    assert str(caught.value) == f"{digit} begins {count} batches; give more of its digits"


class TestFixed:
    def test_the_time_zone_is_fixed_when_the_store_is_made(self, tmp_path: Path) -> None:
        site = Site(tmp_path, time_zone="America/New_York")
        midnight = request("r", requested_at="2026-11-09T04:59:59Z")
        site.load_log("a.jsonl", midnight)
        site.settings.pop("time_zone")
        site.load_log("b.jsonl", request("s", requested_at="2026-11-09T05:00:00Z"))
        days = site.rows("SELECT request_id, day::VARCHAR FROM requests ORDER BY request_id")
        assert days == [("r", "2026-11-08"), ("s", "2026-11-09")]

    def test_another_zone_is_an_error_by_name(self, tmp_path: Path) -> None:
        site = Site(tmp_path, time_zone="America/New_York")
        site.load_log("a.jsonl", request("r"))
        before = site.contents()
        with pytest.raises(UsageError) as caught:
            site.load_log("b.jsonl", request("s"), time_zone="UTC")
        assert str(caught.value) == (
            f"{site.store}: cuts its days in America/New_York, and that is fixed; "
            "leave --time-zone out or make a new store"
        )
        assert site.contents() == before

    def test_the_same_zone_may_be_named_again(self, tmp_path: Path) -> None:
        site = Site(tmp_path, time_zone="Europe/Berlin")
        for name in "ab":
            assert site.load_log(f"{name}.jsonl", request(name)).state == "loaded"

    @pytest.mark.parametrize("zone", ["Nowhere", "Europe", "posix/Europe/Berlin", "../UTC"])
    def test_an_unknown_zone_is_refused_and_no_store_made(self, site: Site, zone: str) -> None:
        with pytest.raises(UsageError) as caught:
            site.load_log("a.jsonl", request("r"), time_zone=zone)
        assert str(caught.value) == (
            f"time zone {zone!r} is not known; name one of the IANA zones, as Europe/Berlin"
        )
        assert not site.store.exists()

    def test_the_unit_key_settles_hashes(self, tmp_path: Path) -> None:
        hashes = []
        for key in ("00", "00", "01"):
            folder = tmp_path / str(len(hashes))
            folder.mkdir()
            site = Site(folder, unit_key=key)
            site.load_log("a.jsonl", request("r", unit_id="ada"))
            hashes.append(site.rows("SELECT unit_hash FROM requests"))
        assert hashes[0] == hashes[1] != hashes[2]

    def test_without_a_unit_key_each_store_has_its_own(self, tmp_path: Path) -> None:
        keys = set()
        for name in "ab":
            (tmp_path / name).mkdir()
            site = Site(tmp_path / name)
            site.settings.clear()
            site.load_log("a.jsonl", request("r"))
            keys |= set(site.rows("SELECT unit_key FROM settings"))
        assert len(keys) == 2

    @pytest.mark.parametrize("key", ["x", "0", "0g", "00" * 65, ""])
    def test_a_unit_key_is_hexadecimal(self, site: Site, key: str) -> None:
        with pytest.raises(UsageError, match="a unit key is 2 to 128 hexadecimal digits"):
            site.load_log("a.jsonl", request("r"), unit_key=key)


@pytest.mark.parametrize("nothing", ["", " "])
def test_nothing_names_no_batch_although_it_begins_every_one(site: Site, nothing: str) -> None:
    site.load_log("a.jsonl", request("r"))
    with pytest.raises(UsageError, match="named by nothing"):
        ingest.forget([nothing], site.store)
