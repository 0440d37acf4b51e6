"""Files: known again, cut, set aside, poisoned, named twice; what each says and leaves behind."""

from __future__ import annotations

import gzip
import os
from datetime import datetime
from pathlib import Path

import pytest
from loading.records import lines, request
from loading.sites import NOW, Site, counters, kept

from analyzer.errors import CitelogError, UsageError
from analyzer.ingest import MAX_REJECTED

BAD = "{\n"


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


def some(count: int, prefix: str = "r") -> list[dict[str, object]]:
    return [request(f"{prefix}{number}", {"position": 1}) for number in range(count)]


class TestKnown:
    def test_loading_the_same_again_changes_nothing_and_says_so(self, site: Site) -> None:
        first = site.load_log("a.jsonl", *some(3))
        before = site.contents()
        [again] = site.load(Path(first.file))
        assert (again.state, again.read, again.batch) == ("known", 0, first.batch)
        assert again.note == (f"this content was loaded before, from {first.file}; nothing changed")
        assert site.contents() == before

    def test_another_name_is_no_other_content(self, site: Site) -> None:
        first = site.load_log("a.jsonl", *some(3))
        copy = site.folder / "b.jsonl"
        copy.write_bytes(Path(first.file).read_bytes())
        before = site.contents()
        [again] = site.load(copy)
        assert again.state == "known"
        assert f"from {first.file};" in str(again.note)
        assert site.contents() == before

    def test_one_name_with_other_content_is_another_batch(self, site: Site) -> None:
        site.load_log("a.jsonl", *some(3))
        batch = site.load_log("a.jsonl", *some(5))
        assert (batch.state, batch.read) == ("loaded", 5)
        assert site.rows("SELECT count(*) FROM batches") == [(2,)]
        assert site.rows("SELECT count(*) FROM requests") == [(5,)]

    def test_packed_content_is_another_batch_of_the_same_records(self, site: Site) -> None:
        plain = site.log("a.jsonl", *some(4))
        packed = site.folder / "a.jsonl.gz"
        packed.write_bytes(gzip.compress(plain.read_bytes()))
        one, other = site.load(plain, packed)
        assert {one.state, other.state} == {"loaded"}
        assert sorted(numbers[1] for numbers in kept(site).values()) == [0, 4]

    def test_the_same_file_named_twice_is_loaded_once(self, site: Site) -> None:
        file = site.log("a.jsonl", *some(2))
        assert [batch.state for batch in site.load(file, file)] == ["loaded"]


