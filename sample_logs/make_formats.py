"""Write sample_logs/formats: the same small shop's answers as each tool would log them.

Everything here is invented. `python sample_logs/make_formats.py` writes all of it again.
"""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

Json = dict[str, Any]
FOLDER = Path(__file__).parent / "formats"
FIRST = datetime(2026, 11, 10, 9, 0, tzinfo=UTC)

CHUNKS = {
    "care#0": ("care.md", "Wax the canvas of the tent once a year and let it dry in the shade."),
    "care#1": ("care.md", "Never store a wet sleeping bag in its compression sack."),
    "ship#0": ("shipping.md", "Orders placed before noon leave the warehouse on the same day."),
    "ship#1": ("shipping.md", "Islands are served twice a week by the ferry company."),
    "ret#0": ("returns.md", "Unused gear may be returned within sixty days with its receipt."),
    "ret#1": ("returns.md", "Climbing ropes are taken back only while their seal is unbroken."),
}
# question, what was retrieved best first, the order of the prompt, answer
ASKED = [
    (
        "How do I look after my tent?",
        ["care#0", "care#1", "ret#0"],
        ["care#1", "ret#0", "care#0"],
        "Wax it once a year [3]; do not pack it wet [1].",
    ),
    (
        "When will my order arrive on the island?",
        ["ship#1", "ship#0", "ret#0"],
        ["ship#0", "ret#0", "ship#1"],
        "It leaves the same day [1] and crosses with the ferry twice a week [3].",
    ),
    (
        "Can I return a rope?",
        ["ret#1", "ret#0", "ship#0"],
        ["ret#0", "ship#0", "ret#1"],
        "Yes, while the seal is unbroken [3].",
    ),
]


class Asked:
    """One question: who asked it when, what was found, what the prompt and the answer were."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.question, self.retrieved, self.packed, self.answer = ASKED[number]
        self.at = FIRST + timedelta(hours=number)
        self.trace = f"{0xA11CE0 + number:032x}"
        self.session = f"visitor-{number}"

    @property
    def prompt(self) -> str:
        """The prompt, which numbers its chunks from 1."""
        listed = "\n".join(f"[{at}] {CHUNKS[name][1]}" for at, name in enumerate(self.packed, 1))
        return f"Answer from these passages.\n{listed}\n\nQuestion: {self.question}"

    def span_id(self, at: int) -> str:
        """The id of a span of its trace."""
        return f"{0xBEE000 + self.number * 16 + at:016x}"

    def score(self, at: int) -> float:
        """What the retriever gave the chunk of a rank."""
        return round(0.92 - 0.11 * at, 2)

    def nanoseconds(self, at: int) -> int:
        """When a span of its trace began."""
        return int(self.at.timestamp()) * 10**9 + at * 10**6


def everything() -> list[Asked]:
    """The questions."""
    return [Asked(number) for number in range(len(ASKED))]


def lines(name: str, values: Iterator[Json] | list[Json]) -> None:
    """JSON lines."""
    text = "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values)
    (FOLDER / name).write_text(text, encoding="utf-8")


def document(name: str, value: Any) -> None:
    """One JSON document over many lines."""
    text = json.dumps(value, ensure_ascii=False, indent=1)
    (FOLDER / name).write_text(text + "\n", encoding="utf-8")


def otlp(spans: Iterator[Json], service: str) -> Iterator[Json]:
    """Spans as a collector's file exporter writes them, one a line."""
    resource = {"attributes": _attributes({"service.name": service, "service.version": "41"})}
    for span in spans:
        yield {"resourceSpans": [{"resource": resource, "scopeSpans": [{"spans": [span]}]}]}


def _attributes(values: Json) -> list[Json]:
    return [{"key": name, "value": _value(value)} for name, value in values.items()]


def _value(value: Any) -> Json:
    if isinstance(value, int):
        return {"intValue": str(value)}
    return {"doubleValue": value} if isinstance(value, float) else {"stringValue": value}


def _span(asked: Asked, at: int, name: str, attributes: Json) -> Json:
    span: Json = {
        "traceId": asked.trace,
        "spanId": asked.span_id(at),
        "name": name,
        "kind": 1,
        "startTimeUnixNano": str(asked.nanoseconds(at)),
        "endTimeUnixNano": str(asked.nanoseconds(at + 9)),
        "attributes": _attributes(attributes),
    }
    if at:
        span["parentSpanId"] = asked.span_id(0)
    return span


