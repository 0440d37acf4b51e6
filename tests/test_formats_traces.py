"""Traces whose spans come on many lines, in any order and in several files."""

from __future__ import annotations

import json
import random
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from imported import read, records, told
from loading.sites import Site
from nights import Service

from analyzer.sources.formats.prompting import places

Json = dict[str, Any]
SAMPLES = Path(__file__).parent.parent / "sample_logs" / "formats"
TEXTS = [
    "Orders above forty euros ship free of charge.",
    "Returns are accepted within thirty days of delivery.",
    "Gift cards never expire and cannot be exchanged for cash.",
]
START = 1_796_007_474_000_000_000


def span(trace: str, name: str, parent: str | None, kind: str, **attributes: Any) -> Json:
    own = f"{int(trace, 16) * 10 + ord(name[0]):016x}"
    listed = [
        {"key": key, "value": held(value)}
        for key, value in {"openinference.span.kind": kind, **attributes}.items()
    ]
    found = {
        "traceId": trace,
        "spanId": own,
        "name": name,
        "startTimeUnixNano": str(START + ord(name[0])),
        "attributes": listed,
    }
    if parent:
        found["parentSpanId"] = f"{int(trace, 16) * 10 + ord(parent[0]):016x}"
    return found


def held(value: Any) -> Json:
    if isinstance(value, int):
        return {"intValue": str(value)}
    return {"doubleValue": value} if isinstance(value, float) else {"stringValue": value}


def spans(number: int, cited: str = "[2]") -> list[Json]:
    """A trace as it is written: the retriever, the model, the root; the prompt is best last."""
    trace = f"{number + 1:032x}"
    documents = {
        f"retrieval.documents.{at}.document.{name}": value
        for at, text in enumerate(TEXTS)
        for name, value in (("id", f"c{at}"), ("content", text), ("score", 0.9 - at / 10))
    }
    prompt = "\n".join(f"[{at}] {text}" for at, text in enumerate(reversed(TEXTS), 1))
    return [
        span(trace, "retrieve", "query", "RETRIEVER", **documents),
        span(
            trace,
            "model",
            "query",
            "LLM",
            **{
                "llm.input_messages.0.message.content": f"Sources:\n{prompt}\n\nQ: when?",
                "llm.output_messages.0.message.content": f"Within a month {cited}.",
                "llm.token_count.prompt": 99,
            },
        ),
        span(trace, "query", None, "CHAIN", **{"session.id": f"s{number}"}),
    ]


def lines(each: list[Json]) -> str:
    return "".join(
        json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [one]}]}]}) + "\n" for one in each
    )


def written(path: Path, each: list[Json]) -> Path:
    path.write_text(lines(each), encoding="utf-8")
    return path


def test_position_is_the_place_in_the_prompt_and_rank_that_of_the_retriever(
    tmp_path: Path,
) -> None:
    [found] = records(written(tmp_path / "t.jsonl", spans(1)))
    assert [(c["chunk_id"], c["rank"], c["position"]) for c in found["chunks"]] == [
        ("c0", 1, 3),
        ("c1", 2, 2),
        ("c2", 3, 1),
    ]
    assert found["origins"] == {"rank": "derived", "position": "derived", "tokens": "estimated"}


def test_a_later_call_that_names_the_answer_is_not_the_answer(tmp_path: Path) -> None:
    each = spans(1)
    title = {
        "llm.model_name": "small",
        "llm.input_messages.0.message.content": "Give this chat a title: Within a month [2].",
        "llm.output_messages.0.message.content": "Returns [9]",
        "llm.token_count.prompt": 7,
    }
    titled = [*each, span(each[0]["traceId"], "titling", "query", "LLM", **title)]
    [found] = records(written(tmp_path / "t.jsonl", titled))
    assert (found["answer"], found["prompt_tokens"]) == ("Within a month [2].", 99)
    assert [c["position"] for c in found["chunks"]] == [3, 2, 1]


def test_spans_in_any_order_make_the_same_requests(tmp_path: Path) -> None:
    ordered = [one for number in range(8) for one in spans(number)]
    want = sorted(map(repr, records(written(tmp_path / "o.jsonl", ordered))))
    for seed in range(5):
        shuffled = random.Random(seed).sample(ordered, len(ordered))
        found = records(written(tmp_path / "s.jsonl", shuffled))
        assert sorted(map(repr, found)) == want
    assert len(want) == 8


def test_a_trace_over_two_files_of_one_load_is_whole_in_both(tmp_path: Path) -> None:
    each = spans(1)
    first = written(tmp_path / "a.jsonl", [*each[:1], *spans(2)])
    second = written(tmp_path / "b.jsonl", each[1:])
    whole = records(written(tmp_path / "whole.jsonl", [*each, *spans(2)]))
    in_first, _ = read(first, second)
    in_second, _ = read(second, first)
    assert sorted(map(repr, in_first)) == sorted(map(repr, whole))
    assert in_second == [next(one for one in whole if one["unit_id"] == "s1")]


