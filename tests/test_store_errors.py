"""What can be wrong with the store's file, each with its one sentence, and nothing left behind."""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb
import pytest
from loading.records import request
from loading.sites import Site

from analyzer import query, store
from analyzer.errors import CitelogError
from analyzer.store_trouble import broken_off, not_opened, not_written

NOTHING = (
    "there is no store; citelog ingest makes one, or name another with --store or CITELOG_STORE"
)
NOT_A_STORE = "is not a citelog store; name another file with --store"
OTHER_DUCKDB = "is a DuckDB file, but no citelog store; name another file with --store"
FULL = "the disk is full; nothing was published, free some space and run again"
NOBODY = 65534


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


def reading(path: Path) -> str:
    """What a reader is told."""
    with pytest.raises(CitelogError) as caught, store.reader(path):
        pass
    return str(caught.value)


def writing(path: Path, **options: str) -> str:
    """What a writer is told; the file is as it was, and nothing lies beside it but the lock."""
    before = path.read_bytes() if path.is_file() else None
    with pytest.raises(CitelogError) as caught, store.writer(path, **options):
        pass
    assert (path.read_bytes() if path.is_file() else None) == before
    if path.parent.is_dir():
        assert leftovers(path.parent) == []
    return str(caught.value)


def leftovers(folder: Path) -> list[str]:
    """Files of a writer other than its lock."""
    names = (".draft", ".wal", ".spill")
    return [path.name for path in folder.iterdir() if any(name in path.name for name in names)]


def assert_damaged(said: str, path: Path) -> None:
    assert said.startswith(f"{path}: is damaged (")
    assert said.endswith("); put back a copy, or move it away and load the logs again")
    assert "\n" not in said


def flip(file: Path, at: range) -> None:
    """Change those bytes of a file."""
    content = bytearray(file.read_bytes())
    for place in at:
        content[place] ^= 0x5A
    file.write_bytes(content)


def asking(path: Path) -> str:
    """What the store says when everything in it is read by a question; nothing where it is fine."""
    try:
        with store.reader(path) as con:
            query.ask(con, "funnel", week="2026-W47")
            con.execute("SELECT * FROM requests, chunks").fetchall()
    except CitelogError as error:
        return str(error)
    return ""


class TestNoStore:
    @pytest.mark.parametrize("content", [b"", b"hello\n" * 2000, b"\0" * 10_000, b"PAR1"])
    def test_another_file(self, tmp_path: Path, content: bytes) -> None:
        path = tmp_path / "other"
        path.write_bytes(content)
        assert reading(path) == writing(path) == f"{path}: {NOT_A_STORE}"

    def test_a_file_of_sqlite(self, tmp_path: Path) -> None:
        path = tmp_path / "other"
        with sqlite3.connect(path) as con:
            con.execute("CREATE TABLE requests (a)")
        assert reading(path) == writing(path) == f"{path}: {NOT_A_STORE}"

    @pytest.mark.parametrize(
        "table",
        [
            "requests (a INTEGER)",
            "settings (a INTEGER)",
            "settings (schema_version VARCHAR)",
            "settings AS SELECT 'x' AS schema_version, 1 AS time_zone, 1 AS unit_key, "
            "1 AS sealed_before, 1 AS sealed_on",
        ],
    )
    def test_another_duckdb_file(self, tmp_path: Path, table: str) -> None:
        path = tmp_path / "other.duckdb"
        with duckdb.connect(str(path)) as con:
            con.execute(f"CREATE TABLE {table}")
        assert reading(path) == writing(path) == f"{path}: {OTHER_DUCKDB}"

    def test_nothing(self, tmp_path: Path) -> None:
        path = tmp_path / "none.duckdb"
        assert reading(path) == f"{path}: {NOTHING}"
        with pytest.raises(CitelogError, match="there is no store"), store.writer(path, new=False):
            pass
        assert list(tmp_path.iterdir()) == []

    def test_a_folder(self, tmp_path: Path) -> None:
        said = f"{tmp_path}: is a folder; name a file in it with --store"
        assert reading(tmp_path) == writing(tmp_path) == said

    @pytest.mark.parametrize("name", ["", "."])
    def test_a_name_of_nothing(self, name: str) -> None:
        said = ".: is a folder; name a file in it with --store"
        assert reading(Path(name)) == writing(Path(name)) == said

    def test_a_name_that_is_no_text(self, tmp_path: Path) -> None:
        path = tmp_path / os.fsdecode(b"caf\xe9.duckdb")
        said = f"{path}: holds bytes that are no UTF-8, and DuckDB opens no such file; "
        assert reading(path) == writing(path) == f"{said}name another with --store"

    def test_a_missing_folder(self, tmp_path: Path) -> None:
        path = tmp_path / "x" / "y.duckdb"
        assert reading(path) == f"{path}: {NOTHING}"
        assert writing(path) == f"{tmp_path / 'x'}: there is no such folder; make it first"

    def test_a_file_as_folder(self, tmp_path: Path) -> None:
        (tmp_path / "x").write_text("")
        path = tmp_path / "x" / "y.duckdb"
        assert writing(path) == (
            f"{path}: a part of this path is a file; name a file in a folder with --store"
        )

    def test_a_store_that_disappears_while_it_is_opened(self, tmp_path: Path) -> None:
        path = tmp_path / "gone.duckdb"
        gone = duckdb.IOException('Cannot open database "gone.duckdb": database does not exist')
        assert str(not_opened(path, gone)) == (f"{path}: {NOTHING}")