def openinference_attributes(asked: Asked) -> list[tuple[int, str, Json]]:
    """Retriever, model and root, children first."""
    documents = {
        f"retrieval.documents.{at}.document.{field}": value
        for at, name in enumerate(asked.retrieved)
        for field, value in (
            ("id", name),
            ("content", CHUNKS[name][1]),
            ("score", asked.score(at)),
            ("metadata", json.dumps({"source": CHUNKS[name][0]})),
        )
    }
    model = {
        "openinference.span.kind": "LLM",
        "llm.model_name": "sample-1",
        "llm.input_messages.0.message.role": "user",
        "llm.input_messages.0.message.content": asked.prompt,
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.content": asked.answer,
        "llm.token_count.prompt": len(asked.prompt) // 4,
        "llm.token_count.completion": len(asked.answer) // 4,
    }
    root = {
        "openinference.span.kind": "CHAIN",
        "input.value": asked.question,
        "output.value": asked.answer,
        "session.id": asked.session,
        "metadata": json.dumps({"route": "shop"}),
    }
    return [
        (1, "retrieve", {"openinference.span.kind": "RETRIEVER", **documents}),
        (2, "generate", model),
        (0, "answer", root),
    ]


def openinference() -> Iterator[Json]:
    """OpenInference."""
    for asked in everything():
        for at, name, attributes in openinference_attributes(asked):
            yield _span(asked, at, name, attributes)


def phoenix_rows() -> list[Json]:
    """Phoenix's data frame: lists of structures, tokens as floats."""
    rows = []
    for asked in everything():
        for at, name, held in openinference_attributes(asked):
            kind = held["openinference.span.kind"]
            documents = [
                {
                    "document.id": chunk,
                    "document.content": CHUNKS[chunk][1],
                    "document.score": asked.score(place),
                    "document.metadata": {"source": CHUNKS[chunk][0]},
                }
                for place, chunk in enumerate(asked.retrieved)
            ]
            message = held.get("llm.output_messages.0.message.content")
            prompt = held.get("llm.input_messages.0.message.content")
            rows.append(
                {
                    "name": name,
                    "span_kind": kind,
                    "parent_id": asked.span_id(0) if at else None,
                    "start_time": asked.at + timedelta(milliseconds=at),
                    "status_code": "OK",
                    "context.span_id": asked.span_id(at),
                    "context.trace_id": f"{0xF0E0 + asked.number:032x}",
                    "attributes.session.id": held.get("session.id"),
                    "attributes.output.value": held.get("output.value"),
                    "attributes.llm.model_name": held.get("llm.model_name"),
                    "attributes.llm.token_count.prompt": _float(held, "prompt"),
                    "attributes.llm.token_count.completion": _float(held, "completion"),
                    "attributes.llm.input_messages": _messages("user", prompt),
                    "attributes.llm.output_messages": _messages("assistant", message),
                    "attributes.retrieval.documents": documents if kind == "RETRIEVER" else None,
                }
            )
    return rows


def _float(held: Json, which: str) -> float | None:
    tokens = held.get(f"llm.token_count.{which}")
    return None if tokens is None else float(tokens)


def _messages(role: str, content: str | None) -> list[Json] | None:
    return [{"message.role": role, "message.content": content}] if content else None


