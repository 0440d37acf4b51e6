"""Every recording becomes the record that a person would write by hand, from the format's rules."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from imported import format_of, read, records, told, without_texts

Json = dict[str, Any]


@pytest.fixture(scope="module")
def recordings(shared_data: Path) -> Path:
    folder = shared_data / "recordings"
    if not folder.is_dir():
        pytest.skip("recordings are not beside this checkout (../shared/data/recordings)")
    return folder


VACATION = "Vacation requests are submitted through the HR portal."
MANAGERS = "Managers approve vacation requests within five days."
CAFETERIA = "The cafeteria opens at eight in the morning."
ANSWER = "Submit it in the HR portal [1]; a manager approves it within five days [2]."
FOUND = {"rank": "derived", "position": "derived", "tokens": "estimated"}

# Tokens are a quarter of the bytes: 54 -> 14, 52 -> 13, 44 -> 11.
LANGCHAIN_CHUNKS = [
    {
        "chunk_id": "policy-1#0",
        "doc_id": "policy-1",
        "rank": 1,
        "score": 0.91,
        "position": 1,
        "text": VACATION,
        "tokens": 14,
    },
    {
        "chunk_id": "policy-1#1",
        "doc_id": "policy-1",
        "rank": 2,
        "score": 0.87,
        "position": 2,
        "text": MANAGERS,
        "tokens": 13,
    },
    {
        "chunk_id": "faq-7#3",
        "doc_id": "faq-7",
        "rank": 3,
        "score": 0.42,
        "position": 3,
        "text": CAFETERIA,
        "tokens": 11,
    },
]
# Ids are only in output.value, scores only in the metadata; neither is on the document itself.
LANGCHAIN = {
    "request_id": "bb4c7007cf43eab0ddaafd7b078933c7",
    "revision": 9,
    "requested_at": "2026-11-30T02:57:54.010457+00:00",
    "route": "rag",
    "unit_id": "s-1",
    "prompt_tokens": 120,
    "answer_tokens": 21,
    "answer": ANSWER,
    "chunks": LANGCHAIN_CHUNKS,
    "origins": FOUND,
}
HAYSTACK = {
    "request_id": "7ff447f26733ba3df30b5decb1288adb",
    "revision": 5,
    "requested_at": "2026-11-30T02:58:23.084042+00:00",
    "route": "Pipeline.run",
    "model": "fake-1",
    "prompt_tokens": 120,
    "answer_tokens": 21,
    "answer": "Submit it in the HR portal [1]; approved in five days [2].",
    "chunks": [
        {
            "chunk_id": "policy-1#0",
            "doc_id": "policy-1",
            "rank": 1,
            "score": 2.3755,
            "position": 1,
            "text": VACATION,
            "tokens": 14,
        },
        {
            "chunk_id": "policy-1#1",
            "doc_id": "policy-1",
            "rank": 2,
            "score": 1.2017,
            "position": 2,
            "text": MANAGERS,
            "tokens": 13,
        },
    ],
    "origins": FOUND,
}


def llamaindex_chunk(name: str, document: str, **places: Any) -> Json:
    return {"chunk_id": name, "doc_id": document, **places}


# The reranker gave the order of the prompt. CitationQueryEngine split the third chunk in two, so
# the prompt calls its parts 3 and 4; the markers [2, 3] cite the second and the third chunk.
LLAMAINDEX = {
    "request_id": "f44a513152fb92352be85bc0566cc265",
    "revision": 16,
    "requested_at": "2026-11-30T02:59:06.325491+00:00",
    "route": "CitationQueryEngine.query",
    "model": "fake-1",
    "prompt_tokens": 120,
    "answer_tokens": 21,
    "citations": [1, 2, 3],
    "chunks": [
        llamaindex_chunk(
            "policy-1#0", "policy-1.md", rank=1, position=1, score=0.91, rerank_score=6.1
        ),
        llamaindex_chunk(
            "policy-1#1", "policy-1.md", rank=2, position=2, score=0.87, rerank_score=5.7
        ),
        llamaindex_chunk("faq-7#3", "faq-7.md", rank=3, position=3, score=0.42, rerank_score=1.2),
    ],
    "origins": {**FOUND, "cited": "parsed"},
}
# A reranker without events is a CHAIN: its scores are lost, and the prompt has another order than
# the retriever gave.
UNSEEN_RERANKER = {
    **LLAMAINDEX,
    "request_id": "10d8de53accbab587559b45a922ae031",
    "requested_at": "2026-11-30T02:57:59.785415+00:00",
    "chunks": [
        llamaindex_chunk("faq-7#3", "faq-7.md", rank=1, position=3, score=0.42),
        llamaindex_chunk("policy-1#1", "policy-1.md", rank=2, position=2, score=0.87),
        llamaindex_chunk("policy-1#0", "policy-1.md", rank=3, position=1, score=0.91),
    ],
}

ENCODINGS = [
    "rest_otlpv1.json",
    "rest_spans.json",
    "spans_dataframe.parquet",
    "spans_dataframe.jsonl",
    "spans_dataframe.csv",
]


def rounded(record: Json) -> Json:
    """Scores to four digits and times to the millisecond: encodings write them with fewer."""
    chunks = [
        {
            name: round(value, 4) if name in ("score", "rerank_score") else value
            for name, value in chunk.items()
        }
        for chunk in record["chunks"]
    ]
    moment = record["requested_at"][:23]
    return {**record, "chunks": chunks, "requested_at": moment}


class TestOpenInference:
    @pytest.mark.parametrize("encoding", ["otlp", *ENCODINGS])
    def test_langchain_ids_come_from_the_output_and_scores_from_metadata(
        self, recordings: Path, encoding: str
    ) -> None:
        [found] = records(openinference(recordings, "langchain", encoding))
        assert rounded(found) == rounded(LANGCHAIN)

    @pytest.mark.parametrize("encoding", ["otlp", *ENCODINGS])
    def test_a_prompt_builder_is_no_model(self, recordings: Path, encoding: str) -> None:
        [found] = records(openinference(recordings, "haystack", encoding))
        assert rounded(found) == rounded(HAYSTACK)

    def test_nested_retrievers_count_once_and_parts_of_a_chunk_are_the_chunk(
        self, recordings: Path
    ) -> None:
        [found] = records(openinference(recordings, "llamaindex", "otlp"))
        assert rounded(without_texts(found)) == rounded(LLAMAINDEX)

    @pytest.mark.parametrize("encoding", ENCODINGS)
    def test_the_order_of_the_prompt_is_found_where_no_reranker_is_logged(
        self, recordings: Path, encoding: str
    ) -> None:
        found = records(openinference(recordings, "llamaindex", encoding))
        both = sorted((rounded(without_texts(each)) for each in found), key=by_id)
        assert both == sorted([rounded(LLAMAINDEX), rounded(UNSEEN_RERANKER)], key=by_id)


def by_id(record: Json) -> str:
    return str(record["request_id"])


def openinference(recordings: Path, framework: str, encoding: str) -> Path:
    if encoding == "otlp":
        return recordings / "local" / f"{framework}_openinference.otlp.jsonl"
    return recordings / "openinference_phoenix" / f"phoenix_rag-{framework}_{encoding}"


class TestPhoenixAnnotations:
    @pytest.mark.parametrize("spans", ["rest_spans.json", "spans_dataframe.parquet"])
    def test_a_label_on_a_span_is_a_judgement_of_its_trace(
        self, recordings: Path, spans: str
    ) -> None:
        folder = recordings / "openinference_phoenix"
        found, refused = read(
            folder / "phoenix_rag-langchain_annotations.jsonl",
            folder / f"phoenix_rag-langchain_{spans}",
        )
        assert refused == []
        assert found == [
            {
                "request_id": "bb4c7007cf43eab0ddaafd7b078933c7",
                "judged_at": "2026-11-30T03:00:16+00:00",
                "correct": True,
                "score": 1.0,
                "judge": "user_feedback",
            }
        ]

    def test_alone_it_is_refused_with_what_to_do(self, recordings: Path) -> None:
        folder = recordings / "openinference_phoenix"
        found, [refused] = read(folder / "phoenix_rag-langchain_annotations.jsonl")
        assert found == []
        assert (refused.path, "name the spans" in refused.reason) == ("span_id", True)


class TestTraces:
    def test_traceloop_drops_ids_which_the_metadata_may_hold(self, recordings: Path) -> None:
        [found] = records(recordings / "local" / "langchain_traceloop.otlp.jsonl")
        assert found == {
            **LANGCHAIN,
            "request_id": "efbdf59125dd8c194784f90d6d24c279",
            "requested_at": "2026-11-30T03:02:01.100118+00:00",
        }

    def test_genai_lists_ids_and_scores_in_a_string_and_position_is_assumed(
        self, recordings: Path
    ) -> None:
        [found] = records(recordings / "local" / "langchain_otelgenai.otlp.jsonl")
        assert found == {
            "request_id": "981a9eaac0c6c41a8863de4bf0eea285",
            "revision": 2,
            "requested_at": "2026-11-30T03:02:39.608068+00:00",
            "route": "rag",
            "unit_id": "s-1",
            "chunks": [
                {"chunk_id": "policy-1#0", "rank": 1, "score": 0.91, "position": 1},
                {"chunk_id": "policy-1#1", "rank": 2, "score": 0.87, "position": 2},
                {"chunk_id": "faq-7#3", "rank": 3, "score": 0.42, "position": 3},
            ],
            "origins": {"rank": "derived", "position": "assumed"},
        }

    def test_a_retrieval_alone_is_a_trace_of_one_span(self, recordings: Path) -> None:
        [found] = records(recordings / "local" / "llamaindex_otelgenai_llama.otlp.jsonl")
        assert [chunk["chunk_id"] for chunk in found["chunks"]] == [
            "faq-7#3",
            "policy-1#1",
            "policy-1#0",
        ]
        assert found["origins"] == {"rank": "derived", "position": "assumed"}

    def test_spans_of_other_software_are_left_out_and_said(self, recordings: Path) -> None:
        path = recordings / "otlp_json" / "trace.json"
        assert records(path) == []
        assert "left out: traces without a retrieved document (1)" in told(path)

    def test_langsmith_runs(self, recordings: Path) -> None:
        [found] = records(recordings / "local" / "langchain_runs.jsonl")
        assert found == {
            **LANGCHAIN,
            "request_id": "01a22a63-335a-76a6-8767-7bbe8875f091",
            "requested_at": "2026-11-30T02:57:54.010190+00:00",
            "model": "fake-1",
        }

    @pytest.mark.parametrize("name", ["llamaindex-2025-06-05", "langgraph-python-2025-08-22"])
    def test_langfuse_traces_without_a_retriever_are_left_out_and_said(
        self, recordings: Path, name: str
    ) -> None:
        path = recordings / "langfuse_export" / f"{name}.trace.json"
        assert format_of(path) == "langfuse"
        assert records(path) == []
        assert "traces without a retrieved document (1)" in told(path)


class TestCallsOfModels:
    """Texts here are those of the providers' test suites; what is held are ids, places, flags."""

    def test_anthropic_json_stream_and_a_later_turn(self, recordings: Path) -> None:
        path = recordings / "anthropic_citations" / "langchain_test_citations.json"
        first, streamed, later = records(path)
        grass, sky = "c8ee398396bd4c0a", "012410cfaf413911"  # hashes of the two blocks
        chunks = [{"chunk_id": grass, "position": 1}, {"chunk_id": sky, "position": 2}]
        for record, name, cited, prompt, answer in [
            (first, "msg_01CZ7392MLpXNtJpA3oG7mmr", [1, 2], 566, 46),
            (streamed, "msg_016E45Q59qtvN29EZBDZeiNn", [1, 2], 566, 46),
            (later, "msg_01Eb5biRGD1qVevVRsddWDWa", [], 625, 144),
        ]:
            assert without_texts(record) == {
                "request_id": name,
                "model": "claude-haiku-4-5-20251001",
                "prompt_tokens": prompt,
                "answer_tokens": answer,
                "citations": cited,
                "chunks": chunks,
                "origins": {"position": "derived", "tokens": "estimated"},
            }
        assert first["answer"] == streamed["answer"]

    def test_cohere_with_its_request(self, recordings: Path) -> None:
        [found] = records(recordings / "cohere_v2" / "test_documents.json")
        assert without_texts(found) == {
            "request_id": "5ed83d88-ba2b-4069-bd72-d2621fde702b",
            "model": "command-r",
            "prompt_tokens": 693,
            "answer_tokens": 42,
            "citations": ["doc-0"],
            "chunks": [{"chunk_id": "doc-0", "position": 1}],
            "origins": {"position": "derived", "tokens": "estimated"},
        }

    def test_cohere_without_its_request_tells_only_what_was_cited(self, recordings: Path) -> None:
        path = recordings / "cohere_v2" / "cohere-citations.json"
        [found] = records(path)
        assert without_texts(found) == {
            "request_id": "68475c80-574b-4c65-98a4-e81cebab5dce",
            "prompt_tokens": 1683,
            "answer_tokens": 62,
            "exposure": "cited_only",
            "chunks": [{"chunk_id": "doc:0", "doc_id": "benefits.txt", "cited": True}],
            "origins": {"tokens": "estimated"},
        }
        assert "no cited rate and no measure of position" in told(path)

    def test_a_rerank_call_has_no_answer(self, recordings: Path) -> None:
        path = recordings / "cohere_v2" / "cohere-reranking.1.json"
        assert records(path) == []
        assert "which no chat with their documents follows (1)" in told(path)

    def test_gemini_lists_one_text_twice_which_is_one_chunk(self, recordings: Path) -> None:
        path = recordings / "gemini_grounding" / "test_google_model_file_search_tool.json"
        found = records(path)
        assert [each["request_id"] for each in found] == [
            "0hkqacGsFZXjz7IPwIXNwA8",
            "4xkqadHBDZ7nz7IP0q3F2Qk",
        ]
        # 1436 tokens of the tool stand beside the 46 of the prompt.
        assert found[1]["prompt_tokens"] == 46 + 1436
        for each in found:
            assert each["exposure"] == "cited_only"
            assert [chunk["cited"] for chunk in each["chunks"]] == [True]

    def test_openai_cites_files_so_the_one_result_of_a_file_is_known(
        self, recordings: Path
    ) -> None:
        folder = recordings / "openai_responses"
        path = folder / "test_openai_responses_model_file_search_tool_with_results.json"
        [found] = records(path)
        [chunk] = found["chunks"]
        assert chunk["chunk_id"].startswith("file-2b6dRdmXnzSrqiEbhVJZRU#")
        assert (chunk["rank"], chunk["rerank_score"]) == (1, 0.9716)
        assert found["citations"] == [chunk["chunk_id"]]
        assert (found["exposure"], found["requested_at"]) == (
            "pruned",
            "2025-12-10T17:27:07+00:00",
        )
        assert found["origins"]["cited"] == "derived"

    def test_bedrock_answers_list_only_what_they_cite_each_once(self, recordings: Path) -> None:
        path = recordings / "bedrock_rag" / "test_retrieve_and_generate_with_knowledge_base.json"
        [found] = records(path)
        # Both parts of the answer cite the same passage of document 2222.
        [chunk] = found["chunks"]
        assert (chunk["doc_id"], chunk["cited"], found["exposure"]) == ("2222", True, "cited_only")
        assert found["unit_id"] == "c86b69be-2f93-43c7-8b87-402acc8ebe6d"

    def test_bedrock_retrieve_ranks_and_has_no_answer(self, recordings: Path) -> None:
        [found] = records(recordings / "bedrock_rag" / "test_retrieve.json")
        assert [chunk["rank"] for chunk in found["chunks"]] == [1, 2, 3, 4, 5]
        assert found["chunks"][0]["score"] == pytest.approx(0.62442106)
        assert "answer" not in found
        assert found["origins"]["position"] == "assumed"

    def test_bedrock_converse_cites_documents_by_index(self, recordings: Path) -> None:
        streamed, later = records(recordings / "bedrock_rag" / "converse_citations_document0.json")
        assert (streamed["citations"], later["citations"]) == ([1, 1], [1])
        assert [chunk["doc_id"] for chunk in later["chunks"]] == ["company_policy"]
        assert (streamed["prompt_tokens"], later["answer_tokens"]) == (887, 34)

    def test_azure_calls_the_first_document_doc1(self, recordings: Path) -> None:
        folder = recordings / "azure_oyd"
        [found] = records(folder / "spec_example_chat_completions_azure_search_advanced.json")
        [chunk] = found["chunks"]
        assert (chunk["position"], chunk["doc_id"]) == (1, "contoso2.txt")
        assert chunk["chunk_id"].startswith("contoso2.txt#0#")
        assert (found["citations"], found["origins"]["cited"]) == ([1], "parsed")
        assert (found["prompt_tokens"], found["answer_tokens"]) == (33, 557)
        assert found["requested_at"] == "2023-06-13T17:08:26+00:00"

    def test_ragtime_cites_by_name_and_prunes(self, recordings: Path) -> None:
        path = recordings / "trec_rag" / "ragtime2026_T1_run_1.head3.jsonl"
        found = records(path)
        reports = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        assert [each["request_id"] for each in found] == [
            f"T1-e2e-omt/{report['metadata']['topic_id']}" for report in reports
        ]
        for each, report in zip(found, reports, strict=True):
            cited = [name for said in report["responses"] for name in said["citations"]]
            assert each["citations"] == cited
            assert [chunk["chunk_id"] for chunk in each["chunks"]] == report["references"]
            assert each["exposure"] == "pruned"


