"""The command line: what it says, on which stream, and with which exit code it leaves."""

from __future__ import annotations

import csv
import errno
import io
import json
import os
import subprocess
import sys
from datetime import UTC, date, datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

import analyzer
from analyzer import files
from analyzer.cli import asking, main, options, progress, say, table
from analyzer.errors import CitelogError, NothingThere, StoreLocked, UsageError

HEAVY = {"duckdb", "altair", "polars", "pyarrow", "numpy", "vl_convert"}

Captured = pytest.CaptureFixture[str]

RESULT = pa.table(
    {
        "route": ["web", "a\x1b[31mb", None],
        "packed": [1234567, 0, None],
        "cited_rate": [1 / 3, float("nan"), None],
        "exact": [True, False, None],
        "day": [date(2026, 11, 16), None, None],
        "seen": [datetime(2026, 11, 16, 9, 30, tzinfo=UTC), None, None],
        "groups": [[1, 2], [], None],
    }
)


def python(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("arguments", [["-h"], ["--version"], ["query", "-h"], ["report", "-h"]])
def test_help_loads_neither_database_nor_charts(arguments: list[str]) -> None:
    done = python(
        "import sys; from analyzer.cli.main import run\n"
        f"code, heavy = run({arguments!r}), {HEAVY!r} & set(sys.modules)\n"
        "sys.exit(f'{code} {heavy}' if code or heavy else 0)"
    )
    assert done.returncode == 0, done.stderr


def test_the_version_is_data(capsys: Captured) -> None:
    assert main.run(["--version"]) == 0
    assert capsys.readouterr() == (f"citelog {analyzer.__version__}\n", "")


def test_the_help_names_every_command(capsys: Captured) -> None:
    main.run(["--help"])
    shown = capsys.readouterr().out
    for command in ("ingest", "batches", "rejected", "forget", "seal", "queries", "query"):
        assert f" {command} " in shown


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["xyzzy"], "No such command 'xyzzy'; see citelog --help"),
        (["ingest"], "Missing argument 'PATH...'; see citelog ingest --help"),
        (["query", "x", "--param", "week"], "--param 'week' has no name or no value"),
        (["query", "x", "-p", "a=1", "-p", "a=2"], "--param a is given 2 times; give it once"),
        (["seal", "--before", "2026-11-03"], "a week is named by its Monday, here 2026-11-02"),
        (["ingest", "x", "--requested-at", "2026-11-03T09:00"], "has no offset; write it as"),
        (["ingest", "x", "--requested-at", "soon"], "--requested-at 'soon' is no time"),
        (
            ["ingest", "x", "--requested-at", "2026-11-03"],
            "is a day without a time; write it as 2026-11-03T00:00:00+00:00",
        ),
        (
            ["ingest", "x", "--requested-at", "9999-12-31T23:00:00-05:00"],
            "is outside the years 1970 to 2199",
        ),
        (["ingest", "x", "--requested-at", "1969-12-31T23:00:00Z"], "outside the years 1970 to"),
        (["seal", "--before", "9999-W52"], "9999-12-27 is outside the years 1970 to 2199"),
        (["exclude", "0001-W01"], "0001-01-01 is outside the years 1970 to 2199"),
        (["mute", "x", "--until", "9999-12-31"], "9999-12-31 is outside the years 1970 to 2199"),
        (["batches", "--store", ""], ".: is a folder; name a file in it with --store"),
        (["batches", "--store", "/dev/null"], "/dev/null: is a pipe or a device; name a file"),
        (["ingest", ""], "a path is empty; name log files, folders of them, globs, or -"),
        (["report", "--week", ""], "week is '', which is no such thing as 2026-W47"),
        (["seal", "--before", "2026-W45", "--store", "."], ".: is a folder; name a file in it"),
        (["simulate", "x", "--first-week", "2199-W50"], "do not lie between 1980 and 2199"),
        (["--queries", "/gone", "queries"], "/gone is no folder"),
        (
            ["alerts", "--set", "drift.least_requests=100"],
            "--set stands before the command: citelog --set KEY=VALUE alerts\n",
        ),
        (
            ["swap", "plan", "--set", "a=b"],
            "--set stands before the command: citelog --set KEY=VALUE swap plan\n",
        ),
        (
            ["query", "--queries", "x"],
            "--queries stands before the command: citelog --queries DIR query\n",
        ),
        (["alerts", "--sett", "a=b"], "No such option: --sett"),
        (["--sett", "a=b"], "see citelog --help"),
    ],
)
def test_wrong_usage_is_one_sentence_and_exit_2(
    arguments: list[str], said: str, capsys: Captured
) -> None:
    assert main.run(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err
    assert err.count("\n") == 1
    assert "nvalid" not in err


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (CitelogError("store: it is so; do this"), 1, "store: it is so; do this"),
        (UsageError("week x is no week"), 2, "week x is no week"),
        (NothingThere("no requests in 2026-W50"), 5, "no requests in 2026-W50"),
        (StoreLocked("another writer holds it"), 6, "another writer holds it"),
        (FileNotFoundError(errno.ENOENT, "x", "a.jsonl"), 1, "a.jsonl: there is no such file"),
        (PermissionError(errno.EACCES, "x", "a.jsonl"), 1, "a.jsonl: this user may not open it"),
        (OSError(errno.ENOSPC, "x", "s.duckdb"), 1, "s.duckdb: the disk is full; free some"),
        (OSError(errno.EIO, "Input/output error", "a"), 1, "a: Input/output error"),
        (FileNotFoundError(errno.ENOENT, "x", "gone/a.csv"), 1, "gone/a.csv: the folder it is to"),
        (CitelogError("a\x1b[2Jb: hostile"), 1, "a\\x1b[2Jb: hostile"),
        (KeyboardInterrupt(), 130, "stopped by Ctrl-C"),
        (RuntimeError("Query interrupted"), 130, "stopped by Ctrl-C"),
    ],
)
def test_every_expected_trouble_is_one_sentence_and_its_exit_code(
    error: BaseException, code: int, said: str, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    def troubled(*_: object) -> None:
        raise error

    monkeypatch.setattr(asking, "answer", troubled)
    assert main.run(["batches"]) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err
    assert err.count("\n") == 1


def test_a_fault_of_the_program_itself_keeps_its_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(asking, "answer", broken)
    with pytest.raises(ZeroDivisionError):
        main.run(["batches"])


def test_a_reader_that_goes_away_is_no_trouble() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-c", "from analyzer.cli.main import main; main()", "queries"]
    done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writing)
    assert (done.returncode, done.stderr) == (say.CLOSED_PIPE, "")


