"""What a log does not say is not said for it; what it says without a wrapper is heard."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from imported import format_of, read, records, told

from analyzer.errors import CitelogError
from analyzer.record import Rejected
from analyzer.sources.formats import langfuse, langsmith
from analyzer.sources.formats.judging import about_right
from analyzer.sources.formats.prompting import places

Json = dict[str, Any]
TEXT = "see [1] and [2] for it"


def logged(folder: Path, *documents: Any, name: str = "log.jsonl") -> Path:
    file = folder / name
    file.write_text("".join(json.dumps(each) + "\n" for each in documents), encoding="utf-8")
    return file


class TestBodiesAlone:
    """A response is known without a wrapper, and with a wrapper that has an id of its own."""

    def test_what_bedrock_generated(self, tmp_path: Path) -> None:
        reference = {
            "content": {"text": "Wax it."},
            "location": {"s3Location": {"uri": "s3://a"}},
            "metadata": {"x-amz-bedrock-kb-chunk-id": "K1"},
        }
        citations = [{"retrievedReferences": [reference, reference]}]
        body = {"sessionId": "s", "output": {"text": "So."}, "citations": citations}
        [found] = records(logged(tmp_path, body))
        assert format_of(tmp_path / "log.jsonl") == "bedrock"
        assert (found["exposure"], found["answer"]) == ("cited_only", "So.")
        assert [(c["chunk_id"], c["doc_id"]) for c in found["chunks"]] == [("K1", "s3://a")]

    def test_a_conversation_without_its_request_has_no_sources(self, tmp_path: Path) -> None:
        body = {"output": {"message": {"content": [{"text": "So."}]}}, "stopReason": "end_turn"}
        assert "bedrock" in format_of(logged(tmp_path, body))
        assert told(tmp_path / "log.jsonl").endswith("left out: calls without sources (1)")

    def test_a_response_in_a_row_with_an_id(self, tmp_path: Path) -> None:
        cited = [{"type": "char_location", "cited_text": "Wax it.", "document_index": 0}]
        message = {"type": "message", "id": "m", "content": [{"text": "So.", "citations": cited}]}
        row = {"id": 5, "ts": "2026-11-11T10:00:00Z", "response": message}
        [found] = records(logged(tmp_path, row))
        assert (found["request_id"], found["requested_at"][:10]) == ("m", "2026-11-11")


class TestCitationsThatNobodyAskedFor:
    """An answer that was not asked to cite, and has no markers, is not one that cites nothing."""

    def call(self, provider: str, said: str, asked: bool) -> Json:
        block = {"type": "text", "text": said}
        if provider == "cohere":
            mode = {"mode": "ACCURATE" if asked else "off"}
            request = {"documents": ["Wax it."], "citation_options": mode}
            body: Json = {"id": "r", "finish_reason": "COMPLETE", "message": {"content": [block]}}
        elif provider == "anthropic":
            source = {"type": "text", "data": "Wax it."}
            block_ = {"type": "document", "source": source, "citations": {"enabled": asked}}
            request = {"messages": [{"role": "user", "content": [block_]}]}
            body = {"type": "message", "id": "r", "content": [block]}
        else:
            held = {"name": "a", "source": {"text": "Wax it."}}
            document = {**held, "citations": {"enabled": asked}}
            request = {"messages": [{"role": "user", "content": [{"document": document}]}]}
            body = {"output": {"message": {"content": [block]}}, "stopReason": "end_turn"}
        return {"request": request, "response": body}

    @pytest.mark.parametrize("provider", ["anthropic", "bedrock", "cohere"])
    def test_only_asked_for_is_none_nothing(self, provider: str, tmp_path: Path) -> None:
        [asked] = records(logged(tmp_path, self.call(provider, "So.", asked=True)))
        assert (asked["citations"], asked["answer"]) == ([], "So.")
        [silent] = records(logged(tmp_path, self.call(provider, "So.", asked=False)))
        assert not {"citations", "answer"} & silent.keys()
        [marked] = records(logged(tmp_path, self.call(provider, "So [1].", asked=False)))
        assert ("citations" in marked, marked["answer"]) == (False, "So [1].")


@pytest.mark.parametrize("provider", ["anthropic", "bedrock", "cohere"])
def test_a_call_that_asks_for_a_tool_is_no_answer(provider: str, tmp_path: Path) -> None:
    call = TestCitationsThatNobodyAskedFor().call(provider, "Let me look.", asked=True)
    ends = {"stop_reason": "tool_use", "stopReason": "tool_use", "finish_reason": "TOOL_CALL"}
    call["response"] |= ends
    log = logged(tmp_path, call)
    assert records(log) == []
    assert "calls that end by asking for a tool" in told(log)


def test_grounded_answers_that_rest_on_no_chunk_are_no_calls_without_sources(
    tmp_path: Path,
) -> None:
    parts = [{"text": "Let me think.", "thought": True}, {"text": "So."}]
    grounding = {"groundingChunks": [{"retrievedContext": {"uri": "u", "text": "Wax it."}}]}
    candidate = {"content": {"parts": parts}, "groundingMetadata": grounding}
    said = {"candidates": [candidate]}
    [found] = records(logged(tmp_path, {"responseId": "r", **said}))
    assert (found["chunks"], found["exposure"], found["answer"]) == ([], "cited_only", "So.")
    # Without an id of its own the same answer at another time is another request.
    times = ("2026-11-11T10:00:00Z", "2026-11-11T11:00:00Z")
    two = records(logged(tmp_path, *({"timestamp": at, "response": said} for at in times)))
    assert len({each["request_id"] for each in two}) == 2


def span(kind: str, own: str, parent: str | None, **attributes: Any) -> Json:
    return {
        "context": {"trace_id": "t", "span_id": own},
        "parent_id": parent,
        "name": kind.lower(),
        "span_kind": kind,
        "start_time": "2026-11-11T10:00:00Z",
        "attributes": attributes,
    }


def retriever(parent: str | None, *documents: Json) -> Json:
    output = json.dumps({"documents": [{"page_content": TEXT}]})
    listed = {
        f"retrieval.documents.{at}.document.{name}": value
        for at, document in enumerate(documents)
        for name, value in {"score": 1 - at / 10, **document}.items()
    }
    return span("RETRIEVER", "q", parent, **{"output.value": output, **listed})


class TestTraces:
    def test_markers_within_what_a_chain_retrieved_are_no_citations(self, tmp_path: Path) -> None:
        output = json.dumps({"context": [{"page_content": TEXT}], "answer": "So."})
        root = span("CHAIN", "r", None, **{"output.value": output})
        [found] = records(logged(tmp_path, root, retriever("r", {"id": "a", "content": TEXT})))
        assert found["answer"] == "So."

    def test_a_call_that_checks_the_answer_is_not_the_answer(self, tmp_path: Path) -> None:
        def model(own: str, start: str, prompt: str, said: str) -> Json:
            named = {"input": prompt, "output": said}
            messages = {f"llm.{n}_messages.0.message.content": v for n, v in named.items()}
            held = span("LLM", own, "r", **messages, **{"llm.model_name": own})
            return held | {"start_time": f"2026-11-11T10:00:{start}Z"}

        root = span("CHAIN", "r", None, **{"output.value": "So [1]."})
        found = retriever("r", {"id": "a", "content": TEXT}, {"id": "b", "content": "Wax it well."})
        answers = model("m", "01", f"[1] Wax it well.\n[2] {TEXT}", "So [1].")
        checks = model("judge", "02", f"{TEXT}\nWax it well.\nIs 'So [1].' right?", "yes")
        [record] = records(logged(tmp_path, root, found, answers, checks))
        assert (record["answer"], record["model"]) == ("So [1].", "m")
        assert [c["position"] for c in record["chunks"]] == [2, 1]

    @pytest.mark.parametrize("answer", ["[1]", '{"summary": "So [1]."}', "[1, 2]", "[1] says so."])
    def test_an_answer_that_looks_like_json_is_one_all_the_same(
        self, answer: str, tmp_path: Path
    ) -> None:
        root = span("CHAIN", "r", None, **{"output.value": answer})
        [found] = records(logged(tmp_path, root, retriever("r", {"id": "a", "content": TEXT})))
        assert found["answer"] == answer
        runs = [
            {"run_type": "retriever", "outputs": {"documents": [{"page_content": TEXT}]}},
            {"run_type": "llm", "outputs": {"generations": [[{"text": answer}]]}},
        ]
        log = logged(
            tmp_path, *({"id": str(at), "trace_id": "0", **r} for at, r in enumerate(runs))
        )
        [found] = records(log)
        assert found["answer"] == answer

    def test_what_a_lone_retriever_puts_out_is_no_answer(self, tmp_path: Path) -> None:
        [found] = records(logged(tmp_path, retriever(None, {"id": "a", "content": TEXT})))
        assert "answer" not in found
        run = {
            "id": "r",
            "trace_id": "r",
            "run_type": "retriever",
            "start_time": "2026-11-11T10:00:00",
            "outputs": {"output": [{"content": TEXT}]},
        }
        [found] = records(logged(tmp_path, run))
        assert "answer" not in found

    def test_what_has_no_name_keeps_its_rank(self, tmp_path: Path) -> None:
        log = logged(tmp_path, retriever(None, {"id": "a"}, {}, {"id": "c"}))
        [found] = records(log)
        assert [(c["chunk_id"], c["rank"]) for c in found["chunks"]] == [("a", 1), ("c", 3)]

    def test_half_a_character_of_a_python_cell_does_no_harm(self, tmp_path: Path) -> None:
        log = tmp_path / "spans.csv"
        cell = "[{'document.content': '\\ud83d\\ude00 wax \\ud800'}]"
        names = "context.trace_id,context.span_id,span_kind,start_time"
        log.write_text(
            f"{names},attributes.retrieval.documents\nt,q,RETRIEVER,2026-11-11T10:00:00Z,{cell}\n"
        )
        [found] = records(log)
        assert found["chunks"][0]["text"] == "\N{GRINNING FACE} wax �"


@pytest.mark.parametrize("name", ["incorrect", "Inaccuracy", "not_helpful", "uncorrected", "tone"])
def test_a_label_that_says_the_opposite_is_left_out(name: str) -> None:
    assert not about_right(name)


def test_labels_about_right_and_wrong_are_taken() -> None:
    assert all(map(about_right, ("correctness", "Accuracy", "user_feedback", "is-correct")))


class TestMappings:
    @pytest.fixture
    def mapping(self, tmp_path: Path) -> str:
        file = tmp_path / "m.toml"
        file.write_text(
            '[request]\nrequest_id = "id"\nanswer = "a"\n[chunks]\nfrom = "c"\npacked = 2\n'
            '[chunk]\nchunk_id = "id"\nrank = { path = "r", pattern = "(.+)" }\nposition = "p"\n'
            "[markers]\nbase = 0\npattern = 'doc(\\w+)?'\n"
        )
        return str(file)

    @pytest.mark.parametrize("odd", ["²", "3.5", "x", 1.5])
    def test_ranks_and_positions_of_any_kind_are_for_the_parser(
        self, mapping: str, odd: Any, tmp_path: Path
    ) -> None:
        chunk = {"id": "a", "r": odd, "p": odd}
        log = logged(tmp_path, {"id": "q", "c": [chunk], "a": "doc"})
        with pytest.raises(Rejected, match=r"chunks\[0\]\.rank is .*, but ranks are whole numbers"):
            read(log, mapping=mapping)

    def test_a_marker_that_is_no_number_names_a_chunk(self, mapping: str, tmp_path: Path) -> None:
        document = {
            "id": "q",
            "c": [{"id": "ab", "r": "1"}],
            "a": "doc docab doc7 doc" + "9" * 5000,
        }
        [found] = records(logged(tmp_path, document), mapping=mapping)
        assert found["citations"] == ["ab", 7, "9" * 5000]
        assert found["chunks"] == [{"chunk_id": "ab", "rank": 1}]


def test_many_equal_texts_stand_one_after_the_other() -> None:
    found = places(["same old text"] * 3000, "same old text\n" * 2000)
    assert found is not None
    assert found.positions == [*range(1, 2001), *[None] * 1000]


@pytest.mark.parametrize("keys", [langsmith.RUNS, langfuse.ROWS])
def test_of_a_line_only_the_trace_is_remembered(keys: Any) -> None:
    """What an index of a file holds must not grow with the ids within its payloads."""
    line = json.dumps({"id": "r1", "trace_id": "t", "outputs": {"documents": [{"id": "d"}]}})
    assert list(keys.within(line.encode())) == ["t"]
    alone = json.dumps({"id": "t", "trace_id": None, "name": "root"})
    assert list(keys.within(alone.encode())) == ["t"]


class TestStreams:
    """The text of an event stream, beside its request or alone in a file."""

    def stream(self, *events: Json) -> str:
        return "".join(f"event: {each['type']}\ndata: {json.dumps(each)}\n\n" for each in events)

    def cohere(self) -> str:
        def event(kind: str, **message: Any) -> Json:
            return {"type": kind, "index": 0, "delta": {"message": message}}

        source = {"type": "document", "id": "b", "document": {"id": "b", "text": "Wax it."}}
        usage = {"billed_units": {"input_tokens": 3}, "tokens": {"input_tokens": 700}}
        return self.stream(
            {"type": "message-start", "id": "r", "delta": {"message": {"role": "assistant"}}},
            event("content-start", content={"type": "text", "text": ""}),
            event("content-delta", content={"text": "So "}),
            event("citation-start", citations={"start": 0, "end": 2, "sources": [source]}),
            event("content-delta", content={"text": "it is."}),
            {"type": "message-end", "delta": {"finish_reason": "COMPLETE", "usage": usage}},
        )

    def test_cohere_with_its_request(self, tmp_path: Path) -> None:
        documents = [{"id": "a", "data": "Oil it."}, {"id": "b", "data": "Wax it."}]
        call = {"request": {"documents": documents, "model": "m"}, "response": self.cohere()}
        [found] = records(logged(tmp_path, call))
        assert (found["request_id"], found["answer"], found["prompt_tokens"]) == (
            "r",
            "So it is.",
            700,
        )
        assert (found["citations"], [c["position"] for c in found["chunks"]]) == (["b"], [1, 2])

    def test_cohere_alone(self, tmp_path: Path) -> None:
        (tmp_path / "stream.txt").write_text(self.cohere())
        [found] = records(tmp_path / "stream.txt")
        assert format_of(tmp_path / "stream.txt") == "cohere"
        assert ([c["chunk_id"] for c in found["chunks"]], found["exposure"]) == (
            ["b"],
            "cited_only",
        )

    def test_the_last_event_of_openai_holds_everything(self, tmp_path: Path) -> None:
        results = [{"file_id": "f", "filename": "f.md", "score": 0.9, "text": "Wax it."}]
        cited = [{"type": "file_citation", "index": 3, "file_id": "f", "filename": "f.md"}]
        output = [
            {"type": "file_search_call", "id": "s", "results": results},
            {"type": "message", "content": [{"text": "So.", "annotations": cited}]},
        ]
        response = {"id": "r", "object": "response", "created_at": 1_794_000_000, "output": output}
        started = {"type": "response.created", "response": {"id": "r", "output": []}}
        (tmp_path / "s.txt").write_text(
            self.stream(started, {"type": "response.completed", "response": response})
        )
        [found] = records(tmp_path / "s.txt")
        assert format_of(tmp_path / "s.txt") == "openai"
        assert found["citations"] == [found["chunks"][0]["chunk_id"]]
        assert (found["request_id"], found["answer"]) == ("r", "So.")


def test_rows_of_langfuse_in_camel_case_are_no_spans(tmp_path: Path) -> None:
    documents = json.dumps([{"page_content": TEXT, "metadata": {"source": "s"}}])
    about = {"id": "o", "traceId": "t", "type": "RETRIEVER", "startTime": "2026-11-11 10:00:00"}
    log = logged(tmp_path, {**about, "output": documents}, {**about, "id": "p", "type": "SPAN"})
    assert format_of(log) == "langfuse"
    [found] = records(log)
    assert (found["request_id"], len(found["chunks"])) == ("t", 1)


def test_another_event_stream_is_told_for_what_it_is(tmp_path: Path) -> None:
    (tmp_path / "s.txt").write_text('event: ping\ndata: {"type": "ping"}\n\n')
    with pytest.raises(CitelogError, match="it is an event stream of something else; looked for"):
        format_of(tmp_path / "s.txt")
