"""A long file is read by several processes, and nobody can tell from the store."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from contextlib import closing
from io import BytesIO
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from duckdb import DuckDBPyConnection as Connection
from loading.records import label, packed, request
from loading.sites import NOW, Site

from analyzer import facts
from analyzer.errors import CitelogError
from analyzer.ingest import ingest, loading
from analyzer.reading import READY, processes, serving
from analyzer.reading import pieces as reading
from analyzer.reading.processes import Readers
from analyzer.sources import Source, jsonl, open_source

ROOT = Path(__file__).parent.parent
CHUNKS = [{"chunk_id": f"c{n}", "rank": n, "position": n} for n in (1, 2, 3)]


Other = processes._Other


class Begun(Other):
    """Another process that has started: else a short log is read before it is there."""

    def __init__(self, *asked: Any) -> None:
        super().__init__(*asked)
        assert self.ready.wait(60)


@pytest.fixture(autouse=True)
def every_file_is_long() -> Iterator[None]:
    with (
        patch.object(processes, "_Other", Begun),
        patch.object(processes, "WORTH", 0),
        patch.object(jsonl, "UNCUT_BYTES", 2_000),
        patch.object(reading, "BYTES_A_PIECE", 2_000),
    ):
        yield


def requests(number: int, **fields: Any) -> list[dict[str, Any]]:
    return [request(f"r{n}", *packed(1, 2, 3), **fields) for n in range(number)]


def idle() -> None:
    """Nothing else has to be done with what is read."""


def everything() -> list[Any]:
    """Repeats, revisions, labels, a fault, an unknown field."""
    return [
        *requests(200),
        *requests(50),
        *requests(20, revision=1),
        {"request_id": "faulty", "chunks": [{"rank": 0}]},
        *(label(f"r{n}", correct=n % 2 == 0) for n in range(100)),
        {**request("coloured"), "hue": "red"},
    ]


def untold_then_told() -> list[Any]:
    """Markers count from 0, but only one answer, in the middle of the file, tells."""
    answers = ["none", *["none"] * 150, "see [0]", *["see [1] and [2]"] * 150]
    return [request(f"r{n}", *CHUNKS, answer=answer) for n, answer in enumerate(answers)]


@pytest.mark.parametrize("records", [everything(), untold_then_told()], ids=["all", "markers"])
def test_any_number_of_processes_loads_the_same(tmp_path: Path, records: list[Any]) -> None:
    log = Site(tmp_path).log("long.jsonl", *records)
    sites = [Site(tmp_path / str(number)) for number in (1, 2, 3)]
    for number, site in enumerate(sites, 1):
        site.folder.mkdir()
        [batch] = site.load(log, readers=Readers(number))
        assert batch.read == len(records)
    assert sites[1].contents() == sites[0].contents()
    assert sites[2].contents() == sites[0].contents()


def test_a_piece_that_was_read_by_the_wrong_base_is_read_again(tmp_path: Path) -> None:
    log = Site(tmp_path).log("a.jsonl", request("r", *CHUNKS, answer="see [1]"))
    with open_source(log) as source:
        asked = reading.terms(source, "b", reading.Rules(NOW), facts.Settings())
        [piece] = reading.pieces(source)
    question = processes._Question(piece, asked)
    question.block.set_result(reading.read(piece, asked))
    found = question.read(asked.knowing(0)).facts
    assert found is not None
    assert found.chunks.column("cited").to_pylist() == [False, True, False]


@pytest.mark.parametrize("when", range(3))
def test_what_a_process_had_that_is_ended_from_outside_is_read_here(
    tmp_path: Path, when: int
) -> None:
    log = Site(tmp_path).log("long.jsonl", *requests(400))
    with open_source(log) as source, closing(Readers(2)) as readers:
        asked = reading.terms(source, "b", reading.Rules(NOW), facts.Settings())
        readers.foresee(source.size)
        blocks = readers.blocks(reading.pieces(source), asked, idle)
        found = [next(blocks) for _ in range(when + 1)]
        readers._others[0]._process.kill()
        found += blocks
        assert sum(block.tally.read for block in found) == 400
        assert not readers._others[0].ready.is_set()
        again = readers.blocks(reading.pieces(source), asked, idle)
        assert sum(block.tally.read for block in again) == 400


def test_a_process_that_does_not_start_is_not_waited_for(tmp_path: Path) -> None:
    site = Site(tmp_path)
    with patch.object(processes, "_Other", Other), patch.object(sys, "executable", "false"):
        [batch] = site.load(site.log("long.jsonl", *requests(50)), readers=Readers(2))
    assert batch.loaded == 50


def test_where_no_process_may_be_started_one_reads(tmp_path: Path) -> None:
    site = Site(tmp_path)
    log = site.log("long.jsonl", *requests(50))
    with (
        patch.object(processes, "_Other", Other),
        patch.object(subprocess, "Popen", side_effect=BlockingIOError("no more processes")),
    ):
        [batch] = site.load(log, readers=Readers(3))
    assert batch.loaded == 50


def test_a_file_that_cannot_be_read_to_its_end_leaves_the_next_one_whole(tmp_path: Path) -> None:
    log = Site(tmp_path).log("long.jsonl", *requests(400))
    with open_source(log) as source, closing(Readers(2)) as readers:
        asked = reading.terms(source, "b", reading.Rules(NOW), facts.Settings())
        readers.foresee(source.size)
        pieces = list(reading.pieces(source))

        def torn() -> Iterator[reading.Piece]:
            yield from pieces[:5]
            raise CitelogError("the file became shorter while it was read")

        with pytest.raises(CitelogError):
            list(readers.blocks(torn(), asked, idle))
        again = [block.tally.read for block in readers.blocks(pieces, asked, idle)]
        assert again == [sum(map(len, piece)) for piece in pieces]


def test_what_the_site_of_a_process_prints_is_no_answer(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text('print("[INFO] tracing started", flush=True)\n')
    site = Site(tmp_path)
    log = site.log("long.jsonl", *requests(200))
    path = os.pathsep.join([str(tmp_path), *sys.path])
    with (
        patch.object(processes, "_Other", Other),
        patch.object(sys, "path", path.split(os.pathsep)),
    ):
        [batch] = site.load(log, readers=Readers(2))
    assert batch.loaded == 200


def test_other_processes_run_the_code_that_this_one_runs() -> None:
    with patch.object(sys, "path", ["", *(each for each in sys.path if each != str(ROOT))]):
        assert processes._where_modules_lie()[0] == str(ROOT)
    with patch.object(sys, "path", ["/before", str(ROOT), "/after"]):
        assert processes._where_modules_lie() == ["/before", str(ROOT), "/after"]


def test_after_a_file_that_breaks_off_duckdb_works_in_as_many_threads_as_before(
    tmp_path: Path,
) -> None:
    site = Site(tmp_path)
    torn, whole = (site.log(name, *requests(400)) for name in ("a.jsonl", "b.jsonl"))
    add, threads = loading._add, []

    def breaking(source: Source) -> Iterator[reading.Piece]:
        for number, piece in enumerate(reading.pieces(source)):
            if number == 9 and source.name == str(torn):
                raise CitelogError("the file became shorter while it was read")
            yield piece

    def slowly(*asked: Any) -> None:
        time.sleep(0.05)  # so that the file breaks off while DuckDB is at work
        add(*asked)

    def look(con: Connection) -> None:
        threads.append(con.execute("SELECT current_setting('threads')").fetchall())

    with patch.object(loading, "pieces", breaking), patch.object(loading, "_add", slowly):
        found = ingest([torn, whole], site.store, now=NOW, processes=1, then=look)
    ingest([whole], site.folder / "other.duckdb", now=NOW, processes=1, then=look)
    assert [batch.state for batch in found] == ["unreadable", "loaded"]
    assert threads[0] == threads[1] != [(1,)] or os.cpu_count() == 1


def test_who_asks_may_be_killed_in_the_middle_of_a_question() -> None:
    told = BytesIO()
    serving.serve(BytesIO(pickle.dumps(([], None))[:-1]), told)
    assert told.getvalue() == READY


def test_what_is_killed_leaves_no_process_behind(tmp_path: Path) -> None:
    script = tmp_path / "killed.py"
    script.write_text(
        textwrap.dedent("""
        import os, signal
        from queue import SimpleQueue
        from analyzer.reading.processes import _Other

        other = _Other(SimpleQueue())
        other.ready.wait()
        print(other._process.pid, flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
        """)
    )
    ended = subprocess.run(
        [sys.executable, script],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert ended.returncode == -signal.SIGKILL
    deadline = time.monotonic() + 20
    while alive(int(ended.stdout)):
        assert time.monotonic() < deadline, "a reading process outlived the one that asked"
        time.sleep(0.05)


def alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True
