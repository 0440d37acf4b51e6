"""Broken files of every format end in records and sentences, never in a traceback."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from analyzer.errors import CitelogError
from analyzer.record import Rejected, parse
from analyzer.sources import Lines, asked, open_source
from analyzer.sources.explaining import explained
from analyzer.sources.values import literal, time, unfolded

ROUNDS = int(os.environ.get("CITELOG_FUZZ_ROUNDS", "12"))
SAMPLES = sorted((Path(__file__).parent.parent / "sample_logs" / "formats").glob("*"))
TEXTS = [path for path in SAMPLES if path.suffix in (".json", ".jsonl", ".txt")]
ODD: list[Any] = [
    None,
    True,
    0,
    -1,
    1.5,
    10**30,
    1e308,
    "",
    "x",
    "[1]",
    "{",
    "\ud800".encode("utf-8", "surrogatepass").decode("utf-8", "replace"),
    "__REDACTED__",
    [],
    {},
    [None],
    [[]],
    {"": None},
    [1, "a", {"id": []}],
]


def survives(path: Path, **asking: Any) -> int:
    """Read a file to its end; how many records came of it, none where it is refused whole."""
    count = 0
    try:
        with open_source(path, asking=asked([path, path.with_name("beside")], **asking)) as source:
            for block in source.blocks():
                if isinstance(block, Lines):
                    count += sum(map(parsed, block.texts))
                else:
                    assert block.reason
            assert source.told is None or source.told
            explained(source)
    except CitelogError as sentence:
        return len(str(sentence).splitlines()) - 1
    return count


def parsed(line: bytes) -> bool:
    try:
        parse(line)
    except Rejected:
        return False
    return True


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every member of every object and list within a value, as its holder and its key."""
    members: Any = ()
    if isinstance(value, dict):
        members = list(value.items())
    elif isinstance(value, list):
        members = list(enumerate(value))
    for key, inner in members:
        yield value, key
        yield from places(inner)


def changed(value: Any, dice: random.Random) -> Any:
    """A value with a few members gone or of another type."""
    for _ in range(dice.randint(1, 4)):
        found = list(places(value))
        if not found:
            return deepcopy(dice.choice(ODD))
        holder, key = dice.choice(found)
        if isinstance(holder, dict) and dice.random() < 0.4:
            del holder[key]
        else:
            holder[key] = deepcopy(dice.choice(ODD))
    return value


def truncated(text: str, dice: random.Random) -> str:
    return text[: dice.randrange(len(text))]


def shuffled(text: str, dice: random.Random) -> str:
    lines = text.splitlines(keepends=True)
    return "".join(dice.sample(lines, len(lines)))


def reshaped(text: str, dice: random.Random) -> str:
    """The same documents with keys missing and types changed."""
    try:
        return json.dumps(changed(json.loads(text), dice))
    except ValueError:
        pass
    lines = []
    for line in text.splitlines():
        mark, _, rest = line.partition("data: ") if line.startswith("data: ") else ("", "", line)
        try:
            told = json.dumps(changed(json.loads(rest), dice))
        except ValueError:
            told = rest
        lines.append(f"data: {told}" if line.startswith("data: ") else mark + told)
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.name)
@pytest.mark.parametrize("spoilt", [truncated, shuffled, reshaped])
def test_spoilt_text(
    path: Path, spoilt: Callable[[str, random.Random], str], tmp_path: Path
) -> None:
    text = path.read_text("utf-8")
    dice = random.Random(f"{path.name} {spoilt.__name__}")
    broken = tmp_path / path.name
    for _ in range(ROUNDS):
        broken.write_text(spoilt(text, dice), "utf-8", errors="replace")
        survives(broken)


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.name)
def test_a_format_that_is_named_wrongly(path: Path, tmp_path: Path) -> None:
    for name in ("openinference", "langsmith", "langfuse", "anthropic", "trec_rag", "azure"):
        survives(path, format=name)
    survives(path, mapping="nomiracl")
    survives(path, mapping="alce")


