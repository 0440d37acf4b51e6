"""Real answers with `[n]` markers, 250 questions of nomiracl by three models, through the store."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from loading.records import TIME
from loading.sites import Site

PASSAGES = 10
FACTS = {
    # answers with a marker, markers, answers citing position 1..10; plain [n] and [n, m] markers
    "llama-2-70b-chat": (204, 436, [201, 53, 57, 55, 10, 14, 12, 8, 6, 4]),
    "llama-2-13b-chat": (96, 418, [83, 31, 48, 32, 41, 40, 41, 33, 37, 31]),
    "Mixtral-8x7B-Instruct-v0.1": (77, 153, [67, 20, 16, 9, 7, 10, 7, 7, 5, 5]),
}
# One answer holds the range [2-10], which those counts leave out: one more at each of 2..10.
WITH_RANGE = "llama-2-70b-chat"


def converted(line: str) -> list[dict[str, Any]]:
    """One line of nomiracl, eleven answers to one prompt, as records of the three models."""
    told = json.loads(line)
    contexts = told["prompt"].split("CONTEXTS:\n", 1)[1].split("\n\nOUTPUT", 1)[0]
    passages = [text.strip() for text in re.split(r"^\[\d+\] ", contexts, flags=re.MULTILINE)[1:]]
    chunks = [
        {"chunk_id": name, "position": place, "text": text}
        for place, (name, text) in enumerate(zip(told["docids"], passages, strict=True), 1)
    ]
    return [
        {
            "request_id": f"{model}/{told['query_id']}",
            "requested_at": TIME,
            "model": model,
            "answer": told["results"][model],
            "chunks": chunks,
        }
        for model in FACTS
    ]


@pytest.fixture(scope="module")
def site(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Site:
    source = shared_data / "nomiracl" / "relevant.en.test.jsonl"
    if not source.exists():
        pytest.skip("nomiracl is not beside this checkout (../shared/data/nomiracl)")
    site = Site(tmp_path_factory.mktemp("nomiracl"))
    lines = source.read_text(encoding="utf-8").splitlines()
    batch = site.load_log("nomiracl.jsonl", *(each for line in lines for each in converted(line)))
    assert (batch.read, batch.loaded, batch.rejected) == (750, 750, 0)
    return site


def counted(site: Site, model: str) -> tuple[int, int, list[int]]:
    [(answers, citations)] = site.rows(
        "SELECT count(*) FILTER (citations > 0), sum(citations)::INT "
        f"FROM requests WHERE model = '{model}'"
    )
    cited = site.rows(
        "SELECT sum(cited)::INT FROM cells_by_position "
        f"WHERE model = '{model}' GROUP BY position ORDER BY position"
    )
    return answers, citations, [count for (count,) in cited]


@pytest.mark.parametrize("model", FACTS)
def test_the_store_holds_the_published_counts(site: Site, model: str) -> None:
    answers, markers, citing = FACTS[model]
    if model == WITH_RANGE:
        markers, citing = markers + 9, [citing[0], *(count + 1 for count in citing[1:])]
    assert counted(site, model) == (answers, markers, citing)


def test_no_marker_is_out_of_range(site: Site) -> None:
    assert site.rows("SELECT sum(stray)::INT, sum(citations_known)::INT FROM days") == [(0, 750)]


def test_the_rest_of_the_answers_is_citation_free(site: Site) -> None:
    free = site.rows("SELECT model, sum(citation_free)::INT FROM days GROUP BY model")
    assert dict(free) == {model: 250 - answers for model, (answers, _, _) in FACTS.items()}


def test_every_prompt_has_ten_passages_without_a_copy(site: Site) -> None:
    assert site.rows("SELECT DISTINCT packed, retrieved, compared FROM requests") == [
        (PASSAGES, PASSAGES, PASSAGES)
    ]
    assert site.rows("SELECT sum(redundant_exact)::INT FROM days") == [(0,)]


def test_citations_are_known_to_be_parsed(site: Site) -> None:
    assert site.rows("SELECT DISTINCT cited_origin FROM requests") == [("parsed",)]


def test_without_ranks_no_ordering_is_seen(site: Site) -> None:
    assert site.rows("SELECT DISTINCT ordering_seen FROM requests") == [("unranked",)]
    assert site.rows("SELECT count(*) FROM ranks") == [(0,)]


def test_no_text_is_kept(site: Site) -> None:
    columns = site.rows(
        "SELECT table_name, column_name FROM duckdb_columns() "
        "WHERE data_type = 'VARCHAR' AND table_name NOT LIKE 'duckdb%' AND NOT internal"
    )
    for table, column in columns:
        [(longest,)] = site.rows(f'SELECT max(length("{column}")) FROM "{table}"')
        assert (longest or 0) < 200, (table, column)
