"""Readers answer while a writer works, and see whole batches; a second writer is sent away."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from loading.records import label, packed, request
from loading.sites import NOW, Site

from analyzer import store
from analyzer.errors import StoreLocked
from analyzer.query import ask

ROOT = Path(__file__).parent.parent
FILES, REQUESTS = 8, 60


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


def one_command_a_file(site: Site, files: list[Path]) -> subprocess.Popen[bytes]:
    program = f"""
from datetime import UTC, datetime
from pathlib import Path
from analyzer import ingest
for file in {[str(file) for file in files]!r}:
    ingest.ingest([file], Path({str(site.store)!r}), now=datetime.now(UTC))
"""
    return subprocess.Popen([sys.executable, "-c", program], cwd=ROOT)


def test_a_reader_is_never_refused_and_never_sees_half_a_batch(site: Site) -> None:
    files = [
        site.log(
            f"{number}.jsonl",
            *(request(f"r{number}.{n}", *packed(1, 2, 3), citations=[1]) for n in range(REQUESTS)),
            *(label(f"r{number}.{n}", correct=True) for n in range(REQUESTS)),
        )
        for number in range(FILES)
    ]
    site.load(files[0])
    writer = one_command_a_file(site, files[1:])
    seen = [1]
    while writer.poll() is None or seen[-1] < FILES:
        assert writer.poll() in (None, 0)
        seen.append(whole_batches(site))
    assert writer.wait() == 0
    assert seen == sorted(seen)
    assert len(set(seen)) > 3, "the reader saw too few of the states"


def whole_batches(site: Site) -> int:
    """How many batches a reader sees; every table agrees on it."""
    with store.reader(site.store) as con:
        [(batches, chunks, days, judged)] = con.execute(
            "SELECT (SELECT count(*) FROM batches), (SELECT count(*) FROM chunks), "
            "(SELECT sum(requests)::INT FROM days), (SELECT sum(judged)::INT FROM days)"
        ).fetchall()
        [lines] = ask(con, "line_counts").to_pylist()
    assert chunks == 3 * REQUESTS * batches
    assert days == judged == REQUESTS * batches
    assert lines["read"] == 2 * REQUESTS * batches
    return int(batches)


class TestOneWriter:
    def test_a_second_writer_is_sent_away(self, site: Site) -> None:
        site.load_log("a.jsonl", request("r"))
        with store.writer(site.store), pytest.raises(StoreLocked) as caught:
            site.load_log("b.jsonl", request("s"))
        assert caught.value.exit_code == 6
        assert str(caught.value) == (
            f"{site.store}: another writer holds the store; wait until it is done and run again"
        )
        assert site.load_log("b.jsonl", request("s")).state == "loaded"

    def test_by_whatever_name_it_comes(self, site: Site) -> None:
        site.load_log("a.jsonl", request("r"))
        other = Site(site.folder)
        other.store = site.folder / "link.duckdb"
        other.store.symlink_to("store.duckdb")
        with store.writer(site.store), pytest.raises(StoreLocked):
            other.load_log("b.jsonl", request("s"))

    def test_the_command_leaves_with_6(self, site: Site) -> None:
        log = site.log("a.jsonl", request("r"))
        program = "from analyzer.cli.main import main; main()"
        arguments = ["ingest", str(log), "--store", str(site.store)]
        with store.writer(site.store):
            done = subprocess.run(
                [sys.executable, "-c", program, *arguments],
                cwd=ROOT,
                capture_output=True,
                text=True,
                check=False,
            )
        assert done.returncode == 6
        assert done.stderr.strip() == (
            f"{site.store}: another writer holds the store; wait until it is done and run again"
        )
        assert done.stdout == ""

    def test_a_reader_is_let_in_while_a_writer_holds_the_store(self, site: Site) -> None:
        site.load_log("a.jsonl", request("r"))
        with store.writer(site.store) as con:
            con.execute("DELETE FROM requests")
            assert site.rows("SELECT count(*) FROM requests") == [(1,)]
        assert site.rows("SELECT count(*) FROM requests") == [(0,)]

    def test_an_open_reader_keeps_what_it_saw(self, site: Site) -> None:
        site.load_log("a.jsonl", request("r"))
        with store.reader(site.store) as con:
            site.load_log("b.jsonl", request("s"))
            assert con.execute("SELECT count(*) FROM requests").fetchone() == (1,)
        assert site.rows("SELECT count(*) FROM requests") == [(2,)]

    def test_writers_in_a_row_need_no_waiting(self, site: Site) -> None:
        for number in range(3):
            site.load_log(f"{number}.jsonl", request(f"r{number}"), now=NOW)
        assert site.rows("SELECT count(*) FROM batches") == [(3,)]


def test_nothing_is_drawn_on_stdout(site: Site) -> None:
    asked = "SELECT current_setting('enable_progress_bar')"
    with store.writer(site.store) as con:
        assert con.execute(asked).fetchone() == (False,)
    assert site.rows(asked) == [(False,)]
