"""Logs from a bucket and reports into one, against an S3 server on this machine."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from loading.records import Json, lines, packed, request
from loading.sites import NOW, Site
from nights import SMALL, Service, of_day

from analyzer import fetching, nightly, sources, storage, updating
from analyzer.cli import main
from analyzer.errors import CitelogError
from analyzer.sources import stored
from storage.bucket import CUT, GONE, REFUSED, SECRETS, Buckets, serving

Captured = pytest.CaptureFixture[str]
MONDAY = date(2026, 11, 16)


@pytest.fixture(scope="module")
def server() -> Iterator[Buckets]:
    with serving() as buckets:
        yield buckets


@pytest.fixture(scope="module", autouse=True)
def credentials(server: Buckets) -> Iterator[None]:
    """Those for the server, and none of who runs the tests."""
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith("AWS_")]:
            patch.delenv(name)
        given = {"AWS_ENDPOINT_URL": server.url, "AWS_DEFAULT_REGION": "us-east-1"}
        given |= {"AWS_CONFIG_FILE": os.devnull, "AWS_MAX_ATTEMPTS": "1"}
        for name, value in (given | SECRETS).items():
            patch.setenv(name, value)
        # Each further one waits longer than the one before.
        patch.setattr("s3fs.S3FileSystem.retries", 1)
        yield


@pytest.fixture
def afresh() -> Iterator[None]:
    """For tests that change the variables: they are read when a storage is first asked."""
    storage._made.cache_clear()
    yield
    storage._made.cache_clear()


@pytest.fixture(autouse=True)
def no_faults(server: Buckets) -> Iterator[None]:
    yield
    server.fault({})


@pytest.fixture
def bucket(server: Buckets, request: pytest.FixtureRequest) -> str:
    """The address of an empty bucket of the test's own."""
    return server.make(f"box-{abs(hash(request.node.name)):x}")


def some(name: str, count: int = 20) -> bytes:
    """A log of requests of the same week."""
    return lines(
        request(
            f"{name}{number}",
            *packed(1, 3, 2),
            requested_at=f"{MONDAY + timedelta(days=number % 7)}T09:00:00Z",
            citations=[1 + number % 3],
            route="support",
        )
        for number in range(count)
    ).encode()


def load(site: Site, *paths: str) -> list[str]:
    """Load as the command does; what became of each file."""
    brought = updating.ingest(paths, site.store, now=NOW, unit_key="00")
    return [batch.state for batch in brought]


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


