"""Streamed answers, rerank calls, candidates: what is put together of several parts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from imported import format_of, read, records, told

Json = dict[str, Any]


def jsonl(path: Path, *documents: Any) -> Path:
    path.write_text("".join(json.dumps(each) + "\n" for each in documents), encoding="utf-8")
    return path


def sse(path: Path, *documents: Any) -> Path:
    events = "".join(f"data: {json.dumps(each)}\n\n" for each in documents)
    path.write_text(events + "data: [DONE]\n\n", encoding="utf-8")
    return path


def listed(path: Path, *documents: Any) -> Path:
    path.write_text(json.dumps(documents), encoding="utf-8")
    return path


FORMS = [jsonl, sse, listed]


def reference(text: str, uri: str) -> Json:
    location = {"type": "S3", "s3Location": {"uri": uri}}
    return {"content": {"type": "TEXT", "text": text}, "location": location, "metadata": {}}


class TestBedrockStream:
    """Events of RetrieveAndGenerateStream: pieces of the answer, what was cited, a guardrail."""

    EVENTS = (
        {"output": {"text": "It leaves on "}},
        {"citation": {"retrievedReferences": [reference("Orders leave today.", "s3://a/b.md")]}},
        {"output": {"text": "the same day."}},
        {"citation": {"citation": {"retrievedReferences": [reference("Late.", "s3://a/c.md")]}}},
        {"guardrail": {"action": "NONE"}},
    )

    @pytest.mark.parametrize("form", FORMS)
    def test_its_events_are_one_answer_of_what_it_cites(self, form: Any, tmp_path: Path) -> None:
        path = form(tmp_path / "stream", *self.EVENTS)
        assert format_of(path) == "bedrock"
        [found] = records(path)
        assert found["answer"] == "It leaves on the same day."
        assert found["exposure"] == "cited_only"
        assert [(c["doc_id"], c["text"], c["cited"]) for c in found["chunks"]] == [
            ("s3://a/b.md", "Orders leave today.", True),
            ("s3://a/c.md", "Late.", True),
        ]
        assert "left out" not in told(path)

    def test_a_wrapper_names_it_and_gives_it_a_time(self, tmp_path: Path) -> None:
        call = {"request": {"input": {"text": "When?"}}, "request_id": "r-1", "ts": 1796007474}
        calls = [{**call, "response": {"stream": self.EVENTS}}, {**call, "response": self.EVENTS}]
        for found in records(jsonl(tmp_path / "calls.jsonl", *calls)):
            assert (found["request_id"], len(found["chunks"])) == ("r-1", 2)
            assert found["requested_at"] == "2026-11-30T02:57:54+00:00"


def azure(name: str) -> list[Json]:
    piece = {"id": name, "object": "extensions.chat.completion.chunk", "model": "m-1"}
    shown = [
        {"content": f"Text {letter}.", "filepath": f"{letter}.md", "chunk_id": "0"}
        for letter in "ab"
    ]
    deltas: list[Json] = [
        {"role": "assistant", "context": {"citations": shown}},
        {"content": "Sixty days [do"},
        {"content": "c2]."},
        {},
    ]
    found = [
        {**piece, "created": 1796007474, "choices": [{"index": 0, "delta": delta}]}
        for delta in deltas
    ]
    found[-1]["choices"][0]["finish_reason"] = "stop"
    found[-1]["usage"] = {"prompt_tokens": 40, "completion_tokens": 5}
    return [{"id": "", "object": "chat.completion.chunk", "choices": []}, *found]


class TestAzureStream:
    @pytest.mark.parametrize("form", FORMS)
    def test_a_marker_over_two_pieces_cites_and_answers_are_told_apart(
        self, form: Any, tmp_path: Path
    ) -> None:
        path = form(tmp_path / "stream", *azure("c-1"), *azure("c-2"))
        assert format_of(path) == "azure"
        found = records(path)
        assert [each["request_id"] for each in found] == ["c-1", "c-2"]
        assert (found[0]["answer"], found[0]["citations"]) == ("Sixty days [doc2].", [2])
        assert [(c["doc_id"], c["position"]) for c in found[0]["chunks"]] == [
            ("a.md", 1),
            ("b.md", 2),
        ]
        assert (found[0]["model"], found[0]["prompt_tokens"]) == ("m-1", 40)
        assert found[0]["requested_at"] == "2026-11-30T02:57:54+00:00"
        assert "left out" not in told(path)

    def test_the_older_form_has_a_tool_message(self, tmp_path: Path) -> None:
        context = json.dumps({"citations": [{"content": "Text.", "filepath": "a.md"}]})
        piece = {"id": "c-3", "object": "extensions.chat.completion.chunk"}
        pieces = [
            {**piece, "choices": [{"messages": [{"delta": {"role": "tool", "content": context}}]}]},
            {**piece, "choices": [{"messages": [{"delta": {"role": "assistant"}}]}]},
            {**piece, "choices": [{"messages": [{"delta": {"content": "Yes [doc1]."}}]}]},
            {**piece, "choices": [{"messages": [{"delta": {}, "end_turn": True}]}]},
        ]
        [found] = records(jsonl(tmp_path / "old.jsonl", *pieces))
        assert (found["answer"], found["citations"]) == ("Yes [doc1].", [1])
        assert [chunk["doc_id"] for chunk in found["chunks"]] == ["a.md"]


def rerank(documents: list[str], results: list[tuple[int, float]]) -> Json:
    ranked = [{"index": at, "relevance_score": score} for at, score in results]
    response = {"id": "k", "results": ranked, "meta": {"billed_units": {"search_units": 1}}}
    return {"request": {"query": "q", "documents": documents}, "response": response}


def chat(*documents: Json) -> Json:
    cited = [{"start": 0, "end": 3, "text": "Yes", "sources": [{"type": "document", "id": "two"}]}]
    message = {"content": [{"type": "text", "text": "Yes."}], "citations": cited}
    response = {"id": "chat-1", "finish_reason": "COMPLETE", "message": message}
    return {"request": {"model": "m", "documents": documents}, "response": response}


ONE = {"id": "one", "data": {"text": "The first text."}}
TWO = {"id": "two", "data": {"text": "The second text."}}
CALL = rerank(
    ["The first text.", "A third one.", "The second text.", "A last one."],
    [(2, 0.9), (1, 0.5), (0, 0.4)],
)


class TestCohereRerank:
    def test_a_chat_has_the_ranks_of_the_call_that_had_its_documents(self, tmp_path: Path) -> None:
        other = rerank(["The first text."], [(0, 0.1)])
        path = jsonl(tmp_path / "c.jsonl", CALL, other, chat(ONE, TWO))
        [found] = records(path)
        placed = [
            (c.get("rank"), c.get("position"), c.get("rerank_score")) for c in found["chunks"]
        ]
        assert placed == [(3, 1, 0.4), (1, 2, 0.9), (2, None, 0.5), (None, None, None)]
        assert [c["chunk_id"] for c in found["chunks"][:2]] == ["one", "two"]
        assert [c["text"] for c in found["chunks"][2:]] == ["A third one.", "A last one."]
        assert found["citations"] == ["two"]
        assert found["origins"] == {
            "position": "derived",
            "rank": "derived",
            "tokens": "estimated",
        }
        assert "no chat with their documents follows (1)" in told(path)

    def test_a_chat_with_another_document_stays_without_ranks(self, tmp_path: Path) -> None:
        other = {"id": "two", "data": {"text": "Never ranked."}}
        [found] = records(jsonl(tmp_path / "c.jsonl", CALL, chat(ONE, other)))
        assert not any("rank" in chunk for chunk in found["chunks"])


CANDIDATES = {
    "query": {"qid": "2024-1", "text": "why?"},
    "candidates": [
        {"docid": f"msmarco_{n}#0", "score": 3.5 - n, "doc": {"segment": f"Segment {n}."}}
        for n in range(3)
    ],
}
RUN = {
    "run_id": "run-1",
    "topic_id": "2024-1",
    "references": ["msmarco_2#0", "msmarco_0#0"],
    "answer": [{"text": "Because.", "citations": [0]}],
}


class TestCandidates:
    def test_alone_they_are_what_was_retrieved_and_no_rate_is_made(self, tmp_path: Path) -> None:
        path = jsonl(tmp_path / "candidates.jsonl", CANDIDATES)
        assert format_of(path) == "trec_rag"
        [found] = records(path)
        assert (found["request_id"], found["exposure"]) == ("candidates/2024-1", "pruned")
        assert [(c["chunk_id"], c["doc_id"], c["rank"], c["score"]) for c in found["chunks"]] == [
            ("msmarco_0#0", "msmarco_0", 1, 3.5),
            ("msmarco_1#0", "msmarco_1", 2, 2.5),
            ("msmarco_2#0", "msmarco_2", 3, 1.5),
        ]
        assert not any("position" in chunk for chunk in found["chunks"])

    def test_with_the_run_its_references_have_their_ranks(self, tmp_path: Path) -> None:
        candidates = jsonl(tmp_path / "candidates.jsonl", CANDIDATES)
        [found], refused = read(jsonl(tmp_path / "run.jsonl", RUN), candidates)
        assert refused == []
        assert [(c["chunk_id"], c["rank"], c.get("position")) for c in found["chunks"]] == [
            ("msmarco_2#0", 3, 1),
            ("msmarco_0#0", 1, 2),
            ("msmarco_1#0", 2, None),
        ]
        assert (found["exposure"], found["citations"]) == ("pruned", [0])
