"""Rules of single formats that no recording shows: index spaces, nesting, tables, what is stray."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from imported import format_of, records, told

Json = dict[str, Any]


def logged(folder: Path, *documents: Any) -> Path:
    file = folder / "log.jsonl"
    file.write_text("".join(json.dumps(each) + "\n" for each in documents), encoding="utf-8")
    return file


def text(said: str) -> Json:
    return {"type": "text", "text": said}


class TestAnthropic:
    """Documents and search results are counted apart; positions are those of the whole request."""

    @pytest.fixture
    def request_(self) -> Json:
        custom = {"type": "content", "content": [text("Block zero."), text("Block one.")]}
        plain = {"type": "text", "media_type": "text/plain", "data": "A whole document."}
        search = {"type": "search_result", "source": "kb/1", "title": "One"}
        found = [{**search, "content": [text("Found first.")]}]
        return {
            "messages": [
                {
                    "role": "user",
                    "content": [
                        {"type": "document", "title": "a", "source": custom},
                        {**search, "source": "kb/0", "content": [text("Found at once.")]},
                        {"type": "document", "source": plain, "citations": {"enabled": True}},
                        text("Why?"),
                    ],
                },
                {"role": "assistant", "content": [text("Let me look.")]},
                {"role": "user", "content": [{"type": "tool_result", "content": found}]},
            ]
        }

    def cited(self, folder: Path, request: Json, *citations: Json) -> list[Any]:
        said = [{**text("So it is."), "citations": list(citations)}]
        message = {"type": "message", "id": "m", "role": "assistant", "content": said}
        usage = {"input_tokens": 3, "cache_read_input_tokens": 500, "output_tokens": 2}
        call = {"request": request, "response": {**message, "usage": usage}}
        [found] = records(logged(folder, call))
        assert found["prompt_tokens"] == 503
        assert [c["text"] for c in found["chunks"]] == [
            "Block zero.",
            "Block one.",
            "Found at once.",
            "A whole document.",
            "Found first.",
        ]
        assert [c["position"] for c in found["chunks"]] == [1, 2, 3, 4, 5]
        return list(found["citations"])

    def test_a_block_of_a_document(self, request_: Json, tmp_path: Path) -> None:
        place = {"document_index": 0, "start_block_index": 1, "end_block_index": 2}
        assert self.cited(tmp_path, request_, {"type": "content_block_location", **place}) == [2]

    def test_blocks_are_half_open(self, request_: Json, tmp_path: Path) -> None:
        place = {"document_index": 0, "start_block_index": 0, "end_block_index": 2}
        assert self.cited(tmp_path, request_, {"type": "content_block_location", **place}) == [1, 2]

    def test_characters_of_a_document_that_is_one_chunk(
        self, request_: Json, tmp_path: Path
    ) -> None:
        place = {"document_index": 1, "start_char_index": 2, "end_char_index": 7}
        assert self.cited(tmp_path, request_, {"type": "char_location", **place}) == [4]

    def test_search_results_count_apart_and_over_tool_results(
        self, request_: Json, tmp_path: Path
    ) -> None:
        places = [
            {"search_result_index": at, "start_block_index": 0, "end_block_index": 1}
            for at in (0, 1)
        ]
        citations = [{"type": "search_result_location", **place} for place in places]
        assert self.cited(tmp_path, request_, *citations) == [3, 5]

    def test_an_index_beyond_is_stray_and_the_web_is_not_the_prompt(
        self, request_: Json, tmp_path: Path
    ) -> None:
        beyond = {"type": "char_location", "document_index": 7}
        web = {"type": "web_search_result_location", "url": "https://example.org"}
        assert self.cited(tmp_path, request_, beyond, web) == ["document 7"]

    def test_without_citations_asked_for_the_answer_may_have_markers(self, tmp_path: Path) -> None:
        document = {"type": "document", "title": "t", "source": {"type": "text", "data": "X y."}}
        call = {
            "request": {"messages": [{"role": "user", "content": [document]}]},
            "response": {"type": "message", "id": "m", "content": [text("It is so [1].")]},
        }
        [found] = records(logged(tmp_path, call))
        assert "citations" not in found
        assert found["answer"] == "It is so [1]."

    def test_a_file_without_a_title_is_known_by_its_place(self, tmp_path: Path) -> None:
        pdf = {"type": "document", "source": {"type": "base64", "data": "JVBERi0="}}
        call = {
            "request": {"messages": [{"role": "user", "content": [pdf]}]},
            "response": {"type": "message", "id": "m", "content": [text("Yes.")]},
        }
        [found] = records(logged(tmp_path, call))
        assert found["chunks"] == [{"chunk_id": "document 0", "position": 1}]


def run(name: str, kind: str, parent: str | None, **outputs: Any) -> Json:
    return {
        "id": name,
        "trace_id": "root",
        "parent_run_id": parent,
        "run_type": kind,
        "name": name,
        "start_time": f"2026-11-05T09:00:0{len(name)}",
        "inputs": {},
        "outputs": outputs,
    }


def documents(*names: str) -> list[Json]:
    return [{"page_content": f"Text of {name}.", "metadata": {}, "id": name} for name in names]


class TestLangSmith:
    def test_a_retriever_within_a_retriever_is_the_base_of_a_reranker(self, tmp_path: Path) -> None:
        inner = run("inner", "retriever", "outer", documents=documents("a", "b", "c"))
        outer = run("outer", "retriever", "root", documents=documents("c", "a"))
        root = run("root", "chain", None, output="It is c [1].")
        [found] = records(logged(tmp_path, inner, outer, root))
        assert [(c["chunk_id"], c.get("rank")) for c in found["chunks"]] == [
            ("c", 1),
            ("a", 2),
            ("b", None),
        ]
        # No prompt is logged: the order of the reranker is assumed, and b was not packed.
        assert [c.get("position") for c in found["chunks"]] == [1, 2, None]
        assert found["origins"]["position"] == "assumed"

    def test_times_without_an_offset_are_utc(self, tmp_path: Path) -> None:
        each = [
            run("r", "retriever", "root", documents=documents("a")),
            run("root", "chain", None, output="Yes."),
        ]
        [found] = records(logged(tmp_path, *each))
        assert found["requested_at"] == "2026-11-05T09:00:04+00:00"

    def test_two_retrievers_side_by_side_have_ranks_of_their_own(self, tmp_path: Path) -> None:
        each = [
            run("r1", "retriever", "root", documents=documents("a", "b")),
            run("r22", "retriever", "root", documents=documents("b")),
            run("root", "chain", None, output="Yes."),
        ]
        [found] = records(logged(tmp_path, *each))
        assert [(c["retrieval_id"], c["chunk_id"], c["rank"]) for c in found["chunks"]] == [
            ("r1", "a", 1),
            ("r1", "b", 2),
            ("r22", "b", 1),
        ]


@pytest.mark.parametrize("name", ["langsmith_runs", "langfuse_observations"])
@pytest.mark.parametrize("form", ["parquet", "csv"])
def test_exports_as_tables_with_json_in_cells(
    name: str, form: str, repo_root: Path, tmp_path: Path
) -> None:
    source = repo_root / "sample_logs" / "formats" / f"{name}.jsonl"
    rows = [
        {key: json.dumps(v) if isinstance(v, dict | list) else v for key, v in row.items()}
        for row in map(json.loads, source.read_text("utf-8").splitlines())
    ]
    table = tmp_path / f"t.{form}"
    if form == "parquet":
        pq.write_table(pa.Table.from_pylist(rows), table)
    else:
        with table.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    assert format_of(table) == format_of(source)
    assert records(table) == records(source)


def test_a_row_of_langfuse_that_repeats_counts_as_it_was_updated_last(tmp_path: Path) -> None:
    row = {"trace_id": "t", "type": "RETRIEVER", "start_time": "2026-11-05 09:00:00.000000"}
    early = {
        **row,
        "id": "o",
        "parent_observation_id": "p",
        "updated_at": "2026-11-05 09:00:01",
        "output": "null",
    }
    late = {**early, "updated_at": "2026-11-05 09:00:09", "output": documents("a")}
    root = {**row, "id": "p", "type": "SPAN", "name": "chat", "output": '"\\"Yes [1].\\""'}
    for order in ([early, late, root], [late, root, early]):
        [found] = records(logged(tmp_path, *order))
        assert [c["chunk_id"] for c in found["chunks"]] == ["a"]
        assert (found["answer"], found["revision"]) == ("Yes [1].", 2)


def test_a_span_that_is_called_a_retriever_is_one_in_langfuse(tmp_path: Path) -> None:
    row = {"trace_id": "t", "id": "o", "start_time": "2026-11-05 09:00:00", "type": "SPAN"}
    named = {**row, "name": "retrieve-context", "output": documents("a", "b")}
    other = {**row, "name": "plan", "output": documents("a", "b")}
    assert [len(each["chunks"]) for each in records(logged(tmp_path, named))] == [2]
    assert records(logged(tmp_path, other)) == []


class TestOpenAi:
    def response(self, results: Any) -> Json:
        notes = [{"type": "file_citation", "file_id": "f1", "index": n} for n in (3, 3)]
        answer = {"type": "output_text", "text": "Yes.", "annotations": notes}
        return {
            "object": "response",
            "id": "r",
            "created_at": 1758116611.0,
            "output": [
                {"type": "file_search_call", "id": "fs", "results": results},
                {"type": "message", "content": [answer]},
            ],
        }

    def test_several_results_of_a_file_leave_open_which_was_cited(self, tmp_path: Path) -> None:
        results = [{"file_id": "f1", "text": said, "score": 0.5} for said in ("One.", "Two.")]
        path = logged(tmp_path, self.response(results))
        [found] = records(path)
        assert "citations" not in found
        assert "citations by file only" in told(path)

    def test_without_results_only_the_cited_files_are_known(self, tmp_path: Path) -> None:
        [found] = records(logged(tmp_path, self.response(None)))
        assert found["exposure"] == "cited_only"
        assert found["chunks"] == [{"chunk_id": "f1", "doc_id": "f1", "cited": True}]


def test_azure_keeps_its_older_form_in_a_tool_message(tmp_path: Path) -> None:
    citations = [{"content": "One.", "filepath": "a.txt", "chunk_id": "0"}]
    tool = {"role": "tool", "content": json.dumps({"citations": citations})}
    said = {"role": "assistant", "content": "So [doc1], not [doc4]."}
    document = {"id": "x", "created": 1686676106, "choices": [{"messages": [tool, said]}]}
    [found] = records(logged(tmp_path, document))
    assert (found["citations"], len(found["chunks"])) == ([1, 4], 1)
    assert found["answer"] == "So [doc1], not [doc4]."


def test_cohere_names_documents_without_an_id_by_their_place(tmp_path: Path) -> None:
    call = {
        "request": {"model": "m", "documents": ["Plain text.", {"data": {"snippet": "Other."}}]},
        "response": {
            "id": "c",
            "finish_reason": "COMPLETE",
            "message": {
                "content": [text("Yes.")],
                "citations": [{"sources": [{"type": "document", "id": "doc:1"}, {"id": "gone"}]}],
            },
        },
    }
    [found] = records(logged(tmp_path, call))
    assert [(c["chunk_id"], c["text"]) for c in found["chunks"]] == [
        ("doc:0", "Plain text."),
        ("doc:1", "Other."),
    ]
    assert found["citations"] == ["doc:1", "gone"]


def test_an_array_of_our_own_records_is_read_too(tmp_path: Path) -> None:
    file = tmp_path / "own.json"
    own = [{"request_id": name, "chunks": [{"chunk_id": "c"}]} for name in "ab"]
    file.write_text(json.dumps(own, indent=1))
    assert [each["request_id"] for each in records(file)] == ["a", "b"]
