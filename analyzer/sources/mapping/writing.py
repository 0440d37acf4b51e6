"""A proposed mapping as a file: every rule with its reason, and what a person has to fill in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from analyzer.sources.mapping.evidence import Choice

_FILL_IN = {
    "request_id": "request_id was not found, so a request is known by its content: write the path "
    "of its id",
    "requested_at": "requested_at was not found, so the time of the file counts: write its path, "
    'or requested_at = { constant = "2026-11-05T09:00:00Z" }',
    "chunks": "no list of chunks was found, and nothing can be loaded without: write the path of "
    "the list of retrieved chunks below [chunks]",
    "chunk_id": "chunk_id was not found, so chunks are known by their texts: write its path",
    "text": "neither text nor chunk_id was found: write the path of one of them",
    "rank": "rank was not found, so no effect of position can be told: write its path, or "
    'rank = "order" if the list is in the order of the retriever',
    "answer": "neither an answer nor citations were found, so nothing counts as cited or uncited: "
    "write the path of the answer, or of the list of cited ids as citations",
}


@dataclass
class Proposal:
    """What was found: rules of the request and of a chunk, and where the chunks are and stood.

    `ids` and `texts` are those of the chunks, document by document.
    """

    request: dict[str, Choice] = field(default_factory=dict)
    chunk: dict[str, Choice] = field(default_factory=dict)
    chunks: str | None = None
    records: str | None = None
    each: str | None = None
    packed: Choice | None = None
    prompt: Choice | None = None
    cut: tuple[str, str] | None = None
    ids: list[list[Any]] = field(default_factory=list)
    texts: list[list[Any]] = field(default_factory=list)


def written(made: Proposal, request: Iterable[str], chunk: Iterable[str]) -> str:
    """The text of the mapping file; `request` and `chunk` are the fields that were looked for."""
    lines = ["# Proposed by looking at the first documents; check it before you load with it."]
    lines += [f"# To do: {_FILL_IN[name]}." for name in _lacking(made)]
    places = {"from": made.records, "each": made.each}
    if any(places.values()):
        found = [f"{name} = {_quoted(place)}" for name, place in places.items() if place]
        lines += ["", "[records]", *found]
    lines += ["", "[request]", *_rules(_identified(made), request)]
    lines += ["", "[chunks]", *_of_chunks(made)]
    lines += ["", "[chunk]", *_rules(made.chunk, chunk)]
    if (position := made.chunk.get("position")) and position.path in ("order", "rank"):
        lines.append(
            "# position is taken from the "
            + ("rank (assumed)" if position.path == "rank" else "order of the list")
            + ": keep it only if the prompt has that order"
        )
    if made.cut:
        lines += ["", "[passages]", *_cut(*made.cut)]
    if not made.prompt:
        lines += ["", "[markers]", "base = 1  # what the prompt calls the first chunk, 0 or 1"]
    return "\n".join([*lines, ""])


def _cut(place: str, before: str) -> Iterator[str]:
    yield f"from = {_quoted(place)}"
    if before:  # else the prompt begins with the first passage
        yield f"after = {_quoted(before)}"
    yield r"split = '(?m)^\[\d+\] '"


def _lacking(made: Proposal) -> Iterator[str]:
    if made.chunks is None and not made.cut:
        yield "chunks"
    for name in ("request_id", "requested_at"):
        if name not in made.request:
            yield name
    if made.chunks is not None and "chunk_id" not in made.chunk:
        yield "chunk_id" if "text" in made.chunk else "text"
    if made.chunks is not None and "rank" not in made.chunk:
        yield "rank"
    if not {"answer", "citations"} & made.request.keys() and "cited" not in made.chunk:
        yield "answer"


def _identified(made: Proposal) -> dict[str, Choice]:
    hashed = Choice("$hash", "a hash of the content, for want of an id")
    return {"request_id": made.request.get("request_id", hashed), **made.request}


def _rules(chosen: dict[str, Choice], looked_for: Iterable[str]) -> Iterator[str]:
    for name, each in chosen.items():
        yield f"{name} = {_quoted(each.path)}  # {each.why}"
    for name in looked_for:
        if name not in chosen:
            yield f"# {name}: not found"


def _of_chunks(made: Proposal) -> Iterator[str]:
    if made.chunks is None and not made.cut:
        yield 'from = "chunks"  # no list of chunks was found; name its path'
    elif made.chunks is not None:
        yield f"from = {_quoted(made.chunks)}  # the list that looks most like chunks"
    for name, each in (("packed", made.packed), ("prompt", made.prompt)):
        if each and not (name == "prompt" and made.packed):
            yield f"{name} = {_quoted(each.path)}  # {each.why}"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