class TestCut:
    def test_what_came_before_the_cut_is_kept_and_the_whole_file_adds_the_rest(
        self, site: Site
    ) -> None:
        whole = site.folder / "whole.jsonl.gz"
        names = [f"{os.urandom(40).hex()}{number}" for number in range(400)]
        whole.write_bytes(gzip.compress(lines(request(name) for name in names).encode()))
        cut = site.folder / "cut.jsonl.gz"
        cut.write_bytes(whole.read_bytes()[: whole.stat().st_size * 2 // 3])
        [first] = site.load(cut)
        assert first.state == "cut"
        assert first.note is not None
        assert f"{first.loaded} lines before the cut are kept" in first.note
        assert 100 < first.loaded < 400
        assert counters(first) == (first.loaded + 1, first.loaded, 0, 0, 1)
        [row] = site.rows("SELECT line, reason FROM rejected_lines")
        assert row == (
            first.loaded + 1,
            "is cut off: the file ends in the middle of this line",
        )
        [second] = site.load(whole)
        assert (second.state, second.read) == ("loaded", 400)
        assert site.rows("SELECT count(DISTINCT request_id) FROM requests") == [(400,)]
        books = kept(site)
        assert books["whole.jsonl.gz"][1] + books["cut.jsonl.gz"][1] == 400
        assert books["whole.jsonl.gz"][2] + books["cut.jsonl.gz"][2] == first.loaded


class TestSetAside:
    def faulty(self, site: Site) -> Path:
        """Ten lines, two of them bad."""
        file = site.folder / "faulty.jsonl"
        file.write_text(lines(some(4)) + BAD + lines(some(4, "s")) + BAD)
        return file

    def test_too_many_rejected_lines_set_a_file_aside_and_the_others_go_in(
        self, site: Site
    ) -> None:
        good = [site.log(f"{name}.jsonl", *some(2, name)) for name in ("a", "z")]
        batches = site.load(good[0], self.faulty(site), good[1], max_rejected=0.19)
        assert [batch.state for batch in batches] == ["loaded", "set_aside", "loaded"]
        assert counters(batches[1]) == (10, 0, 0, 0, 10)
        assert site.rows("SELECT count(*) FROM requests") == [(4,)]
        assert site.rows("SELECT count(*) FROM memberships") == [(4,)]
        assert site.rows("SELECT count(*) FROM texts") == [(0,)]

    def test_its_note_says_how_much_of_it_is_faulty_and_what_to_do(self, site: Site) -> None:
        file = self.faulty(site)
        [batch] = site.load(file, max_rejected=0.1)
        assert batch.note == (
            f"{file}: 2 of its 10 lines are faulty, more than max_rejected 0.1 allows, so nothing "
            f"of it is loaded; citelog rejected --batch {batch.batch[:12]} --store {site.store} "
            "says why, and max_rejected=0.2 loads the others"
        )
        [batch] = site.load(file, max_rejected=0.2)
        assert batch.note is None

    def test_its_real_faults_are_kept(self, site: Site) -> None:
        site.load(self.faulty(site), max_rejected=0.1)
        assert site.rows("SELECT line FROM rejected_lines ORDER BY ALL") == [(5,), (10,)]

    def test_the_limit_itself_is_allowed(self, site: Site) -> None:
        [batch] = site.load(self.faulty(site), max_rejected=0.2)
        assert batch.state == "loaded"

    def test_five_percent_is_the_default(self, site: Site) -> None:
        file = site.folder / "a.jsonl"
        file.write_text(lines(some(19)) + BAD)
        other = site.folder / "b.jsonl"
        other.write_text(lines(some(18, "s")) + BAD)
        batches = site.load(file, other, max_rejected=MAX_REJECTED)
        assert [batch.state for batch in batches] == ["loaded", "set_aside"]

    def test_with_another_limit_it_is_loaded_after_all(self, site: Site) -> None:
        file = self.faulty(site)
        site.load(file, max_rejected=0.1)
        aside = site.contents()
        site.load(file, max_rejected=0.1)
        assert site.contents() == aside
        [batch] = site.load(file, max_rejected=0.5)
        assert (batch.state, counters(batch)) == ("loaded", (10, 8, 0, 0, 2))
        fresh = Site(site.folder / "fresh")
        fresh.folder.mkdir()
        fresh.load(file, max_rejected=0.5)
        assert site.contents() == fresh.contents()

    def test_it_can_be_forgotten(self, site: Site) -> None:
        [batch] = site.load(self.faulty(site), max_rejected=0.1)
        site.forget(batch)
        assert not any(site.contents().values())


class TestUnreadable:
    def test_a_file_that_is_no_log_is_named_and_the_others_go_in(self, site: Site) -> None:
        good = [site.log(f"{name}.jsonl", *some(2, name)) for name in ("a", "z")]
        picture = site.folder / "m.jsonl"
        picture.write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
        batches = site.load(good[0], picture, good[1])
        assert [batch.state for batch in batches] == ["loaded", "unreadable", "loaded"]
        assert str(picture) in str(batches[1].note)
        assert site.rows("SELECT count(*) FROM batches") == [(2,)]

    def test_where_no_file_is_a_log_nothing_is_made(self, site: Site) -> None:
        picture = site.folder / "m.jsonl"
        picture.write_bytes(b"\0" * 100)
        with pytest.raises(CitelogError, match="is not a citation log"):
            site.load(picture)
        assert not site.store.exists()

    def test_a_name_without_a_file_stops_before_anything_is_made(self, site: Site) -> None:
        with pytest.raises(CitelogError, match="there is no such file"):
            site.load(site.log("a.jsonl", *some(1)), site.folder / "b.jsonl")
        assert not site.store.exists()

    def test_no_name_at_all_is_a_wrong_use(self, site: Site) -> None:
        with pytest.raises(UsageError, match="no files are named"):
            site.load()

    def test_an_empty_file_is_a_batch_of_nothing(self, site: Site) -> None:
        batch = site.load_log("a.jsonl")
        assert (batch.state, counters(batch)) == ("loaded", (0, 0, 0, 0, 0))

    def test_a_poisoned_line_costs_only_itself(self, site: Site) -> None:
        file = site.folder / "a.jsonl"
        deep = '{"request_id":"x","chunks":[],"citations":' + "[" * 700 + "]" * 700 + "}\n"
        file.write_text(lines(some(2)) + deep + "[" * 100_000 + "\n" + lines(some(2, "s")))
        [batch] = site.load(file)
        assert counters(batch) == (6, 4, 0, 0, 2)

    def test_the_largest_legal_record_can_be_counted(self, site: Site) -> None:
        most = {"tokens": 10_000_000, "ordinal": 2**62, "marker": -(2**62), "text_hash": "f" * 64}
        chunks = [{"position": 2**31 - n, "rank": 2**31 - n, **most} for n in range(1, 1001)]
        batch = site.load_log(
            "a.jsonl", request("\0", *chunks, sample_weight=1e5, revision=2**62, route="\0")
        )
        assert batch.loaded == 1
        assert site.rows("SELECT weighted_context_tokens::VARCHAR FROM days") == [(f"{10**18}",)]


class TestTimes:
    def test_a_request_without_a_time_has_that_of_its_file(self, site: Site) -> None:
        file = site.log("a.jsonl", request("r", requested_at=None))
        os.utime(file, (1_793_880_000, 1_793_880_000))
        site.load(file)
        rows = site.rows("SELECT requested_at::VARCHAR, requested_at_origin FROM requests")
        assert rows == [("2026-11-05 12:00:00", "assumed")]

    @pytest.mark.parametrize("seconds", [-2_000_000_000, 8_000_000_000, 10**11])
    def test_a_file_of_impossible_years_gives_the_time_of_the_load(
        self, site: Site, seconds: int
    ) -> None:
        file = site.log("a.jsonl", request("r", requested_at=None))
        os.utime(file, (seconds, seconds))
        site.load(file)
        assert site.rows("SELECT requested_at FROM requests") == [(NOW.replace(tzinfo=None),)]

    @pytest.mark.parametrize("time", ["9999-12-31T23:00-05:00", "0001-01-01T00:00+05:00"])
    def test_a_given_time_lies_in_the_years_of_records(self, site: Site, time: str) -> None:
        with pytest.raises(UsageError, match="is outside the years 1970 to 2199"):
            site.load(site.log("a.jsonl"), requested_at=datetime.fromisoformat(time))

    def test_a_time_that_is_given_for_all_wins_over_the_file(self, site: Site) -> None:
        moment = datetime.fromisoformat("2026-11-05T12:00:00+02:00")
        site.load_log("a.jsonl", request("r", requested_at=None), requested_at=moment)
        assert site.rows("SELECT requested_at::VARCHAR FROM requests") == [("2026-11-05 10:00:00",)]

    def test_one_moment_given_in_two_offsets_is_one_record(self, site: Site) -> None:
        for name, text in (("a", "2026-11-05T12:00:00+02:00"), ("b", "2026-11-05T10:00:00Z")):
            site.load_log(
                f"{name}.jsonl",
                request("r", requested_at=None),
                request(name),
                requested_at=datetime.fromisoformat(text),
            )
        assert site.rows("SELECT count(*) FROM versions") == [(0,)]

    def test_a_given_time_needs_an_offset(self, site: Site) -> None:
        with pytest.raises(UsageError, match="has no offset"):
            site.load_log("a.jsonl", requested_at=datetime(2026, 11, 5))  # noqa: DTZ001

    def test_an_assumed_offset_lets_bare_times_in(self, site: Site) -> None:
        bare = request("r", requested_at="2026-11-05T01:00:00")
        assert site.load_log("a.jsonl", bare).rejected == 1
        batch = site.load_log("b.jsonl", bare, request("s"), assume_timezone="+02:00")
        assert batch.rejected == 0
        assert site.rows("SELECT day::VARCHAR FROM requests WHERE request_id = 'r'") == [
            ("2026-11-04",)
        ]

    @pytest.mark.parametrize("wrong", ["+2", "CET", "Europe/Berlin", "", "02:00:00:00"])
    def test_an_offset_is_written_as_one(self, site: Site, wrong: str) -> None:
        with pytest.raises(UsageError, match="write it as"):
            site.load_log("a.jsonl", assume_timezone=wrong)
