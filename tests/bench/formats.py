"""How fast logs of other tools become records: OTLP JSON lines and Phoenix's data frame.

Each file is read by a process of its own, pinned to one core, at the size that was asked for and at
three times that; MB are those of the file as it is stored. A trace has a retriever with ten chunks
of about 600 characters, a model span with the prompt, and a root; spans of four traces are mixed.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

from .running import PYTHON, TOP, WORK, run, tell
from .table import markdown, number, verdict

Json = dict[str, Any]
CHUNKS, WORDS = 10, 100
GOAL = 20.0  # MB of the stored file in a second of one core
HEAD = ("file", "MB", "requests", "MB/s of a core", "peak MB", f"at least {GOAL:.0f} MB/s")
FIRST = datetime(2026, 11, 2, tzinfo=UTC)
READ = """
import os, sys, time
os.sched_setaffinity(0, list(os.sched_getaffinity(0))[:1])
from analyzer.sources import Lines, open_source
begun, requests = time.process_time(), 0
with open_source(sys.argv[1]) as source:
    for block in source.blocks():
        requests += len(block.texts) if isinstance(block, Lines) else 0
print(requests, time.process_time() - begun)
"""


def traces() -> Iterator[list[Json]]:
    """Spans of one trace after the other, without end: attributes by their dotted names."""
    dice = random.Random(7)
    words = [
        "".join(dice.choices("abcdefghijklmnoprstuvw", k=dice.randint(2, 11)))
        for _ in range(20_000)
    ]
    weights = [1 / (rank + 10) for rank in range(len(words))]
    number = 0
    while True:
        number += 1
        texts = [" ".join(dice.choices(words, weights, k=WORDS)) for _ in range(CHUNKS)]
        prompt = "\n".join(f"[{at}] {text}" for at, text in enumerate(texts, 1))
        documents = {
            f"retrieval.documents.{at}.document.{field}": value
            for at, text in enumerate(texts)
            for field, value in (
                ("id", f"c{number * CHUNKS + at}"),
                ("content", text),
                ("score", 0.9 - at / 20),
                ("metadata", json.dumps({"source": f"d{number % 997}"})),
            )
        }
        model = {
            "llm.model_name": "m-1",
            "llm.input_messages.0.message.content": f"Answer from these.\n{prompt}\nQ: what?",
            "llm.output_messages.0.message.content": "It is so [2], and also [5].",
            "llm.token_count.prompt": 1800,
        }
        root = {"session.id": f"s{number % 5000}", "output.value": "It is so [2], and also [5]."}
        yield [
            _span(number, at, kind, held)
            for at, kind, held in (
                (1, "RETRIEVER", documents),
                (2, "LLM", model),
                (0, "CHAIN", root),
            )
        ]


def _span(number: int, at: int, kind: str, held: Json) -> Json:
    return {"trace": f"{number:032x}", "at": at, "number": number, "kind": kind, "held": held}


def mixed() -> Iterator[Json]:
    """Spans of four traces at a time, one of each in turn."""
    every = traces()
    while True:
        four = list(islice(every, 4))
        yield from (trace[at] for at in range(3) for trace in four)


def otlp(size: int, path: Path) -> None:
    """A span a line, as a collector's file exporter writes them."""
    written = 0
    with path.open("w", encoding="utf-8") as file:
        for span in mixed():
            written += file.write(json.dumps(_otlp(span)) + "\n")
            if written >= size and span["at"] == 0 and span["number"] % 4 == 0:
                return


def _otlp(span: Json) -> Json:
    attributes = [
        {"key": key, "value": _any(value)}
        for key, value in {"openinference.span.kind": span["kind"], **span["held"]}.items()
    ]
    start = int(FIRST.timestamp()) * 10**9 + span["number"] * 10**8 + span["at"]
    told = {
        "traceId": span["trace"],
        "spanId": f"{span['number'] * 4 + span['at']:016x}",
        "parentSpanId": f"{span['number'] * 4:016x}" if span["at"] else "",
        "name": span["kind"].lower(),
        "startTimeUnixNano": str(start),
        "attributes": attributes,
    }
    return {"resourceSpans": [{"resource": {}, "scopeSpans": [{"spans": [told]}]}]}


