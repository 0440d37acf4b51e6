"""What a file in another format becomes, for tests that hold it against a record written by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from analyzer.record import parse
from analyzer.sources import Lines, Refused, asked, open_source

Json = dict[str, Any]


def records(path: Path, **asking: Any) -> list[Json]:
    """The records of a file, each held to be one that the record's parser takes."""
    found, refused = read(path, **asking)
    assert refused == [], refused
    return found


def read(path: Path, *beside: Path, **asking: Any) -> tuple[list[Json], list[Refused]]:
    """Records and refused lines of a file that is loaded with others."""
    found: list[Json] = []
    refused: list[Refused] = []
    with open_source(path, asking=asked([path, *beside], **asking)) as source:
        for block in source.blocks():
            if isinstance(block, Lines):
                for line in block.texts:
                    parse(line)
                    found.append(msgspec.json.decode(line))
            else:
                refused.append(block)
    return found, refused


def format_of(path: Path) -> str:
    """What a file is found to be."""
    with open_source(path, asking=asked([path])) as source:
        return source.format


def told(path: Path, **asking: Any) -> str:
    """What is said of a file beside its records."""
    with open_source(path, asking=asked([path], **asking)) as source:
        list(source.blocks())
        return source.told or ""


def without_texts(record: Json) -> Json:
    """A record without its texts and their tokens, which the recordings alone hold."""
    chunks = [
        {name: value for name, value in chunk.items() if name not in ("text", "tokens")}
        for chunk in record.get("chunks", [])
    ]
    kept = {name: value for name, value in record.items() if name not in ("answer", "chunks")}
    return {**kept, "chunks": chunks}
