"""`citelog sql`: what it answers, and everything that it must not do."""

from __future__ import annotations

import io
import json
import os
import signal
import sys
from pathlib import Path
from threading import Timer

import pytest
from loading.records import packed, request
from loading.sites import Site

from analyzer import store, store_shell
from analyzer.cli import main
from analyzer.errors import CitelogError, UsageError

Captured = pytest.CaptureFixture[str]

ENDLESS = "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT count(*) FROM t"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    site = Site(tmp_path_factory.mktemp("store"))
    site.load_log("a.jsonl", *(request(f"r{n}", *packed(1, 2), route="web") for n in range(3)))
    return site


def answer(site: Site, sql: str, seconds: float = 60) -> list[dict[str, object]]:
    return store_shell.select(site.store, sql, seconds=seconds).to_pylist()  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT route, count(*)::INT AS n FROM requests GROUP BY ALL", {"route": "web", "n": 3}),
        ("FROM requests SELECT max(packed) AS k", {"k": 2}),
        ("WITH x AS (SELECT 1 AS y) SELECT * FROM x;", {"y": 1}),
        ("VALUES (1)", {"col0": 1}),
    ],
)
def test_a_select_is_answered(site: Site, sql: str, expected: dict[str, object]) -> None:
    assert answer(site, sql) == [expected]


def test_an_answer_without_rows_keeps_its_columns(site: Site) -> None:
    made = store_shell.select(site.store, "SELECT day FROM requests WHERE false", seconds=9)
    assert (made.num_rows, made.column_names) == (0, ["day"])


def test_tables_can_be_listed_and_described(site: Site) -> None:
    assert {"name": "requests"} in answer(site, "SHOW TABLES")
    assert answer(site, "DESCRIBE requests")[0]["column_name"] == "request_id"