def _any(value: Any) -> Json:
    if isinstance(value, int):
        return {"intValue": str(value)}
    return {"doubleValue": value} if isinstance(value, float) else {"stringValue": value}


def phoenix(size: int, path: Path) -> None:
    """Rows of the data frame as Parquet, compressed as its writer does by default."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = _schema()
    rows = mixed()
    with pq.ParquetWriter(path, schema) as writer:
        while not path.exists() or path.stat().st_size < size:
            some = [_row(span) for span in islice(rows, 1200)]
            writer.write_table(pa.Table.from_pylist(some, schema))


def _schema() -> Any:
    import pyarrow as pa

    message = pa.list_(pa.struct([("message.role", pa.string()), ("message.content", pa.string())]))
    document = pa.struct(
        [
            ("document.id", pa.string()),
            ("document.content", pa.string()),
            ("document.score", pa.float64()),
            ("document.metadata", pa.struct([("source", pa.string())])),
        ]
    )
    return pa.schema(
        [
            *((name, pa.string()) for name in ("name", "span_kind", "parent_id")),
            ("start_time", pa.timestamp("ns", "UTC")),
            ("context.span_id", pa.string()),
            ("context.trace_id", pa.string()),
            ("attributes.session.id", pa.string()),
            ("attributes.input.value", pa.string()),
            ("attributes.output.value", pa.string()),
            ("attributes.llm.model_name", pa.string()),
            ("attributes.llm.token_count.prompt", pa.float64()),
            ("attributes.llm.input_messages", message),
            ("attributes.llm.output_messages", message),
            ("attributes.retrieval.documents", pa.list_(document)),
        ]
    )


def _row(span: Json) -> Json:
    held = span["held"]
    row = {
        "name": span["kind"].lower(),
        "span_kind": span["kind"],
        "parent_id": f"{span['number'] * 4:016x}" if span["at"] else None,
        "start_time": FIRST + timedelta(milliseconds=span["number"] * 100 + span["at"]),
        "context.span_id": f"{span['number'] * 4 + span['at']:016x}",
        "context.trace_id": span["trace"],
        "attributes.session.id": held.get("session.id"),
        "attributes.output.value": held.get("output.value"),
    }
    if span["kind"] == "LLM":
        row |= {
            f"attributes.llm.{name}": [{"message.content": held[f"llm.{name}.0.message.content"]}]
            for name in ("input_messages", "output_messages")
        }
        row["attributes.llm.token_count.prompt"] = 1800.0
    if span["kind"] == "RETRIEVER":
        names = ("id", "content", "score")
        row["attributes.retrieval.documents"] = [
            {f"document.{n}": held[f"retrieval.documents.{at}.document.{n}"] for n in names}
            for at in range(CHUNKS)
        ]
    return row


def read(size: int) -> Iterator[str]:
    """Files of this size and of three times that, each made, read and removed, as Markdown."""
    yield "## Logs of other tools\n"
    files = [
        (name, make, size * times)
        for name, make in (("otlp.jsonl", otlp), ("phoenix.parquet", phoenix))
        for times in (1, 3)
    ]
    yield markdown(HEAD, [_measured(*file) for file in files])


def _measured(name: str, make: Callable[[int, Path], None], size: int) -> list[str]:
    path = WORK / name
    tell(f"reading {name} of {size / 1e6:.0f} MB")
    (TOP / WORK).mkdir(parents=True, exist_ok=True)
    run(PYTHON, "-c", MAKE, make.__name__, str(size), path)
    cost = run(PYTHON, "-c", READ, path)
    stored = (TOP / path).stat().st_size / 1e6
    (TOP / path).unlink()
    requests, seconds = cost.said.split()
    rate = stored / float(seconds)
    figures = (f"{stored:.0f}", f"{int(requests):,}", number(rate), f"{cost.rss:.0f}")
    return [name, *figures, verdict(GOAL, rate)]


# Made by a process of its own: what measures has to stay small.
MAKE = """
import sys
from pathlib import Path
from tests.bench import formats
getattr(formats, sys.argv[1])(int(sys.argv[2]), Path(sys.argv[3]))
"""
