"""A stream that breaks off is no answer that cites nothing: what it cites is not known."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from imported import format_of, records, told
from loading.sites import Site

Json = dict[str, Any]

DOCUMENT = {"id": "b", "data": {"text": "Wax it."}}


def text_of(events: Sequence[Json]) -> str:
    """The text of an event stream, without a word at its end."""
    return "".join(f"data: {json.dumps(each)}\n\n" for each in events)


def azure(name: str = "c-1", said: str = "Wax it [doc2].") -> list[Json]:
    """The context, a marker over two pieces, the end, and the usage after it."""
    piece = {"id": name, "object": "chat.completion.chunk", "created": 1796007474}
    shown = [{"content": f"Text {at}.", "filepath": f"{at}.md", "chunk_id": "0"} for at in "ab"]
    half = len(said) - 4
    deltas: list[Json] = [
        {"role": "assistant", "context": {"citations": shown}},
        {"content": said[:half]},
        {"content": said[half:]},
        {},
    ]
    choices = [
        [{"index": 0, "delta": delta, "finish_reason": None if delta else "stop"}]
        for delta in deltas
    ]
    usage = {"prompt_tokens": 40, "completion_tokens": 5}
    return [*({**piece, "choices": each} for each in choices), {**piece, "usage": usage}]


def anthropic() -> list[Json]:
    cited = {"type": "char_location", "cited_text": "Wax it.", "document_index": 0}
    usage = {"input_tokens": 80, "output_tokens": 1}
    message = {"id": "m", "type": "message", "content": [], "stop_reason": None, "usage": usage}
    block = {"type": "text", "text": "", "citations": []}
    return [
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "delta": {"type": "citations_delta", "citation": cited}},
        {"type": "content_block_delta", "delta": {"type": "text_delta", "text": "Wax [1]."}},
        {"type": "content_block_stop", "index": 0},
        {
            "type": "message_delta",
            "delta": {"stop_reason": "end_turn"},
            "usage": {"output_tokens": 6},
        },
        {"type": "message_stop"},
    ]


def cohere() -> list[Json]:
    def event(kind: str, **message: Any) -> Json:
        return {"type": kind, "index": 0, "delta": {"message": message}}

    source = {"type": "document", "id": "b", "document": {"id": "b", "text": "Wax it."}}
    usage = {"tokens": {"input_tokens": 700, "output_tokens": 6}}
    return [
        {"type": "message-start", "id": "r", "delta": {"message": {"role": "assistant"}}},
        event("content-start", content={"type": "text", "text": ""}),
        event("content-delta", content={"text": "Wax [1]."}),
        event("content-end"),
        event("citation-start", citations={"start": 0, "end": 3, "sources": [source]}),
        event("citation-end"),
        {"type": "message-end", "delta": {"finish_reason": "COMPLETE", "usage": usage}},
    ]


def openai() -> list[Json]:
    results = [{"file_id": "f", "filename": "f.md", "score": 0.9, "text": "Wax it."}]
    search = {"type": "file_search_call", "id": "s", "results": results}
    note = {"type": "file_citation", "index": 3, "file_id": "f", "filename": "f.md"}
    message = {"type": "message", "content": [{"text": "Wax [1].", "annotations": [note]}]}
    response = {"id": "r", "object": "response", "created_at": 1_794_000_000, "output": []}
    whole = {**response, "output": [search, message], "usage": {"input_tokens": 9}}
    return [
        {"type": "response.created", "response": response},
        {"type": "response.output_item.done", "item": search},
        {"type": "response.output_text.delta", "delta": "Wax [1]."},
        {"type": "response.output_item.done", "item": message},
        {"type": "response.completed", "response": whole},
    ]


def converse() -> list[Json]:
    cited = {"location": {"documentChar": {"documentIndex": 0, "start": 0, "end": 7}}}
    return [
        {"event": "messageStart", "data": {"role": "assistant"}},
        {"event": "contentBlockDelta", "data": {"delta": {"text": "Wax [1]."}}},
        {"event": "contentBlockDelta", "data": {"delta": {"citation": cited}}},
        {"event": "contentBlockStop", "data": {"contentBlockIndex": 0}},
        {"event": "messageStop", "data": {"stopReason": "end_turn"}},
        {"event": "metadata", "data": {"usage": {"inputTokens": 9, "outputTokens": 6}}},
    ]


def asked_anthropic() -> Json:
    source = {"type": "text", "data": "Wax it."}
    block = {"type": "document", "title": "t", "source": source, "citations": {"enabled": True}}
    return {"messages": [{"role": "user", "content": [block]}]}


def asked_converse() -> Json:
    document = {"name": "t", "source": {"text": "Wax it."}, "citations": {"enabled": True}}
    return {"messages": [{"role": "user", "content": [{"document": document}]}]}


REQUESTS: dict[str, Json] = {
    "azure": {"messages": []},
    "anthropic": asked_anthropic(),
    "cohere": {"documents": [{"id": "a", "data": "Oil it."}, DOCUMENT]},
    "openai": {"input": "How?"},
    "bedrock": asked_converse(),
}
# By format the events, the one that says the end, and from which on there is something to load.
STREAMS = {
    "azure": (azure(), 3, 0),
    "anthropic": (anthropic(), 5, 0),
    "cohere": (cohere(), 6, 0),
    "openai": (openai(), 4, 1),
    "bedrock": (converse(), 4, 1),
}


def call(kind: str, events: Sequence[Json]) -> Json:
    """The call as it is logged: the request, and what came of the stream."""
    request = REQUESTS[kind]
    if kind == "bedrock":
        return {"request": request, "response_events": events}
    return {"request": request, "response": text_of(events), "ts": "2026-11-11T10:00:00Z"}


def log(folder: Path, *calls: Json) -> Path:
    file = folder / "calls.jsonl"
    file.write_text("".join(json.dumps(each) + "\n" for each in calls), encoding="utf-8")
    return file


def knows_nothing_of_citations(record: Json) -> bool:
    cited = any("cited" in chunk for chunk in record["chunks"])
    origin = "cited" in record.get("origins", {})
    return not ({"answer", "citations", "answer_tokens"} & record.keys()) and not cited | origin


CUTS = [(kind, cut) for kind, (events, _, _) in STREAMS.items() for cut in range(len(events))]


@pytest.mark.parametrize(("kind", "cut"), CUTS)
def test_cut_after_each_event(kind: str, cut: int, tmp_path: Path) -> None:
    events, end, first = STREAMS[kind]
    path = log(tmp_path, call(kind, events), call(kind, events[: cut + 1]))
    assert format_of(path) == kind
    whole, *others = records(path, format=kind)
    assert not knows_nothing_of_citations(whole)
    assert whole["citations"]
    if cut < first:
        assert others == []
        return
    [found] = others
    assert [c["chunk_id"] for c in found["chunks"]] == [c["chunk_id"] for c in whole["chunks"]]
    assert found.get("exposure") == whole.get("exposure")
    if cut < end:
        assert knows_nothing_of_citations(found)
        assert "1 answer breaks off; what it cites is not known" in told(path)
    else:
        assert (found["answer"], found["citations"]) == (whole["answer"], whole["citations"])
        assert "break" not in told(path)


@pytest.mark.parametrize("kind", ["azure", "anthropic", "cohere"])
def test_several_are_counted_in_one_sentence(kind: str, tmp_path: Path) -> None:
    events, end, first = STREAMS[kind]
    cut = [call(kind, events[: at + 1]) for at in (first, end - 1)]
    path = log(tmp_path, *cut, call(kind, events))
    assert "2 answers break off; what they cite is not known" in told(path)
    assert [knows_nothing_of_citations(each) for each in records(path)] == [True, True, False]


class TestAlone:
    """A stream in a file of its own, or its events, each on a line."""

    @pytest.mark.parametrize("cut", range(len(azure()) - 1))
    def test_the_lines_of_azure(self, cut: int, tmp_path: Path) -> None:
        path = log(tmp_path, *azure()[: cut + 1])
        [found] = records(path)
        assert knows_nothing_of_citations(found) == (cut < 3)

    def test_azure_says_its_end_with_a_word_too(self, tmp_path: Path) -> None:
        path = tmp_path / "stream.txt"
        path.write_text(text_of(azure()[:3]))
        [cut] = records(path)
        path.write_text(text_of(azure()[:3]) + "data: [DONE]\n\n")
        [whole] = records(path)
        assert knows_nothing_of_citations(cut)
        assert (whole["answer"], whole["citations"]) == ("Wax it [doc2].", [2])

    def test_the_word_ends_the_answer_before_it(self, tmp_path: Path) -> None:
        path = tmp_path / "stream.txt"
        path.write_text(f"{text_of(azure('c-1')[:3])}{text_of(azure('c-2')[:3])}data: [DONE]\n\n")
        first, second = records(path)
        assert knows_nothing_of_citations(first)
        assert second["citations"] == [2]

    def test_a_line_that_breaks_off_is_no_end(self, tmp_path: Path) -> None:
        path = tmp_path / "stream.txt"
        path.write_text(text_of(azure()[:3]) + "data: [DO")
        assert knows_nothing_of_citations(records(path)[0])

    def test_what_anthropic_cited_so_far_may_not_be_all(self, tmp_path: Path) -> None:
        path = tmp_path / "stream.txt"
        path.write_text(text_of(anthropic()[:4]))
        [found] = records(path)
        assert (found["exposure"], len(found["chunks"])) == ("cited_only", 1)
        assert knows_nothing_of_citations(found)

    def test_one_of_openai_is_known_by_its_beginning(self, tmp_path: Path) -> None:
        path = tmp_path / "stream.txt"
        path.write_text(text_of(openai()[:3]))
        assert format_of(path) == "openai"
        assert knows_nothing_of_citations(records(path)[0])


def test_of_one_that_breaks_off_no_other_reason_is_given(tmp_path: Path) -> None:
    """Whole, it would cite by file only, where the file has two results."""
    events = openai()[:2]
    events[1]["item"]["results"] *= 2
    said = told(log(tmp_path, call("openai", events)))
    assert said.startswith(f"{tmp_path / 'calls.jsonl'}: 1 answer breaks off;")


def test_an_answer_that_was_cut_by_length_is_whole(tmp_path: Path) -> None:
    """The service said that it ends there."""
    events = azure()
    events[3]["choices"][0]["finish_reason"] = "length"
    stopped = anthropic()
    stopped[5]["delta"]["stop_reason"] = "max_tokens"
    incomplete = openai()
    incomplete[4]["type"] = "response.incomplete"
    for kind, said in (("azure", events), ("anthropic", stopped), ("openai", incomplete)):
        path = log(tmp_path, call(kind, said))
        assert records(path)[0]["citations"]
        assert "break" not in told(path)


@pytest.mark.parametrize("kind", ["anthropic", "bedrock"])
def test_a_stream_that_ends_by_asking_for_a_tool_is_left_out(kind: str, tmp_path: Path) -> None:
    events, _, _ = STREAMS[kind]
    asking = json.loads(json.dumps(events).replace('"end_turn"', '"tool_use"'))
    path = log(tmp_path, call(kind, asking))
    assert records(path, format=kind) == []
    assert "calls that end by asking for a tool, which the answer comes after (1)" in told(path)


def test_no_rate_is_made_of_them(tmp_path: Path) -> None:
    site = Site(tmp_path)
    whole, cut = azure("whole"), azure("cut")[:2]
    [batch] = site.load(log(tmp_path, call("azure", whole), call("azure", cut)))
    assert batch.loaded == 2
    assert str(batch.note).endswith(": 1 answer breaks off; what it cites is not known")
    cited = "SELECT request_id, cited FROM requests ORDER BY request_id"
    assert site.rows(cited) == [("cut", None), ("whole", 1)]
    days = "SELECT sum(citations_known), sum(citation_free), sum(missing_citations) FROM days"
    assert site.rows(days) == [(1, 0, 1)]
