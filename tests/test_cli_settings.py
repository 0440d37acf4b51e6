"""Settings on the command line: `citelog --set KEY=VALUE` before any command."""

from __future__ import annotations

from pathlib import Path

import pytest

from analyzer.cli import main

Captured = pytest.CaptureFixture[str]

LINE = '{"request_id": "a", "requested_at": "2026-11-18T12:00:00", "chunks": []}\n'


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "log.jsonl").write_text(LINE)
    return tmp_path


def test_a_pair_wins_over_variable_and_file(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("citelog.toml").write_text('store = "file.duckdb"\n[inputs]\nassume_timezone = "Z"\n')
    monkeypatch.setenv("CITELOG_INPUTS_ASSUME_TIMEZONE", "+09:00")
    assert main.run(["--set", "store=pair.duckdb", "ingest", "log.jsonl"]) == 0
    assert Path("pair.duckdb").exists()
    assert not Path("file.duckdb").exists()


def test_an_option_of_the_command_wins_over_a_pair() -> None:
    pairs = ["--set", "store=pair.duckdb", "--set", "inputs.assume_timezone=Z"]
    assert main.run([*pairs, "ingest", "log.jsonl", "--store", "option.duckdb"]) == 0
    assert Path("option.duckdb").exists()
    assert not Path("pair.duckdb").exists()


def test_a_wrong_pair_is_answered_with_the_nearest_name(capsys: Captured) -> None:
    assert main.run(["--set", "stor=a", "batches"]) == 2
    assert capsys.readouterr().err.startswith("--set stor: the file has no setting stor; the near")


def test_the_night_takes_pairs_before_and_after_its_name(capsys: Captured) -> None:
    pairs = ["--set", "store=night.duckdb", "--set", "inputs.assume_timezone=Z"]
    assert main.run([*pairs, "nightly", "--set", "inputs.paths=log.jsonl"]) == 0
    assert "1 line = 1 loaded" in capsys.readouterr().out
    assert Path("night.duckdb").exists()


OWN = """
[request]
request_id = "qid"
[chunks]
from = "hits"
[chunk]
chunk_id = "key"
position = "place"
text = "body"
"""


@pytest.mark.parametrize("command", [["nightly", "--input", "own.jsonl"], ["ingest", "own.jsonl"]])
def test_a_mapping_of_the_file_is_used(command: list[str], capsys: Captured) -> None:
    Path("own.toml").write_text(OWN)
    Path("own.jsonl").write_text('{"qid": 1, "hits": [{"key": "a", "place": 1, "body": "b"}]}\n')
    Path("citelog.toml").write_text('[inputs]\nmapping = "own.toml"\n')
    assert main.run(command) == 0
    assert "1 line = 1 loaded" in capsys.readouterr().out
