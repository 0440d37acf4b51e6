"""Lines that are decoded many at once and lines that are looked at one by one say the same."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

from hypothesis import given, settings
from hypothesis import strategies as st
from loading.records import label, request
from loading.rejections import REJECTIONS
from loading.sites import NOW, ROLLUPS, Site
from logs import requests

from analyzer import facts
from analyzer.reading.pieces import Rules, Tally, blocks, terms
from analyzer.sources import open_source
from analyzer.sources.lines import Uncut

Told = dict[str, Any]

ODD = [
    *(said if isinstance(said, bytes) else json.dumps(said).encode() for _, said, _ in REJECTIONS),
    json.dumps(label("r1", correct=True)).encode(),
    json.dumps(request("whole", {"rank": 1.0, "position": 2.0, "tokens": 7.0})).encode(),
    json.dumps(request("coloured", {"rank": 1, "hue": "red"}, hue="red")).encode(),
    json.dumps(request("twice", {"position": 1}, {"position": 1})).encode(),
    json.dumps(request("spaces", {"text": "a} {b", "position": 1}), indent=None).encode() + b"  ",
    b' {"request_id": "indented", "chunks": []}',
    b'{"request_id": "two", "chunks": []} {"request_id": "on a line", "chunks": []}',
    b'{"request_id": "half", "chunks": [{}',
    b'{"chunk_id": "the other half"}]}',
    b'{"request_id": "again", "request_id": "last", "chunks": [], "chunks": []}',
    b'{"request_id": "\xff", "chunks": []}',
    b'{"request_id": "\\ud800", "chunks": []}',
    b'{"request_id": "\\u0000", "chunks": []}',
    b"{}",
    b"[1]",
    b"\t ",
    b"",
]
FIRST = b'{"request_id": "first", "chunks": []}'  # by which the file is known for a log
PLAIN = requests("r0") | requests("r1") | requests("r2") | requests("r3")


@st.composite
def logs(draw: st.DrawFn) -> list[bytes]:
    """Lines of a log, mostly plain requests, so that runs of them stand between the odd ones."""
    plain = PLAIN.map(lambda record: json.dumps(record, ensure_ascii=False).encode())
    odd = st.sampled_from(ODD) if draw(st.booleans()) else plain
    return draw(st.lists(st.one_of(plain, plain, plain, odd), min_size=1, max_size=12))


def told(path: Path) -> Told:
    """Everything that reading a file gives, offsets of lines aside."""
    found: Told = {"requests": [], "chunks": [], "texts": [], "judgements": [], "rejected": []}
    tally = Tally()
    with open_source(path) as source:
        asked = terms(source, "b", Rules(NOW, requested_at=NOW), facts.Settings())
        for block in blocks(source, asked):
            tally.add(block.tally)
            if block.facts:
                for name in ("requests", "chunks", "texts"):
                    found[name] += getattr(block.facts, name).to_pylist()
            for name in ("judgements", "rejected"):
                found[name] += rows.to_pylist() if (rows := getattr(block, name)) else []
    for fault in found["rejected"]:
        fault.pop("byte_offset")
    found["rejected"].sort(key=lambda fault: (fault["line"], fault["path"]))
    return found | {"tally": vars(tally)}


def without_lines(told: Told, kept: Iterable[int]) -> Told:
    """The same with the lines counted as if only the kept ones had ever been there."""
    number = {line: place for place, line in enumerate(kept, 1)}
    for name in ("requests", "rejected"):
        rows = [row for row in told[name] if row["line"] in number]
        told[name] = [{**row, "line": number[row["line"]]} for row in rows]
    return told


def written(folder: Path, name: str, content: bytes) -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


@given(logs())
@settings(max_examples=30, deadline=None)
def test_the_end_of_lines_and_what_packs_them_change_nothing(lines: list[bytes]) -> None:
    plain = b"\n".join([FIRST, *lines])
    with TemporaryDirectory() as name:
        folder = Path(name)
        expected = told(written(folder, "plain.jsonl", plain))
        assert told(written(folder, "ended.jsonl", plain + b"\n")) == expected
        assert told(written(folder, "crlf.jsonl", plain.replace(b"\n", b"\r\n"))) == expected
        assert told(written(folder, "mark.jsonl", b"\xef\xbb\xbf" + plain)) == expected
        with patch("analyzer.sources.jsonl.UNCUT_BYTES", 300):
            assert told(written(folder, "short-runs.jsonl", plain)) == expected
        assert told(written(folder, "packed.jsonl.gz", gzip.compress(plain))) == expected


@given(st.lists(PLAIN, min_size=1, max_size=10))
@settings(max_examples=30, deadline=None)
def test_faults_between_plain_requests_change_none_of_them(records: list[dict[str, Any]]) -> None:
    lines = [json.dumps(record).encode() for record in records]
    with TemporaryDirectory() as name:
        folder = Path(name)
        whole = written(folder, "whole.jsonl", b"\n".join(lines))
        faulty = written(folder, "faulty.jsonl", b"\nhalf a line\n".join([*lines, b""]))
        assert uncut(whole)
        assert not uncut(faulty)
        expected = told(whole)
        among = without_lines(told(faulty), range(1, 2 * len(lines), 2))
    assert among.pop("tally") | {"read": len(lines), "rejected": 0} == expected.pop("tally")
    assert among == expected


def test_a_store_does_not_tell_how_its_lines_came(tmp_path: Path) -> None:
    chunk = {"rank": 1, "position": 1, "text": "opening hours"}
    records = [request(f"r{n}", chunk, answer="so [1]", unit_id=f"u{n % 7}") for n in range(40)]
    lines = [json.dumps(record).encode() for record in records]
    ways = {
        "plain": [b"\n".join(lines)],
        "crlf": [b"\r\n".join(lines)],
        "packed": [gzip.compress(b"\n".join(lines))],
        "split": [b"\n".join(lines[start::3]) for start in range(3)],
        "faulty": [b"\nhalf a line\n".join(lines)],
    }
    plain, *others = [loaded(tmp_path / name, files) for name, files in ways.items()]
    assert len(plain["requests"]) == len(records)
    assert all(other == plain for other in others)


def loaded(folder: Path, files: list[bytes]) -> Told:
    """What a store of these files holds, batches aside."""
    folder.mkdir()
    site = Site(folder)
    site.load(*(written(folder, f"{n}.jsonl", said) for n, said in enumerate(files)))
    return site.contents(("requests", "chunks", "texts", *ROLLUPS))


def uncut(path: Path) -> bool:
    """Whether the lines of the file are handed over many at once."""
    with open_source(path) as source:
        return all(isinstance(run, Uncut) for run in source.runs())