def test_a_trace_over_three_files_counts_once_in_the_store(tmp_path: Path) -> None:
    site = Site(tmp_path)
    files = [written(tmp_path / f"{at}.jsonl", [one]) for at, one in enumerate(spans(1))]
    batches = site.load(*files)
    assert site.rows("SELECT request_id, packed, cited FROM requests") == [(f"{2:032x}", 3, 1)]
    assert [batch.loaded + batch.duplicate for batch in batches] == [1, 1, 1]
    assert sum(batch.loaded for batch in batches) == 1


def test_what_completes_a_trace_in_a_later_load_takes_the_place_of_the_part(
    tmp_path: Path,
) -> None:
    site = Site(tmp_path)
    retrieve, model, root = spans(1)
    early = written(tmp_path / "a.jsonl", [retrieve, root])
    late = written(tmp_path / "b.jsonl", [model])
    site.load(early)
    assert site.rows("SELECT position_origin, cited FROM requests") == [("assumed", None)]
    site.load(early, late)
    assert site.rows("SELECT revision, position_origin, cited FROM requests") == [(3, "derived", 1)]


def test_a_night_completes_a_trace_that_began_in_the_file_of_the_night_before(
    tmp_path: Path,
) -> None:
    service = Service(tmp_path, reports=False)
    retrieve, model, root = spans(1)
    written(service.logs / "2026-11-29.jsonl", [*spans(2), retrieve])
    service.night(date(2026, 11, 30))
    site = Site(tmp_path)
    assert site.rows("SELECT request_id FROM requests") == [(f"{3:032x}",)]
    written(service.logs / "2026-11-30.jsonl", [model, root, *spans(4)])
    service.night(date(2026, 12, 1))
    assert site.rows("SELECT request_id, revision, cited FROM requests ORDER BY ALL") == [
        (f"{name:032x}", 3, 1) for name in (2, 3, 5)
    ]


def test_a_part_alone_is_left_out_and_it_is_said_how_it_is_joined(tmp_path: Path) -> None:
    path = written(tmp_path / "a.jsonl", spans(1)[:1])
    assert records(path) == []
    assert "one ingest that names the other files too joins them (1)" in told(path)


def test_upper_case_and_base64_ids_are_the_same_trace(tmp_path: Path) -> None:
    import base64

    each = spans(11)
    trace = each[0]["traceId"]
    each[0]["traceId"] = trace.upper()
    each[1]["traceId"] = base64.b64encode(bytes.fromhex(trace)).decode()
    [found] = records(written(tmp_path / "t.jsonl", each))
    assert (found["request_id"], found["revision"]) == (trace, 3)


def test_structured_genai_documents_are_read_like_those_in_a_string(tmp_path: Path) -> None:
    document = {
        "kvlistValue": {
            "values": [
                {"key": "id", "value": {"stringValue": "d1"}},
                {"key": "score", "value": {"doubleValue": 0.5}},
            ]
        }
    }
    retrieval = {
        "traceId": f"{7:032x}",
        "spanId": f"{7:016x}",
        "name": "retrieval",
        "startTimeUnixNano": START,
        "attributes": [
            {"key": "gen_ai.operation.name", "value": {"stringValue": "retrieval"}},
            {
                "key": "gen_ai.retrieval.documents",
                "value": {"arrayValue": {"values": [document, {"kvlistValue": {}}]}},
            },
        ],
    }
    [found] = records(written(tmp_path / "t.jsonl", [retrieval]))
    assert found["chunks"] == [{"chunk_id": "d1", "rank": 1, "score": 0.5, "position": 1}]


def test_results_of_a_vector_database_are_events_and_a_distance_is_no_score(
    tmp_path: Path,
) -> None:
    trace = f"{5:032x}"
    events = [
        {
            "name": "db.query.result",
            "attributes": [
                {"key": f"db.query.result.{name}", "value": held(value)}
                for name, value in (("id", f"v{at}"), ("distance", 0.1 + at), ("document", text))
            ],
        }
        for at, text in enumerate(TEXTS)
    ]
    prompt = json.dumps([{"role": "user", "content": "\n".join(reversed(TEXTS))}])
    said = json.dumps([{"role": "assistant", "content": "So it is [1]."}])
    query = {**span(trace, "query", "root", "", **{"db.system": "chroma"}), "events": events}
    chat = {
        "gen_ai.operation.name": "chat",
        "gen_ai.input.messages": prompt,
        "gen_ai.output.messages": said,
    }
    root = {"traceloop.span.kind": "workflow", "traceloop.workflow.name": "faq"}
    each = [query, span(trace, "talk", "root", "", **chat), span(trace, "root", None, "", **root)]
    [found] = records(written(tmp_path / "t.jsonl", each))
    assert [(c["chunk_id"], c["rank"], c["position"]) for c in found["chunks"]] == [
        ("v0", 1, 3),
        ("v1", 2, 2),
        ("v2", 3, 1),
    ]
    assert not any("score" in chunk for chunk in found["chunks"])
    assert (found["route"], found["answer"]) == ("faq", "So it is [1].")


