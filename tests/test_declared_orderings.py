"""An ordering that requests declare and do not have is said wherever orderings are shown."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from analyzer import report, store
from analyzer.cli import main
from analyzer.ingest import ingest
from analyzer.measures.declared import contradictions
from analyzer.measures.rows import week_of
from analyzer.report import forms

MONDAY = date(2026, 11, 16)
OTHERWISE = (
    "66.7% of 60 requests that declare best first are ordered otherwise, most of them best last"
)
STRANGE = (
    "60 requests declare relevance, a name that stands for no known ordering; most are seen to be "
    "best first"
)


def request(number: int, route: str, declared: str | None, *, reversed_: bool) -> dict[str, Any]:
    """Six chunks of six documents, best first or last."""
    ranks = range(6, 0, -1) if reversed_ else range(1, 7)
    moment = datetime(2026, 11, 16, 9, tzinfo=UTC) + timedelta(hours=number)
    chunks = [
        {
            "chunk_id": f"c{rank}",
            "doc_id": f"d{rank * 7 % 13}",
            "rank": rank,
            "position": place,
            "cited": rank == 1,
        }
        for place, rank in enumerate(ranks, start=1)
    ]
    return {
        "request_id": f"{route}-{number}",
        "requested_at": moment.isoformat(),
        "route": route,
        "chunks": chunks,
        **({"ordering": declared} if declared else {}),
    }


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`code` declares best first and two thirds are best last; `docs` is what it declares, but
    for one; `faq` declares a name of its own; `wiki` declares nothing."""
    lines = [
        request(n, route, declared, reversed_=n % every < part)
        for route, declared, every, part in (
            ("code", "best_first", 3, 2),
            ("docs", "best_first", 60, 1),
            ("faq", "relevance", 60, 1),
            ("wiki", None, 2, 1),
        )
        for n in range(60)
    ]
    folder = tmp_path_factory.mktemp("declared")
    log = folder / "log.jsonl"
    log.write_text("".join(json.dumps(line) + "\n" for line in lines))
    made = folder / "store.duckdb"
    batches = ingest([str(log)], made, now=datetime(2026, 12, 1, tzinfo=UTC))
    assert [batch.loaded for batch in batches] == [240]
    return made


def test_what_many_requests_do_not_have_is_said_by_route(file: Path) -> None:
    with store.reader(file) as con:
        assert contradictions(con, week_of(MONDAY)) == {"code": [OTHERWISE], "faq": [STRANGE]}


def test_the_terminal_says_it_under_the_shares(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main.run(["orderings", "--store", str(file)]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[-2:] == [f"code: {OTHERWISE}", f"faq: {STRANGE}"]


def test_json_counts_it_by_day_and_ordering(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["orderings", "--store", str(file), "--format", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    otherwise = {
        (row["route"], row["ordering"], row["day"]): row["declared_otherwise"]
        for row in rows
        if row["declared_otherwise"]
    }
    # 15 requests on the first day, 24 on the second, 21 on the third; of three the first two.
    assert otherwise == {
        ("code", "best_last", "2026-11-16"): 10,
        ("code", "best_last", "2026-11-17"): 16,
        ("code", "best_last", "2026-11-18"): 14,
        ("docs", "other", "2026-11-16"): 1,  # one request alone is no ordering in use
    }


def test_the_report_says_it_in_its_panel_and_in_its_json(file: Path, tmp_path: Path) -> None:
    with store.reader(file) as con:
        made = report.build(con, week=MONDAY, version="1")
    for name in ("r.html", "r.json"):
        forms.write(made, tmp_path / name)
        assert OTHERWISE in (tmp_path / name).read_text()