@pytest.mark.parametrize("name", ["phoenix_spans.csv", "phoenix_spans.parquet"])
def test_spoilt_tables(name: str, tmp_path: Path) -> None:
    path = next(path for path in SAMPLES if path.name == name)
    dice = random.Random(name)
    content = path.read_bytes()
    for _ in range(ROUNDS):
        broken = tmp_path / name
        kept = bytearray(content[: dice.randrange(1, len(content))])
        kept[dice.randrange(len(kept))] ^= 1 << dice.randrange(8)
        broken.write_bytes(kept)
        survives(broken)


def test_tables_whose_columns_are_of_other_types(tmp_path: Path) -> None:
    columns = {
        "name": [1],
        "span_kind": [None],
        "parent_id": [2.5],
        "start_time": ["soon"],
        "context.span_id": [7],
        "context.trace_id": ["t"],
        "attributes.retrieval.documents": [[["x"]]],
        "attributes.openinference.span.kind": ["RETRIEVER"],
        "attributes.llm.token_count.prompt": ["many"],
    }
    for left_out in [None, *columns]:
        kept = {name: cells for name, cells in columns.items() if name != left_out}
        pq.write_table(pa.table(kept), tmp_path / "t.parquet")
        survives(tmp_path / "t.parquet")


def test_bytes_at_random(tmp_path: Path) -> None:
    dice = random.Random(3)
    for size in (1, 5, 300, 5000):
        for opening in (b"", b"{", b"[", b'{"resourceSpans":', b"data: {", b"PAR1"):
            path = tmp_path / "log.jsonl"
            path.write_bytes(opening + dice.randbytes(size))
            survives(path)


def test_what_nests_without_end(tmp_path: Path) -> None:
    path = tmp_path / "deep.jsonl"
    for line in ("[" * 5000, '{"resourceSpans":' * 2000, '{"a":[' * 3000):
        path.write_text(line + "\n")
        survives(path)


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("[{'a': 1, 'b': None}]", [{"a": 1, "b": None}]),
        ("[{'a': nan}\n {'a': -2.5}]", [{"a": None}, {"a": -2.5}]),
        ("array([{'a': np.float64(0.5)}], dtype=object)", [{"a": 0.5}]),
        ("__import__('os').getcwd()", None),
        ("[1 + 1]", None),
        ("[" * 500, None),
        ("{1: 2, **x}", None),
    ],
)
def test_python_cells_are_read_and_never_run(cell: str, value: Any) -> None:
    assert literal(cell) == value


@pytest.mark.parametrize(
    ("value", "moment"),
    [
        ("1796007474010457088", "2026-11-30T02:57:54.010457+00:00"),
        (1796007474, "2026-11-30T02:57:54+00:00"),
        (1796007474010, "2026-11-30T02:57:54.010000+00:00"),
        (1758116611.5, "2025-09-17T13:43:31.500000+00:00"),
        ("2026-11-05 09:12:44.123456", "2026-11-05T09:12:44.123456+00:00"),
        ("2026-11-05T09:12:44Z", "2026-11-05T09:12:44+00:00"),
        ("05/Nov/2026:09:12:44 +0100", "2026-11-05T09:12:44+01:00"),
        ("2026-11-05 09:12:44,5", "2026-11-05T09:12:44.500000+00:00"),
        ("2026/11/05 09:12:44", "2026-11-05T09:12:44+00:00"),
        ("Thu, 05 Nov 2026 09:12:44 GMT", "2026-11-05T09:12:44+00:00"),
        ("soon", "soon"),
        (True, None),
        (-5, None),
        (1e300, None),
        ([], None),
    ],
)
def test_times_in_every_unit(value: Any, moment: str | None) -> None:
    found = time(value)
    assert found is None if moment is None else str(found)[:26] == moment[:26]


def test_json_in_strings_is_unfolded_twice() -> None:
    assert unfolded(json.dumps(json.dumps({"a": 1}))) == {"a": 1}
    assert unfolded("no [1] JSON") == "no [1] JSON"
    assert unfolded("{'query': 'example'}") == {"query": "example"}