class TestMappings:
    def test_llamaindex_cites_the_nodes_that_it_made(self, recordings: Path) -> None:
        path = recordings / "local" / "llamaindex_citation_response.json"
        [found] = records(path)
        assert format_of(path) == "llamaindex"
        assert found["answer"].endswith("[2, 3].")
        assert [
            (chunk["position"], chunk["marker"], chunk["doc_id"], chunk["score"])
            for chunk in found["chunks"]
        ] == [
            (1, 1, "policy-1", 6.1),
            (2, 2, "policy-1", 5.699999999999999),
            (3, 3, "faq-7", 1.2000000000000002),
            (4, 4, "faq-7", 1.2000000000000002),
        ]

    def test_haystack_that_may_have_dropped_what_was_not_cited(self, recordings: Path) -> None:
        path = recordings / "local" / "haystack_generated_answer.json"
        [found] = records(path)
        assert (format_of(path), found["exposure"]) == ("haystack_referenced", "cited_only")
        assert [chunk["cited"] for chunk in found["chunks"]] == [True, True]

    def test_haystack_that_is_said_to_keep_everything(self, recordings: Path) -> None:
        path = recordings / "local" / "haystack_generated_answer.json"
        [found] = records(path, mapping="haystack")
        assert "exposure" not in found
        assert [(c["chunk_id"], c["position"], c["cited"]) for c in found["chunks"]] == [
            ("policy-1#0", 1, True),
            ("policy-1#1", 2, True),
        ]
        assert (found["model"], found["prompt_tokens"]) == ("fake-1", 120)

    def test_perplexity_numbers_its_sources_from_one(self, recordings: Path) -> None:
        path = recordings / "markers_perplexity" / "perplexity-citations.json"
        [found] = records(path)
        assert (format_of(path), found["exposure"]) == ("perplexity", "pruned")
        assert len(found["chunks"]) == 7
        assert found["requested_at"] == "2026-02-11T00:03:46+00:00"