def phoenix() -> None:
    """Phoenix: the data frame as Parquet and as CSV, REST spans, and annotations."""
    rows = phoenix_rows()
    pq.write_table(pa.Table.from_pylist(rows), FOLDER / "phoenix_spans.parquet")
    with (FOLDER / "phoenix_spans.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        for row in rows:
            trace = row["context.trace_id"].replace("f0e", "f0d")
            writer.writerow({**row, "context.trace_id": trace})
    spans = [
        {
            "name": name,
            "context": {
                "trace_id": f"{0xF0C0 + a.number:032x}",
                "span_id": f"{a.number:012x}f{at}",
            },
            "span_kind": held["openinference.span.kind"],
            "parent_id": f"{a.number:012x}f0" if at else None,
            "start_time": (a.at + timedelta(milliseconds=at)).isoformat(),
            "attributes": {k: v for k, v in held.items() if k != "openinference.span.kind"},
        }
        for a in everything()
        for at, name, held in openinference_attributes(a)
    ]
    document("phoenix_rest_spans.json", {"data": spans, "next_cursor": None})
    annotations = [
        {
            "span_id": f"{number:012x}f0",
            "annotation_name": "correctness",
            "annotator_kind": "HUMAN",
            "result.label": label,
            "result.score": score,
            "created_at": "2026-11-12T08:00:00+00:00",
        }
        for number, label, score in ((0, "correct", 1.0), (2, "incorrect", 0.0))
    ]
    lines("phoenix_annotations.jsonl", annotations)


def genai() -> Iterator[Json]:
    """OpenTelemetry GenAI: ids and scores in a string, no texts."""
    for asked in everything():
        listed = [{"id": n, "score": asked.score(at)} for at, n in enumerate(asked.retrieved)]
        retrieval = {
            "gen_ai.operation.name": "retrieval",
            "gen_ai.retrieval.documents": json.dumps(listed),
        }
        chat = {
            "gen_ai.operation.name": "chat",
            "gen_ai.request.model": "sample-1",
            "gen_ai.usage.input_tokens": len(asked.prompt) // 4,
            "gen_ai.output.messages": json.dumps(
                [{"role": "assistant", "parts": [{"type": "text", "content": asked.answer}]}]
            ),
        }
        root = {"gen_ai.operation.name": "invoke_workflow", "gen_ai.workflow.name": "shop"}
        for at, name, held in ((1, "retrieval", retrieval), (2, "chat", chat), (0, "shop", root)):
            yield {**_span(asked, at, name, held), "traceId": f"{0x6E0 + asked.number:032x}"}


def traceloop() -> Iterator[Json]:
    """Traceloop: documents without their ids."""
    for asked in everything():
        documents = [
            {"page_content": CHUNKS[n][1], "metadata": {"source": CHUNKS[n][0], "chunk_id": n}}
            for n in asked.retrieved
        ]
        common = {"traceloop.workflow.name": "shop"}
        retrieval = common | {
            "gen_ai.operation.name": "vector_db_retrieve",
            "traceloop.entity.output": json.dumps({"documents": documents}),
        }
        chat = common | {
            "gen_ai.operation.name": "chat",
            "gen_ai.response.model": "sample-1",
            "gen_ai.input.messages": json.dumps([{"role": "user", "content": asked.prompt}]),
            "gen_ai.output.messages": json.dumps([{"role": "assistant", "content": asked.answer}]),
            "gen_ai.usage.input_tokens": len(asked.prompt) // 4,
        }
        root = common | {"traceloop.span.kind": "workflow"}
        for at, name, held in ((1, "retrieve", retrieval), (2, "chat", chat), (0, "shop", root)):
            yield {**_span(asked, at, name, held), "traceId": f"{0x7E0 + asked.number:032x}"}


def langsmith() -> Iterator[Json]:
    """LangSmith: a run a line."""
    for asked in everything():
        trace = f"00000000-0000-4000-8000-{asked.number:012d}"
        documents = [
            {
                "id": name,
                "page_content": CHUNKS[name][1],
                "metadata": {"source": CHUNKS[name][0], "relevance_score": asked.score(at)},
                "type": "Document",
            }
            for at, name in enumerate(asked.retrieved)
        ]
        runs = [
            ("retriever", {"query": asked.question}, {"documents": documents}),
            ("llm", {"prompts": [asked.prompt]}, {"generations": [[{"text": asked.answer}]]}),
            ("chain", {"input": asked.question}, {"output": asked.answer}),
        ]
        for at, (kind, inputs, outputs) in enumerate(runs):
            root = kind == "chain"
            yield {
                "id": trace if root else f"{trace[:-2]}{at + 1}{asked.number}",
                "trace_id": trace,
                "parent_run_id": None if root else trace,
                "dotted_order": f"{asked.at:%Y%m%dT%H%M%S}{at}",
                "name": "shop" if root else kind,
                "run_type": kind,
                "start_time": (asked.at + timedelta(seconds=at - 2)).isoformat()[:19],
                "inputs": inputs,
                "outputs": outputs,
                "extra": {"metadata": {"session_id": asked.session, "ls_model_name": "sample-1"}},
                "prompt_tokens": len(asked.prompt) // 4 if kind == "llm" else None,
            }


def langsmith_feedback() -> list[Json]:
    """LangSmith: feedback on two of the traces."""
    return [
        {
            "id": f"f-{number}",
            "run_id": f"00000000-0000-4000-8000-{number:012d}",
            "trace_id": f"00000000-0000-4000-8000-{number:012d}",
            "key": "correctness",
            "score": score,
            "value": None,
            "created_at": "2026-11-12T08:00:00",
        }
        for number, score in ((0, 1.0), (1, 0.0))
    ]


def langfuse() -> Iterator[Json]:
    """Langfuse: observations as they are exported; inputs and outputs are strings of JSON."""
    for asked in everything():
        trace = f"lf-{asked.number}"
        documents = [
            {"page_content": CHUNKS[n][1], "metadata": {"source": CHUNKS[n][0], "id": n}}
            for n in asked.retrieved
        ]
        usage = {"input": len(asked.prompt) // 4, "output": len(asked.answer) // 4}
        rows: list[tuple[str, str, str, str, Json]] = [
            ("RETRIEVER", "retrieve", asked.question, json.dumps(documents), {}),
            (
                "GENERATION",
                "generate",
                json.dumps([{"content": asked.prompt}]),
                asked.answer,
                usage,
            ),
            ("SPAN", "shop", json.dumps(asked.question), json.dumps(asked.answer), {}),
        ]
        for at, (kind, name, given, put_out, used) in enumerate(rows):
            yield {
                "id": f"{trace}-{at}",
                "trace_id": trace,
                "type": kind,
                "parent_observation_id": None if kind == "SPAN" else f"{trace}-2",
                "start_time": f"{asked.at + timedelta(seconds=at):%Y-%m-%d %H:%M:%S}.000000",
                "name": name,
                "input": given,
                "output": put_out,
                "provided_model_name": "sample-1" if kind == "GENERATION" else None,
                "usage_details": used,
                "trace_name": "shop",
                "session_id": asked.session,
            }


def langfuse_scores() -> list[Json]:
    """Langfuse: one score about right and wrong, and one that says nothing of it."""
    return [
        {
            "id": f"score-{name}",
            "timestamp": "2026-11-12 08:00:00.000000",
            "trace_id": "lf-1",
            "name": name,
            "value": value,
            "data_type": "NUMERIC",
            "source": "EVAL",
        }
        for name, value in (("correctness", 1), ("tone", 0.7))
    ]


def anthropic() -> Iterator[Json]:
    """Anthropic: search results in the request, cited by their index."""
    for asked in everything():
        blocks = [
            {
                "type": "search_result",
                "source": CHUNKS[name][0],
                "title": name,
                "content": [{"type": "text", "text": CHUNKS[name][1]}],
                "citations": {"enabled": True},
            }
            for name in asked.packed
        ]
        yield {
            "timestamp": asked.at.isoformat(),
            "route": "shop",
            "request": {
                "model": "sample-2",
                "messages": [{"role": "user", "content": [*blocks, _said(asked.question)]}],
            },
            "response": {
                "id": f"msg_sample_{asked.number}",
                "type": "message",
                "role": "assistant",
                "model": "sample-2",
                "content": [
                    {
                        **_said("It is the last of the passages that says it."),
                        "citations": [
                            {
                                "type": "search_result_location",
                                "cited_text": CHUNKS[asked.packed[2]][1],
                                "search_result_index": 2,
                                "source": CHUNKS[asked.packed[2]][0],
                                "start_block_index": 0,
                                "end_block_index": 1,
                            }
                        ],
                    }
                ],
                "usage": {"input_tokens": 150, "output_tokens": 12},
            },
        }


def _said(text: str) -> Json:
    return {"type": "text", "text": text}


def anthropic_stream() -> str:
    """Anthropic: an answer as the events of a stream, without its request."""
    citation = {
        "type": "char_location",
        "cited_text": CHUNKS["ret#1"][1],
        "document_index": 0,
        "document_title": "returns.md",
        "start_char_index": 0,
        "end_char_index": len(CHUNKS["ret#1"][1]),
    }
    events: list[Json] = [
        {
            "type": "message_start",
            "message": {
                "id": "msg_sample_stream",
                "type": "message",
                "model": "sample-2",
                "content": [],
                "usage": {"input_tokens": 80, "output_tokens": 1},
            },
        },
        {
            "type": "content_block_start",
            "index": 0,
            "content_block": {**_said(""), "citations": []},
        },
        {
            "type": "content_block_delta",
            "index": 0,
            "delta": {"type": "citations_delta", "citation": citation},
        },
        {
            "type": "content_block_delta",
            "index": 0,
            "delta": {"type": "text_delta", "text": "Only while sealed."},
        },
        {"type": "message_delta", "usage": {"output_tokens": 6}},
    ]
    return "".join(f"event: {e['type']}\ndata: {json.dumps(e)}\n\n" for e in events)


def cohere() -> Iterator[Json]:
    """Cohere: documents with ids, cited by them."""
    for asked in everything():
        yield {
            "timestamp": asked.at.isoformat(),
            "route": "shop",
            "request": {
                "model": "sample-3",
                "messages": [{"role": "user", "content": asked.question}],
                "documents": [{"id": n, "data": {"text": CHUNKS[n][1]}} for n in asked.packed],
            },
            "response": {
                "id": f"cohere-sample-{asked.number}",
                "finish_reason": "COMPLETE",
                "message": {
                    "role": "assistant",
                    "content": [_said("The first passage says so.")],
                    "citations": [
                        {
                            "start": 4,
                            "end": 17,
                            "text": "first passage",
                            "sources": [{"type": "document", "id": asked.packed[0]}],
                        }
                    ],
                },
                "usage": {"tokens": {"input_tokens": 140, "output_tokens": 7}},
            },
        }


def trec() -> Iterator[Json]:
    """TREC RAG: indices from 0; RAGTIME: names."""
    for asked in everything():
        yield {
            "run_id": "sample-run",
            "topic_id": f"topic-{asked.number}",
            "references": asked.packed[1:],
            "answer": [{"text": asked.answer, "citations": [1]}],
        }
    yield {
        "metadata": {"run_id": "sample-report", "topic_id": "topic-0"},
        "references": ["care#0", "care#1"],
        "responses": [{"text": "Wax it.", "citations": {"care#0": 0.8}}],
    }


def bedrock() -> list[Json]:
    """Bedrock: an answer that lists what it cites, and a conversation with a document."""
    text = CHUNKS["ship#0"][1]
    reference = {
        "content": {"type": "TEXT", "text": text},
        "location": {"type": "S3", "s3Location": {"uri": "s3://shop/shipping.md"}},
        "metadata": {},
    }
    part = {"textResponsePart": {"span": {"start": 0, "end": 17}, "text": "On the same day."}}
    document = {"name": "returns", "source": {"text": CHUNKS["ret#0"][1]}}
    cited = {
        "content": [{"text": "Sixty days."}],
        "citations": [{"location": {"documentChar": {"documentIndex": 0, "start": 0, "end": 9}}}],
    }
    return [
        {
            "timestamp": FIRST.isoformat(),
            "request_id": "bedrock-sample-0",
            "request": {"input": {"text": "When does it leave?"}},
            "response": {
                "sessionId": "visitor-7",
                "output": {"text": "On the same day."},
                "citations": [{"generatedResponsePart": part, "retrievedReferences": [reference]}],
            },
        },
        {
            "timestamp": FIRST.isoformat(),
            "request_id": "bedrock-sample-1",
            "request": {
                "modelId": "sample-4",
                "messages": [{"role": "user", "content": [{"document": document}]}],
            },
            "response": {
                "output": {"message": {"content": [{"citationsContent": cited}]}},
                "stopReason": "end_turn",
                "usage": {"inputTokens": 60, "outputTokens": 4},
            },
        },
    ]


def gemini() -> Json:
    """Gemini: supports point to grounding chunks; offsets are bytes."""
    answer = "Größe spielt keine Rolle. Sealed ropes only."
    start = len("Größe spielt keine Rolle. ".encode())
    return {
        "responseId": "gemini-sample-0",
        "createTime": FIRST.isoformat(),
        "modelVersion": "sample-5",
        "candidates": [
            {
                "content": {"parts": [{"text": answer}]},
                "groundingMetadata": {
                    "groundingChunks": [
                        {"retrievedContext": {"title": CHUNKS[n][0], "text": CHUNKS[n][1]}}
                        for n in ("ret#0", "ret#1")
                    ],
                    "groundingSupports": [
                        {
                            "groundingChunkIndices": [1],
                            "segment": {"startIndex": start, "endIndex": len(answer.encode())},
                        }
                    ],
                },
            }
        ],
        "usageMetadata": {"promptTokenCount": 20, "toolUsePromptTokenCount": 50},
    }


def openai() -> Json:
    """OpenAI: file search with its results."""
    results = [
        {"file_id": f"file-{n[:3]}", "filename": CHUNKS[n][0], "score": 0.9, "text": CHUNKS[n][1]}
        for n in ("care#0", "ship#0")
    ]
    note = {"type": "file_citation", "file_id": "file-car", "filename": "care.md", "index": 12}
    return {
        "id": "resp_sample_0",
        "object": "response",
        "created_at": int(FIRST.timestamp()),
        "model": "sample-6",
        "output": [
            {"type": "file_search_call", "id": "fs_0", "results": results},
            {
                "type": "message",
                "content": [{"type": "output_text", "text": "Wax it.", "annotations": [note]}],
            },
        ],
        "usage": {"input_tokens": 90, "output_tokens": 5},
    }


def azure() -> Json:
    """Azure On Your Data: the documents shown, and those that were filtered out."""
    listed = [
        {"content": CHUNKS[n][1], "filepath": CHUNKS[n][0], "chunk_id": n[-1]}
        for n in ("ret#1", "ret#0", "ship#1")
    ]
    shown = listed[:2][::-1]
    return {
        "id": "chatcmpl-sample-0",
        "created": int(FIRST.timestamp()),
        "model": "sample-7",
        "choices": [
            {
                "message": {
                    "role": "assistant",
                    "content": "Only while sealed [doc2].",
                    "context": {"citations": shown, "all_retrieved_documents": listed},
                }
            }
        ],
        "usage": {"prompt_tokens": 70, "completion_tokens": 6},
    }


def framework_objects() -> None:
    """Results that LlamaIndex, LangChain, Haystack and ALCE write, one a line or a file."""
    every = everything()
    lines(
        "llamaindex.jsonl",
        [
            {
                "request_id": f"llamaindex-{a.number}",
                "timestamp": a.at.isoformat(),
                "response": a.answer,
                "source_nodes": [
                    {
                        "node": {
                            "id_": n,
                            "text": CHUNKS[n][1],
                            "relationships": {"1": {"node_id": CHUNKS[n][0]}},
                        },
                        "score": a.score(a.retrieved.index(n)),
                    }
                    for n in a.packed
                ],
            }
            for a in every
        ],
    )
    lines(
        "langchain.jsonl",
        [
            {
                "request_id": f"langchain-{a.number}",
                "timestamp": a.at.isoformat(),
                "input": a.question,
                "answer": a.answer,
                "context": [
                    {
                        "lc": 1,
                        "type": "constructor",
                        "id": ["langchain", "schema", "document", "Document"],
                        "kwargs": {
                            "id": n,
                            "page_content": CHUNKS[n][1],
                            "metadata": {"source": CHUNKS[n][0]},
                        },
                    }
                    for n in a.packed
                ],
            }
            for a in every
        ],
    )
    lines(
        "haystack.jsonl",
        [
            {
                "data": a.answer,
                "query": a.question,
                "documents": [
                    {
                        "id": n,
                        "content": CHUNKS[n][1],
                        "meta": {
                            "file_name": CHUNKS[n][0],
                            "source_index": at,
                            "referenced": f"[{at}]" in a.answer,
                        },
                    }
                    for at, n in enumerate(a.packed, 1)
                ],
                "meta": {"model": "sample-1", "timestamp": a.at.isoformat()},
            }
            for a in every
        ],
    )
    docs = [
        {"id": n, "title": document, "text": text, "score": 0.5}
        for n, (document, text) in CHUNKS.items()
    ]
    document(
        "alce.json",
        {
            "args": {"model": "sample-1", "ndoc": 3},
            "data": [
                {"sample_id": "alce-0", "question": "Tent?", "docs": docs, "output": "Wax [1]."}
            ],
        },
    )


def main() -> None:
    """Write every file."""
    FOLDER.mkdir(exist_ok=True)
    lines("openinference.otlp.jsonl", otlp(openinference(), "shop"))
    lines("otel_genai.otlp.jsonl", otlp(genai(), "shop"))
    lines("traceloop.otlp.jsonl", otlp(traceloop(), "shop"))
    phoenix()
    lines("langsmith_runs.jsonl", langsmith())
    lines("langsmith_feedback.jsonl", langsmith_feedback())
    lines("langfuse_observations.jsonl", langfuse())
    lines("langfuse_scores.jsonl", langfuse_scores())
    lines("anthropic.jsonl", anthropic())
    (FOLDER / "anthropic_stream.txt").write_text(anthropic_stream(), encoding="utf-8")
    lines("cohere.jsonl", cohere())
    lines("trec_rag.jsonl", trec())
    document("bedrock.json", bedrock())
    document("gemini.json", gemini())
    document("openai.json", openai())
    document("azure.json", azure())
    framework_objects()


if __name__ == "__main__":
    if len(sys.argv) > 1:
        FOLDER = Path(sys.argv[1])
    main()
