"""Published facts of real files, through the importers and mapping files that are shipped."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path

import pytest
from imported import records, told
from loading.sites import Site

from analyzer.sources.formats.trec import sentences

NOMIRACL = {
    # answers with a marker, markers, answers citing position 1..10
    "llama-2-70b-chat": (204, 436, [201, 53, 57, 55, 10, 14, 12, 8, 6, 4]),
    "llama-2-13b-chat": (96, 418, [83, 31, 48, 32, 41, 40, 41, 33, 37, 31]),
    "Mixtral-8x7B-Instruct-v0.1": (77, 153, [67, 20, 16, 9, 7, 10, 7, 7, 5, 5]),
}
WITH_RANGE = "llama-2-70b-chat"  # one answer holds [2-10], which those counts leave out
MODELS = 11


def here(shared_data: Path, *parts: str) -> Path:
    path = shared_data.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"{'/'.join(parts)} is not beside this checkout (../shared/data)")
    return path


@pytest.fixture(scope="module")
def nomiracl(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Site:
    site = Site(tmp_path_factory.mktemp("nomiracl"))
    [batch] = site.load(here(shared_data, "nomiracl", "relevant.en.test.jsonl"))
    assert (batch.format, batch.read, batch.loaded) == ("nomiracl", 250 * MODELS, 250 * MODELS)
    return site


@pytest.fixture(scope="module")
def rankllm(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Site:
    site = Site(tmp_path_factory.mktemp("rankllm"))
    [batch] = site.load(here(shared_data, "rankllm", "bm25_dl21.json.gz"))
    assert (batch.format, batch.read, batch.loaded) == ("rankllm", 53, 53)
    return site


@pytest.fixture(scope="module")
def path(shared_data: Path) -> Path:
    return here(shared_data, "trec_rag24", "command-r-plus_top20.jsonl.gz")


class TestNomiracl:
    def test_every_prompt_has_ten_passages_without_a_copy(self, nomiracl: Site) -> None:
        assert nomiracl.rows("SELECT DISTINCT packed, retrieved FROM requests") == [(10, 10)]
        assert nomiracl.rows("SELECT sum(redundant_exact)::INT FROM days") == [(0,)]
        assert nomiracl.rows(
            "SELECT count(*) - count(DISTINCT (request_id, chunk_id)) FROM chunks"
        ) == [(0,)]

    @pytest.mark.parametrize("model", NOMIRACL)
    def test_the_markers_of_a_model(self, nomiracl: Site, model: str) -> None:
        answers, markers, citing = NOMIRACL[model]
        if model == WITH_RANGE:
            markers, citing = markers + 9, [citing[0], *(count + 1 for count in citing[1:])]
        [counts] = nomiracl.rows(
            "SELECT count(*) FILTER (citations > 0), sum(citations)::INT, sum(stray)::INT "
            f"FROM requests WHERE model = '{model}'"
        )
        assert counts == (answers, markers, 0)
        cited = nomiracl.rows(
            "SELECT sum(cited)::INT FROM cells_by_position "
            f"WHERE model = '{model}' GROUP BY position ORDER BY position"
        )
        assert [count for (count,) in cited] == citing

    def test_nothing_is_said_of_ranks(self, nomiracl: Site) -> None:
        assert nomiracl.rows("SELECT DISTINCT ordering_seen FROM requests") == [("unranked",)]


class TestRankllm:
    def test_the_top_twenty_of_53_queries(self, rankllm: Site) -> None:
        assert rankllm.rows("SELECT sum(packed)::INT, sum(retrieved)::INT FROM requests") == [
            (1060, 5300)
        ]

    def test_later_copies_by_the_normalised_hash(self, rankllm: Site) -> None:
        assert rankllm.rows("SELECT sum(redundant_exact)::INT FROM days") == [(130,)]

    def test_rank_follows_the_score_without_exception(self, shared_data: Path) -> None:
        for each in records(here(shared_data, "rankllm", "bm25_dl21.json.gz")):
            scores = [c["score"] for c in sorted(each["chunks"], key=lambda c: c["rank"])]
            assert scores == sorted(scores, reverse=True)

    def test_the_place_in_a_prompt_is_assumed(self, rankllm: Site) -> None:
        assert rankllm.rows("SELECT DISTINCT position_origin FROM requests") == [("assumed",)]


class TestTrecRag:
    """command-r-plus of TREC RAG 2024: citations are known, places in the prompt are not."""

    def test_sentences_and_their_citations(self, path: Path) -> None:
        said = [s for line in gzip.open(path) for s in sentences(json.loads(line))]
        assert len(said) == 3690
        assert sum(not each.citations for each in said) == 329
        assert sum(len(each.citations) for each in said) == 7799

    def test_references_and_which_were_cited(self, path: Path) -> None:
        found = records(path)
        assert len(found) == 301
        assert sum(len(each["chunks"]) for each in found) == 3356
        assert sum(not each["chunks"] for each in found) == 3
        uncited = [
            chunk
            for each in found
            for chunk in each["chunks"]
            if chunk["marker"] not in each["citations"]
        ]
        assert len(uncited) == 9
        to_index = Counter(index for each in found for index in each["citations"])
        assert [to_index[index] for index in range(5)] == [1076, 1037, 936, 737, 621]
        assert sum(to_index.values()) == 7799

    def test_no_measure_of_position_is_made_and_it_is_said_why(
        self, path: Path, tmp_path: Path
    ) -> None:
        site = Site(tmp_path)
        [batch] = site.load(path)
        assert (batch.read, batch.loaded, batch.rejected) == (301, 301, 0)
        assert "need not be the prompt's: no cited rate and no measure of position" in str(
            batch.note
        )
        assert site.rows("SELECT DISTINCT exposure, packed FROM requests") == [("pruned", None)]
        assert site.rows("SELECT count(*) FROM cells") == [(0,)]
        assert site.rows("SELECT count(*) FROM cells_by_position") == [(0,)]

    def test_what_cannot_be_told_is_said_without_loading(self, path: Path) -> None:
        assert told(path).startswith(f"{path}: 301 requests list a used part of what was packed")
