"""What is proposed loses neither cited nor expected chunks, and rests on enough answers."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from analyzer import store
from analyzer.cli import main
from analyzer.cli.what_if_words import told
from analyzer.ingest import ingest
from analyzer.report.prices import Given
from analyzer.report.tables.what_if import what_if_rows
from analyzer.whatif import best_changes

Captured = pytest.CaptureFixture[str]
Json = dict[str, Any]
WEEK = date(2026, 11, 9)
K = 5


def answer(route: str, number: int, expected: int | None, cites: bool = True) -> Json:
    """Five chunks of 100 tokens, best first; the first is cited, one rank may be expected."""
    name = f"{route}-{number}"
    chunks = [
        {"chunk_id": f"{name}-{at}", "rank": at, "position": at, "tokens": 100}
        | {"cited": cites and at == 1}
        for at in range(1, K + 1)
    ]
    labels = {} if expected is None else {"expected_chunk_ids": [f"{name}-{expected}"]}
    asked = f"2026-11-{9 + number % 5:02}T10:{number % 60:02}:00Z"
    return {"request_id": name, "requested_at": asked, "route": route, "chunks": chunks} | labels


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A route whose labels want the third chunk, one that nearly all want the first, and others."""
    folder = tmp_path_factory.mktemp("best")
    records = [
        *(answer("third", n, 3) for n in range(200)),
        *(answer("one-in-a-hundred", n, 3 if n == 0 else 1) for n in range(100)),
        *(answer("two-in-a-hundred", n, 3 if n < 2 else 1) for n in range(100)),
        *(answer("unlabelled", n, None) for n in range(50)),
        *(answer("few", n, None) for n in range(49)),
        *(answer("uncited", n, None, cites=False) for n in range(60)),
    ]
    (folder / "log.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    ingest([folder / "log.jsonl"], folder / "s.duckdb", now=datetime(2027, 1, 1, tzinfo=UTC))
    return folder / "s.duckdb"


@pytest.mark.parametrize(
    ("route", "top_k"),
    [
        ("third", [3]),
        ("one-in-a-hundred", [1]),
        ("two-in-a-hundred", [3]),
        ("unlabelled", [1]),
        ("few", []),
        ("uncited", []),
    ],
)
def test_the_tightest_top_k_keeps_what_is_cited_and_expected(
    loaded: Path, route: str, top_k: list[int]
) -> None:
    with store.reader(loaded) as con:
        rows = best_changes(con, WEEK, route).to_pylist()
    assert [row["top_k"] for row in rows if row["top_k"]] == top_k
    for row in rows:
        assert (row["expected_lost"] or 0) <= 0.01 * (row["expected_packed"] or 0)


def test_the_report_shows_expected_chunks_lost_and_says_who_is_too_few(loaded: Path) -> None:
    with store.reader(loaded) as con:
        rows = what_if_rows(con, WEEK, Given()).to_pylist()
    found = {row["route"]: row for row in rows if row["change"] in ("top-k 1", "top-k 3", "none")}
    shown = ("tokens_saved", "expected_lost", "expected_packed")
    assert [found["one-in-a-hundred"][name] for name in shown] == [40_000, 1, 100]
    assert [found["third"][name] for name in shown] == [40_000, 0, 200]
    assert [found["unlabelled"][name] for name in shown] == [20_000, None, None]
    assert found["few"]["change"] == "none"
    assert found["few"]["told"] == (
        "few: no change is proposed from fewer than 50 answers of known citations whose prompts "
        "can be packed again, and it has 49."
    )
    assert found["uncited"]["told"] == "uncited: no change that was tried gains anything."


def test_the_command_says_what_is_proposed_and_who_is_too_few(
    loaded: Path, capsys: Captured
) -> None:
    asked = ["what-if", "--store", str(loaded), "--week", "2026-W46"]
    assert main.run(asked) == 0
    said = capsys.readouterr().out
    assert "third: top-k 3\n" in said
    assert "third: top-k 1\n" not in said
    assert "99.0% would be (1 lost)" in said
    assert "at most one in a hundred of the expected chunks that are packed" in said
    assert said.splitlines()[-1] == (
        "few: 49 answers of known citations can be packed again; "
        "no change is proposed from fewer than 50"
    )
    assert main.run([*asked, "--route", "few"]) == 5
    assert "from fewer than 50 answers of known citations" in capsys.readouterr().err


def test_a_change_that_is_asked_for_is_told_whatever_it_loses(
    loaded: Path, capsys: Captured
) -> None:
    asked = ["what-if", "--store", str(loaded), "--week", "2026-W46", "--route", "third"]
    assert main.run([*asked, "--top-k", "1"]) == 0
    said = capsys.readouterr().out
    assert "100.0% of 200 expected chunks are packed; 0.0% would be (200 lost)" in said
    assert "Proposed" not in said


def test_a_refusal_that_holds_for_several_routes_is_said_once(
    loaded: Path, capsys: Captured
) -> None:
    assert main.run(["effect", "--store", str(loaded), "--week", "2026-W46"]) == 0
    said = capsys.readouterr().out
    assert said.count("  NO_POSITION_VARIATION\n") == 6
    assert said.count("Rank and position cannot be separated") == 1
    assert said.count("  As on few: see there.\n") == 5


@pytest.mark.parametrize(
    ("lost", "copied", "cited", "said"),
    [
        (0, 0, 0, "cited: no answer is known to cite a chunk"),
        (0, 0, 1, "cited: the only cited chunk would be packed"),
        (0, 0, 7, "cited: all 7 cited chunks would be packed"),
        (1, 0, 1, "cited: 1 of 1 cited chunk (100.0%) would not be packed"),
        (2, 1, 8, "cited: 2 of 8 cited chunks (25.0%) would not be packed, 1 of which leaves a"),
        (2, 2, 8, "cited: 2 of 8 cited chunks (25.0%) would not be packed, 2 of which leave a"),
    ],
)
def test_one_is_told_as_one(lost: int, copied: int, cited: int, said: str, loaded: Path) -> None:
    with store.reader(loaded) as con:
        [row, *_] = best_changes(con, WEEK, "third").to_pylist()
    row |= {"cited_lost": lost, "lost_with_copy": copied, "cited": cited}
    assert any(line.startswith(f"  {said}") for line in told([row], "in W46"))
