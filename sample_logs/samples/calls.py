"""The shop's answers as calls of models that cite on their own, and as submissions to TREC."""

from __future__ import annotations

import json
from collections.abc import Iterator

from shop import CHUNKS, FIRST, Folder, Json, everything


def write(folder: Folder) -> None:
    """Write the files of these formats."""
    folder.lines("anthropic.jsonl", anthropic())
    (folder.path / "anthropic_stream.txt").write_text(anthropic_stream(), encoding="utf-8")
    folder.lines("cohere.jsonl", cohere())
    folder.lines("trec_rag.jsonl", trec())
    folder.document("bedrock.json", bedrock())
    folder.document("gemini.json", gemini())
    folder.document("openai.json", openai())
    folder.document("azure.json", azure())
    folder.lines("cohere_rerank.jsonl", cohere_rerank())
    folder.lines("trec_candidates.jsonl", trec_candidates())
    folder.lines("bedrock_stream.jsonl", bedrock_stream())
    stream = "".join(f"data: {json.dumps(event)}\n\n" for event in azure_stream())
    (folder.path / "azure_stream.txt").write_text(f"{stream}data: [DONE]\n\n", encoding="utf-8")


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
        {"type": "content_block_stop", "index": 0},
        {
            "type": "message_delta",
            "delta": {"stop_reason": "end_turn", "stop_sequence": None},
            "usage": {"output_tokens": 6},
        },
        {"type": "message_stop"},
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


def cohere_rerank() -> list[Json]:
    """A call of Cohere's reranker, then the chat that was given the two best."""
    asked = everything()[0]
    results = [{"index": at, "relevance_score": 0.9 - at / 10} for at in (2, 0, 1)]
    rerank = {
        "request": {
            "model": "sample-rerank",
            "query": asked.question,
            "documents": [CHUNKS[name][1] for name in asked.retrieved],
        },
        "response": {"id": "rerank-sample-0", "results": results, "meta": {"api_version": {}}},
    }
    chat = next(cohere())
    chat["request"]["documents"] = chat["request"]["documents"][:2]
    chat["response"]["id"] = "cohere-sample-reranked"
    return [rerank, chat]


def trec_candidates() -> Iterator[Json]:
    """Ragnarök: what was retrieved for two of the topics."""
    for asked in everything()[:2]:
        yield {
            "query": {"qid": f"topic-{asked.number}", "text": asked.question},
            "candidates": [
                {"docid": name, "score": asked.score(at), "doc": {"segment": CHUNKS[name][1]}}
                for at, name in enumerate(asked.retrieved)
            ],
        }


def bedrock_stream() -> list[Json]:
    """The events of one answer of Bedrock, each on a line."""
    [generated, _] = bedrock()
    [citation] = generated["response"]["citations"]
    said = ["On the ", "same day."]
    return [*({"output": {"text": text}} for text in said), {"citation": citation}]


def azure_stream() -> Iterator[Json]:
    """The pieces of one answer of Azure: the context first, a marker over two of them."""
    context = {"citations": azure()["choices"][0]["message"]["context"]["citations"]}
    deltas = [{"role": "assistant", "context": context}, {"content": "Sealed [do"}]
    deltas += [{"content": "c2] only."}, {}]
    for delta in deltas:
        yield {
            "id": "chatcmpl-sample-1",
            "object": "chat.completion.chunk",
            "created": int(FIRST.timestamp()),
            "model": "sample-7",
            "choices": [{"index": 0, "delta": delta, "finish_reason": None if delta else "stop"}],
        }