class TestDamaged:
    def test_a_newer_schema_version(self, site: Site) -> None:
        site.load_log("a.jsonl", request("r"))
        with duckdb.connect(str(site.store)) as con:
            con.execute("UPDATE settings SET schema_version = 99")
        said = (
            "has schema version 99, and this citelog knows up to "
            f"{store.SCHEMA_VERSION}; upgrade citelog"
        )
        assert reading(site.store) == writing(site.store) == f"{site.store}: {said}"

    def test_a_newer_duckdb(self, tmp_path: Path) -> None:
        newer = duckdb.IOException("Trying to read a database file with version number 99")
        (tmp_path / "s").write_text("")
        assert str(not_opened(tmp_path / "s", newer)) == (
            f"{tmp_path / 's'}: was written by a newer DuckDB; upgrade citelog to read it"
        )

    def test_a_file_whose_end_is_lost(self, site: Site) -> None:
        site.load_log("a.jsonl", *(request(f"r{n}", {"position": 1}) for n in range(50)))
        site.store.write_bytes(site.store.read_bytes()[: site.store.stat().st_size // 8])
        for said in (reading(site.store), writing(site.store)):
            assert_damaged(said, site.store)

    @pytest.mark.parametrize("kept", [12, 100, 5000, 12288])
    def test_a_file_of_which_only_the_beginning_is_left(self, site: Site, kept: int) -> None:
        site.load_log("a.jsonl", request("r"))
        site.store.write_bytes(site.store.read_bytes()[:kept])
        assert_damaged(reading(site.store), site.store)
        assert_damaged(writing(site.store), site.store)

    @pytest.mark.parametrize("at", [range(0, 4096), range(9, 10), range(4096, 12288)])
    def test_a_file_whose_headers_are_overwritten(self, site: Site, at: range) -> None:
        site.load_log("a.jsonl", request("r"))
        flip(site.store, at)
        assert_damaged(reading(site.store), site.store)
        assert_damaged(writing(site.store), site.store)

    def test_bytes_that_changed_on_the_disk_are_found_when_they_are_asked_for(
        self, site: Site
    ) -> None:
        site.load_log("a.jsonl", *(request(f"r{n}", {"position": 1}) for n in range(50)))
        whole, blocks = site.store.read_bytes(), range(12288, site.store.stat().st_size, 262144)
        damaged = []
        for block in blocks:
            site.store.write_bytes(whole)
            flip(site.store, range(block + 200, block + 300))
            damaged += [said for said in (asking(site.store),) if said]
        assert damaged
        for said in damaged:
            assert_damaged(said, site.store)


class TestLeftovers:
    def test_what_a_killed_writer_left_is_removed(self, site: Site) -> None:
        site.load_log("a.jsonl", request("r"))
        shutil.copy(site.store, site.folder / ".store.duckdb.draft")
        (site.folder / ".store.duckdb.draft.wal").write_bytes(b"half a log")
        (site.folder / ".store.duckdb.draft.spill").mkdir()
        assert site.rows("SELECT count(*) FROM requests") == [(1,)]
        site.load_log("b.jsonl", request("s"))
        assert leftovers(site.folder) == []
        assert site.rows("SELECT count(*) FROM requests") == [(2,)]

    def test_a_wal_of_another_program_does_not_outlive_the_next_publication(
        self, site: Site
    ) -> None:
        site.load_log("a.jsonl", request("r"))
        change_without_checkpoint(site.store)
        wal = site.folder / "store.duckdb.wal"
        assert wal.exists()
        site.load_log("b.jsonl", request("s"))
        assert not wal.exists()
        assert site.rows("SELECT count(*) FROM requests") == [(2,)]

    def test_a_wal_that_does_not_belong_to_the_store_is_named(self, site: Site) -> None:
        site.load_log("a.jsonl", request("r"))
        change_without_checkpoint(site.store)
        wal = site.folder / "store.duckdb.wal"
        kept = wal.read_bytes()
        site.load_log("b.jsonl", request("s"))
        wal.write_bytes(kept)
        assert reading(site.store) == (
            f"{site.store}: the .wal file beside it does not belong to it; "
            "another program left it, remove it"
        )

    def test_a_failed_load_leaves_nothing(self, site: Site) -> None:
        with pytest.raises(CitelogError):
            site.load_log("a.jsonl", request("r"), time_zone="Nowhere")
        assert leftovers(site.folder) == []
        assert not site.store.exists()

    def test_an_error_of_the_caller_publishes_nothing(self, site: Site) -> None:
        site.load_log("a.jsonl", request("r"))
        before = site.store.read_bytes()
        with pytest.raises(ZeroDivisionError):
            delete_and_break(site.store)
        assert site.store.read_bytes() == before
        assert leftovers(site.folder) == []


def delete_and_break(path: Path) -> None:
    with store.writer(path) as con:
        con.execute("DELETE FROM requests")
        raise ZeroDivisionError


def change_without_checkpoint(path: Path) -> None:
    with duckdb.connect(str(path)) as con:
        con.execute("PRAGMA disable_checkpoint_on_shutdown")
        con.execute("CREATE TABLE notes (note VARCHAR)")


class TestLinks:
    def test_a_link_stays_a_link_and_its_store_is_published(self, site: Site) -> None:
        home = site.folder / "disk"
        home.mkdir()
        site.store.symlink_to(home / "real.duckdb")
        site.load_log("a.jsonl", request("r"))
        site.load_log("b.jsonl", request("s"))
        assert site.store.is_symlink()
        assert sorted(path.name for path in home.iterdir()) == [".real.duckdb.lock", "real.duckdb"]
        assert site.rows("SELECT count(*) FROM requests") == [(2,)]

    def test_permissions_stay(self, site: Site) -> None:
        site.load_log("a.jsonl", request("r"))
        site.store.chmod(0o640)
        site.load_log("b.jsonl", request("s"))
        assert site.store.stat().st_mode & 0o777 == 0o640


def as_nobody(act: str, folder: Path) -> str:
    """What a call prints, or is told, in a process without the rights of root."""
    folder.chmod(0o755)
    program = f"""
import os
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from analyzer import ingest, store
from analyzer.errors import CitelogError
if os.geteuid() == 0:
    os.setuid({NOBODY})
store.statement("store/settings")
try:
    {act}
except CitelogError as error:
    print(error)
"""
    done = run_python(program)
    if done.returncode:
        pytest.skip(f"this checkout is closed to other users: {done.stderr[-200:]}")
    return done.stdout.strip()


def run_python(program: str) -> subprocess.CompletedProcess[str]:
    root = Path(__file__).parent.parent
    return subprocess.run(
        [sys.executable, "-c", program], cwd=root, capture_output=True, text=True, check=False
    )


class TestPermissions:
    @pytest.fixture
    def site(self) -> Iterator[Site]:
        """A store in a folder that any user can reach."""
        with TemporaryDirectory() as folder:
            site = Site(Path(folder))
            site.load_log("a.jsonl", request("r"))
            yield site
            site.folder.chmod(0o700)

    def test_a_folder_in_which_this_user_may_not_write(self, site: Site) -> None:
        site.folder.chmod(0o555)
        log = site.folder / "a.jsonl"
        act = f"ingest.ingest(['{log}'], Path('{site.store}'), now=datetime.now(UTC))"
        assert as_nobody(act, site.folder) == (
            f"{site.store}: this user may not write there; "
            "change the permissions or run as another user"
        )

    def test_a_reader_needs_no_right_to_write(self, site: Site) -> None:
        site.store.chmod(0o444)
        count = "con.execute('SELECT count(*) FROM requests').fetchone()"
        act = f"with store.reader(Path('{site.store}')) as con: print({count})"
        assert as_nobody(act, site.folder) == "(1,)"

    def test_a_store_that_this_user_may_not_read(self, site: Site) -> None:
        site.store.chmod(0o000)
        assert as_nobody(f"store.reader(Path('{site.store}')).__enter__()", site.folder) == (
            f"{site.store}: this user may not read it; change its permissions"
        )

    @pytest.mark.parametrize(
        ("number", "said"),
        [
            (errno.EACCES, "this user may not write there"),
            (errno.EROFS, "it lies on a read-only disk"),
            (errno.ENOSPC, "the disk is full"),
            (errno.EDQUOT, "the disk quota is used up"),
            (errno.EIO, os.strerror(errno.EIO)),
        ],
    )
    def test_what_the_system_says_is_said_of_the_store(self, number: int, said: str) -> None:
        path = Path("citations.duckdb")
        error = OSError(number, os.strerror(number), ".citations.duckdb.draft")
        assert str(not_written(path, error)).startswith(f"citations.duckdb: {said}")


class TestSpace:
    @pytest.fixture
    def small_disk(self, tmp_path: Path) -> Iterator[Path]:
        """A disk of 8 MB."""
        disk = tmp_path / "disk"
        disk.mkdir()
        mount = ["mount", "-t", "tmpfs", "-o", "size=8m", "none", str(disk)]
        if not shutil.which("mount") or subprocess.run(mount, capture_output=True).returncode:
            pytest.skip("this user may not mount a small disk")
        yield disk
        subprocess.run(["umount", "--lazy", str(disk)], check=True)

    def big_log(self, site: Site) -> Path:
        """About eight megabytes in the store."""
        chunks = [{"position": n, "text_hash": f"{os.urandom(8).hex()}"} for n in range(1, 41)]
        names = [f"{number}{os.urandom(60).hex()}" for number in range(3000)]
        return site.log(
            "big.jsonl",
            *(
                request(name, *({**c, "chunk_id": os.urandom(16).hex()} for c in chunks))
                for name in names
            ),
        )

    def test_a_disk_that_fills_up_publishes_nothing(self, small_disk: Path, tmp_path: Path) -> None:
        site = Site(tmp_path)
        site.store = small_disk / "store.duckdb"
        site.load_log("a.jsonl", request("r"))
        before = site.contents()
        with pytest.raises(CitelogError) as caught:
            site.load(self.big_log(site))
        assert str(caught.value) == f"{site.store}: {FULL}"
        assert site.contents() == before
        assert leftovers(small_disk) == []

    def test_a_copy_that_has_no_room_is_not_begun(self, small_disk: Path, tmp_path: Path) -> None:
        site = Site(tmp_path)
        site.store = small_disk / "store.duckdb"
        file = site.log("a.jsonl", request("r"))
        site.load(file)
        (small_disk / "full").write_bytes(b"\0" * shutil.disk_usage(small_disk).free)
        size = site.store.stat().st_size
        assert writing(site.store) == (
            f"{site.store}: a writer works on a copy of {size:,} bytes, "
            "and the disk has 0 free; free some and run again"
        )

    def test_a_full_disk_makes_no_store(self, small_disk: Path) -> None:
        (small_disk / "full").write_bytes(b"\0" * shutil.disk_usage(small_disk).free)
        path = small_disk / "store.duckdb"
        assert writing(path) == f"{path}: {FULL}"
        assert not path.exists()

    def test_a_limit_of_the_process_publishes_nothing(self, site: Site) -> None:
        log = self.big_log(site)
        program = f"""
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from resource import RLIM_INFINITY, RLIMIT_FSIZE, setrlimit
from analyzer import ingest
from analyzer.errors import CitelogError
setrlimit(RLIMIT_FSIZE, (2 * 2**20, RLIM_INFINITY))
try:
    ingest.ingest(["{log}"], Path("{site.store}"), now=datetime.now(UTC))
except CitelogError as error:
    print(error)
"""
        done = run_python(program)
        assert done.returncode == 0, done.stderr
        assert done.stdout.strip() == (
            f"{site.store}: the file may not grow further, "
            "as this process is limited (ulimit -f); nothing was published"
        )
        assert not site.store.exists()
        assert leftovers(site.folder) == []

    @pytest.mark.parametrize(
        "kind", [duckdb.IOException, duckdb.TransactionException, duckdb.FatalException]
    )
    def test_a_full_disk_is_told_from_whatever_broke_on_it(self, kind: type[duckdb.Error]) -> None:
        error = kind('Could not write file ".s.draft": No space left on device')
        assert str(broken_off(Path("s"), error)) == f"s: {FULL}"

    def test_memory_that_runs_out_is_said_so(self) -> None:
        out = duckdb.OutOfMemoryException("Out of Memory Error: could not allocate\nhints")
        assert str(broken_off(Path("s"), out)) == (
            "s: DuckDB ran out of memory or of space to spill into "
            "(Out of Memory Error: could not allocate)"
        )

    def test_a_fault_of_the_program_stays_one(self) -> None:
        fault = duckdb.BinderException("no such column")
        assert broken_off(Path("s"), fault) is fault