class TestReading:
    def test_a_store_from_a_bucket_is_the_one_from_the_same_files(
        self, server: Buckets, bucket: str, site: Site
    ) -> None:
        here = Site(site.folder / "here")
        here.folder.mkdir()
        for name, content in {"a.jsonl": some("a"), "b.jsonl": some("b") + b"none\n"}.items():
            server.put(f"{bucket}/logs/{name}", content)
            (here.folder / name).write_bytes(content)
        assert load(site, f"{bucket}/logs/") == ["loaded", "loaded"]
        assert load(here, f"{here.folder}/*.jsonl") == ["loaded", "loaded"]
        expected = {
            table: [row.replace(str(here.folder), f"{bucket}/logs") for row in rows]
            for table, rows in here.contents().items()
        }
        assert site.contents() == expected
        assert len(expected["requests"]) == 40

    def test_folders_globs_and_names_mean_what_they_mean_of_files(
        self, server: Buckets, bucket: str
    ) -> None:
        names = ("a.jsonl", "day=1/b.csv.gz", "day=2/c[1].jsonl", "day=2/notes.txt")
        hidden = ("_tmp/d.jsonl", "day=2/.e.jsonl", "day=1/")
        for name in (*names, *hidden):
            server.put(f"{bucket}/logs/{name}", b"")
        a, b, c, notes = (f"{bucket}/logs/{name}" for name in names)
        assert found(f"{bucket}") == found(f"{bucket}/logs/") == [a, b, c]
        assert found(f"{bucket}/logs/day=*") == found(f"{bucket}/**/day=?/*.[cj]*") == [b, c]
        assert found(notes) == [notes]
        assert found(c) == [c]
        assert found(a, f"{bucket}/logs/*.jsonl") == [a]

    def test_a_request_without_a_time_has_that_of_its_object(
        self, server: Buckets, bucket: str, site: Site
    ) -> None:
        record: Json = {"request_id": "r", "chunks": [{"chunk_id": "c"}]}
        server.put(f"{bucket}/a.jsonl", lines([record]).encode())
        load(site, bucket)
        [(time, origin)] = site.rows("SELECT requested_at, requested_at_origin FROM requests")
        put = datetime.now(UTC).replace(tzinfo=None)
        assert (abs(time - put) < timedelta(minutes=5), origin) == (True, "assumed")

    def test_an_object_is_kept_beside_the_store_while_it_is_read(
        self, server: Buckets, bucket: str, site: Site, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        rooms: list[Path | None] = []
        spooled = stored.spooled
        monkeypatch.setattr(
            stored, "spooled", lambda *asked: rooms.append(asked[2]) or spooled(*asked)
        )
        server.put(f"{bucket}/a.jsonl", some("a"))
        assert load(site, bucket) == ["loaded"]
        assert rooms == [site.folder]
        assert {file.name for file in site.folder.iterdir()} == {
            "store.duckdb",
            ".store.duckdb.lock",
            ".store.duckdb.objects.json",
        }

    def test_an_object_is_fetched_a_piece_at_a_time(self, server: Buckets, bucket: str) -> None:
        content = os.urandom(20_000_000)
        server.put(f"{bucket}/a.jsonl", content)
        server.heard()
        with stored.fetched(storage.under(bucket)[0], None).file as copy:
            copy.seek(0)
            assert copy.read() == content
        assert server.heard().count(f"GET /{bucket.removeprefix('s3://')}/a.jsonl") == 3

    def test_other_commands_read_objects_too(
        self, server: Buckets, bucket: str, capsys: Captured
    ) -> None:
        server.put(f"{bucket}/a.jsonl", some("a"))
        assert main.run(["check", f"{bucket}/"]) == 0
        assert "20 requests" in capsys.readouterr().out
        assert main.run(["map", f"{bucket}/a.jsonl"]) == 0
        assert main.run(["map", f"{bucket}/b.jsonl"]) == 1
        assert "there is no such object" in capsys.readouterr().err


def found(*paths: str) -> list[str]:
    return [str(each) for each in sources.expand(paths)]


class TestWhatIsNew:
    def test_only_what_is_new_or_has_changed_is_fetched(
        self, server: Buckets, bucket: str, site: Site
    ) -> None:
        a, b = (server.put(f"{bucket}/logs/{name}.jsonl", some(name)) for name in "ab")
        server.heard()
        load(site, f"{bucket}/logs/")
        assert server.fetched() == [a, b]
        assert load(site, f"{bucket}/logs/") == ["known", "known"]
        assert [word.split()[0] for word in server.heard()] == ["GET"]  # the listing
        before = site.contents()
        server.put(b, some("b", 25))
        c = server.put(f"{bucket}/logs/c.jsonl", some("c"))
        assert load(site, f"{bucket}/logs/") == ["known", "loaded", "loaded"]
        assert server.fetched() == [b, c]
        assert len(site.contents()["requests"]) == len(before["requests"]) + 25

    def test_the_same_content_elsewhere_is_known_by_its_content(
        self, server: Buckets, bucket: str, site: Site
    ) -> None:
        server.put(f"{bucket}/a.jsonl", some("a"))
        load(site, bucket)
        copy = server.put(f"{bucket}/copy.jsonl", some("a"))
        server.heard()
        assert load(site, bucket) == ["known", "known"]
        assert server.fetched() == [copy]
        load(site, bucket)
        assert server.fetched() == []

    def test_what_is_remembered_only_saves_fetching(
        self, server: Buckets, bucket: str, site: Site
    ) -> None:
        a = server.put(f"{bucket}/a.jsonl", some("a"))
        load(site, bucket)
        whole = site.contents()
        fetching.beside(site.store).write_text("{half")
        assert load(site, bucket) == ["known"]
        [batch] = site.rows("SELECT batch FROM batches")
        updating.forget([*batch], site.store)
        server.heard()
        assert load(site, bucket) == ["loaded"]
        assert server.fetched() == [a]
        assert site.contents() == whole

    def test_a_cut_load_of_several_objects_remembers_none_that_was_not_loaded(
        self, server: Buckets, bucket: str, site: Site
    ) -> None:
        a, b = (server.put(f"{bucket}/{name}.jsonl", some(name)) for name in "ab")
        server.fault({b: GONE})
        assert load(site, a, b.replace("b.jsonl", "*")) == ["loaded", "unreadable"]
        server.fault({})
        assert load(site, bucket) == ["known", "loaded"]


class TestWriting:
    def test_the_whole_way_from_a_bucket_to_a_report_in_it(
        self, server: Buckets, bucket: str, site: Site, capsys: Captured
    ) -> None:
        server.put(f"{bucket}/logs/a.jsonl", some("a", 60))
        store = ["--store", str(site.store)]
        assert main.run(["ingest", f"{bucket}/logs/", *store]) == 0
        outputs = [f"{bucket}/out/r.{form}" for form in ("html", "json", "md", "pdf")]
        asked = [word for output in outputs for word in ("-o", output)]
        assert main.run(["report", "--week", "2026-W47", *store, *asked]) == 0
        told = capsys.readouterr().out.splitlines()[1:]
        assert set(outputs) < set(told)
        html, as_json, markdown, pdf = (server.get(output) for output in outputs)
        assert html.lower().startswith(b"<!doctype html>")
        assert json.loads(as_json)["week"] == "2026-W47"
        assert pdf.startswith(b"%PDF")
        pictures = [name for name in told if name.endswith(".png")]
        assert pictures
        for picture in pictures:
            assert picture.rpartition("/")[2].encode() in markdown
            assert server.get(picture).startswith(b"\x89PNG")

    def test_logs_in_a_bucket_are_reported_on_without_a_store(
        self, server: Buckets, bucket: str, capsys: Captured
    ) -> None:
        a = server.put(f"{bucket}/a.jsonl", some("a"))
        assert main.run(["report", a, "-o", f"{bucket}/r.json"]) == 0
        assert f"citelog report --week 2026-W47 {a}" in server.get(f"{bucket}/r.json").decode()

    def test_where_it_cannot_be_put_is_said_in_a_sentence(
        self, server: Buckets, bucket: str
    ) -> None:
        server.fault({f"{bucket}/r.html": REFUSED})
        for address, says in {
            f"{bucket}/r.html": r"access is refused \(AccessDenied\)",
            "s3://nowhere/r.html": "there is no bucket nowhere; check its name and the endpoint",
            "s3://r.html": "names a bucket alone; write s3://r.html/key",
        }.items():
            with pytest.raises(CitelogError, match=f"^{address}: {says}"):
                storage.write(address, b"")


class TestNights:
    def test_a_night_loads_from_a_bucket_and_puts_its_reports_there_but_for_a_dry_run(
        self, server: Buckets, bucket: str, tmp_path: Path
    ) -> None:
        service = Service(tmp_path, settings=(*SMALL, *in_bucket(bucket)))
        for day in range(2):
            put_day(server, bucket, MONDAY + timedelta(days=day))
        night = MONDAY + timedelta(days=7)
        assert service.night(night).files["new"] == 2
        assert json.loads(server.get(f"{bucket}/reports/2026-W47.json"))["week"] == "2026-W47"
        server.heard()
        done = service.night(night)
        assert (done.files["new"], done.files["known"], done.reports) == (0, 2, ())
        assert server.fetched() == [f"{bucket}/reports/.made.json"]
        put_day(server, bucket, MONDAY, "late")
        server.heard()
        for run in (nightly.rehearse, nightly.run):
            assert not any(word.startswith("PUT") for word in server.heard())
            done = run(service.plan(night))
            assert (done.files["new"], done.files["known"]) == (1, 2)
            assert [made.again for made in done.reports] == [True]

    def test_an_object_that_is_set_aside_is_not_fetched_again_until_more_is_allowed(
        self, server: Buckets, bucket: str, tmp_path: Path
    ) -> None:
        paths, _ = in_bucket(bucket)
        service = Service(tmp_path, settings=(*SMALL, paths), reports=False)
        server.put(f"{bucket}/logs/a.jsonl", some("a", 3) + b"none\n")
        night = MONDAY + timedelta(days=1)
        assert service.night(night).files["set_aside"] == 1
        server.heard()
        assert service.night(night).files["set_aside_earlier"] == 1
        assert server.fetched() == []
        assert service.night(night, "inputs.max_rejected=0.3").lines("loaded") == 3

    def test_a_bucket_that_cannot_be_asked_stops_no_other_input_and_is_left_out_aloud(
        self, server: Buckets, bucket: str, tmp_path: Path
    ) -> None:
        service = Service(tmp_path, settings=SMALL, reports=False)
        service.log("a.jsonl", of_day(MONDAY, "support", 5))
        paths = 'inputs.paths=["logs", "s3://nowhere/x/"]'.replace("logs", str(service.logs))
        done = service.night(MONDAY + timedelta(days=1), paths)
        assert (done.files["new"], done.files["unreadable"], done.left_out) == (1, 1, True)
        [told] = service.told("unreadable")
        assert "there is no bucket nowhere" in str(told["why"])


def in_bucket(bucket: str) -> tuple[str, str]:
    return f'inputs.paths=["{bucket}/logs/"]', f"report.folder={bucket}/reports"


def put_day(server: Buckets, bucket: str, day: date, route: str = "support") -> None:
    server.put(f"{bucket}/logs/{day}-{route}.jsonl", lines(of_day(day, route, 12)).encode())


class TestTrouble:
    """One sentence with the address and what to do, and no secret in it."""

    @pytest.mark.parametrize(
        ("path", "says"),
        [
            ("s3://nowhere/a.jsonl", "there is no bucket nowhere; check its name"),
            ("/nothing/", "no object is there; check the bucket and what stands after it"),
            ("/nothing-*.jsonl", "no object is there"),
            ("/texts/", "none of the objects below it is a log; logs are named .jsonl"),
            ("/refused.jsonl", "access is refused"),
            ("/gone.json?", "there is no such object, or not any more; run the command again"),
            ("/cut.jsonl", "broke off in the middle; nothing of it is loaded"),
            ("ftp://host/a.jsonl", "there is no way to ftp://; s3://, gs:// and az:// work"),
            ("s3://", "names no bucket; write s3://bucket/key"),
        ],
    )
    def test_of_the_storage(
        self, path: str, says: str, server: Buckets, bucket: str, site: Site, capsys: Captured
    ) -> None:
        for name in ("refused.jsonl", "gone.jsonl", "cut.jsonl", "texts/a.txt"):
            server.put(f"{bucket}/{name}", some("a"))
        faults = {"refused": REFUSED, "gone": GONE, "cut": CUT}
        server.fault({f"{bucket}/{name}.jsonl": fault for name, fault in faults.items()})
        asked = path if "://" in path else bucket + path
        said = refused(capsys, "ingest", asked, "--store", str(site.store))
        assert says in said
        assert said.startswith(asked.rstrip("?/"))
        assert not fetching.beside(site.store).exists()

    @pytest.mark.usefixtures("afresh")
    def test_of_the_way_there(
        self, bucket: str, site: Site, monkeypatch: pytest.MonkeyPatch, capsys: Captured
    ) -> None:
        for url in ("http://127.0.0.1:1", "http://user:SENTINEL@127.0.0.1:1"):
            monkeypatch.setenv("AWS_ENDPOINT_URL", url)
            storage._made.cache_clear()
            said = refused(capsys, "ingest", f"{bucket}/", "--store", str(site.store))
            assert said == (
                f"{bucket}: the storage does not answer; check the network and the endpoint "
                "(AWS_ENDPOINT_URL), then run the command again\n"
            )

    @pytest.mark.usefixtures("afresh")
    def test_of_an_endpoint_that_is_none(
        self, bucket: str, site: Site, monkeypatch: pytest.MonkeyPatch, capsys: Captured
    ) -> None:
        monkeypatch.setenv("AWS_ENDPOINT_URL", "SENTINEL")
        said = refused(capsys, "ingest", f"{bucket}/", "--store", str(site.store))
        assert said == (
            f"{bucket}: cannot be asked for (ValueError); check the address and the endpoint "
            "(AWS_ENDPOINT_URL)\n"
        )

    @pytest.mark.usefixtures("afresh")
    def test_of_credentials(
        self, bucket: str, site: Site, monkeypatch: pytest.MonkeyPatch, capsys: Captured
    ) -> None:
        for name in SECRETS:
            monkeypatch.delenv(name)
        monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", os.devnull)
        monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
        said = refused(capsys, "ingest", f"{bucket}/", "--store", str(site.store))
        assert said == (
            f"{bucket}: no credentials are found; give AWS_PROFILE, or AWS_ACCESS_KEY_ID and "
            "AWS_SECRET_ACCESS_KEY\n"
        )

    def test_of_an_object_that_is_replaced_after_it_was_listed(
        self, server: Buckets, bucket: str
    ) -> None:
        server.put(f"{bucket}/a.jsonl", some("a"))
        [listed] = storage.under(bucket)
        server.put(f"{bucket}/a.jsonl", some("b"))
        with pytest.raises(CitelogError, match="was replaced after it was listed"):
            sources.open_source(listed)

    def test_of_an_object_that_is_replaced_while_it_is_read(
        self, server: Buckets, bucket: str
    ) -> None:
        server.put(f"{bucket}/a.jsonl", b"a" * 20_000_000)
        [listed] = storage.under(bucket)
        with storage.opened(listed) as content:
            content.read(2**20)
            server.put(f"{bucket}/a.jsonl", b"b" * 20_000_000)
            content.read(8 * 2**20)
            with pytest.raises(CitelogError, match="was replaced after it was listed"):
                content.read(2**20)

    @pytest.mark.parametrize(
        ("address", "lacks", "says"),
        [
            ("s3://box/a.jsonl", "fsspec", "pip install s3fs brings it, as the s3 extra"),
            ("gs://box/a.jsonl", "gcsfs", "needs the gcsfs package, which is not there"),
            ("az://box/a.jsonl", "adlfs", "needs the adlfs package, which is not there"),
        ],
    )
    @pytest.mark.usefixtures("afresh")
    def test_of_a_package_that_is_not_there(
        self,
        address: str,
        lacks: str,
        says: str,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        capsys: Captured,
    ) -> None:
        monkeypatch.setitem(sys.modules, lacks, None)
        for command in (["ingest", address], ["report", "-o", address.replace("jsonl", "html")]):
            said = refused(capsys, *command, "--store", str(tmp_path / "s.duckdb"))
            assert says in said


def refused(capsys: Captured, *command: str) -> str:
    """The one sentence of a command that cannot be done, which lets nobody in."""
    assert main.run([*command]) in (1, 2)
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert not any(secret in err for secret in (*SECRETS.values(), "SENTINEL"))
    return err


def test_no_credential_is_in_anything_that_is_said_kept_or_reported(
    server: Buckets,
    bucket: str,
    tmp_path: Path,
    capsys: Captured,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG, "s3fs")
    service = Service(tmp_path, settings=(*SMALL, *in_bucket(bucket)))
    put_day(server, bucket, MONDAY)
    server.put(f"{bucket}/logs/none.jsonl", b"\x89PNG\0")
    service.night(MONDAY + timedelta(days=8))
    asked = ["nightly", "--config", str(tmp_path / "citelog.toml"), "--log", "json"]
    pairs = [word for pair in in_bucket(bucket) for word in ("--set", pair)]
    assert main.run([*asked, *pairs]) == 4
    server.fault({f"{bucket}/reports/.made.json": REFUSED})
    assert main.run([*asked, *pairs]) == 1
    said = "".join([*capsys.readouterr(), str(service.said), caplog.text])
    kept = [file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()]
    kept += [server.get(f"{bucket}/reports/2026-W47.json"), said.encode()]
    assert bucket in said
    for secret in SECRETS.values():
        assert not any(secret.encode() in content for content in kept)


def test_a_command_of_its_own_says_nothing_else(
    server: Buckets, bucket: str, tmp_path: Path
) -> None:
    """No library warns, and none is loaded where no address is named."""
    server.put(f"{bucket}/a.jsonl", some("a"))
    (tmp_path / "a.jsonl").write_bytes(some("a"))
    program = (
        "import sys; from analyzer.cli import main\n"
        "assert main.run(['ingest', 'a.jsonl']) == 0\n"
        "assert not {'fsspec', 's3fs', 'botocore'} & set(sys.modules)\n"
        f"sys.exit(main.run(['ingest', '{bucket}/', '--store', 's.duckdb']))"
    )
    root = Path(__file__).resolve().parents[2]
    environment = os.environ | {"PYTHONPATH": str(root), "PYTHONWARNINGS": "always"}
    command = [sys.executable, "-W", "error::ResourceWarning", "-c", program]
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert f"{bucket}/a.jsonl: 20 lines = 20 loaded" in done.stdout
