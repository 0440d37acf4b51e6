"""Lines are counted once: loaded, duplicate, superseded or rejected, whichever file brings them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from loading.records import label, lines, request
from loading.rejections import REJECTIONS
from loading.sites import Site, counters, kept


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


def winners(site: Site) -> dict[str, tuple[int, str]]:
    """Revision and route of each request that counts."""
    rows = site.rows("SELECT request_id, revision, route FROM requests ORDER BY ALL")
    assert len({row[0] for row in rows}) == len(rows)
    return {name: (revision, route) for name, revision, route in rows}


class TestDuplicates:
    def test_a_line_that_stands_twice_in_a_file_counts_once(self, site: Site) -> None:
        batch = site.load_log("a.jsonl", request("r"), request("s"), request("r"), request("r"))
        assert counters(batch) == (4, 2, 2, 0, 0)
        assert site.rows("SELECT line, lines FROM memberships ORDER BY ALL") == [(1, 3), (2, 1)]
        assert site.rows("SELECT count(*), sum(requests)::INT FROM days") == [(2, 2)]

    def test_same_content_is_the_same_record_however_it_is_written(self, site: Site) -> None:
        plain = request("r", {"rank": 1})
        other = {**dict(reversed(plain.items())), "route": None, "hue": "red"}
        batch = site.load_log("a.jsonl", plain, other)
        assert counters(batch) == (2, 1, 1, 0, 0)
        assert batch.unknown_fields == {"hue": 1}

    def test_a_record_in_two_files_belongs_to_the_one_with_the_smallest_hash(
        self, site: Site
    ) -> None:
        first = site.load_log("a.jsonl", request("r"), request("s"))
        second = site.load_log("b.jsonl", request("s"), request("t"))
        owner, other = sorted((first, second), key=lambda batch: batch.batch)
        books = kept(site)
        assert books[Path(owner.file).name] == (2, 2, 0, 0, 0)
        assert books[Path(other.file).name] == (2, 1, 1, 0, 0)
        assert len(winners(site)) == 3

    def test_a_repeat_of_a_repeat_adds_nothing(self, site: Site) -> None:
        site.load_log("a.jsonl", request("r", {"position": 1}))
        before = site.contents(("requests", "chunks", "days", "cells_by_position"))
        for name in ("b.jsonl", "c.jsonl"):
            site.load_log(name, request("r", {"position": 1}), request("r", {"position": 1}))
        again = request("r", {"position": 1})
        site.load_log("d.jsonl", again, again, again)
        assert site.contents(tuple(before)) == before
        assert sum(numbers[1] for numbers in kept(site).values()) == 1


class TestRevisions:
    def test_the_highest_revision_counts(self, site: Site) -> None:
        batch = site.load_log(
            "a.jsonl",
            request("r", route="old"),
            request("r", route="new", revision=2),
            request("r", route="mid", revision=1),
        )
        assert counters(batch) == (3, 1, 0, 2, 0)
        assert winners(site) == {"r": (2, "new")}

    @pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
    def test_of_equal_revisions_the_smallest_hash_counts_in_any_order(
        self, site: Site, order: tuple[int, ...]
    ) -> None:
        records = [request("r", route=route) for route in ("x", "y", "z")]
        for number in order:
            site.load_log(f"{number}.jsonl", records[number])
        held = dict(
            site.rows(
                "SELECT route, record_hash FROM requests UNION ALL "
                "SELECT request.route, record_hash FROM versions"
            )
        )
        assert len(held) == 3
        [(_, route)] = winners(site).values()
        assert route == min(held, key=lambda name: held[name])

    def test_a_superseded_record_is_counted_in_the_file_that_brought_it(self, site: Site) -> None:
        site.load_log("old.jsonl", request("r"), request("s"))
        site.load_log("new.jsonl", request("r", revision=1))
        assert kept(site) == {"old.jsonl": (2, 1, 0, 1, 0), "new.jsonl": (1, 1, 0, 0, 0)}

    def test_a_late_older_revision_is_superseded_at_once(self, site: Site) -> None:
        site.load_log("new.jsonl", request("r", revision=1, route="new"))
        assert counters(site.load_log("old.jsonl", request("r", route="old"))) == (1, 0, 0, 1, 0)
        assert winners(site) == {"r": (1, "new")}

    def test_a_revision_may_move_a_request_to_another_day(self, site: Site) -> None:
        site.load_log("a.jsonl", request("r", requested_at="2026-11-05T12:00:00Z"))
        site.load_log("b.jsonl", request("r", revision=1, requested_at="2026-11-20T12:00:00Z"))
        days = site.rows("SELECT day::VARCHAR, requests::INT FROM days")
        assert days == [("2026-11-20", 1)]

    def test_a_superseded_record_keeps_its_texts(self, site: Site) -> None:
        site.load_log("a.jsonl", request("r", {"text_hash": "0" * 16}))
        site.load_log("b.jsonl", request("r", {"text_hash": "1" * 16}, revision=1))
        assert site.rows("SELECT count(*) FROM texts") == [(2,)]
        assert site.rows("SELECT count(*) FROM chunks") == [(1,)]

    def test_a_request_without_chunks_may_win_and_lose(self, site: Site) -> None:
        site.load_log("a.jsonl", request("r"), request("r", {"position": 1}, revision=1))
        assert site.rows("SELECT count(*) FROM chunks") == [(1,)]
        batch = site.load_log("b.jsonl", request("r", revision=2))
        assert site.rows("SELECT count(*) FROM chunks") == [(0,)]
        site.forget(batch)
        assert site.rows("SELECT chunk_id, position FROM chunks") == [("c1", 1)]


class TestRejected:
    def test_rejected_lines_are_kept_with_place_and_reason_and_without_text(
        self, site: Site
    ) -> None:
        file = site.folder / "a.jsonl"
        good = lines([request("r")])
        file.write_text(good + '{"my secret": \n\n' + good.replace('"r"', '""'))
        [batch] = site.load(file)
        assert counters(batch) == (3, 1, 0, 0, 2)
        rows = site.rows("SELECT line, byte_offset, path, reason FROM rejected_lines ORDER BY line")
        assert rows == [
            (2, len(good), "", "is not JSON: it ends too early"),
            (
                4,
                len(good) + 16,
                "request_id",
                "is an empty text, but a request id is a string of 1 to 200 characters",
            ),
        ]
        assert "secret" not in str(site.contents())

    def test_a_fault_between_chunks_is_rejected_in_its_place_too(self, site: Site) -> None:
        twice = request("s", {"position": 1}, {"position": 1})
        batch = site.load_log("a.jsonl", request("r"), twice, request("t"))
        assert counters(batch) == (3, 2, 0, 0, 1)
        [row] = site.rows("SELECT line, byte_offset, path FROM rejected_lines")
        assert row == (2, len(lines([request("r")])), "chunks[1].position")

    def test_a_file_is_judged_line_by_line_as_the_record_is(self, site: Site) -> None:
        file = site.folder / "a.jsonl"
        texts = [v if isinstance(v, bytes) else json.dumps(v).encode() for _, v, _ in REJECTIONS]
        good = lines([request("r")]).encode()
        file.write_bytes(b"".join(text + b"\n" + good for text in texts))
        [batch] = site.load(file)
        assert counters(batch) == (2 * len(texts), 1, len(texts) - 1, 0, len(texts))
        rows = site.rows("SELECT trim(path || ' ' || reason) FROM rejected_lines ORDER BY line")
        assert [said for (said,) in rows] == [said for _, _, said in REJECTIONS]

    def test_labels_are_lines_like_others(self, site: Site) -> None:
        batch = site.load_log("a.jsonl", request("r"), label("r"), label("r"), label("x"))
        assert counters(batch) == (4, 3, 1, 0, 0)
        assert batch.judgements == 3

    def test_unknown_fields_are_counted(self, site: Site) -> None:
        batch = site.load_log("a.jsonl", request("r", hue=1), request("s", hue=1, size=2))
        assert batch.unknown_fields == {"hue": 2, "size": 1}
        assert site.rows("SELECT unknown_fields FROM batches") == [(3,)]