def test_a_table_for_people_aligns_numbers_and_shows_control_characters() -> None:
    narrow = RESULT.select(["route", "packed", "cited_rate", "exact", "day"])
    assert table.aligned(narrow).splitlines() == [
        "route          packed  cited_rate  exact  day",
        "web         1,234,567      0.3333  yes    2026-11-16",
        "a\\x1b[31mb          0         nan  no     -",
        "-                   -           -  -      -",
    ]


HOSTILE = "a\x1b[2J\x9b1m\u2028b\u2029\u202ec\ue000 \U000e0001"
ESCAPED = r"a\x1b[2J\x9b1m\u2028b\u2029\u202ec\ue000 \U000e0001"


def test_nothing_of_a_name_moves_the_cursor_ends_a_line_or_turns_it_around() -> None:
    assert say.plain(HOSTILE) == ESCAPED
    assert say.plain("Größe 東京 שלום 👍 a\u00a0b") == "Größe 東京 שלום 👍 a\u00a0b"


def test_json_means_the_same_without_control_characters(capsys: Captured) -> None:
    asking.show(pa.table({"route": [HOSTILE]}), options.Format.json, None)
    out = capsys.readouterr().out
    assert json.loads(out) == [{"route": HOSTILE}]
    assert out.strip().replace("\n", "").isprintable()