@pytest.mark.parametrize(
    ("sql", "kind"),
    [
        ("COPY (SELECT 1) TO 'out.csv'", "COPY"),
        ("COPY requests FROM 'in.csv'", "COPY"),
        ("EXPORT DATABASE 'out'", "EXPORT"),
        ("ATTACH 'other.duckdb'", "ATTACH"),
        ("INSTALL httpfs", "LOAD"),
        ("LOAD httpfs", "LOAD"),
        ("PRAGMA database_list", "PRAGMA"),
        ("SET threads = 1", "SET"),
        ("SET lock_configuration = false", "SET"),
        ("RESET enable_external_access", "SET"),
        ("USE memory", "SET"),
        ("CALL pragma_version()", "CALL"),
        ("CHECKPOINT", "CALL"),
        ("DELETE FROM requests", "DELETE"),
        ("INSERT INTO requests FROM requests", "INSERT"),
        ("UPDATE requests SET route = ''", "UPDATE"),
        ("DROP TABLE requests", "DROP"),
        ("CREATE TEMP TABLE x AS SELECT 1", "CREATE"),
        ("CREATE SECRET x (TYPE s3)", "CREATE"),
        ("PREPARE x AS SELECT 1", "PREPARE"),
        ("BEGIN", "TRANSACTION"),
        ("VACUUM", "VACUUM"),
        ("EXPLAIN SELECT 1", "EXPLAIN"),
    ],
)
def test_no_other_statement_is_taken(site: Site, sql: str, kind: str) -> None:
    with pytest.raises(UsageError, match=rf"^sql: this is a statement of the kind {kind}, and"):
        answer(site, sql)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM read_csv('/etc/hostname')",
        "SELECT * FROM read_text('/etc/hostname')",
        "SELECT * FROM read_blob('/etc/hostname')",
        "SELECT * FROM read_parquet('https://example.org/x.parquet')",
        "SELECT * FROM read_duckdb('store.duckdb')",
        "SELECT * FROM '/etc/hostname'",
        "SELECT * FROM 'a.jsonl'",
        "SELECT * FROM glob('/*')",
        "SELECT * FROM sniff_csv('/etc/hostname')",
        "SELECT * FROM duckdb_secrets()",
        "SELECT getenv('HOME')",
        "SELECT * FROM enable_logging(storage = 'file', storage_path = 'log')",
        "SELECT * FROM force_checkpoint()",
        "SELECT * FROM query('COPY (SELECT 1) TO ''out.csv''')",
        "SELECT * FROM json_execute_serialized_sql('{}')",
        "SELECT * FROM site",
        "SELECT * FROM arrow_scan(1::UBIGINT, 2::UBIGINT, 3::UBIGINT)",
    ],
)
def test_nothing_beside_the_store_can_be_reached(
    site: Site, sql: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(site.folder)
    before = sorted(site.folder.iterdir())
    with pytest.raises(UsageError, match=r"^sql: ") as caught:
        answer(site, sql)
    assert "nvalid" not in str(caught.value)
    assert "\n" not in str(caught.value)
    assert sorted(site.folder.iterdir()) == before


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("", "sql: there is no statement; write one SELECT"),
        ("-- a comment", "sql: there is no statement; write one SELECT"),
        ("SELECT 1; SELECT 2", "sql: these are 2 statements; write one SELECT"),
        ("SELECT 1; DROP TABLE requests", "sql: these are 2 statements; write one SELECT"),
        ("SELEC 1", 'sql: syntax error at or near "SELEC"'),
        ("SELECT rout FROM requests", 'sql: Referenced column "rout" not found in FROM clause!'),
        ("SELECT 'x'::INT", "sql: Could not convert string 'x' to INT32"),
        ("SELECT $x", "sql: Values were not provided for the following parameters: x"),
        ("SELECT " + "(" * 3000 + "1" + ")" * 3000, "sql: Max expression depth limit of 1000 exc"),
    ],
)
def test_what_is_no_select_is_one_sentence(site: Site, sql: str, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        answer(site, sql)
    assert str(caught.value).startswith(said)
    assert "\n" not in str(caught.value)


def test_an_endless_statement_is_stopped(site: Site) -> None:
    with pytest.raises(CitelogError, match=r"was stopped after 0\.3 seconds; narrow it, or"):
        answer(site, ENDLESS, seconds=0.3)


def test_rows_without_end_are_stopped_too(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_shell, "MOST_BYTES", 2**20)
    with pytest.raises(CitelogError, match="the answer is larger than 1 MB; count in the"):
        answer(site, "SELECT * FROM range(1000000000000)")


def test_memory_has_an_end(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "READER_MEMORY", "60MB")
    with pytest.raises(CitelogError, match="DuckDB ran out of memory") as caught:
        answer(site, "SELECT list(i) FROM range(1000000000) t(i)")
    assert caught.value.exit_code == 1


class TestCommand:
    def test_formats_and_outputs(self, site: Site, tmp_path: Path, capsys: Captured) -> None:
        asked = ["sql", "SELECT route, packed FROM requests LIMIT 1", "--store", str(site.store)]
        assert main.run([*asked, "--format", "json"]) == 0
        assert json.loads(capsys.readouterr().out) == [{"route": "web", "packed": 2}]
        assert main.run([*asked, "-o", str(tmp_path / "a.csv")]) == 0
        assert (tmp_path / "a.csv").read_text() == "route,packed\nweb,2\n"
        assert main.run([*asked, "-o", str(tmp_path / "a.parquet")]) == 0
        assert (tmp_path / "a.parquet").read_bytes().startswith(b"PAR1")
        assert main.run(asked) == 0
        assert capsys.readouterr().out == "route  packed\nweb         2\n"

    @pytest.mark.parametrize("arguments", [[], ["-"]])
    def test_stdin(
        self, arguments: list[str], site: Site, monkeypatch: pytest.MonkeyPatch, capsys: Captured
    ) -> None:
        monkeypatch.setattr(sys, "stdin", io.StringIO("SELECT count(*) AS n\nFROM requests\n"))
        assert main.run(["sql", *arguments, "--store", str(site.store), "--format", "csv"]) == 0
        assert capsys.readouterr().out == "n\n3\n"

    def test_ctrl_c(self, site: Site, capsys: Captured) -> None:
        stop = Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
        stop.start()
        assert main.run(["sql", ENDLESS, "--store", str(site.store)]) == 130
        assert capsys.readouterr().err.startswith("stopped by Ctrl-C")

    @pytest.mark.parametrize("errors", ["strict", "surrogateescape"])
    def test_bytes_that_are_no_text(
        self, errors: str, site: Site, monkeypatch: pytest.MonkeyPatch, capsys: Captured
    ) -> None:
        binary = io.TextIOWrapper(io.BytesIO(b"\x7fELF\xff"), "utf-8", errors)
        monkeypatch.setattr(sys, "stdin", binary)
        assert main.run(["sql", "--store", str(site.store)]) == 2
        assert capsys.readouterr().err == (
            "sql: the statement is no UTF-8 text; write one SELECT\n"
        )

    @pytest.mark.parametrize(
        ("sql", "held"),
        [
            ("SELECT sum(packed) AS k FROM requests", {"k": 6}),
            ("SELECT avg(0.5::DECIMAL(3, 1)) * 1.5::DECIMAL(3, 1) AS d", {"d": 0.75}),
            ("SELECT '\\xAA'::BLOB AS b, TIME '10:00' AS t", {"b": "aa", "t": "10:00:00"}),
            ("SELECT MAP {'a': 1::HUGEINT} AS m", {"m": [["a", 1]]}),
            ("SELECT 1 AS a, 2 AS a, 3 AS a_1, 4 AS a", {"a": 1, "a_2": 2, "a_1": 3, "a_3": 4}),
        ],
    )
    def test_every_value_and_column_has_its_json(
        self, sql: str, held: dict[str, object], site: Site, capsys: Captured
    ) -> None:
        asked = ["sql", sql, "--store", str(site.store)]
        assert main.run([*asked, "--format", "json"]) == 0
        assert json.loads(capsys.readouterr().out) == [held]
        assert main.run(asked) == 0
        assert capsys.readouterr().out.split()[: len(held)] == [*held]

    def test_no_statement_and_no_pipe(
        self, site: Site, monkeypatch: pytest.MonkeyPatch, capsys: Captured
    ) -> None:
        monkeypatch.setattr(sys, "stdin", None)
        assert main.run(["sql", "--store", str(site.store)]) == 2
        assert capsys.readouterr().err.startswith("sql: there is no statement; give one, or pipe")

    @pytest.mark.parametrize(
        ("arguments", "code"),
        [
            (["DROP TABLE requests"], 2),
            ([ENDLESS, "--timeout", "0.2"], 1),
            (["SELECT 1", "--timeout", "0"], 2),
            (["SELECT 1", "--store", "gone.duckdb"], 1),
        ],
    )
    def test_exit_codes(
        self, arguments: list[str], code: int, site: Site, capsys: Captured
    ) -> None:
        store = [] if "--store" in arguments else ["--store", str(site.store)]
        assert main.run(["sql", *arguments, *store]) == code
        out, err = capsys.readouterr()
        assert (out, err.count("\n")) == ("", 1)