FORMATS = {
    "anthropic_citations": "anthropic",
    "azure_oyd": "azure",
    "bedrock_rag": "bedrock",
    "cohere_v2": "cohere",
    "gemini_grounding": "gemini",
    "langfuse_export": "langfuse",
    "markers_perplexity": "perplexity",
    "openai_responses": "openai",
    "otlp_json": "otel_genai",
    "trec_rag": "trec_rag",
}
BY_NAME = {
    "openinference": "openinference",
    "otelgenai": "otel_genai",
    "traceloop": "traceloop",
    "langchain_runs": "langsmith",
    "llamaindex_citation": "llamaindex",
    "haystack_generated": "haystack_referenced",
    "annotations": "phoenix_annotations",
    "spans": "openinference",
    "otlpv1": "openinference",
}


def test_looking_is_right_on_every_recording(recordings: Path) -> None:
    for path in sorted(recordings.rglob("*.*")):
        if path.suffix == ".txt" or "retrieved_documents" in path.name or "traces" in path.name:
            continue
        by_name = next((f for part, f in BY_NAME.items() if part in path.name), None)
        assert format_of(path) == (FORMATS.get(path.parent.name) or by_name), path.name


@pytest.mark.parametrize("part", ["retrieved_documents.jsonl", "rest_traces.json"])
def test_lists_of_phoenix_that_are_no_log_say_what_to_export(recordings: Path, part: str) -> None:
    from analyzer.errors import CitelogError

    for framework in ("langchain", "llamaindex", "haystack"):
        path = recordings / "openinference_phoenix" / f"phoenix_rag-{framework}_{part}"
        with pytest.raises(CitelogError, match="export the spans"):
            format_of(path)