class TestPlaces:
    def test_a_chunk_that_is_not_in_the_prompt_was_not_packed(self) -> None:
        stood = places(TEXTS, f"{TEXTS[2]}\n{TEXTS[0]}")
        assert stood is not None
        assert stood.positions == [2, None, 1]

    def test_none_found_is_nothing_known(self) -> None:
        assert places(TEXTS, "Answer politely.") is None
        assert places([None, ""], "anything") is None

    def test_other_white_space_and_a_cut_end_are_found(self) -> None:
        long = "The warranty covers parts and labour, " * 8
        stood = places([long, TEXTS[0]], f"{TEXTS[0].replace(' ', '  ')}\n{long[:150]} …")
        assert stood is not None
        assert stood.positions == [2, 1]

    def test_a_text_within_another_does_not_take_its_place(self) -> None:
        longer = f"{TEXTS[0]} Except on islands."
        stood = places([TEXTS[0], longer], f"{longer}\n{TEXTS[0]}")
        assert stood is not None
        assert stood.positions == [2, 1]

    def test_two_copies_take_two_places(self) -> None:
        stood = places([TEXTS[0], TEXTS[0]], f"{TEXTS[0]}\n{TEXTS[1]}\n{TEXTS[0]}")
        assert stood is not None
        assert sorted(filter(None, stood.positions)) == [1, 2]

    @pytest.mark.parametrize("label", ["[{}] ", "Source {}:\n", "Document {}: ", "{}. "])
    def test_labels_that_count_from_zero_are_markers(self, label: str) -> None:
        prompt = "\n".join(label.format(at) + text for at, text in enumerate(TEXTS))
        stood = places(TEXTS, prompt)
        assert stood is not None
        assert stood.markers == [0, 1, 2]

    @settings(max_examples=40, deadline=None)
    @given(st.permutations(range(6)), st.integers(0, 6))
    def test_any_order_and_any_part_of_the_chunks_is_recovered(
        self, order: list[int], packed: int
    ) -> None:
        texts = [f"Paragraph {name} says what only it says." for name in "abcdef"]
        shown = order[:packed]
        stood = places(texts, "Context:\n" + "\n\n".join(texts[at] for at in shown))
        found = stood.positions if stood else [None] * 6
        assert found == [shown.index(at) + 1 if at in shown else None for at in range(6)]


class TestRouteAttribute:
    def test_an_attribute_of_the_root_its_resource_or_metadata_names_the_route(
        self, tmp_path: Path
    ) -> None:
        for place in ("attribute", "resource", "metadata", "other span"):
            each = spans(1)
            told = {"key": "team.flow", "value": held("returns")}
            if place == "metadata":
                told = {"key": "metadata", "value": held('{"team.flow": "returns"}')}
            line = {"scopeSpans": [{"spans": each}]}
            if place == "resource":
                line["resource"] = {"attributes": [told]}  # type: ignore[assignment]
            else:
                each[0 if place == "other span" else 2]["attributes"].append(told)
            path = tmp_path / f"{place}.jsonl"
            path.write_text(json.dumps({"resourceSpans": [line]}))
            assert [r["route"] for r in records(path)] == ["query"]
            found = records(path, route_attribute="team.flow")
            assert [each["route"] for each in found] == ["returns"], place
            assert [r["route"] for r in records(path, route_attribute="gone")] == ["query"]

    @pytest.mark.parametrize("name", ["langsmith_runs.jsonl", "langfuse_observations.jsonl"])
    def test_a_key_of_the_metadata_names_the_route(self, name: str, tmp_path: Path) -> None:
        lines_ = (SAMPLES / name).read_text().splitlines()
        each = [json.loads(line) for line in lines_]
        for row in each:
            if "run_type" in row:
                row.setdefault("extra", {}).setdefault("metadata", {})["flow"] = "returns"
            elif "type" in row:
                row["metadata"] = json.dumps({"flow": "returns"})
        path = tmp_path / name
        path.write_text("".join(json.dumps(row) + "\n" for row in each))
        found = records(path, route_attribute="flow")
        assert {each["route"] for each in found} == {"returns"}

    def test_a_column_of_a_data_frame_names_the_route(self, tmp_path: Path) -> None:
        table = pq.read_table(SAMPLES / "phoenix_spans.parquet")
        column = pa.array(["returns"] * table.num_rows)
        path = tmp_path / "t.parquet"
        pq.write_table(table.append_column("attributes.flow", column), path)
        assert {each["route"] for each in records(path, route_attribute="flow")} == {"returns"}
