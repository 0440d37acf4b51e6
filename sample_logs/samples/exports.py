"""The shop's answers as two platforms export them: LangSmith and Langfuse, with their labels."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta

from shop import CHUNKS, Folder, Json, everything


def write(folder: Folder) -> None:
    """Write the files of these formats."""
    folder.lines("langsmith_runs.jsonl", langsmith())
    folder.lines("langsmith_feedback.jsonl", langsmith_feedback())
    folder.lines("langfuse_observations.jsonl", langfuse())
    folder.lines("langfuse_scores.jsonl", langfuse_scores())


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
