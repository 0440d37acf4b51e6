"""Which files a night reads: those whose content is new, and no byte of those it knows."""

from __future__ import annotations

import os
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from nights import Service, of_day

from analyzer.nightly import inputs
from analyzer.nightly.seen import Seen, beside

DAY = date(2026, 10, 5)
LATER = datetime.now(UTC).date() + timedelta(days=2)  # files of this test are old by then


@pytest.fixture
def service(tmp_path: Path) -> Service:
    made = Service(tmp_path, reports=False)
    made.log("a.jsonl", of_day(DAY, "support", 5))
    made.log("b.jsonl", of_day(DAY, "docs", 5))
    return made


class TestSeen:
    def test_a_file_is_read_once(self, service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
        assert service.night(LATER).files["new"] == 2
        monkeypatch.setattr(inputs, "open_source", pytest.fail)
        assert service.night(LATER).files == {
            "new": 0,
            "known": 2,
            "set_aside": 0,
            "set_aside_earlier": 0,
            "unreadable": 0,
        }

    def test_a_file_that_was_written_to_is_read_again(self, service: Service) -> None:
        """Even when its size and its time of writing look as before."""
        file = service.logs / "a.jsonl"
        service.night(LATER)
        before = file.stat()
        file.write_text(file.read_text().replace('"rank": 1', '"rank": 9'))
        os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
        assert file.stat().st_size == before.st_size
        done = service.night(LATER)
        assert (done.files["new"], done.lines("read")) == (1, 5)

    def test_a_file_that_just_changed_is_not_remembered(self, tmp_path: Path) -> None:
        file = tmp_path / "a.jsonl"
        file.write_text("x")
        now = datetime.fromtimestamp(file.stat().st_ctime, UTC)
        reads: list[int] = []
        for at in (now, now + timedelta(seconds=1), now + timedelta(seconds=3), now):
            seen = Seen(tmp_path / "s.duckdb", at)
            assert seen.digest(file, lambda: reads.append(1) or "digest") == "digest"
            seen.keep()
        assert len(reads) == 3

    def test_a_forgotten_batch_is_loaded_again(self, service: Service) -> None:
        service.night(LATER)
        from analyzer import updating

        [(batch,)] = batches(service, "a.jsonl")
        updating.forget([batch], service.store)
        assert service.night(LATER).files["new"] == 1

    def test_what_is_gone_is_not_remembered_and_damage_does_no_harm(self, service: Service) -> None:
        service.night(LATER)
        (service.logs / "a.jsonl").unlink()
        service.night(LATER)
        assert "a.jsonl" not in beside(service.store).read_text()
        beside(service.store).write_text("{half")
        assert service.night(LATER).files["known"] == 1


def batches(service: Service, name: str) -> list[tuple[str]]:
    from analyzer.store import reader

    with reader(service.store) as con:
        sql = "SELECT batch FROM batches WHERE parse_filename(file) = ?"
        return con.execute(sql, [name]).fetchall()


class TestWhatIsNew:
    def test_one_content_under_two_names_counts_once(self, service: Service) -> None:
        (service.logs / "copy.jsonl").write_bytes((service.logs / "a.jsonl").read_bytes())
        done = service.night(LATER)
        assert (done.files["new"], done.files["known"], done.lines("loaded")) == (2, 1, 10)

    def test_a_file_that_vanishes_while_the_night_runs_is_left_out(
        self, service: Service, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        real = inputs.inputs

        def rotated(*arguments: object) -> inputs.Inputs:
            found = real(*arguments)  # type: ignore[arg-type]
            (service.logs / "a.jsonl").unlink()
            return found

        monkeypatch.setattr("analyzer.nightly.loading.inputs", rotated)
        done = service.night(LATER)
        assert (done.files["new"], done.lines("loaded")) == (1, 5)
        assert "there is no such file any more" in str(service.told("unreadable"))

    def test_outputs_that_cannot_be_are_told_before_anything_is_loaded(
        self, service: Service
    ) -> None:
        with pytest.raises(Exception, match="the folder it is to lie in is not there"):
            service.night(LATER, "alerts.textfile=/gone/c.prom")
        assert not service.store.exists()


def test_a_file_whose_name_is_no_text_is_loaded_known_and_named(service: Service) -> None:
    """A name is bytes to the system; those that are no UTF-8 are written out."""
    lines = (service.logs / "a.jsonl").read_bytes()
    (service.logs / os.fsdecode(b"caf\xe9.jsonl")).write_bytes(lines.replace(b"support", b"other"))
    (service.logs / os.fsdecode(b"caf\xe9.csv")).write_bytes(b"request_id,chunk_id,\xe9\nr,c,x\n")
    (service.logs / os.fsdecode(b"caf\xe9.txt.jsonl")).write_bytes(b"PK\x03\x04")
    done = service.night(LATER)
    assert (done.files["new"], done.files["unreadable"]) == (4, 1)
    assert [str(said["file"]) for said in service.told("file")][2:] == [
        str(service.logs / r"caf\xe9.csv"),
        str(service.logs / r"caf\xe9.jsonl"),
    ]
    assert service.night(LATER).files["known"] == 4
