"""Behind pseudonyms no id of a request, a chunk or a document is left, and all else is the same."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

import pytest
from loading import older
from loading.records import Json, label, request
from loading.sites import NOW, Site

from analyzer import query, store, store_pseudonyms, updating
from analyzer.cli import main
from analyzer.cli.pseudonyms import named
from analyzer.store_pseudonyms import SAYS, derived, pseudonym

Captured = pytest.CaptureFixture[str]

PSEUDONYM = re.compile(r"p-[0-9a-f]{12}")
IDS = ("secret-request", "secret-chunk", "secret-doc")
WEEK = "2026-W45"
# Columns that end in _id and name no request, chunk or document.
OF_OTHERS = {"retrieval_id"}


def leaving(number: int) -> Json:
    """A request with copies of one document, all of it named by ids that must not leave."""
    chunks = [
        {
            "chunk_id": f"secret-chunk-{place}",
            "doc_id": f"secret-doc-{place % 2}",
            "text": "the price of a parcel is told in the hall of the post office",
            "rank": place,
            "position": place,
            "tokens": 40,
            "cited": place == 1,
        }
        for place in (1, 2, 3)
    ]
    return request(f"secret-request-{number}", *chunks, route="web")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    site = Site(tmp_path_factory.mktemp("store"))
    hers = [leaving(number) for number in range(60)]
    hers.append(label("secret-request-1", expected_chunk_ids=["secret-chunk-2"]))
    hers.append({**leaving(2), "revision": 1})
    hers.append(leaving(99) | {"chunks": 2 * [{"chunk_id": "secret-chunk-1"}]})
    log = site.log("a.jsonl", *hers)
    updating.ingest([log], site.store, now=NOW, unit_key="00ff", max_rejected=1.0)
    with store.writer(site.store) as con:
        con.execute("INSERT INTO swap_results VALUES ('r', 'secret-request-1', 0, 1, 3, 9, true)")
    return site


def test_no_table_shows_an_id(site: Site) -> None:
    with store_pseudonyms.reader(site.store) as con:
        tables = [name for (name,) in con.execute("SHOW TABLES").fetchall()]
        said = {name: str(con.execute(f"FROM {name}").fetchall()) for name in tables}
    assert {"requests", "chunks", "versions", "documents", "swap_results"} <= set(tables)
    assert not [name for name, rows in said.items() if "secret-" in rows]
    assert {name for name, rows in said.items() if PSEUDONYM.search(rows)} >= {"chunks"}


def test_every_column_of_ids_has_its_view(site: Site) -> None:
    columns = "SELECT table_name, column_name FROM duckdb_columns() WHERE database_name = '{}'"
    with store_pseudonyms.reader(site.store) as con:
        held = set(con.execute(columns.format("kept")).fetchall())
        views = {name for name, _ in con.execute(columns.format("temp")).fetchall()}
    named = {table for table, name in held if name.endswith("_id") and name not in OF_OTHERS}
    assert named == {"requests", "chunk_facts", "versions", "judgements", "memberships"} | {
        "chunks",
        "documents",
        "swap_results",
    }
    assert named - {"chunks"} <= views  # which reads the view before `chunk_facts`


def test_answers_are_the_same_but_for_ids(site: Site) -> None:
    with store.reader(site.store) as con:
        plain = query.ask(con, "near_copy_documents", week=WEEK, route="web").to_pylist()
        counts = query.ask(con, "funnel", week=WEEK)
    with store_pseudonyms.reader(site.store) as con:
        hidden = query.ask(con, "near_copy_documents", week=WEEK, route="web").to_pylist()
        assert query.ask(con, "funnel", week=WEEK).equals(counts)
        names = {pseudonym(con, row["doc_id"]) for row in plain}
    assert {row["doc_id"] for row in hidden} == names
    for row in (*plain, *hidden):
        del row["doc_id"]
    assert sorted(map(str, plain)) == sorted(map(str, hidden))


def test_a_pseudonym_is_a_keyed_hash(site: Site) -> None:
    with store_pseudonyms.reader(site.store, "k") as con:
        found = pseudonym(con, "secret-doc-1")
    key = hashlib.blake2b(b"k", digest_size=16, person=b"citelog ids").hexdigest()
    assert found == "p-" + hashlib.sha256(f"{key}secret-doc-1".encode()).hexdigest()[:12]


def test_a_reason_quotes_a_pseudonym(site: Site) -> None:
    with store_pseudonyms.reader(site.store) as con:
        name = pseudonym(con, "secret-chunk-1")
        [(reason,)] = con.execute("SELECT reason FROM rejected_lines").fetchall()
    said = f'is the text "{name}" a second time, but a chunk stands once in a retrieval'
    assert reason == said


def test_an_id_may_begin_like_a_pseudonym(site: Site) -> None:
    with store_pseudonyms.reader(site.store) as con:
        hidden = pseudonym(con, "p-1")
        assert [named(con, name) for name in ("p-1", hidden)] == [hidden, hidden]


def test_keys(site: Site) -> None:
    def of(key: str | None) -> str:
        with store_pseudonyms.reader(site.store, key) as con:
            return pseudonym(con, "secret-doc-1")

    assert of(None) == of(None) == of("00ff") != of("other")
    assert of("random") != of("random")
    assert derived("00ff") != "00ff"


def test_an_older_store_has_fewer_tables(tmp_path: Path) -> None:
    path = tmp_path / "old.duckdb"
    older.make(path)
    with store_pseudonyms.reader(path) as con:
        assert con.execute("FROM chunks").fetchall() == []


@pytest.mark.parametrize("version", [1, 4])
def test_the_chunks_of_an_older_store_are_hidden_too(
    site: Site, tmp_path: Path, version: int
) -> None:
    older.turned_back(site.store, tmp_path / "old.duckdb", version)
    shown = []
    for path in (tmp_path / "old.duckdb", site.store):
        with store_pseudonyms.reader(path, "one key") as con:
            shown.append(sorted(map(repr, con.execute("FROM chunks").fetchall())))
    assert shown[0] == shown[1]
    assert "secret-" not in str(shown[0])


def test_it_reads_while_a_writer_works(site: Site) -> None:
    with store.writer(site.store), store_pseudonyms.reader(site.store) as con:
        assert con.execute("SELECT count(*) FROM requests").fetchall() == [(60,)]


class TestCommands:
    def run(self, site: Site, *arguments: str) -> int:
        return main.run([*arguments, "--store", str(site.store)])

    def test_a_report(self, site: Site, tmp_path: Path) -> None:
        forms = ["html", "json"]
        outputs = [part for form in forms for part in ("-o", str(tmp_path / f"r.{form}"))]
        assert self.run(site, "report", "--week", WEEK, *outputs, "--pseudonymise-ids") == 0
        for form in forms:
            text = (tmp_path / f"r.{form}").read_text()
            assert "secret-" not in text
            assert PSEUDONYM.search(text)
            assert text.count(SAYS) == 1
            assert "--pseudonymise-ids" in text

    def test_a_report_without_it_names_them_and_says_nothing(
        self, site: Site, tmp_path: Path
    ) -> None:
        assert self.run(site, "report", "--week", WEEK, "-o", str(tmp_path / "r.json")) == 0
        text = (tmp_path / "r.json").read_text()
        assert "secret-doc-0" in text
        assert "pseudonym" not in text

    def test_a_query(self, site: Site, capsys: Captured) -> None:
        asked = ["query", "near_copy_documents", "-p", f"week={WEEK}", "-p", "route=web"]
        assert self.run(site, *asked, "--format", "json", "--pseudonym-key", "k") == 0
        rows = json.loads(capsys.readouterr().out)
        assert all(PSEUDONYM.fullmatch(row["doc_id"]) for row in rows)

    @pytest.mark.parametrize("by", ["id", "pseudonym"])
    def test_a_request_by_its_id_and_by_its_pseudonym(
        self, by: str, site: Site, capsys: Captured
    ) -> None:
        name = "secret-request-7"
        if by == "pseudonym":
            with store_pseudonyms.reader(site.store) as con:
                name = pseudonym(con, name)
        assert self.run(site, "request", name, "--json", "--pseudonymise-ids") == 0
        said = capsys.readouterr().out
        assert "secret-" not in said
        assert PSEUDONYM.search(said)

    def test_an_investigation(self, site: Site, capsys: Captured) -> None:
        asked = ["investigate", "--since", "2026-11-05", "--route", "web", "--pseudonymise-ids"]
        self.run(site, *asked)
        said = "".join(capsys.readouterr())
        assert "secret-" not in said

    def test_what_cannot_be_done(self, site: Site, tmp_path: Path, capsys: Captured) -> None:
        assert self.run(site, "query", "line_counts", "--pseudonym-key", "") == 2
        assert capsys.readouterr().err == "--pseudonym-key is empty; give a text, or random\n"
        gone = ["query", "line_counts", "--pseudonymise-ids", "--store", str(tmp_path / "gone")]
        assert main.run(gone) == 1
        assert "there is no store" in capsys.readouterr().err
