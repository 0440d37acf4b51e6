"""For one record of a file, where each of its fields came from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec

from analyzer.sources.lines import Lines
from analyzer.sources.source import Source

_TEXTS = ("text", "answer")
_LONGEST = 60
_ASKED_FOR: dict[str, tuple[str, ...]] = {
    "requested_at": (),
    "route": (),
    "model": (),
    "release": (),
    "unit_id": (),
    "prompt_tokens": (),
    "chunks": (),
    "chunks[].doc_id": (),
    "chunks[].rank": (),
    "chunks[].position": (),
    "chunks[].tokens": (),
    "chunks[].text": ("chunks[].text_hash", "chunks[].signature", "chunks[].embedding"),
    "chunks[].cited": ("answer", "citations"),
}


class Told(NamedTuple):
    """A field of the record, its value (a text by its length only), and where it came from."""

    field: str
    value: str
    came: str


def explained(source: Source) -> list[Told]:
    """The fields of the first record of a file that has no flaw, and which are not there."""
    if source.documents is None:
        return _of(_first_of_ours(source), {}, "logged")
    for record in source.records():
        if record.flaw is None:
            return _of(record.fields, record.came or {}, f"the {source.format} reader")
    return []


def _first_of_ours(source: Source) -> dict[str, Any]:
    for block in source.blocks():
        for line in block.texts if isinstance(block, Lines) else ():
            try:
                value = msgspec.json.decode(line)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                continue
            if isinstance(value, dict):
                return value
    return {}


def _of(fields: dict[str, Any], came: dict[str, str], otherwise: str) -> list[Told]:
    origins = fields.get("origins") or {}

    def tell(prefix: str, held: dict[str, Any]) -> list[Told]:
        return [
            Told(prefix + name, _shown(name, value), _from(prefix + name, came, origins, otherwise))
            for name, value in held.items()
            if value is not None and name not in ("chunks", "origins")
        ]

    if not fields:
        return []
    told = tell("", fields)
    listed = fields.get("chunks")
    chunks = [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
    if chunks:
        told.append(Told("chunks", str(len(chunks)), came.get("chunks", otherwise)))
        told += tell("chunks[].", _first_of_each(chunks))
    read = fields.get("answer") and "citations" not in fields and "chunks[].cited" in came
    if read and all(each.field != "chunks[].cited" for each in told):
        told.append(Told("chunks[].cited", "", came["chunks[].cited"]))
    return told if "judged_at" in fields else [*told, *_lacking(told)]


def _first_of_each(chunks: list[dict[str, Any]]) -> dict[str, Any]:
    """Every field with its value in the first chunk that has it."""
    found: dict[str, Any] = {}
    for chunk in chunks:
        found = {**{name: value for name, value in chunk.items() if value is not None}, **found}
    return found


def _lacking(told: list[Told]) -> Iterator[Told]:
    """What a measure would ask for, and the record does not have."""
    there = {each.field for each in told}
    for name, others in _ASKED_FOR.items():
        if not there & {name, *others}:
            yield Told(name, "", "nothing found")


def _from(name: str, came: dict[str, str], origins: dict[str, Any], otherwise: str) -> str:
    origin = origins.get(name.removeprefix("chunks[]."))
    said = came.get(name)
    if said is None:
        return str(origin) if origin else otherwise
    return said if origin is None or f"({origin}" in said else f"{said} ({origin})"


def _shown(name: str, value: Any) -> str:
    if name in _TEXTS and isinstance(value, str):
        return f"{len(value):,} characters"
    written = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    return written if len(written) <= _LONGEST else written[: _LONGEST - 1] + "…"
