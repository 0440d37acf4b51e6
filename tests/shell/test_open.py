"""`citelog open`: a shell where there is one, the statement to attach where there is none."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest
from loading.records import packed, request
from loading.sites import Site

from analyzer import store
from analyzer.cli import main

Captured = pytest.CaptureFixture[str]

CITELOG = [sys.executable, "-c", "from analyzer.cli.main import main; main()"]


@pytest.fixture
def site(tmp_path: Path) -> Site:
    folder = tmp_path / "ada's"
    folder.mkdir()
    site = Site(folder)
    site.load_log("a.jsonl", request("r1", *packed(1, 2)))
    return site


def test_without_a_shell_it_prints_what_attaches(
    site: Site, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.setenv("PATH", str(site.folder))
    assert main.run(["open", "--store", str(site.store)]) == 0
    path, statement = capsys.readouterr().out.splitlines()
    assert path == str(site.store)
    with duckdb.connect() as con:
        con.execute(statement)
        assert con.execute("SELECT count(*) FROM citelog.requests").fetchall() == [(1,)]
        with pytest.raises(duckdb.Error, match="read-only"):
            con.execute("DELETE FROM citelog.requests")


@pytest.fixture
def shell(tmp_path: Path) -> Path:
    """A program named duckdb that says how it was called."""
    binary = tmp_path / "bin" / "duckdb"
    binary.parent.mkdir()
    binary.write_text('#!/bin/sh\necho "$@"\nexit 7\n')
    binary.chmod(0o755)
    return binary.parent


def run(site: Site, shell: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*CITELOG, "open", "--store", str(site.store), *arguments],
        env={**os.environ, "PATH": f"{shell}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_shell_takes_over_read_only(site: Site, shell: Path) -> None:
    done = run(site, shell)
    assert (done.returncode, done.stdout) == (7, f"-readonly {site.store}\n")
    assert done.stderr == (
        "the shell shows the store as it is published now; open it again after a load\n"
    )


def test_print_opens_none(site: Site, shell: Path) -> None:
    done = run(site, shell, "--print")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[1].startswith("ATTACH '")


@pytest.mark.parametrize("arguments", [[], ["--print"]])
def test_what_is_no_store_is_not_opened(
    arguments: list[str], tmp_path: Path, capsys: Captured
) -> None:
    assert main.run(["open", "--store", str(tmp_path / "gone.duckdb"), *arguments]) == 1
    assert "there is no store" in capsys.readouterr().err
    (tmp_path / "x.duckdb").write_text("no store")
    assert main.run(["open", "--store", str(tmp_path / "x.duckdb"), *arguments]) == 1
    assert "is not a citelog store" in capsys.readouterr().err


def test_an_open_shell_never_stops_a_load_or_a_night(site: Site, capsys: Captured) -> None:
    code = (
        f"import duckdb; con = duckdb.connect({str(site.store)!r}, read_only=True)\n"
        "ask = lambda: print(con.sql('SELECT count(*) FROM requests').fetchall(), flush=True)\n"
        "ask(); input(); ask()"
    )
    command = [sys.executable, "-c", code]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as opened:
        assert opened.stdin is not None
        assert opened.stdout is not None
        assert opened.stdout.readline() == "[(1,)]\n"
        late = site.log("b.jsonl", request("r2", *packed(1, 2)))
        assert main.run(["ingest", str(late), "--store", str(site.store)]) == 0
        site.log("c.jsonl", request("r3", *packed(1, 2)))
        night = ["nightly", "--store", str(site.store), "--input", f"{site.folder}/*.jsonl"]
        assert main.run(night) == 0
        opened.stdin.write("\n")
        opened.stdin.flush()
        assert opened.stdout.readline() == "[(1,)]\n"  # what was published when it was opened
        opened.stdin.close()
    assert site.rows("SELECT count(*) FROM requests") == [(3,)]


def test_people_answer_alarms_while_a_writer_holds_the_store(site: Site, capsys: Captured) -> None:
    with store.writer(site.store):
        excluded = ["exclude", "2026-W45", "--who", "ada", "--store", str(site.store)]
        assert main.run(excluded) == 0
        assert main.run(["sql", "SELECT 1 AS one", "--store", str(site.store)]) == 0
        assert main.run(["forget", "abc", "--store", str(site.store)]) == 6
