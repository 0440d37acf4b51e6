"""The small samples of every format: recognised, loaded together, made again from their script."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from imported import Json, format_of, records, told
from loading.sites import Site

from analyzer.errors import CitelogError
from analyzer.sources.formats.catalogue import FORMATS

FOUND = {
    "alce.json": "alce",
    "anthropic.jsonl": "anthropic",
    "anthropic_stream.txt": "anthropic",
    "azure.json": "azure",
    "azure_stream.txt": "azure",
    "bedrock.json": "bedrock",
    "bedrock_stream.jsonl": "bedrock",
    "cohere.jsonl": "cohere",
    "cohere_rerank.jsonl": "cohere",
    "gemini.json": "gemini",
    "haystack.jsonl": "haystack",
    "langchain.jsonl": "langchain",
    "langfuse_observations.jsonl": "langfuse",
    "langfuse_scores.jsonl": "langfuse",
    "langsmith_feedback.jsonl": "langsmith_feedback",
    "langsmith_runs.jsonl": "langsmith",
    "llamaindex.jsonl": "llamaindex",
    "openai.json": "openai",
    "openinference.otlp.jsonl": "openinference",
    "otel_genai.otlp.jsonl": "otel_genai",
    "phoenix_annotations.jsonl": "phoenix_annotations",
    "phoenix_rest_spans.json": "openinference",
    "phoenix_spans.csv": "openinference",
    "phoenix_spans.parquet": "openinference",
    "traceloop.otlp.jsonl": "traceloop",
    "trec_candidates.jsonl": "trec_rag",
    "trec_rag.jsonl": "trec_rag",
}


@pytest.fixture(scope="module")
def samples(repo_root: Path) -> Path:
    return repo_root / "sample_logs" / "formats"


@pytest.fixture(scope="module")
def site(samples: Path, tmp_path_factory: pytest.TempPathFactory) -> Site:
    site = Site(tmp_path_factory.mktemp("formats"))
    batches = site.load(samples / "*")
    assert all(batch.state == "loaded" and not batch.rejected for batch in batches)
    return site


def test_looking_is_right_on_every_sample_and_every_format_has_one(samples: Path) -> None:
    assert {path.name: format_of(path) for path in samples.iterdir()} == FOUND
    assert {known.name for known in FORMATS} <= set(FOUND.values())


def test_they_are_made_again_from_their_script(
    samples: Path, repo_root: Path, tmp_path: Path
) -> None:
    script = repo_root / "sample_logs" / "samples" / "make.py"
    subprocess.run([sys.executable, script, tmp_path], check=True)
    for path in samples.iterdir():
        if path.suffix != ".parquet":  # holds the version of its writer
            assert (tmp_path / path.name).read_bytes() == path.read_bytes(), path.name


def places(record: Json) -> list[tuple[str, int, int]]:
    return [(chunk["chunk_id"], chunk["rank"], chunk["position"]) for chunk in record["chunks"]]


def test_one_prompt_is_one_prompt_in_every_trace(samples: Path) -> None:
    """Three tools that log texts and prompts tell the same of the same requests."""
    want = None
    for name in (
        "openinference.otlp.jsonl",
        "phoenix_rest_spans.json",
        "phoenix_spans.csv",
        "phoenix_spans.parquet",
        "traceloop.otlp.jsonl",
        "langsmith_runs.jsonl",
        "langfuse_observations.jsonl",
    ):
        found = [record for record in records(samples / name) if "chunks" in record]
        told = [
            (
                record["answer"],
                [(c["chunk_id"], c["rank"], c["position"]) for c in record["chunks"]],
            )
            for record in found
        ]
        want = want or told
        assert told == want, name
    assert want is not None
    assert want[0] == (
        "Wax it once a year [3]; do not pack it wet [1].",
        [("care#0", 1, 3), ("care#1", 2, 1), ("ret#0", 3, 2)],
    )


def test_what_each_of_them_cannot_tell_is_in_the_store(site: Site) -> None:
    origins = dict(
        site.rows(
            "SELECT parse_filename(file), string_agg(DISTINCT exposure || ' ' || position_origin) "
            "FROM requests JOIN memberships USING (request_id) JOIN batches USING (batch) "
            "GROUP BY ALL"
        )
    )
    assert origins["openinference.otlp.jsonl"] == "packed derived"
    assert origins["otel_genai.otlp.jsonl"] == "packed assumed"
    assert origins["anthropic_stream.txt"].startswith("cited_only")
    assert origins["gemini.json"].startswith("cited_only")
    assert origins["trec_rag.jsonl"].startswith("pruned")
    assert origins["openai.json"].startswith("pruned")


def test_labels_of_three_tools_reach_their_requests(site: Site) -> None:
    judged = site.rows(
        "SELECT right(request_id, 3), correct FROM requests WHERE correct IS NOT NULL "
        "ORDER BY request_id"
    )
    assert sorted(judged) == [
        ("000", True),
        ("001", False),
        ("0c0", True),
        ("0c2", False),
        ("f-1", True),
    ]


def test_the_bytes_of_gemini_and_the_documents_that_azure_filtered(samples: Path) -> None:
    [gemini] = records(samples / "gemini.json")
    assert [chunk["doc_id"] for chunk in gemini["chunks"]] == ["returns.md"]
    assert gemini["prompt_tokens"] == 70
    [azure] = records(samples / "azure.json")
    assert [(c["doc_id"], c["rank"], c.get("position")) for c in azure["chunks"]] == [
        ("returns.md", 2, 1),
        ("returns.md", 1, 2),
        ("shipping.md", 3, None),
    ]
    assert azure["citations"] == [2]


def test_streams_reranks_and_candidates_are_put_together(samples: Path, site: Site) -> None:
    [azure] = records(samples / "azure_stream.txt")
    assert (azure["answer"], azure["citations"]) == ("Sealed [doc2] only.", [2])
    [bedrock] = records(samples / "bedrock_stream.jsonl")
    assert (bedrock["answer"], bedrock["exposure"]) == ("On the same day.", "cited_only")
    [cohere] = records(samples / "cohere_rerank.jsonl")
    assert [(c.get("rank"), c.get("position")) for c in cohere["chunks"]] == [
        (3, 1),
        (1, 2),
        (2, None),
    ]
    ranks = (
        "SELECT chunk_id, rank FROM chunks WHERE request_id = 'sample-run/topic-0' ORDER BY rank"
    )
    assert site.rows(ranks) == [("care#0", 1), ("care#1", 2), ("ret#0", 3)]


def test_alce_shows_only_the_first_documents(samples: Path) -> None:
    [found] = records(samples / "alce.json")
    assert [(c["chunk_id"], c["position"]) for c in found["chunks"]] == [
        ("care#0", 1),
        ("care#1", 2),
        ("ship#0", 3),
    ]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("notes.txt", b"Dear diary,\nnothing happened.\n", "it holds no JSON"),
        ("events.jsonl", b'{"level":"info","msg":"started"}\n', "its objects have 'level', 'msg'"),
        ("list.json", b"[1, 2, 3]", "it holds JSON that is no object"),
    ],
)
def test_what_is_no_log_says_what_was_looked_for(
    tmp_path: Path, name: str, content: bytes, said: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(CitelogError) as error:
        format_of(path)
    assert f"{path}: is not a citation log: {said}; looked for citation log records" in str(
        error.value
    )
    assert all(known.name in str(error.value) for known in FORMATS)


def test_an_image_and_an_empty_file(tmp_path: Path) -> None:
    image = tmp_path / "chart.png"
    image.write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
    with pytest.raises(CitelogError, match="its content is not text; expected JSON lines"):
        format_of(image)
    empty = tmp_path / "empty.jsonl"
    empty.write_bytes(b"")
    assert records(empty) == []
    assert "is empty; looked for citation log records" in told(empty)
