"""Mapping files: paths, fan-out, passages, markers, what is assumed; and the mapping proposed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from imported import read, records
from loading.sites import Site

from analyzer.errors import CitelogError, UsageError
from analyzer.sources import sampled
from analyzer.sources.mapping import shipped
from analyzer.sources.mapping.paths import path, rule
from analyzer.sources.mapping.proposing import proposed

Json = dict[str, Any]


def mapping(folder: Path, text: str) -> str:
    file = folder / "mapping.toml"
    file.write_text(text, encoding="utf-8")
    return str(file)


def log(folder: Path, *documents: Json) -> Path:
    file = folder / "own.jsonl"
    file.write_text("".join(json.dumps(each) + "\n" for each in documents), encoding="utf-8")
    return file


OWN = {
    "qid": 17,
    "when": 1796007474,
    "hits": [
        {"key": "a", "body": "The bridge opens at noon.", "order": {"retrieved": 0}, "src": "x"},
        {"key": "b", "body": "The ferry runs hourly.", "order": {"retrieved": 1}, "src": "y"},
    ],
    "reply": {"text": "At noon [0]."},
}


class TestPaths:
    def test_steps_into_objects_lists_and_json_in_strings(self) -> None:
        value = {"a": [{"b.c": 1}, {"b.c": 2}], "s": '{"x": [5]}'}
        assert path('a[1]."b.c"', "m").of(value, {}) == 2
        assert path('a[*]."b.c"', "m").of(value, {}) == [1, 2]
        assert path("s.x[0]", "m").of(value, {}) == 5
        assert path("a[7].b", "m").of(value, {}) is None

    def test_names_and_templates(self) -> None:
        names = {"$key": "m-1", "$doc": {"args": {"n": 3}}}
        assert rule("{$key}/{id}", "m").of({"id": 4}, names) == "m-1/4"
        assert rule("{$key}/{gone}", "m").of({}, names) is None
        assert rule("$doc.args.n", "m").of({}, names) == 3

    def test_what_is_no_path_is_said(self) -> None:
        with pytest.raises(CitelogError, match=r"m\.toml: 'a\]' is no path"):
            path("a]", "m.toml")


def test_constants_lists_of_paths_bases_and_what_is_assumed(tmp_path: Path) -> None:
    told = """
        [request]
        request_id = "qid"
        requested_at = ["gone", "when"]
        route = { constant = "harbour" }
        answer = "reply.text"
        [chunks]
        from = "hits"
        [chunk]
        chunk_id = "key"
        doc_id = { path = "src", values = { x = "port.md" } }
        rank = { path = "order.retrieved", plus = 1 }
        position = "rank"
        text = "body"
        [markers]
        base = 0
    """
    [found] = records(log(tmp_path, OWN), mapping=mapping(tmp_path, told))
    assert found == {
        "request_id": "17",
        "requested_at": "2026-11-30T02:57:54+00:00",
        "route": "harbour",
        "answer": "At noon [0].",
        "chunks": [
            {
                "chunk_id": "a",
                "doc_id": "port.md",
                "rank": 1,
                "position": 1,
                "marker": 0,
                "text": "The bridge opens at noon.",
                "tokens": 7,
            },
            {
                "chunk_id": "b",
                "rank": 2,
                "position": 2,
                "marker": 1,
                "text": "The ferry runs hourly.",
                "tokens": 6,
            },
        ],
        "origins": {"position": "assumed", "tokens": "estimated"},
    }


def test_a_list_of_answers_is_several_requests_and_passages_come_from_the_prompt(
    tmp_path: Path,
) -> None:
    prompt = "Read.\n#1: Alpha text.\n#2: Beta text.\nQ: which?"
    document = {"id": "q", "prompt": prompt, "runs": [{"m": "x", "a": "one <2>"}, {"m": "y"}]}
    told = r"""
        [records]
        each = "runs"
        [request]
        request_id = "{id}-{$index}"
        model = "$value.m"
        answer = "$value.a"
        [chunk]
        text = "$passage"
        position = "order"
        [passages]
        from = "prompt"
        before = "\nQ:"
        split = '(?m)^#\d+: '
        [markers]
        pattern = '<(\d+)>'
    """
    first, second = records(log(tmp_path, document), mapping=mapping(tmp_path, told))
    assert [c["text"] for c in first["chunks"]] == ["Alpha text.", "Beta text."]
    # Without ids a chunk is known by its text.
    assert len({c["chunk_id"] for c in first["chunks"]}) == 2
    assert (first["request_id"], first["citations"]) == ("q-0", [2])
    assert first["origins"] == {
        "position": "derived",
        "cited": "parsed",
        "tokens": "estimated",
    }
    assert (second["request_id"], second["model"]) == ("q-1", "y")
    assert "citations" not in second


def test_other_numbers_of_passages_than_of_ids_refuse_the_record(tmp_path: Path) -> None:
    document = {"query_id": "q", "docids": ["a", "b"], "results": {"m": "x"}, "prompt": ""}
    document["prompt"] = "CONTEXTS:\n[1] only one\n\nOUTPUT"
    found, [refused] = read(log(tmp_path, document))
    assert found == []
    assert (refused.path, refused.reason) == (
        "chunks",
        "has 2 members, but the prompt has 1 passages",
    )


def test_a_chunk_that_is_retrieved_twice_has_two_names(tmp_path: Path) -> None:
    hit = {"docid": "a", "content": "same", "score": 1.0, "qid": 1}
    document = {"query": "q", "hits": [{**hit, "rank": 1}, {**hit, "rank": 2}]}
    [found] = records(log(tmp_path, document))
    assert [c["chunk_id"] for c in found["chunks"]] == ["a", "a~2"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[request]\nquestion = 'q'\n[chunk]\n", r"\[request\] names 'question'; fields are"),
        ("[request]\n[chunk]\nplace = 'p'\n", r"\[chunk\] names 'place'"),
        ("[request]\n", "is no mapping"),
        ("[request\n", "is no mapping"),
        ("[request]\n[chunk]\n[markers]\npattern = '\\[doc'\n", "has no group|is no pattern"),
        ("[request]\nrequest_id = 'a]'\n[chunk]\n", "'a]' is no path"),
    ],
)
def test_a_mapping_that_cannot_be_read_says_why(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(CitelogError, match=said):
        records(log(tmp_path, OWN), mapping=mapping(tmp_path, text))


def test_a_mapping_that_is_not_there_names_the_shipped_ones(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="alce, haystack, haystack_referenced, langchain"):
        records(log(tmp_path, OWN), mapping="gone.toml")


def test_every_shipped_mapping_says_what_it_gives_and_lacks() -> None:
    assert {each.name for each in shipped()} >= {"nomiracl", "rankllm", "llamaindex", "alce"}
    assert all(each.about and each.gives and each.lacks for each in shipped())


class TestPacking:
    TOLD = """
        [request]
        request_id = "q"
        [chunks]
        from = "found"
        packed = "prompt.ctx"
        [chunk]
        chunk_id = "id"
        rank = "order"
        [markers]
        base = 0
    """

    def test_the_packed_ids_stand_in_a_list_of_their_own(self, tmp_path: Path) -> None:
        document = {"q": "1", "found": [{"id": "a"}, {"id": 2}, {"id": "c"}]}
        document["prompt"] = {"ctx": ["c", "a"]}
        [found] = records(log(tmp_path, document), mapping=mapping(tmp_path, self.TOLD))
        assert found["chunks"] == [
            {"chunk_id": "a", "rank": 1, "position": 2, "marker": 1},
            {"chunk_id": "2", "rank": 2},
            {"chunk_id": "c", "rank": 3, "position": 1, "marker": 0},
        ]
        assert found["origins"] == {"rank": "derived"}

    def test_what_was_packed_and_not_retrieved_or_twice_has_no_rank(self, tmp_path: Path) -> None:
        document = {"q": "1", "found": [{"id": "a"}], "prompt": {"ctx": '["pinned", "a", "a"]'}}
        [found] = records(log(tmp_path, document), mapping=mapping(tmp_path, self.TOLD))
        placed = [(c["chunk_id"], c.get("rank"), c["position"]) for c in found["chunks"]]
        assert placed == [("a", 1, 2), ("pinned", None, 1), ("a~2", None, 3)]

    def test_nothing_packed_is_an_empty_list_and_no_list_is_refused(self, tmp_path: Path) -> None:
        first: Json = {"q": "1", "found": [{"id": "a"}], "prompt": {"ctx": []}}
        file = log(tmp_path, first, {**first, "prompt": {}})
        [found], [refused] = read(file, mapping=mapping(tmp_path, self.TOLD))
        assert found["chunks"] == [{"chunk_id": "a", "rank": 1}]
        assert refused.reason == "is no list of ids of packed chunks at prompt.ctx"

    def test_a_chunk_whose_id_is_a_list_is_a_rejected_line(self, tmp_path: Path) -> None:
        document: Json = {"q": "1", "found": [{"id": ["a"]}], "prompt": {"ctx": ["a"]}}
        made = mapping(tmp_path, self.TOLD)
        batch = Site(tmp_path).load_log("own.jsonl", document, mapping=made)
        assert (batch.loaded, batch.rejected) == (0, 1)

    def test_positions_are_found_in_the_prompt_by_the_texts(self, tmp_path: Path) -> None:
        told = """
            [request]
            request_id = "q"
            [chunks]
            from = "hits"
            prompt = "sent"
            [chunk]
            chunk_id = "id"
            rank = "order"
            text = "t"
        """
        hits = [{"id": "a", "t": "The bridge opens."}, {"id": "b", "t": "The ferry runs."}]
        sent = [{"role": "user", "content": "[0] The ferry runs.\n[1] The bridge opens."}]
        document: Json = {"q": "1", "hits": [*hits, {"id": "c", "t": "Cut."}], "sent": sent}
        file = log(tmp_path, document, {**document, "sent": "Hello."})
        [found], [refused] = read(file, mapping=mapping(tmp_path, told))
        placed = [(c["chunk_id"], c.get("position"), c.get("marker")) for c in found["chunks"]]
        assert placed == [("a", 2, 1), ("b", 1, 0), ("c", None, None)]
        assert found["origins"]["position"] == "derived"
        assert refused.reason == "has none of its texts in the prompt at sent"


class TestProposed:
    def test_a_proposal_reads_the_log_it_was_made_for(self, tmp_path: Path) -> None:
        document = {
            "trace_id": "t-1",
            "timestamp": "2026-11-05T10:00:00Z",
            "model": "m",
            "answer": "Yes [1].",
            "retrieval": {
                "documents": [
                    {"doc_id": "a.md", "id": "a#1", "rank": 1, "score": 0.5, "content": "Yes."}
                ]
            },
        }
        file = log(tmp_path, document)
        told = proposed(sampled(file), file.name)
        [found] = records(file, mapping=mapping(tmp_path, told))
        assert (found["request_id"], found["model"], found["answer"]) == ("t-1", "m", "Yes [1].")
        [chunk] = found["chunks"]
        assert (chunk["chunk_id"], chunk["doc_id"], chunk["rank"], chunk["position"]) == (
            "a#1",
            "a.md",
            1,
            1,
        )
        assert found["origins"]["position"] == "assumed"
        assert "keep it only if the prompt has that order" in told

    @pytest.mark.parametrize("before", ["CONTEXTS:\n", ""])
    def test_answers_by_model_and_passages_in_a_prompt_are_seen(
        self, tmp_path: Path, before: str
    ) -> None:
        document = {
            "query_id": "q",
            "docids": ["a", "b"],
            "prompt": f"{before}[1] Alpha.\n[2] Beta.",
            "results": {"m-1": "It is [2].", "m-2": "Nothing."},
        }
        file = log(tmp_path, document)
        found = records(file, mapping=mapping(tmp_path, proposed(sampled(file), file.name)))
        assert [each["request_id"] for each in found] == ["m-1/q", "m-2/q"]
        assert [c["text"] for c in found[0]["chunks"]] == ["Alpha.", "Beta."]

    def test_a_log_that_calls_nothing_by_its_name_is_known_by_its_values(
        self, tmp_path: Path
    ) -> None:
        first = "The bridge opens at noon on market days."
        second = "The ferry runs every hour until midnight."
        documents = [
            {
                "ref": f"q-{number}",
                "stamp": 1796007474000 + number,
                "engine_used": "gpt-5-mini",
                "steps": [
                    {
                        "found": [
                            {"nr": "n1", "node": {"words": first}, "weight": 0.75},
                            {"nr": "n2", "node": {"words": second}, "weight": 0.5},
                            {"nr": "n3", "node": {"words": "Cut off. " * 5}, "weight": 0.25},
                        ]
                    }
                ],
                "ctx": ["n2", "n1"],
                "choices": [{"message": {"content": f"At noon [{number}]."}}],
            }
            for number in (1, 2)
        ]
        file = log(tmp_path, *documents)
        told = proposed(sampled(file), file.name)
        for line in (
            'request_id = "ref"  # holds another name in each document',
            'requested_at = "stamp"  # holds times',
            'model = "engine_used"  # holds names of models',
            'answer = "choices[0].message.content"  # holds markers as [1]',
            'from = "steps[*].found"  # the list that looks most like chunks',
            'packed = "ctx"  # lists ids of the chunks',
            'text = "node.words"  # holds texts',
            'score = "weight"  # holds numbers with a point',
            'chunk_id = "nr"  # holds another name in each member',
        ):
            assert line in told.splitlines()
        assert 'rank = "order"  # the scores fall from each member to the next' in told
        [found, _] = records(file, mapping=mapping(tmp_path, told))
        assert (found["request_id"], found["model"]) == ("q-1", "gpt-5-mini")
        assert found["requested_at"] == "2026-11-30T02:57:54.001000+00:00"
        placed = [(c["chunk_id"], c["score"], c.get("position")) for c in found["chunks"]]
        assert placed == [("n1", 0.75, 2), ("n2", 0.5, 1), ("n3", 0.25, None)]

    def test_a_prompt_that_holds_the_texts_gives_their_places(self, tmp_path: Path) -> None:
        texts = ["The bridge opens at noon on market days.", "The ferry runs until midnight."]
        document = {
            "id": "q",
            "context": texts,
            "messages": [{"role": "user", "content": "\n".join(reversed(texts))}],
            "answer": "At noon.",
        }
        file = log(tmp_path, document)
        told = proposed(sampled(file), file.name)
        assert 'prompt = "messages"  # holds the texts of the chunks' in told
        [found] = records(file, mapping=mapping(tmp_path, told))
        assert [c["position"] for c in found["chunks"]] == [2, 1]
        assert found["origins"]["position"] == "derived"

    def test_requests_within_one_document_are_seen(self, tmp_path: Path) -> None:
        data = [
            {"output": f"So [{n}].", "docs": [{"id": f"d{n}", "text": "Some text, long enough."}]}
            for n in (1, 2)
        ]
        file = tmp_path / "one.json"
        file.write_text(json.dumps({"settings": {"model": "m-1"}, "data": data}))
        told = proposed(sampled(file), file.name)
        assert '[records]\nfrom = "data"' in told
        found = records(file, mapping=mapping(tmp_path, told))
        assert [each["chunks"][0]["chunk_id"] for each in found] == ["d1", "d2"]

    @pytest.mark.parametrize(
        "time", ["05/Nov/2026:09:12:44 +0100", "Thu, 05 Nov 2026 08:12:44 GMT", "1793866364"]
    )
    def test_a_time_is_known_however_it_is_written(self, time: str, tmp_path: Path) -> None:
        hits = [{"id": "a", "rank": 1}]
        file = log(tmp_path, {"id": "q", "done": time, "hits": hits, "answer": "[1]"})
        told = proposed(sampled(file), file.name)
        assert 'requested_at = "done"  # holds times' in told
        [found] = records(file, mapping=mapping(tmp_path, told))
        assert found["requested_at"].startswith("2026-11-05T0")

    def test_cited_ids_are_citations_and_not_what_was_packed(self) -> None:
        hits = [{"id": "a", "rank": 1}, {"id": "b", "rank": 2}]
        told = proposed(
            [{"id": "q", "hits": hits, "references": ["b"], "used_ids": ["b", "a"]}], "my.jsonl"
        )
        assert 'citations = "references"' in told
        assert 'packed = "used_ids"' in told
        told = proposed([{"id": "q", "hits": hits, "used": ["b"], "answer": "[1]"}], "my.jsonl")
        assert 'packed = "used"' in told
        assert "citations =" not in told

    def test_what_is_needed_and_not_found_says_what_to_write(self) -> None:
        told = proposed([{"level": "info"}], "my.jsonl")
        assert "# To do: no list of chunks was found, and nothing can be loaded without" in told
        assert 'requested_at = { constant = "2026-11-05T09:00:00Z" }' in told
        assert "or of the list of cited ids as citations" in told

    def test_nothing_found_is_still_a_mapping_that_says_so(self, tmp_path: Path) -> None:
        assert "no list of chunks was found" in proposed([{"level": "info"}], "my.jsonl")

    def test_a_file_without_objects_is_refused(self) -> None:
        with pytest.raises(CitelogError, match=r"my.jsonl: a mapping is for JSON objects or rows"):
            proposed([], "my.jsonl")

    def test_who_speaks_and_what_is_said_in_a_chat_are_no_chunks(self) -> None:
        said = "You answer from the passages that you are given."
        chat = [{"role": "system", "content": said}, {"role": "user", "content": said * 2}]
        told = proposed([{"id": "q", "messages": chat, "completion": "It is [1]."}], "my.jsonl")
        assert "# To do: no list of chunks was found" in told

    def test_a_document_of_thousands_of_names_is_looked_at_in_seconds(self) -> None:
        many = {f"field_{n}": {"id": n, "text": "of some words"} for n in range(3000)}
        hits = [{"id": "a", "rank": 1}, {"id": "b", "rank": 2}]
        assert 'from = "hits"' in proposed([{"id": "q", "hits": hits, **many}], "my.jsonl")