def test_csv_is_exact_in_a_pipe_and_harmless_on_a_terminal(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = pa.table({"route": [HOSTILE]})
    asking.show(result, options.Format.csv, None)
    assert capsys.readouterr().out == f"route\n{HOSTILE}\n"
    monkeypatch.setattr(say, "to_terminal", lambda _: True)
    asking.show(result, options.Format.csv, None)
    assert capsys.readouterr().out == f"route\n{ESCAPED}\n"


def test_a_table_cut_to_the_terminal_names_what_it_leaves_out() -> None:
    lines = table.aligned(RESULT, width=25).splitlines()
    assert lines[0] == "route          packed"
    assert lines[-1].startswith("not shown for want of width: cited_rate, exact, day, seen, groups")


def test_the_last_column_that_has_room_is_cut_rather_than_left_out() -> None:
    result = pa.table({"line": [7], "reason": ["position is 0, but positions start at 1"]})
    assert table.aligned(result, width=30).splitlines() == [
        "line  reason",
        "   7  position is 0, but posi…",
    ]


def test_a_wide_character_takes_two_columns() -> None:
    lines = table.aligned(pa.table({"route": ["日本", "abcd"], "n": [1, 2]})).splitlines()
    assert lines[1:] == ["日本   1", "abcd   2"]


def test_json_is_exact_and_has_no_nan() -> None:
    rows = json.loads("\n".join(table.json_lines(RESULT)))
    assert rows[0] == {
        "route": "web",
        "packed": 1234567,
        "cited_rate": 1 / 3,
        "exact": True,
        "day": "2026-11-16",
        "seen": "2026-11-16T09:30:00+00:00",
        "groups": [1, 2],
    }
    assert rows[1]["cited_rate"] is None
    assert rows[1]["route"] == "a\x1b[31mb"


def test_csv_is_exact_and_null_is_empty() -> None:
    text = "\n".join(table.csv_lines(RESULT.select(["route", "cited_rate", "exact", "groups"])))
    header, first, _, last = csv.reader(io.StringIO(text))
    assert header == ["route", "cited_rate", "exact", "groups"]
    assert first == ["web", repr(1 / 3), "true", "[1, 2]"]
    assert last == ["", "", "", ""]


def test_an_empty_result_is_a_header_in_csv_and_an_empty_list_in_json() -> None:
    empty = RESULT.slice(0, 0).select(["route", "packed"])
    assert list(table.csv_lines(empty)) == ["route,packed"]
    assert json.loads("\n".join(table.json_lines(empty))) == []
    assert table.aligned(empty) == "route  packed"


@pytest.mark.parametrize("ending", ["csv", "json", "parquet", "txt"])
def test_the_ending_of_the_output_says_the_format(tmp_path: Path, ending: str) -> None:
    small = RESULT.select(["packed"]).slice(0, 2)
    file = tmp_path / f"answer.{ending}"
    asking.show(small, None, file)
    read = {
        "csv": lambda: file.read_text() == "packed\n1234567\n0\n",
        "json": lambda: json.loads(file.read_text())[0] == {"packed": 1234567},
        "parquet": lambda: parquet.read_table(file).equals(small),
        "txt": lambda: file.read_text().startswith("   packed\n1,234,567\n"),
    }
    assert read[ending]()


def write_half_of(file: Path) -> None:
    with files.written_whole(file) as part:
        part.write_text("half of the n")
        raise OSError(errno.ENOSPC, "No space left on device")


def test_a_file_that_cannot_be_written_whole_leaves_the_old_one(tmp_path: Path) -> None:
    file = tmp_path / "answer.csv"
    file.write_text("as it was")
    with pytest.raises(OSError, match="No space left") as raised:
        write_half_of(file)
    assert raised.value.filename == str(file)
    assert file.read_text() == "as it was"
    assert list(tmp_path.iterdir()) == [file]


def test_a_device_is_written_to_and_not_replaced() -> None:
    asking.show(RESULT.select(["packed"]), options.Format.csv, Path("/dev/null"))
    assert Path("/dev/null").is_char_device()


def test_an_ending_that_says_nothing_asks_for_a_format(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"the ending \.xlsx says no format; add --format"):
        asking.show(RESULT, None, tmp_path / "answer.xlsx")
    asking.show(RESULT.select(["packed"]), options.Format.csv, tmp_path / "answer.dat")
    assert (tmp_path / "answer.dat").read_text().startswith("packed\n")


def test_an_empty_parameter_value_means_null() -> None:
    assert asking.given(["week=2026-W47", "route=", "label=a=b"]) == {
        "week": "2026-W47",
        "route": None,
        "label": "a=b",
    }


def test_progress_is_shown_on_a_terminal_only(monkeypatch: pytest.MonkeyPatch) -> None:
    with progress.shown() as tell:
        assert tell is None
    monkeypatch.setattr(say, "to_terminal", lambda _: True)
    with progress.shown() as tell:
        assert tell is not None
        tell("logs/a.jsonl", 10, 100)
        tell("logs/a.jsonl", 100, 100)


def test_no_color_is_respected(repo_root: Path) -> None:
    command = [sys.executable, "-c", "from analyzer.cli.main import main; main()", "--help"]
    environment = os.environ | {"NO_COLOR": "1", "FORCE_COLOR": ""}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert "\x1b" not in done.stdout
